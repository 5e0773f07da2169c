//! Base colours: what files say of materials, as far as a picture shows it.

use std::sync::Arc;

use serde_json::Value;

use super::colour::Colour;
use super::image::{Texels, decode};
use super::mesh::CLOTH;
use super::texture::{Texture, Wrap, levels};
use crate::geometry::{Vec2, Vec3};
use crate::import::Appearance;

/// Most texels that the textures of a film hold, their halves left out.
const MOST_TEXELS: usize = 1 << 26;
/// Wrap modes of glTF samplers (section 5.26).
const CLAMP_TO_EDGE: u64 = 33_071;
const MIRRORED_REPEAT: u64 = 33_648;

/// The base colour of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Linear; the texture's colours are multiplied by it.
    pub factor: Colour,
    /// If there is one.
    pub texture: Option<Arc<Texture>>,
    /// Multiplied by the texture's alpha.
    pub opacity: f32,
    /// What alpha means.
    pub alpha: Alpha,
}

/// What the alpha of a material means (glTF 2.0, section 3.9.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// Nothing.
    Ignored,
    /// What has less is not there.
    Cutoff(f32),
    /// The part that is seen of the surface.
    Blended,
}

impl Material {
    /// One colour.
    pub fn plain(factor: Colour) -> Material {
        Material { factor, texture: None, opacity: 1.0, alpha: Alpha::Ignored }
    }

    /// A fabric without any of its own.
    pub(super) fn cloth() -> Material {
        Material::plain(CLOTH)
    }

    /// Whether nothing is seen of it, whatever its texture.
    fn is_invisible(&self) -> bool {
        match self.alpha {
            Alpha::Cutoff(least) => self.opacity < least,
            Alpha::Blended => self.opacity <= 0.0,
            Alpha::Ignored => false,
        }
    }

    /// The colour at a point; `place` says where that is: texture coordinates of three corners, their pixels and weights.
    pub(super) fn colour(&self, place: impl FnOnce() -> Option<([Vec2; 3], [Vec2; 3], Vec3)>) -> Colour {
        let Some(texture) = &self.texture else { return self.factor };
        let Some((texcoords, pixels, weights)) = place() else { return self.factor };
        self.factor * texture.sample(texcoords, pixels, weights).truncate()
    }

    /// The part that is seen of the surface at a point, 0 to 1.
    pub(super) fn coverage(&self, place: impl FnOnce() -> Option<([Vec2; 3], [Vec2; 3], Vec3)>) -> f32 {
        let of_texture = match (&self.texture, place()) {
            (Some(texture), Some((texcoords, pixels, weights))) => texture.sample(texcoords, pixels, weights).w,
            _ => 1.0,
        };
        let alpha = self.opacity * of_texture;
        match self.alpha {
            Alpha::Cutoff(least) => f32::from(u8::from(alpha >= least)),
            Alpha::Blended => alpha,
            Alpha::Ignored => 1.0,
        }
    }
}

/// Base colours of all materials of a glTF file, in its order, and what could not be shown of them.
pub(super) fn materials(looks: &Appearance) -> (Vec<Material>, Vec<String>) {
    let mut notices = Vec::new();
    let mut left = MOST_TEXELS;
    let mut images: Vec<Option<Option<Arc<[Texels]>>>> = vec![None; looks.images.len()];
    let mut read = |material: &Value| {
        let factor = material.pointer("/pbrMetallicRoughness/baseColorFactor").and_then(Value::as_array);
        let component = |i: usize| factor.and_then(|f| f.get(i)?.as_f64()).map_or(1.0, |c| (c as f32).clamp(0.0, 1.0));
        let factor = Colour::new(component(0), component(1), component(2));
        let alpha = match material.get("alphaMode").and_then(Value::as_str) {
            Some("MASK") => Alpha::Cutoff(material.get("alphaCutoff").and_then(Value::as_f64).unwrap_or(0.5) as f32),
            Some("BLEND") => Alpha::Blended,
            _ => Alpha::Ignored,
        };
        let plain = Material { opacity: component(3), alpha, ..Material::plain(factor) };
        let slot = material.pointer("/pbrMetallicRoughness/baseColorTexture");
        // Only the first texture coordinates are read.
        let slot = slot.filter(|slot| slot.get("texCoord").and_then(Value::as_u64).unwrap_or(0) == 0);
        let texture = slot.and_then(|slot| looks.textures.get(index(slot.get("index"))?));
        let source = texture.and_then(|texture| index(texture.get("source"))).filter(|&i| i < looks.images.len());
        let (Some(slot), Some(texture), Some(source)) = (slot, texture, source) else {
            return plain;
        };
        let decode = |left| if left > 0 { decode(&looks.images[source]).map(Some) } else { Ok(None) };
        let decoded = images[source].get_or_insert_with(|| match decode(left) {
            Ok(Some(texels)) if texels.bytes.len() <= left => {
                left -= texels.bytes.len();
                Some(levels(texels))
            }
            Ok(_) => {
                // The others are not even decoded: that alone takes long.
                left = 0;
                notices.push(format!("images[{source}] is not shown: the file's images are larger than are held"));
                None
            }
            Err(error) => {
                notices.push(format!("images[{source}] is not shown: {error}"));
                None
            }
        });
        let texture = decoded.as_ref().map(|levels| {
            let sampler = index(texture.get("sampler")).and_then(|sampler| looks.samplers.get(sampler));
            let wrap = ["wrapS", "wrapT"].map(|key| wrap(sampler.and_then(|sampler| sampler.get(key)?.as_u64())));
            Arc::new(placed(Texture::new(levels.clone(), wrap), slot))
        });
        Material { texture, ..plain }
    };
    let mut materials: Vec<Material> = looks.materials.iter().map(&mut read).collect();
    if !materials.is_empty() && materials.iter().all(Material::is_invisible) {
        materials.iter_mut().for_each(|material| material.alpha = Alpha::Ignored);
        notices.push("all materials are wholly transparent (alpha 0): they are drawn solid".to_owned());
    }
    (materials, notices)
}

fn index(value: Option<&Value>) -> Option<usize> {
    value?.as_u64().and_then(|index| usize::try_from(index).ok())
}

fn wrap(mode: Option<u64>) -> Wrap {
    match mode {
        Some(CLAMP_TO_EDGE) => Wrap::Clamp,
        Some(MIRRORED_REPEAT) => Wrap::Mirror,
        _ => Wrap::Repeat,
    }
}

/// As `KHR_texture_transform` places it.
fn placed(texture: Texture, slot: &Value) -> Texture {
    let Some(transform) = slot.pointer("/extensions/KHR_texture_transform") else { return texture };
    let pair = |key: &str, otherwise: f32| {
        let part = |i: usize| transform.get(key)?.get(i)?.as_f64();
        Vec2::new(part(0).map_or(otherwise, |x| x as f32), part(1).map_or(otherwise, |y| y as f32))
    };
    let rotation = transform.get("rotation").and_then(Value::as_f64).unwrap_or(0.0) as f32;
    texture.transformed(pair("offset", 0.0), rotation, pair("scale", 1.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::Image;
    use crate::preview::Picture;

    #[test]
    fn base_colours_and_textures_are_read_and_what_cannot_be_shown_is_said() {
        let png = Picture::filled([2, 2], [255, 0, 0]).png().expect("a file");
        let image = |bytes: Vec<u8>| Image { name: None, mime_type: "image/webp".to_owned(), bytes };
        let looks = Appearance {
            materials: vec![
                json!({}),
                json!({ "pbrMetallicRoughness": { "baseColorFactor": [0.5, 2.0, 0.0, 1.0] } }),
                json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }),
                json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 1 } } }),
                json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 7 } } }),
            ],
            textures: vec![json!({ "source": 0 }), json!({ "source": 1 })],
            images: vec![image(png), image(b"RIFF".to_vec())],
            ..Appearance::default()
        };
        let (materials, notices) = materials(&looks);
        assert_eq!(materials[1], Material::plain(Colour::new(0.5, 1.0, 0.0)));
        let corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
        assert_eq!(materials[2].colour(|| Some((corners, corners, Vec3::X))), Colour::X);
        assert!([0, 3, 4].iter().all(|&i| materials[i] == Material::plain(Colour::ONE)));
        assert!(
            matches!(notices.as_slice(), [notice] if notice.contains("images[1]") && notice.contains("image/webp"))
        );
    }

    #[test]
    fn what_would_be_wholly_invisible_is_drawn_solid_and_that_is_said() {
        let clear = |mode: &str| json!({ "alphaMode": mode, "pbrMetallicRoughness": { "baseColorFactor": [1.0, 1.0, 1.0, 0.0] } });
        let read = |list: Vec<Value>| materials(&Appearance { materials: list, ..Appearance::default() });
        let (all, notices) = read(vec![clear("BLEND"), clear("MASK")]);
        assert!(all.iter().all(|m| m.coverage(|| None) == 1.0) && notices[0].contains("drawn solid"));
        let (some, notices) = read(vec![clear("BLEND"), json!({})]);
        assert!(some[0].coverage(|| None) == 0.0 && some[1].coverage(|| None) == 1.0 && notices.is_empty());
    }
}
