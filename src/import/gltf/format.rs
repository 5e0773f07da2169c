//! Which component and element types an accessor may have for its use.
//!
//! glTF 2.0 specification, sections 3.7.2, 3.7.3.3 and 3.11, and `KHR_mesh_quantization`.

use gltf::accessor::{DataType, Dimensions};

/// What an accessor is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// POSITION and morph displacements.
    Position,
    /// NORMAL and morph displacements of it.
    Normal,
    /// `TEXCOORD_n`.
    TexCoord,
    /// `COLOR_n`.
    Colour,
    /// `JOINTS_n`.
    Joints,
    /// `WEIGHTS_n`.
    Weights,
    /// `_NAME`.
    Custom,
    /// Corner indices.
    Indices,
    /// Inverse bind matrices.
    Matrices,
    /// Key times.
    Times,
    /// Keys of a translation or scale.
    VectorKeys,
    /// Keys of a rotation.
    RotationKeys,
    /// Keys of morph weights.
    WeightKeys,
}

impl Format {
    /// Whether elements of this type are allowed.
    pub(super) fn allows(self, data: DataType, dimensions: Dimensions) -> bool {
        use DataType as D;
        use Dimensions as N;
        let float = data == D::F32;
        let small = !matches!(data, D::U32);
        let unsigned = matches!(data, D::F32 | D::U8 | D::U16);
        match self {
            Format::Position | Format::Normal => dimensions == N::Vec3 && small,
            Format::TexCoord => dimensions == N::Vec2 && small,
            Format::Colour => matches!(dimensions, N::Vec3 | N::Vec4) && unsigned,
            Format::Joints => dimensions == N::Vec4 && matches!(data, D::U8 | D::U16),
            Format::Weights => dimensions == N::Vec4 && unsigned,
            Format::Custom => matches!(dimensions, N::Scalar | N::Vec2 | N::Vec3 | N::Vec4) && small,
            Format::Indices => dimensions == N::Scalar && matches!(data, D::U8 | D::U16 | D::U32),
            Format::Matrices => dimensions == N::Mat4 && float,
            Format::Times => dimensions == N::Scalar && float,
            Format::VectorKeys => dimensions == N::Vec3 && float,
            Format::RotationKeys => dimensions == N::Vec4 && small,
            Format::WeightKeys => dimensions == N::Scalar && small,
        }
    }

    /// The allowed types, in words.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Format::Position | Format::Normal => "VEC3 of floats (or 8 or 16 bit integers) here",
            Format::TexCoord => "VEC2 of floats (or 8 or 16 bit integers) here",
            Format::Colour => "VEC3 or VEC4 of floats or unsigned 8 or 16 bit integers here",
            Format::Joints => "VEC4 of unsigned 8 or 16 bit integers here",
            Format::Weights => "VEC4 of floats or unsigned 8 or 16 bit integers here",
            Format::Custom => "SCALAR or VEC of floats or 8 or 16 bit integers here",
            Format::Indices => "SCALAR of unsigned integers here",
            Format::Matrices => "MAT4 of floats here",
            Format::Times => "SCALAR of floats here",
            Format::VectorKeys => "VEC3 of floats here",
            Format::RotationKeys => "VEC4 of floats or normalised integers here",
            Format::WeightKeys => "SCALAR of floats or normalised integers here",
        }
    }
}

/// The component type of a glTF code (5120 to 5126).
pub(super) fn data_type(code: u64) -> Option<DataType> {
    Some(match code {
        5120 => DataType::I8,
        5121 => DataType::U8,
        5122 => DataType::I16,
        5123 => DataType::U16,
        5125 => DataType::U32,
        5126 => DataType::F32,
        _ => return None,
    })
}

/// The element type of a glTF name.
pub(super) fn dimensions(name: &str) -> Option<Dimensions> {
    Some(match name {
        "SCALAR" => Dimensions::Scalar,
        "VEC2" => Dimensions::Vec2,
        "VEC3" => Dimensions::Vec3,
        "VEC4" => Dimensions::Vec4,
        "MAT2" => Dimensions::Mat2,
        "MAT3" => Dimensions::Mat3,
        "MAT4" => Dimensions::Mat4,
        _ => return None,
    })
}

/// The glTF name of an element type.
pub(super) fn dimensions_name(dimensions: Dimensions) -> &'static str {
    match dimensions {
        Dimensions::Scalar => "SCALAR",
        Dimensions::Vec2 => "VEC2",
        Dimensions::Vec3 => "VEC3",
        Dimensions::Vec4 => "VEC4",
        Dimensions::Mat2 => "MAT2",
        Dimensions::Mat3 => "MAT3",
        Dimensions::Mat4 => "MAT4",
    }
}
