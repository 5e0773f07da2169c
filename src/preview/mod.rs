//! Pictures of cloth and body, without a GPU or a display.
//!
//! ```text
//! meshes, camera -> raster: which triangle each sample of each pixel sees -> shade: light, shadow, ground
//!     -> overlay: lines, arrows, dots -> legend -> picture -> PNG
//! ```
//!
//! The light is a studio's: a large key light from above the camera's left, weaker fill from its right, a bright floor that
//! catches the shadows. Pictures are the same for any number of threads.

mod animation;
mod camera;
mod colour;
mod film;
mod garment;
mod image;
mod label;
mod legend;
mod light;
mod material;
mod mesh;
mod overlay;
mod page;
mod picture;
mod raster;
mod shade;
mod sheet;
mod strain;
mod texture;

pub use animation::{AnimatedPng, Gif, gif_step};
pub use camera::{Camera, View};
pub use colour::{Colour, bytes_of_hex, from_srgb, ramp, strain_colour};
pub use film::{Figure, FigureKind, Film, Pose};
pub use garment::Outfit;
pub use label::{Lettering, width as width_of_words, write as write_words};
pub use legend::{Entry, legend};
pub use material::{Alpha, Material};
pub use mesh::{Mesh, Paint, Smoothing, Surfacing};
pub use overlay::{Mark, Pen};
pub use page::{Clip, LARGEST_PAGE, LargePage, Stretch, Switches, page};
pub use picture::Picture;
pub use shade::{Scene, Shot, render, shoot};
pub use sheet::{Cell, LARGEST_SHEET, sheet, sheet_size};
pub use strain::{FULL_STRAIN, mean_stretches};
pub use texture::Texture;
