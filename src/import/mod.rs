//! Files -> [`Garment`] and [`BodyAsset`]. Every byte that enters the program is checked here.
//!
//! The crates `gltf` and `obj` are unsound on bad input, so nothing unchecked reaches them: each reader first takes the
//! bytes apart itself, refuses or completes what is wrong, and hands a clean document to the crate.

mod access;
mod appearance;
mod body_asset;
mod error;
mod garment;
pub mod gltf;
mod material;
pub mod obj;
mod pc2;
mod plain_words;
mod read;
mod units;

pub use access::Access;
use appearance::mime_type;
pub use appearance::{Appearance, Image, linear_from_srgb};
pub use body_asset::{
    BodyAsset, BodyNode, BodyPart, Clip, Interpolation, MeshSequence, MorphTarget, Rig, Skin, SkinWeights, Track,
    TrackValues,
};
pub use error::{ImportError, ImportFailure};
pub use garment::{
    Garment, GarmentSkin, GarmentSource, GltfPrimitive, GltfSource, Group, ObjCorner, ObjSource, Polygons,
    RawAttribute, VertexAttribute,
};
pub use material::{Material, matt_material, with_pictures};
pub use pc2::{MAX_POINT_CACHE_BYTES, PointCacheError, parse_point_cache, read_point_cache};
pub(crate) use plain_words::{counted, listed, quoted};
pub use read::{MAX_GLTF_BYTES, read_body, read_body_within, read_garment, read_garment_within};
pub(crate) use read::{folder_of, is_mesh_name, named_files};
pub use units::{FileFrame, Unit, UpAxis};
