//! Which particles the selectors mean.

use super::anchor::Surface;
use super::selector::parse_indices;
use super::{LoopChoice, PinSelector, outlines};
use crate::body::{Body, Moment};
use crate::geometry::{DVec3, Vec3};
use crate::import::{Garment, listed};
use crate::topology::{ParticleId, Topology};

/// Names that a message lists.
const NAMES_SHOWN: usize = 30;

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
    #[error("the garment has no group `{wanted}`; it has {}", listed(.groups, NAMES_SHOWN))]
    NoSuchGroup {
        /// What was asked for.
        wanted: String,
        /// Names there are.
        groups: Vec<String>,
    },
    /// No such attribute.
    #[error("the garment has no vertex attribute `{wanted}`; it has {}", listed(.attributes, NAMES_SHOWN))]
    NoSuchAttribute {
        /// What was asked for.
        wanted: String,
        /// Names there are.
        attributes: Vec<String>,
    },
    /// No such joint.
    #[error("the body has no joint `{wanted}`; it has {}", listed(.joints, NAMES_SHOWN))]
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

fn loop_particles(choice: LoopChoice, topology: &Topology) -> Result<Vec<ParticleId>, SelectError> {
    let loops = &topology.boundary_loops;
    let missing = || SelectError::NoSuchLoop { wanted: choice.to_string(), loops: loops_of(topology) };
    match choice {
        LoopChoice::Number(n) => loops.get(n).cloned().ok_or_else(missing),
        LoopChoice::Top => Ok(outlines::top(topology)),
        LoopChoice::Bottom if loops.is_empty() => Err(missing()),
        LoopChoice::Bottom => Ok(outlines::bottom(topology)),
    }
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
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())).filter(|(_, line)| !line.is_empty());
    let mut particles = Vec::new();
    for (line, found) in lines {
        let parted_by_spaces = || parse_indices(&found.split_whitespace().collect::<Vec<_>>().join(","));
        let ranges = parse_indices(found).or_else(parted_by_spaces);
        let of_line = ranges.and_then(|ranges| ranged_particles(&ranges, topology).ok());
        particles.extend(of_line.ok_or_else(|| SelectError::VertexLine {
            path: path.to_owned(),
            line,
            found: found.chars().take(40).collect(),
            last: topology.particle_of_vertex.len().saturating_sub(1),
        })?);
    }
    Ok(particles)
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
