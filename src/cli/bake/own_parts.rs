//! A character's file often holds its clothes: what is simulated is left out of the body, which would push it off itself.

use std::collections::HashSet;

use super::bound::{SAME, bind_pose, is_of_one_file};
use crate::body::Body;
use crate::carry::{self, Choice};
use crate::cli::failure::{Failure, UsageError};
use crate::geometry::DVec3;
use crate::import::{BodyPart, Garment, Rig, listed};
use crate::preset::Scene;
use crate::topology;

/// Part of the triangles of a body's part that lie on the garment from which on it is the garment.
const MOST: f32 = 0.95;

/// What is left of a body along a joint, as a part of what is left out of it, up to which it is hollow there.
const HOLLOW: f32 = 0.05;
/// Part of all cloth up to which that along a joint does not matter.
const LITTLE: f32 = 0.03;

/// Names that a message lists.
const NAMES_SHOWN: usize = 30;

/// What of a body is what is simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Own {
    /// Nothing.
    None,
    /// Some triangles of the parts of its rig, in their order.
    Triangles(Vec<Vec<bool>>),
    /// All of it.
    All,
}

/// `body` without what `scene` simulates of the `garment`, which `note` is told; none if it has nothing of that.
pub(super) fn left_out(
    scene: &Scene,
    garment: &Garment,
    body: &Body,
    note: &mut impl FnMut(&[String]),
) -> Result<Option<Body>, Failure> {
    let Some(rig) = body.rig() else { return Ok(None) };
    let own = match find(&scene.choice, garment, body, is_of_one_file(scene))? {
        Own::None => return Ok(None),
        Own::Triangles(own) => own,
        Own::All => {
            let groups: Vec<&str> = garment.groups.iter().map(|group| group.name.as_str()).collect();
            return Err(UsageError::WholeBody { groups: listed(&groups, NAMES_SHOWN) }.into());
        }
    };
    let parts = rig.parts.iter().zip(&own).filter(|(_, own)| own.contains(&true));
    let name = |(part, own): (&BodyPart, &Vec<bool>)| match own.iter().filter(|own| **own).count() {
        all if all == own.len() => part.name.clone(),
        some => format!("{some} triangles of {}", part.name),
    };
    let names: Vec<String> = parts.map(name).collect();
    let names = listed(&names.iter().map(String::as_str).collect::<Vec<_>>(), NAMES_SHOWN);
    note(&[format!("the body's file holds the garment too, which is left out of the body: {names}")]);
    let hollow = hollow_joints(rig, &own);
    if !hollow.is_empty() {
        note(&[format!(
            "the body has nothing under the cloth along {}: it is hollow there, and the cloth sinks in; it takes a body that goes on \
             under its clothes",
            listed(&hollow, NAMES_SHOWN)
        )]);
    }
    Ok(Some(body.without_triangles(&own)))
}

/// Names of joints along which the body was nothing but what is left out of it, though it goes on below them.
fn hollow_joints<'r>(rig: &'r Rig, left_out: &[Vec<bool>]) -> Vec<&'r str> {
    let mut shares = vec![[0.0_f32; 2]; rig.nodes.len()];
    for (part, left_out) in rig.parts.iter().zip(left_out) {
        for (triangle, &is_out) in part.triangles.iter().zip(left_out) {
            for (node, weight) in triangle.iter().flat_map(|&vertex| rig.movers(part, vertex as usize)) {
                if let Some(share) = shares.get_mut(node as usize) {
                    share[usize::from(is_out)] += weight;
                }
            }
        }
    }
    let kept = |[kept, out]: [f32; 2]| kept > HOLLOW * out;
    let mut goes_on = vec![false; rig.nodes.len()];
    for (index, node) in rig.nodes.iter().enumerate().rev() {
        let below = goes_on[index] || kept(shares[index]);
        if let Some(parent) = node.parent {
            goes_on[parent as usize] |= below;
        }
    }
    let all: f32 = shares.iter().map(|[_, out]| out).sum();
    let joints = rig.nodes.iter().zip(&shares).zip(&goes_on);
    let hollow = joints.filter(|((_, share), goes_on)| **goes_on && !kept(**share) && share[1] > LITTLE * all);
    hollow.map(|((node, _), _)| node.name.as_str()).collect()
}

/// What of `body`, which is a rig, is cloth that `choice` simulates. In a garment `of_one_file` with it that may be some of a part.
fn find(choice: &Choice, garment: &Garment, body: &Body, of_one_file: bool) -> Result<Own, Failure> {
    let pose = bind_pose(body);
    let worn = |vertices: &mut dyn Iterator<Item = usize>| {
        Own::of(worn(&Places::of(garment, body, vertices), body, &pose), of_one_file)
    };
    let all = worn(&mut (0..garment.positions.len()));
    if all == Own::None {
        return Ok(Own::None);
    }
    let topology = topology::build(garment)?;
    let Some(excluded) = carry::excluded(choice, garment, &topology)? else { return Ok(all) };
    let mut is_simulated = vec![false; topology.positions.len()];
    let faces = topology.polygons.iter().zip(&excluded).filter(|(_, excluded)| !**excluded);
    faces.flat_map(|(particles, _)| particles).for_each(|&p| is_simulated[p as usize] = true);
    let particles = topology.particle_of_vertex.iter().enumerate();
    Ok(worn(&mut particles.filter(|(_, p)| is_simulated[p.index()]).map(|(vertex, _)| vertex)))
}

impl Own {
    /// Of parts whose triangles lie on the cloth or not.
    fn of(mut parts: Vec<Vec<bool>>, of_one_file: bool) -> Own {
        for part in &mut parts {
            let on = part.iter().filter(|on| **on).count();
            if on > 0 && on as f32 >= MOST * part.len() as f32 {
                part.fill(true);
            } else if !of_one_file {
                part.fill(false);
            }
        }
        let triangles = || parts.iter().flatten();
        match [triangles().any(|on| *on), triangles().any(|on| !*on)] {
            [true, true] => Own::Triangles(parts),
            // Cloth of the shape of a body that is one mesh in another file may be meant so.
            [true, false] if parts.len() > 1 || of_one_file => Own::All,
            _ => Own::None,
        }
    }
}

/// Places of vertices in the world, as numbers of cells of a grid.
struct Places {
    cell: f64,
    taken: HashSet<[i64; 3]>,
}

impl Places {
    /// Those of some vertices of the garment.
    fn of(garment: &Garment, body: &Body, vertices: &mut dyn Iterator<Item = usize>) -> Places {
        let cell = (2.0 * SAME * body.height()).max(f64::MIN_POSITIVE);
        let place = |vertex: usize| garment.positions[vertex].as_dvec3() + garment.origin;
        Places { cell, taken: vertices.map(|vertex| cell_of(place(vertex) / cell)).collect() }
    }

    /// Whether a vertex is within half a cell.
    fn holds(&self, place: DVec3) -> bool {
        let ends = [-0.5, 0.5].map(|way| cell_of(place / self.cell + way));
        let corner = |i: usize| std::array::from_fn(|axis| ends[i >> axis & 1][axis]);
        (0..8).any(|i| self.taken.contains(&corner(i)))
    }
}

fn cell_of(place: DVec3) -> [i64; 3] {
    place.floor().to_array().map(|number| number as i64)
}

/// Which triangles of the body's parts lie on these places in its `pose`.
fn worn(places: &Places, body: &Body, pose: &[DVec3]) -> Vec<Vec<bool>> {
    let is_taken: Vec<bool> = pose.iter().map(|&place| places.holds(place)).collect();
    let parts = body.part_vertices();
    let mut worn = vec![Vec::new(); parts.len()];
    for triangle in body.triangles() {
        let part = parts.partition_point(|vertices| vertices.end <= triangle[0]);
        worn[part].push(triangle.iter().all(|&vertex| is_taken[vertex as usize]));
    }
    worn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Moment;
    use crate::geometry::Vec3;
    use crate::import::BodyAsset;
    use crate::import::gltf::read_rig;
    use crate::topology::grids;

    /// The walker with a sheet as one more part, and the garment that is that sheet.
    fn with_sheet() -> (Body, Garment) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.glb");
        let bytes = std::fs::read(&path).expect("the walker");
        let mut rig = read_rig(&bytes, path.parent().expect("a folder"), "walker").expect("a rig");
        let mut garment = grids::grid(4, 3);
        let triangles = topology::build(&garment).expect("a sheet").triangles.iter().map(|t| t.map(|p| p.0)).collect();
        rig.parts.push(BodyPart { positions: garment.positions.clone(), triangles, ..BodyPart::default() });
        let body = Body::new(BodyAsset::Rig(rig), Some("walk")).expect("a body");
        let mut pose = Vec::new();
        body.pose(Moment::Bind, &mut pose);
        let last = body.part_vertices().last().expect("the sheet").start as usize;
        garment.positions.clone_from_slice(&pose[last..]);
        (body, garment)
    }

    #[test]
    fn what_is_simulated_is_found_among_the_parts_of_the_body() {
        let (body, mut garment) = with_sheet();
        let own = |garment: &Garment| find(&Choice::default(), garment, &body, false).expect("a garment");
        let Own::Triangles(parts) = own(&garment) else { panic!("the sheet is a part") };
        assert_eq!(parts.iter().filter(|own| own.contains(&true)).count(), 1);
        assert!(parts.last().is_some_and(|own| own.iter().all(|own| *own)));
        let without = body.without_triangles(&parts);
        assert_eq!(without.vertex_count() + garment.positions.len(), body.vertex_count());
        garment.positions.iter_mut().for_each(|p| p.y += 0.01);
        assert_eq!(own(&garment), Own::None, "a centimetre beside it");
    }

    #[test]
    fn a_part_is_found_by_what_is_simulated_of_it_corners_of_one_triangle_only_among_it() {
        let (body, mut garment) = with_sheet();
        let quads: Vec<Vec<u32>> = garment.polygons.iter().map(<[u32]>::to_vec).collect();
        garment.polygons = crate::import::Polygons::default();
        for quad in &quads {
            [[0, 1, 2], [0, 2, 3]].iter().for_each(|corners| garment.polygons.push(&corners.map(|i| quad[i])));
        }
        let polygons = (0..garment.polygons.len() as u32).collect();
        garment.groups = vec![crate::import::Group { name: "sheet".to_owned(), polygons }];
        let sheet = "group:sheet".parse().expect("a selector");
        let choice = Choice { include: vec![sheet], ..Choice::default() };
        let own = find(&choice, &garment, &body, false).expect("a garment");
        let Own::Triangles(parts) = own else { panic!("the sheet") };
        assert!(parts.last().is_some_and(|own| own.iter().all(|own| *own)), "all of its corners lie on the garment");
    }

    #[test]
    fn of_a_body_that_is_one_mesh_the_component_that_is_simulated_is_left_out() {
        let (body, mut garment) = with_sheet();
        let mut rig = body.rig().expect("a rig").clone();
        let sheet = rig.parts.pop().expect("the sheet");
        let skin = rig.parts.first_mut().expect("the walker");
        let first = skin.positions.len() as u32;
        for &position in &sheet.positions {
            skin.positions.push(position);
            skin.normals.push(Vec3::Y);
            skin.weights.joints.push(0);
            skin.weights.weights.push(1.0);
            skin.weights.starts.push(skin.weights.joints.len() as u32);
        }
        skin.triangles.extend(sheet.triangles.iter().map(|triangle| triangle.map(|corner| corner + first)));
        let body = Body::new(BodyAsset::Rig(rig), Some("walk")).expect("a body");
        body.pose(Moment::Bind, &mut garment.positions);
        garment.polygons = crate::import::Polygons::default();
        body.triangles().iter().for_each(|triangle| garment.polygons.push(triangle));

        let find = |part: &str, of_one_file| {
            let include = part.split_terminator(' ').map(|part| part.parse().expect("a selector")).collect();
            find(&Choice { include, ..Choice::default() }, &garment, &body, of_one_file).expect("a garment")
        };
        assert_eq!(find("", true), Own::All);
        assert_eq!(find("component:1", false), Own::None, "cloth made on the surface of a body covers some of it");
        let Own::Triangles(own) = find("component:1", true) else { panic!("the sheet") };
        let without = body.without_triangles(&own);
        assert_eq!(without.vertex_count(), first as usize);
        assert_eq!(without.triangles().len() + sheet.triangles.len(), body.triangles().len());
        let (mut pose, moment) = (Vec::new(), Moment::At(0.4));
        without.pose(moment, &mut pose);
        let mut whole = Vec::new();
        body.pose(moment, &mut whole);
        assert_eq!(pose, whole[..first as usize], "the walker goes on as it did");
    }

    #[test]
    fn joints_along_which_a_body_has_only_its_clothes_are_named() {
        let (body, _) = with_sheet();
        let mut rig = body.rig().expect("a rig").clone();
        rig.parts.truncate(1);
        let part = &rig.parts[0];
        let shin = rig.nodes.iter().position(|node| node.name == "shin_l").expect("a shin") as u32;
        let joints = &rig.skins[part.skin.expect("a skin") as usize].joints;
        let moved = |vertex: u32| part.weights.of(vertex as usize).any(|(joint, _)| joints[joint] == shin);
        let legging = part.triangles.iter().map(|triangle| triangle.iter().any(|&vertex| moved(vertex))).collect();
        assert_eq!(hollow_joints(&rig, &[legging]), ["shin_l"], "the foot goes on");
        let nothing = vec![false; part.triangles.len()];
        assert_eq!(hollow_joints(&rig, &[nothing]), Vec::<&str>::new());
    }

    #[test]
    fn a_garment_that_is_the_whole_body_is_told_from_one_that_is_a_part() {
        let (body, mut garment) = with_sheet();
        garment.positions.clear();
        body.pose(Moment::Bind, &mut garment.positions);
        garment.polygons = crate::import::Polygons::default();
        body.triangles().iter().for_each(|triangle| garment.polygons.push(triangle));
        assert_eq!(find(&Choice::default(), &garment, &body, false).expect("a garment"), Own::All);
    }
}
