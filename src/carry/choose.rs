//! Which faces of the file are left out of the simulation.

use super::PartSelector;
use super::selector::fits;
use crate::import::{Garment, GarmentSource, listed};
use crate::topology::{ParticleId, Topology};

/// Names that a message lists.
const NAMES_SHOWN: usize = 30;

/// What is simulated of a garment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Parts that are simulated. Default: none, which means all.
    pub include: Vec<PartSelector>,
    /// Parts that are not, even if they are included. Default: none.
    pub exclude: Vec<PartSelector>,
    /// Whether small pieces that lie on the cloth follow it, instead of being cloth. Default: yes.
    pub islands: bool,
    /// Whether of two surfaces that model one thickness one follows the other. Default: yes.
    pub shells: bool,
    /// Whether open edges that run along each other with a small gap are sewn together. Default: yes.
    pub seams: bool,
    /// Particles to simulate; none: one for each vertex, seams aside, 12 000 if these are more than 60 000, more if edges are too long
    /// to follow the body.
    pub simulate_as: Option<u32>,
}

impl Default for Choice {
    fn default() -> Self {
        Choice { include: Vec::new(), exclude: Vec::new(), islands: true, shells: true, seams: true, simulate_as: None }
    }
}

/// A part that the garment does not have, or nothing left to simulate. The message lists what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// No such name.
    #[error("the garment has no {kind} `{wanted}`{}; it has {}", did_you_mean(.suggestion.as_deref()), listed(.known, NAMES_SHOWN))]
    NoSuchName {
        /// `group` or `material`.
        kind: &'static str,
        /// What was asked for.
        wanted: String,
        /// The nearest name.
        suggestion: Option<String>,
        /// Names there are.
        known: Vec<String>,
    },
    /// No such component.
    #[error("the garment has no component {wanted}; it has 0 to {last}, `toile inspect GARMENT` shows them")]
    NoSuchComponent {
        /// What was asked for.
        wanted: u32,
        /// The last there is.
        last: usize,
    },
    /// Everything is left out.
    #[error("nothing is left to simulate: --include and --exclude leave out all {faces} faces of the garment")]
    Nothing {
        /// Faces of the garment.
        faces: usize,
    },
}

/// Which of the cloth's polygons are left out of the simulation; none if no part was chosen.
///
/// # Errors
/// A name or number that the garment does not have, or nothing left.
pub fn excluded(choice: &Choice, garment: &Garment, topology: &Topology) -> Result<Option<Vec<bool>>, ChoiceError> {
    if choice.include.is_empty() && choice.exclude.is_empty() {
        return Ok(None);
    }
    let mut out = vec![!choice.include.is_empty(); topology.polygons.len()];
    for (selectors, value) in [(&choice.include, false), (&choice.exclude, true)] {
        for selector in selectors {
            for polygon in polygons_of(selector, garment, topology)? {
                out[polygon] = value;
            }
        }
    }
    if out.iter().all(|&out| out) {
        return Err(ChoiceError::Nothing { faces: garment.polygons.len() });
    }
    Ok(Some(out))
}

/// What the polygons that are not left out make of a cloth, and the particle of the whole that each of its particles is, ascending.
pub fn left_over(whole: &Topology, excluded: &[bool]) -> (Topology, Vec<ParticleId>) {
    whole.with_faces(&excluded.iter().map(|out| !out).collect::<Vec<_>>()).without_loose()
}

impl Choice {
    /// Whether the component was chosen to be simulated by its number.
    pub(super) fn names_component(&self, component: u32) -> bool {
        let names = |s: &PartSelector| matches!(s, PartSelector::Components(a, b) if (a..=b).contains(&&component));
        self.include.iter().any(names)
    }
}

/// Polygons of the cloth that a selector means.
fn polygons_of(selector: &PartSelector, garment: &Garment, topology: &Topology) -> Result<Vec<usize>, ChoiceError> {
    let of_faces = |chosen: Vec<bool>| {
        let polygons = topology.file_faces.iter().enumerate();
        polygons.filter(|&(_, &face)| chosen[face as usize]).map(|(polygon, _)| polygon).collect()
    };
    match selector {
        PartSelector::Group(pattern) => {
            let groups: Vec<(String, Vec<u32>)> =
                garment.groups.iter().map(|g| (g.name.clone(), g.polygons.clone())).collect();
            Ok(of_faces(faces_of("group", pattern, &groups, garment)?))
        }
        PartSelector::Material(pattern) => Ok(of_faces(faces_of("material", pattern, &materials(garment), garment)?)),
        &PartSelector::Components(first, last) => {
            if last as usize >= topology.component_count {
                let last_there = topology.component_count.saturating_sub(1);
                return Err(ChoiceError::NoSuchComponent { wanted: last, last: last_there });
            }
            let component = |polygon: &[u32]| topology.component_of_particle[polygon[0] as usize];
            let polygons = topology.polygons.iter().enumerate();
            Ok(polygons.filter(|(_, p)| (first..=last).contains(&component(p))).map(|(i, _)| i).collect())
        }
    }
}

/// Which faces of the file belong to the named sets that fit `pattern`.
fn faces_of(
    kind: &'static str,
    pattern: &str,
    sets: &[(String, Vec<u32>)],
    garment: &Garment,
) -> Result<Vec<bool>, ChoiceError> {
    // A name with a star in it means itself first.
    let is_exact = sets.iter().any(|(name, _)| name == pattern);
    let mut chosen = vec![false; garment.polygons.len()];
    let mut any = false;
    for (_, faces) in sets.iter().filter(|(name, _)| if is_exact { name == pattern } else { fits(pattern, name) }) {
        any = true;
        faces.iter().for_each(|&face| chosen[face as usize] = true);
    }
    if any {
        return Ok(chosen);
    }
    let mut known: Vec<String> = sets.iter().map(|(name, _)| name.clone()).collect();
    known.dedup();
    let suggestion = nearest(pattern, &known);
    Err(ChoiceError::NoSuchName { kind, wanted: pattern.to_owned(), suggestion, known })
}

/// Materials by name with the faces of the file that have them.
fn materials(garment: &Garment) -> Vec<(String, Vec<u32>)> {
    match &garment.source {
        GarmentSource::Obj(source) => {
            let mut materials: Vec<(String, Vec<u32>)> =
                source.materials.iter().map(|m| (m.name.clone(), Vec::new())).collect();
            for (face, material) in (0..).zip(&source.polygon_materials) {
                if let Some(set) = material.and_then(|m| materials.get_mut(m as usize)) {
                    set.1.push(face);
                }
            }
            materials
        }
        GarmentSource::Gltf(source) => {
            let name = |index: u32| {
                let material = source.appearance.materials.get(index as usize)?;
                Some(material.get("name")?.as_str()?.to_owned())
            };
            let with_material = source.primitives.iter().filter_map(|p| Some((name(p.material?)?, p)));
            with_material.map(|(name, primitive)| (name, primitive.polygons.clone().collect())).collect()
        }
    }
}

/// The known name that `wanted` is most like, whatever the case of its letters.
fn nearest(wanted: &str, known: &[String]) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let distance = |name: &String| strsim::damerau_levenshtein(&wanted, &name.to_lowercase());
    let best = known.iter().min_by_key(|name| distance(name))?;
    (distance(best) <= 1 + wanted.chars().count() / 3).then(|| best.clone())
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(", did you mean `{}`?", name.escape_debug())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{FileFrame, obj};
    use crate::topology;

    const SUIT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 6 1 0\n\
        g Jacket\nusemtl wool\nf 1 2 3 4\ng Shoe_L\nusemtl leather\nf 5 6 7\n";

    fn left_out(include: &[&str], exclude: &[&str]) -> Result<Option<Vec<bool>>, ChoiceError> {
        let garment = obj::read_garment(SUIT.as_bytes(), "suit", FileFrame::default()).expect("an OBJ");
        let read = |texts: &[&str]| texts.iter().map(|t| t.parse().expect("a part")).collect();
        let choice = Choice { include: read(include), exclude: read(exclude), ..Choice::default() };
        excluded(&choice, &garment, &topology::build(&garment).expect("a mesh"))
    }

    #[test]
    fn parts_are_chosen_by_group_material_and_component() {
        let shoes_out = Ok(Some(vec![false, true]));
        assert_eq!(left_out(&[], &[]), Ok(None));
        assert_eq!(left_out(&[], &["group:Shoe*"]), shoes_out);
        assert_eq!(left_out(&["group:Jacket"], &[]), shoes_out);
        assert_eq!(left_out(&["material:wool"], &[]), shoes_out);
        assert_eq!(left_out(&["component:0..1"], &["component:1"]), shoes_out);
    }

    #[test]
    fn unknown_parts_are_told_what_there_is() {
        let words = left_out(&[], &["group:shoe_l"]).expect_err("no such group").to_string();
        assert!(words.contains("did you mean `Shoe_L`?") && words.contains("`Jacket`"), "{words}");
        let words = left_out(&[], &["material:wol"]).expect_err("no such material").to_string();
        assert!(words.contains("did you mean `wool`?") && words.contains("`leather`"), "{words}");
        let words = left_out(&[], &["component:2"]).expect_err("no such component").to_string();
        assert!(words.contains("0 to 1"), "{words}");
        let words = left_out(&[], &["group:*"]).expect_err("nothing is left").to_string();
        assert!(words.contains("all 2 faces"), "{words}");
    }
}
