//! Which particles the selectors mean.

use super::anchor::Surface;
use super::{LoopChoice, PinSelector};
use crate::body::{Body, Moment};
use crate::geometry::{Aabb, DVec3, Vec3};
use crate::import::Garment;
use crate::topology::{ParticleId, Topology};

/// A selector that means nothing on this garment. The message lists what there is.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// No such boundary loop.
    #[error("the garment has no loop {wanted}; {}", describe_loops(.loops))]
    NoSuchLoop {
        /// What was asked for.
        wanted: String,
        /// Particle count and mean height in metres of each loop there is.
        loops: Vec<(usize, f32)>,
    },
    /// No such group.
    #[error("the garment has no group `{wanted}`; it has {}", list(.groups))]
    NoSuchGroup {
        /// What was asked for.
        wanted: String,
        /// Names there are.
        groups: Vec<String>,
    },
    /// No such attribute.
    #[error("the garment has no vertex attribute `{wanted}`; it has {}", list(.attributes))]
    NoSuchAttribute {
        /// What was asked for.
        wanted: String,
        /// Names there are.
        attributes: Vec<String>,
    },
    /// No such joint.
    #[error("the body has no joint `{wanted}`; it has {}", list(.joints))]
    NoSuchJoint {
        /// What was asked for.
        wanted: String,
        /// Names there are.
        joints: Vec<String>,
    },
    /// The selector needs a body.
    #[error("`{selector}` needs a body; add --body FILE")]
    NeedsBody {
        /// The selector's first word.
        selector: &'static str,
    },
    /// The selector matches no vertex.
    #[error("`{selector}` matches no vertex; {}", describe_loops(.loops))]
    Empty {
        /// The selector as written.
        selector: String,
        /// Particle count and mean height in metres of each loop there is.
        loops: Vec<(usize, f32)>,
    },
    /// No such vertex.
    #[error("the garment has no vertex {wanted}; its vertices are 0 to {last}")]
    NoSuchVertex {
        /// What was asked for.
        wanted: u32,
        /// Largest vertex index.
        last: usize,
    },
    /// The list of vertices cannot be read.
    #[error("{path}: cannot read the vertex list", path = path.display())]
    VertexFile {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The list of vertices has a line that is no vertex.
    #[error("{path}: line {line}: `{found}` is no vertex; the garment's are 0 to {last}", path = path.display())]
    VertexLine {
        /// The file.
        path: std::path::PathBuf,
        /// Line number from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// Largest vertex index.
        last: usize,
    },
}

/// Part of an outline's height that counts as its top edge.
const TOP_PART: f32 = 0.125;
/// Length of an outline, as a part of the longest of its piece, up to which it is a buttonhole or an eyelet and no edge to hold.
const HOLE: f32 = 0.03;
/// Largest vertex list read, bytes.
const VERTEX_FILE_LIMIT: u64 = 256 << 20;

/// The particles that any of `selectors` means, ascending, each once.
///
/// # Errors
/// A selector that names nothing the garment or body has, or matches no vertex.
pub fn select(
    selectors: &[PinSelector],
    garment: &Garment,
    topology: &Topology,
    body: Option<(&Body, Moment)>,
) -> Result<Vec<ParticleId>, SelectError> {
    let mut pinned = vec![false; topology.positions.len()];
    for selector in selectors {
        let chosen = particles_of(selector, garment, topology, body)?;
        if chosen.is_empty() && *selector != PinSelector::None {
            return Err(SelectError::Empty { selector: selector.to_string(), loops: loops_of(topology) });
        }
        for particle in chosen {
            pinned[particle.index()] = true;
        }
    }
    Ok((0..).zip(pinned).filter(|&(_, pinned)| pinned).map(|(i, _)| ParticleId(i)).collect())
}

fn particles_of(
    selector: &PinSelector,
    garment: &Garment,
    topology: &Topology,
    body: Option<(&Body, Moment)>,
) -> Result<Vec<ParticleId>, SelectError> {
    let where_position = |keep: &dyn Fn(Vec3) -> bool| {
        (0..).zip(&topology.positions).filter(|&(_, &p)| keep(p)).map(|(i, _)| ParticleId(i)).collect()
    };
    match selector {
        PinSelector::None => Ok(Vec::new()),
        PinSelector::Loop(choice) => loop_particles(*choice, topology),
        PinSelector::Group(name) => group_particles(name, garment, topology),
        PinSelector::Attribute(name) => attribute_particles(name, garment, topology),
        PinSelector::Box(bounds) => {
            let is_far = garment.origin != DVec3::ZERO;
            let in_world = |p: Vec3| if is_far { (p.as_dvec3() + garment.origin).as_vec3() } else { p };
            Ok(where_position(&|p| bounds.distance_squared(in_world(p)) == 0.0))
        }
        PinSelector::Indices(ranges) => ranged_particles(ranges, topology),
        PinSelector::Vertices(path) => listed_particles(path, topology),
        PinSelector::Within(metres) => {
            let (body, moment) = body.ok_or(SelectError::NeedsBody { selector: "within" })?;
            let surface = Surface::new(body, moment);
            Ok(where_position(&|p| surface.nearest_triangle(p, *metres).is_some()))
        }
        PinSelector::Joint(name) => {
            let (body, moment) = body.ok_or(SelectError::NeedsBody { selector: "joint" })?;
            let Some(joint) = body.joint_named(name) else {
                return Err(SelectError::NoSuchJoint { wanted: name.clone(), joints: body.joint_names().to_vec() });
            };
            let surface = Surface::new(body, moment);
            let follows = |p| {
                let triangle = surface.nearest_triangle(p, f32::INFINITY);
                triangle.is_some_and(|t| body.main_joint(body.triangles()[t][0]) == joint)
            };
            Ok(where_position(&follows))
        }
    }
}

/// `loop:top` and `loop:bottom` are those of each separate piece: a jacket and trousers are both held. Buttonholes are none.
fn loop_particles(choice: LoopChoice, topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let loops = &topology.boundary_loops;
    let missing = || SelectError::NoSuchLoop { wanted: choice.to_string(), loops: loops_of(topology) };
    if let LoopChoice::Number(n) = choice {
        return loops.get(n).cloned().ok_or_else(missing);
    }
    let mut of_piece = vec![Vec::new(); topology.component_count];
    for outline in loops.iter().filter(|outline| !outline.is_empty()) {
        of_piece[topology.component_of_particle[outline[0].index()] as usize].push(outline);
    }
    for outlines in &mut of_piece {
        let longest = outlines.iter().map(|outline| length(outline, topology)).fold(0.0, f32::max);
        outlines.retain(|outline| length(outline, topology) >= HOLE * longest);
    }
    let end = |loops: &Vec<&Vec<ParticleId>>| match (choice, loops.as_slice()) {
        (_, []) => Vec::new(),
        (LoopChoice::Top, [only]) => top_edge(only, topology),
        (LoopChoice::Top, [top, ..]) => top.to_vec(),
        (_, [.., bottom]) => bottom.to_vec(),
    };
    if loops.is_empty() { Err(missing()) } else { Ok(of_piece.iter().flat_map(end).collect()) }
}

/// Length of a closed outline, metres.
fn length(outline: &[ParticleId], topology: &Topology) -> f32 {
    let place = |p: &ParticleId| topology.positions[p.index()];
    outline.iter().zip(outline.iter().cycle().skip(1)).map(|(a, b)| place(a).distance(place(b))).sum()
}

/// The upper edge of the only loop, of a cape, flag or curtain: what lies in the top part of its height. All of it, when the
/// cloth lies about flat.
fn top_edge(outline: &[ParticleId], topology: &Topology) -> Vec<ParticleId> {
    let place = |p: &ParticleId| topology.positions[p.index()];
    let places: Vec<Vec3> = outline.iter().map(place).collect();
    let bounds = Aabb::around(&places);
    let size = bounds.size();
    if size.y < TOP_PART * size.x.max(size.z) {
        return outline.to_vec();
    }
    let from = bounds.max.y - TOP_PART * size.y;
    outline.iter().filter(|p| place(p).y >= from).copied().collect()
}

fn group_particles(name: &str, garment: &Garment, topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let mut groups = garment.groups.iter().filter(|g| g.name == name).peekable();
    if groups.peek().is_none() {
        let groups = garment.groups.iter().map(|g| g.name.clone()).collect();
        return Err(SelectError::NoSuchGroup { wanted: name.to_owned(), groups });
    }
    let polygons = groups.flat_map(|g| &g.polygons);
    Ok(polygons
        .flat_map(|&polygon| garment.polygons.get(polygon as usize))
        .map(|&v| topology.particle_of_vertex[v as usize])
        .collect())
}

fn attribute_particles(name: &str, garment: &Garment, topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let Some(attribute) = garment.attributes.iter().find(|a| a.name == name) else {
        let attributes = garment.attributes.iter().map(|a| a.name.clone()).collect();
        return Err(SelectError::NoSuchAttribute { wanted: name.to_owned(), attributes });
    };
    let vertices = topology.particle_of_vertex.iter().zip(&attribute.values);
    Ok(vertices.filter(|&(_, &value)| value > 0.5).map(|(&p, _)| p).collect())
}

fn ranged_particles(ranges: &[(u32, u32)], topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let particles = &topology.particle_of_vertex;
    let mut found = Vec::new();
    for &(first, last) in ranges {
        let missing = || SelectError::NoSuchVertex { wanted: last, last: particles.len().saturating_sub(1) };
        found.extend_from_slice(particles.get(first as usize..=last as usize).ok_or_else(missing)?);
    }
    Ok(found)
}

fn listed_particles(path: &std::path::Path, topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let text = read_vertex_file(path).map_err(|source| SelectError::VertexFile { path: path.to_owned(), source })?;
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())).filter(|(_, line)| !line.is_empty());
    lines
        .map(|(line, found)| {
            let particle = found.parse::<usize>().ok().and_then(|v| topology.particle_of_vertex.get(v)).copied();
            particle.ok_or_else(|| SelectError::VertexLine {
                path: path.to_owned(),
                line,
                found: found.chars().take(40).collect(),
                last: topology.particle_of_vertex.len().saturating_sub(1),
            })
        })
        .collect()
}

fn read_vertex_file(path: &std::path::Path) -> std::io::Result<String> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > VERTEX_FILE_LIMIT {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file of at most 256 MiB"));
    }
    std::fs::read_to_string(path)
}

fn loops_of(topology: &Topology) -> Vec<(usize, f32)> {
    let height = |particles: &[ParticleId]| {
        particles.iter().map(|p| topology.positions[p.index()].y).sum::<f32>() / particles.len() as f32
    };
    topology.boundary_loops.iter().map(|l| (l.len(), height(l))).collect()
}

fn describe_loops(loops: &[(usize, f32)]) -> String {
    if loops.is_empty() {
        return "it has no boundary loop; pin by group:NAME, box:... or vertices:FILE, or use --pin none".to_owned();
    }
    let shown = loops.iter().take(10).enumerate();
    let shown: Vec<_> = shown.map(|(i, (n, y))| format!("loop:{i} ({n} vertices, mean height {y:.3} m)")).collect();
    let more = if loops.len() > 10 { format!(" and {} more", loops.len() - 10) } else { String::new() };
    format!("its loops are {}{more}", shown.join(", "))
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<_> = names.iter().take(30).map(|n| format!("`{}`", n.escape_debug())).collect();
    let more = if names.len() > 30 { format!(" and {} more", names.len() - 30) } else { String::new() };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;
    use crate::topology::grids::{grid, tube};

    /// A tube and, far below and beside it, a second garment.
    fn beside(mut first: Garment, second: &Garment) -> Garment {
        let count = first.positions.len() as u32;
        first.positions.extend(second.positions.iter().map(|&p| p + Vec3::new(5.0, -3.0, 0.0)));
        for polygon in second.polygons.iter() {
            first.polygons.push(&polygon.iter().map(|v| v + count).collect::<Vec<_>>());
        }
        first
    }

    fn pinned(choice: &str, garment: &Garment) -> Vec<u32> {
        let topology = topology::build(garment).expect("a mesh");
        let found = select(&[choice.parse().expect("a selector")], garment, &topology, None);
        found.expect("pins").into_iter().map(|p| p.0).collect()
    }

    #[test]
    fn the_top_loop_is_that_of_each_piece() {
        let jacket_and_trousers = beside(tube(12, 5), &tube(12, 4));
        let upper: Vec<u32> = (0..12).collect();
        assert_eq!(pinned("loop:top", &jacket_and_trousers), [upper.clone(), (60..72).collect()].concat());
        assert_eq!(pinned("loop:bottom", &jacket_and_trousers), (48..60).chain(96..108).collect::<Vec<_>>());
        assert_eq!(pinned("loop:0", &jacket_and_trousers), upper);
    }

    #[test]
    fn a_buttonhole_above_the_waist_is_no_top_loop() {
        let fine = tube(60, 8);
        // A tab with a hole, 4 particles around each, stands above the waist and is sewn to it by an edge.
        let mut strapped = fine.clone();
        let first = strapped.positions.len() as u32;
        let ring = |radius: f32, up: f32| {
            [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(x, y)| Vec3::new(1.0, up + y * radius, x * radius))
        };
        strapped.positions.extend(ring(0.03, 0.2).into_iter().chain(ring(0.1, 0.2)));
        (0..4).for_each(|i| strapped.polygons.push(&[i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i].map(|v| first + v)));
        strapped.polygons.push(&[first + 7, first + 6, 1, 0]);
        let holes = topology::build(&strapped).expect("a mesh").boundary_loops.len();
        assert_eq!(holes, 3, "hole, waist with tab, hem");
        let top = pinned("loop:top", &strapped);
        assert!((2..60).all(|v| top.contains(&v)), "the waist is held: {top:?}");
        assert!(!top.contains(&first), "the hole is not");
    }

    #[test]
    fn of_a_piece_with_one_outline_the_upper_edge_is_the_top() {
        let skirt_and_flag = beside(tube(12, 5), &grid(7, 7));
        assert_eq!(pinned("loop:top", &skirt_and_flag), (0..12).chain(60..67).collect::<Vec<_>>());
    }
}
