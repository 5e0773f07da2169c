//! Vectors, boxes, closest points and deterministic mathematics, shared by every stage.
//!
//! `+ - * / sqrt` give the same bits on every machine; `sin`, `acos` and friends do not, so they come from `libm`
//! (clippy's `disallowed-methods` holds that), and `glam` is built with `scalar-math`.

mod aabb;
#[cfg(test)]
mod any;
mod bvh;
mod closest;
mod coarse;
mod connect;
mod counters;
mod decompose;
mod edges;
mod folds;
mod holes;
mod join;
mod lists;
mod normals;
mod origin;
mod outward;
mod points;
mod rigid;
mod smooth;
mod surface_tree;
mod triangulate;

pub use aabb::Aabb;
#[cfg(test)]
pub(crate) use any::any_point;
pub use bvh::{Bvh, BvhNode};
pub use closest::{ClosestPoint, Feature, closest_point_on_triangle, pierces};
pub use coarse::coarse_surface;
pub use connect::connect;
pub use counters::{Counters, from_ordered_bits, ordered_bits};
pub use decompose::decompose;
pub use edges::edges;
pub use folds::{FoldPairs, Folds};
pub use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, Mat3, Mat4, Quat, Vec2, Vec3, Vec4};
pub use holes::lids;
pub use join::{join, joined_triangles};
pub(crate) use lists::Lists;
pub use normals::area_normals;
pub use origin::nearby_origin;
pub use outward::outward;
pub use points::{Points, lanes};
pub use rigid::RigidMotion;
pub use smooth::smooth_step;
pub use surface_tree::SurfaceTree;
pub use triangulate::{polygon_normal, triangulate, triangulate_as_drawn};
