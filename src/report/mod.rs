//! What went right and wrong, where.

pub mod penetration;
mod shells;
mod winding;
