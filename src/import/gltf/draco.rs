//! Primitives under `KHR_draco_mesh_compression` -> accessors over what their streams hold.
//!
//! A stream holds all of a primitive: its triangles and most of its attributes. The accessors of these have no view; they are
//! laid over the decoded values here, so nothing further on knows of it.

use draco_core::{DecodeLimits, DecoderBuffer, DracoError, ErrorKind, Mesh, MeshDecoder};
use gltf::accessor::DataType;

use super::accessor::Accessor;
use super::element::Element;
use super::meshes::format_of;
use super::sanitise::Sanitiser;

/// The extension's name.
pub(super) const NAME: &str = "KHR_draco_mesh_compression";

/// Least memory that decoding a triangle takes, bytes: the limit on data bounds the triangles by it.
const BYTES_PER_TRIANGLE: u64 = 64;

impl Sanitiser<'_, '_> {
    /// Decodes a primitive that is compressed and has no plain data beside. Whether it did; none if it cannot be read.
    pub(super) fn decompress(&mut self, primitive: &Element<'_>, attributes: &Element<'_>) -> Option<bool> {
        let Some(stream) = primitive.extension(NAME, &mut self.faults) else { return Some(false) };
        if self.has_plain_data(attributes) {
            return Some(false);
        }
        let view = self.buffers.view_of(&self.source, &stream, &mut self.faults)?;
        self.charge(view.length, &stream.place())?;
        let limit = self.buffers.resources().bytes_left();
        let mesh = match decode(self.buffers.bytes_of(view), limit) {
            Ok(mesh) => mesh,
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let expected = format_args!("at most {} MiB of it in a file; --max-file-mb takes more", limit >> 20);
                self.faults.push(stream.place(), "more triangles than toile unpacks", expected);
                return None;
            }
            Err(error) => {
                let found = format_args!("a Draco stream that cannot be read ({})", error.message());
                self.faults.push(stream.place(), found, "one that decodes: export the file again");
                return None;
            }
        };
        self.lay_attributes(&stream, attributes, &mesh)?;
        self.lay_triangles(primitive, &mesh)?;
        Some(true)
    }

    /// Whether the positions lie in a view of their own, for readers that know no Draco.
    fn has_plain_data(&mut self, attributes: &Element<'_>) -> bool {
        let accessors = self.count("accessors");
        let index = attributes.index("POSITION", "accessors", accessors, &mut self.faults);
        let accessor = index.and_then(|index| self.source.item("accessors", index, &mut self.faults));
        accessor.is_some_and(|accessor| accessor.get("bufferView").is_some())
    }

    fn lay_attributes(&mut self, stream: &Element<'_>, attributes: &Element<'_>, mesh: &Mesh) -> Option<()> {
        let ids = stream.child("attributes", &mut self.faults)?;
        let accessors = self.count("accessors");
        let points = mesh.num_points();
        for (semantic, _) in ids.entries().filter(|(semantic, _)| format_of(semantic).is_some()) {
            let id = ids.integer(semantic, &mut self.faults)?;
            let Some(index) = attributes.index(semantic, "accessors", accessors, &mut self.faults) else { continue };
            let accessor = Accessor::described(&self.source, index, &mut self.faults)?;
            let components = accessor.dimensions.multiplicity();
            let found = u32::try_from(id).ok().and_then(|id| mesh.attribute_by_unique_id(id));
            let Some(attribute) = found.filter(|attribute| usize::from(attribute.num_components()) == components)
            else {
                let found = format_args!("{id}, which the stream has not with {components} components");
                self.faults.push(ids.place_of(semantic), found, "the number of such an attribute of the stream");
                return None;
            };
            let values = packed(&attribute.read_f32s(points, components), accessor.data);
            self.lay(index, accessor, points, values, &ids.place_of(semantic))?;
        }
        Some(())
    }

    fn lay_triangles(&mut self, primitive: &Element<'_>, mesh: &Mesh) -> Option<()> {
        let accessors = self.count("accessors");
        let Some(index) = primitive.index("indices", "accessors", accessors, &mut self.faults) else {
            self.faults.push(primitive.place_of("indices"), "none", "the accessor of a compressed primitive's indices");
            return None;
        };
        let mut accessor = Accessor::described(&self.source, index, &mut self.faults)?;
        accessor.data = DataType::U32;
        let corners = mesh.faces().iter().flatten().flat_map(|corner| corner.0.to_le_bytes());
        self.lay(index, accessor, 3 * mesh.num_faces(), corners.collect(), &primitive.place_of("indices"))
    }

    /// Accessor `index` has `count` elements, these.
    fn lay(&mut self, index: usize, mut accessor: Accessor, count: usize, values: Vec<u8>, place: &str) -> Option<()> {
        if accessor.count != count {
            let declared = accessor.count;
            self.notices
                .push(format!("{place}: accessors[{index}] declares {declared} elements, its stream has {count}"));
        }
        self.charge(values.len(), place)?;
        accessor.lay_packed(self.buffers.add(values), count);
        self.accessors.insert(index, Some(accessor));
        Some(())
    }

    /// Counts what is decoded towards the limit on outside data.
    fn charge(&mut self, bytes: usize, place: &str) -> Option<()> {
        self.buffers.resources().charge(bytes).map_err(|error| self.faults.push(place, error, "less")).ok()
    }
}

/// What a stream holds, as long as it is not more than `limit` bytes.
fn decode(stream: &[u8], limit: u64) -> Result<Mesh, DracoError> {
    let triangles = limit / BYTES_PER_TRIANGLE;
    let limits = DecodeLimits::default().with_max_faces(triangles).with_max_points(3 * triangles);
    let mut buffer = DecoderBuffer::new(stream).with_limits(limits.with_max_decoded_bytes(limit));
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut buffer, &mut mesh)?;
    Ok(mesh)
}

/// Numbers as an accessor's components. What its type cannot hold becomes the nearest that it can.
fn packed(numbers: &[f32], data: DataType) -> Vec<u8> {
    match data {
        DataType::I8 => numbers.iter().map(|&number| number as i8 as u8).collect(),
        DataType::U8 => numbers.iter().map(|&number| number as u8).collect(),
        DataType::I16 => numbers.iter().flat_map(|&number| (number as i16).to_le_bytes()).collect(),
        DataType::U16 => numbers.iter().flat_map(|&number| (number as u16).to_le_bytes()).collect(),
        DataType::U32 => numbers.iter().flat_map(|&number| (number as u32).to_le_bytes()).collect(),
        DataType::F32 => numbers.iter().flat_map(|&number| number.to_le_bytes()).collect(),
    }
}
