//! Accessors: checked once against views, strides, types and limits, then unpacked without the crate.
//!
//! The `gltf` crate's own accessor readers assume f32 or panic, and know neither quantised positions nor accessors
//! without view; so unpacking (strided, sparse, normalised, zero-filled) is done here.

use gltf::accessor::{DataType, Dimensions};

use super::buffers::{Buffers, View};
use super::element::Element;
use super::error::Faults;
use super::format::{Format, data_type, dimensions, dimensions_name};
use super::limits::MAX_UNBACKED_ELEMENTS;

/// An accessor whose every byte is known to exist.
#[derive(Clone, Debug)]
pub(super) struct Accessor {
    pub(super) data: DataType,
    pub(super) dimensions: Dimensions,
    pub(super) normalized: bool,
    pub(super) count: usize,
    base: Option<Base>,
    sparse: Option<Sparse>,
}

#[derive(Clone, Copy, Debug)]
struct Base {
    buffer: usize,
    start: usize,
    stride: usize,
}

#[derive(Clone, Copy, Debug)]
struct Sparse {
    count: usize,
    index_data: DataType,
    indices: View,
    values: View,
}

impl Accessor {
    /// Bytes of an element without padding.
    pub(super) fn element_size(&self) -> usize {
        self.data.size() * self.dimensions.multiplicity()
    }

    /// Checks accessor `index` of the document.
    pub(super) fn check(
        document: &Element<'_>,
        index: usize,
        buffers: &mut Buffers<'_>,
        faults: &mut Faults,
    ) -> Option<Accessor> {
        let element = document.item("accessors", index, faults)?;
        let mut accessor = Accessor::of(&element, faults)?;
        let views = document.array("bufferViews", faults).len();
        if element.get("bufferView").is_some() {
            let index = element.index("bufferView", "buffer views", views, faults)?;
            let view = buffers.view(document, index, faults)?;
            let offset = element.integer("byteOffset", faults).unwrap_or(0);
            accessor.base = Some(accessor.lay_over(&element, view, offset, faults)?);
        } else if accessor.count as u64 > MAX_UNBACKED_ELEMENTS {
            let expected = format_args!("at most {MAX_UNBACKED_ELEMENTS} elements where no view holds them");
            faults.push(element.place_of("count"), accessor.count, expected);
            return None;
        }
        if let Some(sparse) = element.child("sparse", faults) {
            accessor.sparse = accessor.check_sparse(document, &sparse, buffers, faults)?;
        }
        Some(accessor)
    }

    /// The type and count of accessor `index` of the document, without bytes.
    pub(super) fn described(document: &Element<'_>, index: usize, faults: &mut Faults) -> Option<Accessor> {
        Accessor::of(&document.item("accessors", index, faults)?, faults)
    }

    /// Lays `count` elements over the whole of `buffer`, one after the other.
    pub(super) fn lay_packed(&mut self, buffer: usize, count: usize) {
        self.count = count;
        self.base = Some(Base { buffer, start: 0, stride: self.element_size() });
    }

    fn of(element: &Element<'_>, faults: &mut Faults) -> Option<Accessor> {
        let data = element.integer("componentType", faults).and_then(data_type);
        let dimensions = element.string("type").and_then(dimensions);
        let count = element.integer("count", faults).and_then(|count| usize::try_from(count).ok());
        if data.is_none() {
            faults.push(
                element.place_of("componentType"),
                "none that glTF has",
                "5120, 5121, 5122, 5123, 5125 or 5126",
            );
        }
        if dimensions.is_none() {
            faults.push(element.place_of("type"), "none that glTF has", "SCALAR, VEC2, VEC3, VEC4 or MAT4");
        }
        if count.is_none_or(|count| count == 0) {
            faults.push(element.place_of("count"), "no elements", "at least one element");
        }
        let normalized = element.get("normalized").and_then(serde_json::Value::as_bool).unwrap_or(false);
        let count = count.filter(|&count| count > 0)?;
        Some(Accessor { data: data?, dimensions: dimensions?, normalized, count, base: None, sparse: None })
    }

    /// Where the elements lie in `view`, if they all do.
    fn lay_over(&self, element: &Element<'_>, view: View, offset: u64, faults: &mut Faults) -> Option<Base> {
        let size = self.element_size();
        let stride = view.stride.unwrap_or(size);
        if stride < size {
            let expected = format_args!("at least {size}, the size of an element of {}", element.place());
            faults.push("bufferViews[..].byteStride", stride, expected);
            return None;
        }
        let end = (stride as u64)
            .checked_mul(self.count as u64 - 1)
            .and_then(|length| length.checked_add(size as u64))
            .and_then(|length| length.checked_add(offset));
        if end.is_none_or(|end| end > view.length as u64) {
            let found = format_args!("{} elements of {size} bytes, {stride} apart, from byte {offset}", self.count);
            faults.push(element.place(), found, format_args!("elements within the {} bytes of its view", view.length));
            return None;
        }
        Some(Base { buffer: view.buffer, start: view.start + offset as usize, stride })
    }

    fn check_sparse(
        &self,
        document: &Element<'_>,
        sparse: &Element<'_>,
        buffers: &mut Buffers<'_>,
        faults: &mut Faults,
    ) -> Option<Option<Sparse>> {
        let count = sparse.integer("count", faults).unwrap_or(0);
        if count == 0 {
            return Some(None);
        }
        if count > self.count as u64 {
            faults.push(sparse.place_of("count"), count, format_args!("at most {}, the accessor's count", self.count));
            return None;
        }
        let count = count as usize;
        let (indices, values) = (sparse.child("indices", faults)?, sparse.child("values", faults)?);
        let index_data = indices.integer("componentType", faults).and_then(data_type);
        let index_data = index_data.filter(|&data| Format::Indices.allows(data, Dimensions::Scalar));
        let Some(index_data) = index_data else {
            faults.push(indices.place_of("componentType"), "no unsigned integer type", "5121, 5123 or 5125");
            return None;
        };
        let indices = packed_view(document, &indices, count * index_data.size(), buffers, faults)?;
        let values = packed_view(document, &values, count.checked_mul(self.element_size())?, buffers, faults)?;
        Some(Some(Sparse { count, index_data, indices, values }))
    }

    /// All elements, tightly packed. The error says which sparse index is wrong.
    pub(super) fn unpack(&self, buffers: &Buffers<'_>) -> Result<Vec<u8>, String> {
        let size = self.element_size();
        let mut packed = match self.base {
            None => vec![0; size * self.count],
            Some(base) if base.stride == size => buffers.bytes(base.buffer, base.start, size * self.count).to_vec(),
            Some(base) => {
                let mut packed = Vec::with_capacity(size * self.count);
                for i in 0..self.count {
                    packed.extend_from_slice(buffers.bytes(base.buffer, base.start + i * base.stride, size));
                }
                packed
            }
        };
        if let Some(sparse) = self.sparse {
            self.substitute(sparse, buffers, &mut packed)?;
        }
        Ok(packed)
    }

    fn substitute(&self, sparse: Sparse, buffers: &Buffers<'_>, packed: &mut [u8]) -> Result<(), String> {
        let size = self.element_size();
        let index_size = sparse.index_data.size();
        let indices = buffers.bytes(sparse.indices.buffer, sparse.indices.start, sparse.count * index_size);
        let values = buffers.bytes(sparse.values.buffer, sparse.values.start, sparse.count * size);
        let mut least = 0;
        for (index, value) in indices.chunks_exact(index_size).zip(values.chunks_exact(size)) {
            let index = unsigned(index);
            let slot = packed.get_mut(index as usize * size..).and_then(|rest| rest.get_mut(..size));
            match slot.filter(|_| u64::from(index) >= least) {
                Some(slot) => slot.copy_from_slice(value),
                None => return Err(format!("sparse index {index} after {least} of {} elements", self.count)),
            }
            least = u64::from(index) + 1;
        }
        Ok(())
    }

    /// Component type and element type, for messages.
    pub(super) fn type_name(&self) -> String {
        format!("{} of {:?}", dimensions_name(self.dimensions), self.data)
    }
}

/// The view of a sparse block, which must be packed and long enough.
fn packed_view(
    document: &Element<'_>,
    block: &Element<'_>,
    length: usize,
    buffers: &mut Buffers<'_>,
    faults: &mut Faults,
) -> Option<View> {
    let view = buffers.view_of(document, block, faults)?;
    let offset = block.integer("byteOffset", faults).unwrap_or(0);
    let end = offset.checked_add(length as u64);
    if end.is_none_or(|end| end > view.length as u64) || view.stride.is_some() {
        let found = format_args!("{length} bytes from byte {offset} in a view of {}", view.length);
        faults.push(block.place(), found, "packed values within the view, and no byteStride");
        return None;
    }
    Some(View { start: view.start + offset as usize, length, ..view })
}

/// A little-endian unsigned integer of one to four bytes.
pub(super) fn unsigned(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
