//! Numbers on their way into the binary chunk of a glTF file.

use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Target as ViewTarget, View};
use gltf_json::validation::Checked::Valid;
use gltf_json::validation::USize64;
use gltf_json::{Accessor, Index, Value};

use crate::geometry::DVec3;

/// Numbers of one accessor.
#[derive(Clone, Debug)]
pub(super) struct Data {
    /// Little-endian.
    pub(super) bytes: Vec<u8>,
    /// Type of a component.
    pub(super) component: ComponentType,
    /// Components an element.
    pub(super) shape: Type,
    /// Vertices, indices, or neither.
    pub(super) target: Option<ViewTarget>,
    /// Least and greatest value of each component, where the format asks for them.
    pub(super) bounds: Option<[Vec<f32>; 2]>,
}

impl Data {
    /// Numbers already in bytes.
    pub(super) fn bytes(bytes: Vec<u8>, component: ComponentType, shape: Type, target: Option<ViewTarget>) -> Data {
        Data { bytes, component, shape, target, bounds: None }
    }

    /// Single-precision numbers.
    pub(super) fn floats(values: impl IntoIterator<Item = f32>, shape: Type, target: Option<ViewTarget>) -> Data {
        let bytes = values.into_iter().flat_map(f32::to_le_bytes).collect();
        Data::bytes(bytes, ComponentType::F32, shape, target)
    }

    /// Number of elements.
    pub(super) fn count(&self) -> usize {
        self.bytes.len() / (self.component.size() * self.shape.multiplicity())
    }

    /// The accessor of these numbers in `view`.
    pub(super) fn accessor(self, view: Index<View>) -> Accessor {
        let [min, max] = match &self.bounds {
            Some(bounds) => bounds.clone().map(|b| Some(Value::from(b))),
            None => [None, None],
        };
        Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(self.count()),
            component_type: Valid(GenericComponentType(self.component)),
            extensions: None,
            extras: None,
            type_: Valid(self.shape),
            min,
            max,
            name: None,
            normalized: false,
            sparse: None,
        }
    }

    /// Vertex positions, with the bounds that the format asks for.
    pub(super) fn points(points: &[DVec3]) -> Data {
        let bound = |pick: fn(DVec3, DVec3) -> DVec3| {
            points.iter().copied().reduce(pick).unwrap_or_default().as_vec3().to_array().to_vec()
        };
        let bounds = Some([bound(DVec3::min), bound(DVec3::max)]);
        Data { bounds, ..Data::floats(components(points), Type::Vec3, Some(ViewTarget::ArrayBuffer)) }
    }
}

/// The coordinates of `vectors`, one after the other.
pub(super) fn components(vectors: &[DVec3]) -> impl Iterator<Item = f32> + '_ {
    vectors.iter().flat_map(|v| v.as_vec3().to_array())
}
