//! The cloth's vertices in a frame.

use std::collections::BTreeSet;

use super::super::claim::Claim;
use super::super::fault::{Fault, Faults};
use super::document::{Document, Node, Primitive};
use super::file::Numbers;
use super::timing::{Channels, Timing};
use super::{MOST_IDS, Stop};

/// The attribute that leads back to the garment's vertices.
const VERTEX_ID: &str = "_VERTEX_ID";
/// Meshes, in each of which every frame is looked for, times frames: a long bake of many parts has a hundredth.
const MOST_LOOKS: usize = 1 << 28;
/// Frames of all meshes together, likewise.
const MOST_KEYS: usize = 1 << 24;
/// A vertex that nothing shows yet.
const NOBODY: u32 = u32::MAX;

/// The nodes that show the cloth, and where its vertices are now.
pub(super) struct Cloth {
    players: Vec<Player>,
    /// Vertices of the garment that are in the file, ascending.
    vertices: Vec<u32>,
    /// Parallel: position in the frame, metres in the world.
    positions: Vec<[f64; 3]>,
    /// Parallel: player that shows it.
    shown_by: Vec<u32>,
}

/// A node with some of the cloth during some of the frames.
struct Player {
    translation: [f64; 3],
    timing: Timing,
    blocks: Vec<Block>,
}

/// Vertices that share accessors.
struct Block {
    ids: usize,
    base: usize,
    normals: Option<usize>,
    /// Displacements of positions and normals in each target.
    targets: Vec<(usize, Option<usize>)>,
    /// What is read when the block is first shown, and given back when it is not any more.
    loaded: Option<Loaded>,
}

struct Loaded {
    /// Place in [`Cloth::vertices`] of each vertex.
    places: Vec<u32>,
    base: Vec<f32>,
}

impl Cloth {
    /// Finds the nodes with `_VERTEX_ID`.
    pub(super) fn find(document: &Document, numbers: &mut Numbers, claim: &Claim) -> Result<Cloth, Stop> {
        let roots: BTreeSet<usize> = document.roots().iter().copied().collect();
        let channels = Channels::of(document);
        let mut shown: BTreeSet<usize> = BTreeSet::new();
        let mut players = Vec::new();
        let mut keys = 0_usize;
        let mut ids: BTreeSet<usize> = BTreeSet::new();
        for (index, node) in document.nodes.iter().enumerate() {
            let found = node.mesh.and_then(|number| Some((number, document.meshes.get(number)?)));
            let Some((number, mesh)) = found else { continue };
            let blocks = blocks(&mesh.primitives)?;
            if blocks.is_empty() {
                continue;
            }
            let is_still = mesh.weights.iter().chain(&node.weights).all(|&weight| weight == 0.0);
            if !roots.contains(&index) || !shown.insert(number) || is_turned(node) || !is_still {
                return Err(Fault::Reference { what: "node", index }.into());
            }
            ids.extend(blocks.iter().map(|block| block.ids));
            let timing = Timing::read(document, &channels, numbers, claim, index, blocks[0].targets.len())?;
            keys += timing.key_count();
            if keys > MOST_KEYS || (players.len() + 1).saturating_mul(claim.frame_count()) > MOST_LOOKS {
                return Err(Fault::Format { what: "number of meshes that frames can be looked for in" }.into());
            }
            players.push(Player { translation: node.translation, timing, blocks });
        }
        if players.is_empty() {
            return Err(Fault::Format { what: "mesh with _VERTEX_ID" }.into());
        }
        let mut vertices = Vec::new();
        for accessor in ids {
            for id in numbers.floats(document, accessor, "SCALAR")? {
                vertices.push(vertex(id, claim)?);
            }
            vertices.sort_unstable();
            vertices.dedup();
        }
        let (positions, shown_by) = (vec![[0.0; 3]; vertices.len()], vec![NOBODY; vertices.len()]);
        Ok(Cloth { players, vertices, positions, shown_by })
    }

    /// Number of the garment's vertices that are in the file.
    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Vertices and positions in the frame shown last.
    pub(super) fn positions(&self) -> impl Iterator<Item = (u32, [f64; 3])> {
        self.vertices.iter().copied().zip(self.positions.iter().copied())
    }

    /// Puts all vertices where they are in frame `index`.
    pub(super) fn show(
        &mut self,
        index: usize,
        document: &Document,
        numbers: &mut Numbers,
        claim: &Claim,
        faults: &mut Faults,
    ) -> Result<(), Stop> {
        let frame = claim.frame_number(index);
        let faults_before = faults.count();
        self.shown_by.fill(NOBODY);
        for (number, player) in (0..).zip(&mut self.players) {
            if !player.timing.is_shown(index, claim) {
                player.blocks.iter_mut().for_each(|block| block.loaded = None);
                continue;
            }
            // Vertices of one that is there, but has no such frame, are shown by nobody.
            let Some(target) = player.timing.target(index) else { continue };
            for block in &mut player.blocks {
                let moved = block.read(target, document, numbers, &self.vertices, claim)?;
                let places = block.loaded.as_ref().map_or(&[][..], |loaded| &loaded.places);
                for (&place, p) in places.iter().zip(moved.chunks_exact(3)) {
                    let place = place as usize;
                    let vertex = u64::from(self.vertices[place]);
                    let position = [0, 1, 2].map(|axis| p[axis] + player.translation[axis]);
                    let shown_by = std::mem::replace(&mut self.shown_by[place], number);
                    let before = std::mem::replace(&mut self.positions[place], position);
                    if !position.iter().all(|c| c.is_finite()) {
                        faults.push(Fault::NotFinite { frame, vertex, what: "the position" });
                    } else if shown_by != NOBODY && shown_by != number {
                        faults.push(Fault::ShownTwice { frame, vertex });
                    } else if shown_by == number && before != position {
                        faults.push(Fault::Torn { frame, vertex });
                    }
                }
                block.check_normals(target, document, numbers, frame, faults)?;
            }
        }
        let hidden = self.shown_by.iter().position(|&by| by == NOBODY);
        if let Some(place) = hidden.filter(|_| faults.count() == faults_before) {
            faults.push(Fault::NotShown { frame, vertex: self.vertices[place].into() });
        }
        Ok(())
    }
}

impl Block {
    /// Positions of its vertices with `target` added, from the node.
    fn read(
        &mut self,
        target: Option<usize>,
        document: &Document,
        numbers: &mut Numbers,
        vertices: &[u32],
        claim: &Claim,
    ) -> Result<Vec<f64>, Stop> {
        let loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => {
                let base = numbers.floats(document, self.base, "VEC3")?;
                let ids = numbers.floats(document, self.ids, "SCALAR")?;
                let place = |id| vertex(id, claim).map(|v| vertices.partition_point(|&known| known < v) as u32);
                let places: Vec<u32> = ids.into_iter().map(place).collect::<Result<_, _>>()?;
                if base.len() != 3 * places.len() {
                    return Err(Fault::Reference { what: "accessor", index: self.base }.into());
                }
                Loaded { places, base }
            }
        };
        let loaded = self.loaded.insert(loaded);
        let Some(target) = target else { return Ok(loaded.base.iter().map(|&c| f64::from(c)).collect()) };
        let &(accessor, _) = self.targets.get(target).ok_or(Fault::Reference { what: "target", index: target })?;
        let moved = numbers.floats(document, accessor, "VEC3")?;
        if moved.len() != loaded.base.len() {
            return Err(Fault::Reference { what: "accessor", index: accessor }.into());
        }
        Ok(loaded.base.iter().zip(moved).map(|(&base, by)| f64::from(base) + f64::from(by)).collect())
    }

    /// Normals are numbers too.
    fn check_normals(
        &self,
        target: Option<usize>,
        document: &Document,
        numbers: &mut Numbers,
        frame: i64,
        faults: &mut Faults,
    ) -> Result<(), Stop> {
        let accessor = match target {
            None => self.normals,
            Some(target) => self.targets.get(target).and_then(|&(_, normals)| normals),
        };
        let Some(accessor) = accessor else { return Ok(()) };
        let normals = numbers.floats(document, accessor, "VEC3")?;
        if let Some(bad) = normals.iter().position(|c| !c.is_finite()) {
            faults.push(Fault::NotFinite { frame, vertex: bad as u64 / 3, what: "the normal, in its own list," });
        }
        Ok(())
    }
}

/// Blocks of a mesh, each once; none if the mesh is not the cloth's.
fn blocks(primitives: &[Primitive]) -> Result<Vec<Block>, Fault> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut known = BTreeSet::new();
    let is_cloth = primitives.iter().any(|primitive| primitive.attributes.contains_key(VERTEX_ID));
    for primitive in primitives.iter().filter(|_| is_cloth) {
        let attribute = |name: &str| primitive.attributes.get(name).copied();
        let (Some(ids), Some(base)) = (attribute(VERTEX_ID), attribute("POSITION")) else {
            return Err(Fault::Format { what: "_VERTEX_ID and POSITION in every part of its cloth" });
        };
        let target = |target: &std::collections::BTreeMap<String, usize>| {
            Some((*target.get("POSITION")?, target.get("NORMAL").copied()))
        };
        let targets: Option<Vec<_>> = primitive.targets.iter().map(target).collect();
        let targets = targets.ok_or(Fault::Format { what: "POSITION in every target of its cloth" })?;
        if blocks.first().is_some_and(|first| first.targets.len() != targets.len()) {
            return Err(Fault::Format { what: "target a frame in every part of its cloth" });
        }
        if known.insert((ids, base, targets.clone())) {
            blocks.push(Block { ids, base, normals: attribute("NORMAL"), targets, loaded: None });
        }
    }
    Ok(blocks)
}

/// A vertex of the garment from the number in the file.
fn vertex(id: f32, claim: &Claim) -> Result<u32, Fault> {
    let stray = Fault::StrayVertex { vertex: id.into() };
    let is_number = id >= 0.0 && id.fract() == 0.0 && u64::from(id as u32) < claim.garment.vertices.min(MOST_IDS);
    if is_number { Ok(id as u32) } else { Err(stray) }
}

fn is_turned(node: &Node) -> bool {
    node.matrix.is_some() || node.rotation != [0.0, 0.0, 0.0, 1.0]
}
