//! What is in a garment.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::size_advice;
use crate::carry::simulated_particles;
use crate::cli::memory::{BakeSize, MemoryEstimate};
use crate::geometry::{Aabb, DVec3};
use crate::import::{Garment, Group};
use crate::pins::{LoopChoice, PinSelector, select};
use crate::topology::{ParticleId, Topology};

/// Words in group names, as they begin, that tell where a garment is held, and such words as a whole.
const HELD: [&str; 8] = ["waist", "belt", "collar", "neck", "shoulder", "strap", "hoist", "heading"];
const HELD_AS_A_WORD: [&str; 4] = ["pin", "pins", "pinned", "band"];
/// Part of a garment beyond which a group is no edge to hold it by, and part that hangs together with such an edge at least: a belt may
/// be a piece of its own that holds nothing.
const EDGE: f32 = 0.4;
const HANGS_ON_IT: f32 = 0.5;
/// Part of a garment's particles from which a piece without pins is named: smaller ones are buttons.
const LARGE_PIECE: f32 = 0.05;

/// Frames of the bake whose memory is estimated where no clip says how many.
const USUAL_FRAMES: usize = 100;

/// What is in a garment.
#[derive(Debug, Serialize)]
pub(super) struct GarmentFacts {
    pub(super) file: PathBuf,
    pub(super) vertices: usize,
    pub(super) particles: usize,
    pub(super) faces: FaceCounts,
    /// Metres.
    pub(super) size: [f32; 3],
    pub(super) components: usize,
    pub(super) pieces: Vec<PieceFacts>,
    pub(super) boundary_loops: Vec<LoopFacts>,
    pub(super) groups: Vec<GroupFacts>,
    pub(super) attributes: Vec<String>,
    pub(super) has_skin: bool,
    /// Memory that a bake of it takes, for the cloth alone.
    pub(super) memory: MemoryEstimate,
    /// What is odd.
    pub(super) notices: Vec<String>,
    /// What to do about it.
    pub(super) advice: Vec<String>,
}

/// Faces of the file by number of corners.
#[derive(Debug, Default, Serialize)]
pub(super) struct FaceCounts {
    pub(super) triangles: usize,
    pub(super) quads: usize,
    pub(super) larger: usize,
}

/// A boundary loop as `--pin loop:N` numbers it.
#[derive(Debug, Serialize)]
pub(super) struct LoopFacts {
    pub(super) number: usize,
    pub(super) vertices: usize,
    /// Mean height, metres.
    pub(super) height: f32,
    /// Metres.
    pub(super) extent: [f32; 3],
}

/// A connected piece as `--include component:N` numbers it.
#[derive(Debug, Serialize)]
pub(super) struct PieceFacts {
    pub(super) number: usize,
    pub(super) particles: usize,
    pub(super) faces: usize,
    /// Metres.
    pub(super) size: [f32; 3],
    /// Middle, metres.
    pub(super) centre: [f32; 3],
    /// Groups that its faces belong to.
    pub(super) groups: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct GroupFacts {
    pub(super) name: String,
    pub(super) faces: usize,
}

impl GarmentFacts {
    pub(super) fn of(file: &Path, garment: &Garment, topology: &Topology) -> GarmentFacts {
        let size = Aabb::around(&garment.positions).size();
        let boundary_loops: Vec<LoopFacts> = topology
            .boundary_loops
            .iter()
            .enumerate()
            .map(|(i, l)| LoopFacts::of(i, l, topology, garment.origin))
            .collect();
        let mut advice: Vec<String> =
            size_advice(size.max_element(), garment.frame.unit, "units").into_iter().collect();
        let held = held_group(garment, topology, |_| true);
        advice.push(pin_advice(held, &boundary_loops));
        let pins = held.map_or(PinSelector::Loop(LoopChoice::Top), |group| PinSelector::Group(group.name.clone()));
        let pieces = PieceFacts::all(garment, topology);
        advice.extend(loose_advice(&pins, &pieces, garment, topology));
        GarmentFacts {
            file: file.to_owned(),
            vertices: garment.positions.len(),
            particles: topology.positions.len(),
            faces: count_faces(garment),
            size: size.to_array(),
            components: topology.component_count,
            pieces,
            boundary_loops,
            groups: garment.groups.iter().map(GroupFacts::of).collect(),
            attributes: garment.attributes.iter().map(|a| a.name.clone()).collect(),
            has_skin: garment.skin.is_some(),
            memory: MemoryEstimate::of(&BakeSize {
                vertices: garment.positions.len(),
                particles: simulated_particles(topology, None),
                body_vertices: 0,
                frames: USUAL_FRAMES,
            }),
            notices: garment.notices.iter().chain(&topology.notices).cloned().chain(topology.seams.notice()).collect(),
            advice,
        }
    }
}

impl LoopFacts {
    /// Of a loop of cloth whose positions count from `origin`.
    fn of(number: usize, particles: &[ParticleId], topology: &Topology, origin: DVec3) -> LoopFacts {
        let points = || particles.iter().map(|p| &topology.positions[p.index()]);
        let above_origin = points().map(|p| p.y).sum::<f32>() / particles.len().max(1) as f32;
        let height = (origin.y + f64::from(above_origin)) as f32;
        let extent = Aabb::around(points()).size().to_array();
        LoopFacts { number, vertices: particles.len(), height, extent }
    }
}

impl PieceFacts {
    /// All pieces that have faces.
    fn all(garment: &Garment, topology: &Topology) -> Vec<PieceFacts> {
        let component = |particle: u32| topology.component_of_particle[particle as usize] as usize;
        let bounds = topology.component_bounds();
        let (mut particles, mut faces) = (vec![0; bounds.len()], vec![0; bounds.len()]);
        topology.component_of_particle.iter().for_each(|&piece| particles[piece as usize] += 1);
        let mut piece_of_face = vec![None; garment.polygons.len()];
        for (polygon, &face) in topology.polygons.iter().zip(&topology.file_faces) {
            faces[component(polygon[0])] += 1;
            piece_of_face[face as usize] = Some(component(polygon[0]));
        }
        let mut groups = vec![Vec::new(); bounds.len()];
        for group in &garment.groups {
            let mut pieces: Vec<usize> = group.polygons.iter().filter_map(|&f| piece_of_face[f as usize]).collect();
            pieces.sort_unstable();
            pieces.dedup();
            pieces.into_iter().for_each(|piece| groups[piece].push(group.name.clone()));
        }
        let facts = |number: usize| PieceFacts {
            number,
            particles: particles[number],
            faces: faces[number],
            size: bounds[number].size().to_array(),
            centre: (garment.origin + bounds[number].centre().as_dvec3()).as_vec3().to_array(),
            groups: std::mem::take(&mut groups[number]),
        };
        (0..bounds.len()).filter(|&piece| faces[piece] > 0).map(facts).collect()
    }
}

impl GroupFacts {
    fn of(group: &Group) -> GroupFacts {
        GroupFacts { name: group.name.clone(), faces: group.polygons.len() }
    }
}

fn count_faces(garment: &Garment) -> FaceCounts {
    garment.polygons.iter().fold(FaceCounts::default(), |mut counts, polygon| {
        *match polygon.len() {
            3 => &mut counts.triangles,
            4 => &mut counts.quads,
            _ => &mut counts.larger,
        } += 1;
        counts
    })
}

/// The first group whose name sounds as if the garment were held there, and that can hold most of what `is_worn` of it.
pub(super) fn held_group<'a>(
    garment: &'a Garment,
    topology: &Topology,
    is_worn: impl Fn(ParticleId) -> bool,
) -> Option<&'a Group> {
    garment.groups.iter().find(|group| sounds_held(&group.name) && can_hold(group, garment, topology, &is_worn))
}

/// Whether a name like `WaistBand`, `l_strap2` or `Pinned` has a word for where clothes are held.
fn sounds_held(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        let begins = !letter.is_alphabetic() || letter.is_uppercase() && was_lower;
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.iter().any(|word| HELD.iter().any(|held| word.starts_with(held)) || HELD_AS_A_WORD.contains(&word.as_str()))
}

/// Names the larger pieces that hang on none of those pins, if any do.
fn loose_advice(pins: &PinSelector, pieces: &[PieceFacts], garment: &Garment, topology: &Topology) -> Option<String> {
    let held = select(std::slice::from_ref(pins), garment, topology, None).unwrap_or_default();
    let is_held = topology.components_with(&held);
    let least = (LARGE_PIECE * topology.positions.len() as f32) as usize;
    let loose = pieces.iter().filter(|piece| !is_held[piece.number] && piece.particles >= least);
    let loose: Vec<String> = loose.map(|piece| format!("component:{}", piece.number)).collect();
    (!loose.is_empty() && is_held.contains(&true)).then(|| {
        format!(
            "of that {} gets no pin: it stays on only where the body holds it up; pin it too if it slips",
            loose.join(", ")
        )
    })
}

/// Whether a group is an edge of what is worn of the garment, and most of that hangs together with it.
fn can_hold(group: &Group, garment: &Garment, topology: &Topology, is_worn: impl Fn(ParticleId) -> bool) -> bool {
    let mut held = select(&[PinSelector::Group(group.name.clone())], garment, topology, None).unwrap_or_default();
    held.retain(|&particle| is_worn(particle));
    let is_held = topology.components_with(&held);
    let worn = (0..).zip(&topology.component_of_particle).filter(|&(particle, _)| is_worn(ParticleId(particle)));
    let (all, hangs) = worn.fold((0.0, 0.0), |(all, hangs), (_, &piece)| {
        (all + 1.0, if is_held[piece as usize] { hangs + 1.0 } else { hangs })
    });
    held.len() as f32 <= EDGE * all && hangs >= HANGS_ON_IT * all
}

fn pin_advice(held: Option<&Group>, loops: &[LoopFacts]) -> String {
    if let Some(group) = held {
        return format!("to pin it: --pin \"group:{}\"", group.name);
    }
    match loops.len() {
        0 => "it has no boundary loop, it is closed all around: --pin loop:top holds its upper rim, --pin box:... another part"
            .to_owned(),
        1 => "it has one boundary loop, all around: --pin loop:top holds its upper edge".to_owned(),
        _ => "to pin it: --pin loop:top".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;
    use crate::topology::grids::{joined, tube};

    #[test]
    fn a_group_that_sounds_held_is_advised_before_a_loop() {
        let group = Group { name: "WaistBand".to_owned(), polygons: vec![0] };
        assert!(pin_advice(Some(&group), &[]).contains("group:WaistBand"));
        assert!(pin_advice(None, &[]).contains("no boundary loop"));
    }

    #[test]
    fn a_large_piece_without_pins_is_named() {
        let mut both = joined(tube(12, 5), &tube(12, 5), |p| p - crate::geometry::Vec3::Y * 5.0);
        both.groups.push(Group { name: "band".to_owned(), polygons: vec![0] });
        let topology = topology::build(&both).expect("two tubes");
        let pieces = PieceFacts::all(&both, &topology);
        let advice = |pins: PinSelector| loose_advice(&pins, &pieces, &both, &topology);
        let band = advice(PinSelector::Group("band".to_owned()));
        assert!(band.as_ref().is_some_and(|advice| advice.contains("component:1 gets no pin")), "{band:?}");
        assert_eq!(advice(PinSelector::Loop(LoopChoice::Top)), None, "that of every piece");
        assert_eq!(advice(PinSelector::Group("none".to_owned())), None, "nothing is held at all");
    }

    #[test]
    fn a_word_for_where_clothes_are_held_is_no_part_of_another() {
        let held = ["WaistBand", "waistband", "l_strap2", "Pinned", "pin", "shirt collar", "neckline", "hem band"];
        assert!(held.into_iter().all(sounds_held));
        assert!(!["pink_dress", "spinach", "armband", "cuff", "bandana", "husband"].into_iter().any(sounds_held));
    }

    #[test]
    fn what_is_most_of_a_garment_or_a_piece_of_its_own_holds_nothing() {
        let mut skirt = tube(12, 6);
        let group = |polygons: std::ops::Range<u32>| Group { name: "belt".to_owned(), polygons: polygons.collect() };
        let holds =
            |garment: &Garment| held_group(garment, &topology::build(garment).expect("a mesh"), |_| true).is_some();
        skirt.groups = vec![group(0..12)];
        assert!(holds(&skirt));
        skirt.groups = vec![group(0..50)];
        assert!(!holds(&skirt), "most of it");
        let belt = tube(12, 2);
        let first = skirt.positions.len() as u32;
        skirt.positions.extend(belt.positions.iter().map(|&p| p * 1.1));
        belt.polygons.iter().for_each(|quad| skirt.polygons.push(&quad.iter().map(|v| v + first).collect::<Vec<_>>()));
        skirt.groups = vec![group(60..72)];
        assert!(!holds(&skirt), "a strip around it");
    }
}
