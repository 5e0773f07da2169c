//! Cleaned lines -> numbers, through the crate `obj`.
//!
//! `obj` 0.10.2 is sound for `v`, `vt`, `vn` and `f` lines of one group with plain numbers and positive indices, and that is
//! all it gets. It panics on `g` before a wide space, wraps negative indices, loses the faces before the first `o`, stops at
//! words it does not know and checks no index; its writer is not used at all. Lines are handed over in batches, because its
//! polygons take ten times the room of ours.

use crate::geometry::{Vec2, Vec3};
use crate::import::{ObjCorner, Polygons};

/// Bytes of cleaned text after which a batch is read.
const BATCH_BYTES: usize = 1 << 20;

/// Numbers read so far, in file order.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) positions: Vec<Vec3>,
    pub(super) texcoords: Vec<Vec2>,
    pub(super) normals: Vec<Vec3>,
    pub(super) polygons: Polygons,
    /// Parallel to the corners of [`Numbers::polygons`].
    pub(super) corners: Vec<ObjCorner>,
}

impl Numbers {
    /// Gives back what the lists have taken beyond their ends, and corners that refer to nothing: they stay as long as the
    /// garment does.
    pub(super) fn shrink(&mut self) {
        self.positions.shrink_to_fit();
        self.texcoords.shrink_to_fit();
        self.normals.shrink_to_fit();
        self.polygons.starts.shrink_to_fit();
        self.polygons.corners.shrink_to_fit();
        self.corners.shrink_to_fit();
        if self.texcoords.is_empty() && self.normals.is_empty() {
            self.corners = Vec::new();
        }
    }
}

/// Cleaned lines that wait to be read.
#[derive(Debug, Default)]
pub(super) struct Batch {
    text: Vec<u8>,
}

impl Batch {
    /// Whether it is time to read the batch.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() > BATCH_BYTES
    }

    /// Adds `keyword` with words that are plain decimal numbers.
    pub(super) fn push<'a>(&mut self, keyword: &str, words: impl IntoIterator<Item = &'a [u8]>) {
        self.text.extend_from_slice(keyword.as_bytes());
        for word in words {
            self.text.push(b' ');
            self.text.extend_from_slice(word);
        }
        self.text.push(b'\n');
    }

    /// Adds a face; indices count from 0 and fit into 32 bits.
    pub(super) fn push_face(&mut self, corners: &[(u32, ObjCorner)]) {
        self.text.push(b'f');
        for (vertex, corner) in corners {
            let number = |index: Option<u32>| index.map(|i| (u64::from(i) + 1).to_string()).unwrap_or_default();
            let (v, t, n) = (number(Some(*vertex)), number(corner.texcoord), number(corner.normal));
            self.text.extend_from_slice(format!(" {v}/{t}/{n}").as_bytes());
        }
        self.text.push(b'\n');
    }

    /// Reads the batch into `numbers` and empties it. Indices come back as they were given, unchecked.
    pub(super) fn read(&mut self, numbers: &mut Numbers) -> Result<(), obj::ObjError> {
        let data = obj::ObjData::load_buf(self.text.as_slice())?;
        self.text.clear();
        numbers.positions.extend(data.position.iter().map(|&p| Vec3::from(p)));
        numbers.texcoords.extend(data.texture.iter().map(|&t| Vec2::from(t)));
        numbers.normals.extend(data.normal.iter().map(|&n| Vec3::from(n)));
        let mut polygon = Vec::new();
        for simple in data.objects.iter().flat_map(|o| &o.groups).flat_map(|g| &g.polys) {
            polygon.clear();
            polygon.extend(simple.0.iter().map(|corner| index(corner.0)));
            numbers.polygons.push(&polygon);
            let corner = |c: &obj::IndexTuple| ObjCorner { texcoord: c.1.map(index), normal: c.2.map(index) };
            numbers.corners.extend(simple.0.iter().map(corner));
        }
        Ok(())
    }
}

fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
