//! Vertices of an OBJ garment as glTF needs them: one texture coordinate a vertex.
//!
//! A *wedge* is a vertex as one texture coordinate sees it. The first wedge of vertex `v` is number `v`, the others
//! follow behind all vertices: so the first vertices of the glTF mesh are the file's vertices in the file's order.

use crate::geometry::Vec2;
use crate::import::{Garment, ObjSource};

/// No further wedge.
const NONE: u32 = u32::MAX;

/// Wedges of a garment.
pub(super) struct Wedges {
    /// Garment vertex of each wedge.
    pub(super) vertices: Vec<u32>,
    /// Texture coordinate of each wedge, V up; empty when no face has any.
    pub(super) texcoords: Vec<Vec2>,
    /// Wedge of each corner, parallel to the corners of the garment's polygons.
    pub(super) of_corner: Vec<u32>,
}

/// What tells two wedges of a vertex apart: the bits of the texture coordinate, or that there is none.
type Key = Option<[u32; 2]>;

/// Wedges found so far; those of a vertex are a chain that starts at the vertex's own number.
struct Chains {
    vertices: Vec<u32>,
    keys: Vec<Option<Key>>,
    next: Vec<u32>,
}

impl Wedges {
    /// Splits the garment's vertices where texture coordinates differ by value.
    pub(super) fn of(garment: &Garment, source: &ObjSource) -> Wedges {
        let count = garment.positions.len();
        let mut chains =
            Chains { vertices: (0..count as u32).collect(), keys: vec![None; count], next: vec![NONE; count] };
        let corners = garment.polygons.corners.iter().enumerate();
        let of_corner = corners.map(|(corner, &vertex)| chains.wedge(vertex, key(source, corner))).collect();
        let texcoords = chains.texcoords();
        Wedges { vertices: chains.vertices, texcoords, of_corner }
    }
}

impl Chains {
    /// The wedge of `vertex` with this key, made when there is none.
    fn wedge(&mut self, vertex: u32, key: Key) -> u32 {
        let mut wedge = vertex;
        loop {
            let found = self.keys[wedge as usize].get_or_insert(key);
            if *found == key {
                return wedge;
            }
            if self.next[wedge as usize] == NONE {
                break;
            }
            wedge = self.next[wedge as usize];
        }
        let new = self.vertices.len() as u32;
        self.vertices.push(vertex);
        self.keys.push(Some(key));
        self.next.push(NONE);
        self.next[wedge as usize] = new;
        new
    }

    fn texcoords(&self) -> Vec<Vec2> {
        let texcoord = |key: &Option<Key>| {
            key.flatten().map_or(Vec2::ZERO, |[u, v]| Vec2::new(f32::from_bits(u), f32::from_bits(v)))
        };
        if self.keys.iter().any(|key| key.flatten().is_some()) {
            self.keys.iter().map(texcoord).collect()
        } else {
            Vec::new()
        }
    }
}

fn key(source: &ObjSource, corner: usize) -> Key {
    let index = source.corners.get(corner)?.texcoord?;
    let texcoord = source.texcoords.get(index as usize)?;
    // Adding zero makes -0 and 0 the same wedge.
    Some([(texcoord.x + 0.0).to_bits(), (texcoord.y + 0.0).to_bits()])
}
