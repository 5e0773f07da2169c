//! What went right and wrong, where.

mod body_surface;
pub mod penetration;
mod winding;
