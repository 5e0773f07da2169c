//! What is simulated of a garment, and how all of the garment follows it.
//!
//! ```text
//!  file            simulated               written
//!  jacket   --->   cloth        --->       jacket     simulated, or carried by finer or coarser cloth in its place
//!  buttons  ------------------- on it -->  buttons    carried by the cloth beneath: small ones as rigid bodies
//!  outside  ------------------- on it -->  outside    of cloth with a thickness, carried by its inside
//!  shoes    ------------- by the body -->  shoes      left out by the user: held by the body as pins are
//! ```
//!
//! Vertex identity is a promise: whatever is simulated, every vertex of the file gets a place in every frame.

mod choose;
mod clearance;
mod fineness;
mod follow;
mod footwear;
mod islands;
mod original;
mod outfit;
mod parts;
mod rigid;
mod selector;
mod shells;
mod sides;
mod tighten;
mod turns;

pub use choose::{Choice, ChoiceError, excluded, left_over};
pub use fineness::simulated_particles;
pub use follow::{Carry, Follow, Wearer};
pub use footwear::{WithoutFootwear, without_footwear};
pub use islands::{Island, IslandKind, islands};
pub use outfit::{Outfit, OutfitError, Rest, Wardrobe, outfit};
pub use selector::{PartSelector, PartSelectorError};
pub use shells::{Shells, shells};
