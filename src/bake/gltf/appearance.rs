//! Materials, textures and images of the sources, carried over undecoded, their indices shifted into one document.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::binary::Content;
use super::document::Document;
use crate::import::{Appearance, Image, Material, matt_material};

/// Base colour of cloth whose file names none: undyed linen, linear.
const LINEN: [f32; 3] = [0.60, 0.50, 0.38];

/// Base colour of a body without materials, linear.
const BODY_GREY: [f32; 3] = [0.35, 0.35, 0.35];

/// The lists of a document that concern looks, as JSON.
#[derive(Default)]
pub(super) struct Looks {
    materials: Vec<Value>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
    images: Vec<Value>,
    extensions_used: BTreeSet<String>,
    copyrights: BTreeSet<String>,
}

/// Where the materials of an [`Appearance`] start in the document.
#[derive(Clone, Copy)]
pub(super) struct MaterialOffset(usize);

impl Looks {
    /// Puts the lists that have entries into the document.
    pub(super) fn insert_into(&self, document: &mut Value) {
        let lists = [
            ("materials", &self.materials),
            ("textures", &self.textures),
            ("samplers", &self.samplers),
            ("images", &self.images),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                document[name] = Value::from(list.clone());
            }
        }
        if !self.copyrights.is_empty() {
            let all: Vec<&str> = self.copyrights.iter().map(String::as_str).collect();
            document["asset"]["copyright"] = all.join("; ").into();
        }
        if !self.extensions_used.is_empty() {
            document["extensionsUsed"] = self.extensions_used.iter().cloned().collect();
        }
    }

    /// Index of a material for a primitive with `texcoord_sets` texture coordinates. Textures that need a set the
    /// primitive lacks are left out, in a copy.
    pub(super) fn material(&mut self, offset: MaterialOffset, index: u32, texcoord_sets: u64) -> Option<u32> {
        let index = offset.0 + index as usize;
        let material = self.materials.get(index)?;
        let mut stripped = material.clone();
        strip_textures(&mut stripped, texcoord_sets);
        if stripped == *material {
            return Some(index as u32);
        }
        let copy = self.materials.iter().position(|m| *m == stripped).unwrap_or_else(|| {
            self.materials.push(stripped);
            self.materials.len() - 1
        });
        Some(copy as u32)
    }
}

/// Adds everything `appearance` says; images become buffer views.
pub(super) fn add_appearance<'a>(document: &mut Document<'a>, appearance: &'a Appearance) -> MaterialOffset {
    let images: Vec<Value> = appearance.images.iter().map(|image| push_image(document, image)).collect();
    let looks = &mut document.looks;
    let offset = MaterialOffset(looks.materials.len());
    let (texture, sampler, first_image) = (looks.textures.len(), looks.samplers.len(), looks.images.len());
    looks.materials.extend(appearance.materials.iter().cloned().map(|mut material| {
        shift_texture_infos(&mut material, texture);
        material
    }));
    let textures = appearance.textures.iter().map(|texture| shifted_texture(texture, sampler, first_image));
    looks.textures.extend(textures);
    looks.samplers.extend(appearance.samplers.iter().cloned());
    looks.images.extend(images);
    looks.extensions_used.extend(appearance.extensions_used.iter().cloned());
    looks.copyrights.extend(appearance.copyright.clone());
    offset
}

fn push_image<'a>(document: &mut Document<'a>, image: &'a Image) -> Value {
    let view = document.push_view(image.bytes.len(), None, Content::Ready(Cow::Borrowed(&image.bytes)));
    let mut entry = json!({ "bufferView": view.value(), "mimeType": image.mime_type });
    if let Some(name) = &image.name {
        entry["name"] = Value::from(name.clone());
    }
    entry
}

/// A texture whose sampler and image moved; extensions name an image of another format.
fn shifted_texture(texture: &Value, sampler: usize, image: usize) -> Value {
    let mut texture = texture.clone();
    shift(texture.get_mut("sampler"), sampler);
    shift(texture.get_mut("source"), image);
    let extensions = texture.get_mut("extensions").and_then(Value::as_object_mut);
    for extension in extensions.into_iter().flat_map(Map::values_mut) {
        shift(extension.get_mut("source"), image);
    }
    texture
}

/// Material of an OBJ garment: what its MTL file says, else matt linen.
pub(super) fn cloth_material(material: Option<&Material>) -> Value {
    material.map_or_else(|| matt_material("cloth", LINEN), |material| material.to_gltf(LINEN))
}

/// Material of a body that has none.
pub(super) fn body_material() -> Value {
    matt_material("body", BODY_GREY)
}

fn shift(index: Option<&mut Value>, by: usize) {
    if let Some(index) = index
        && let Some(number) = index.as_u64()
    {
        *index = Value::from(number + by as u64);
    }
}

/// Shifts the index of every texture a material refers to, in extensions too: they are all called `...Texture`.
fn shift_texture_infos(material: &mut Value, by: usize) {
    for (key, value) in properties(material) {
        if key.ends_with("Texture") {
            shift(value.get_mut("index"), by);
        }
        shift_texture_infos(value, by);
    }
}

fn strip_textures(material: &mut Value, texcoord_sets: u64) {
    if let Some(object) = material.as_object_mut() {
        object.retain(|key, value| !key.ends_with("Texture") || texcoord_set(value) < texcoord_sets);
    }
    for (_, value) in properties(material) {
        strip_textures(value, texcoord_sets);
    }
}

/// Texture coordinates that a texture reference reads; `KHR_texture_transform` has the last word.
fn texcoord_set(info: &Value) -> u64 {
    let transformed = info.pointer("/extensions/KHR_texture_transform/texCoord");
    transformed.or_else(|| info.get("texCoord")).and_then(Value::as_u64).unwrap_or(0)
}

/// The properties of an object that glTF defines: all but `extras`.
fn properties(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten().filter(|(key, _)| *key != "extras")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn textured() -> Appearance {
        let image = Image { name: None, mime_type: "image/png".to_owned(), bytes: vec![1, 2, 3] };
        Appearance {
            materials: vec![json!({
                "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "texCoord": 1 } },
                "extensions": { "KHR_materials_sheen": { "sheenColorTexture": { "index": 1 } } },
                "extras": { "noTexture": { "index": 0 } },
            })],
            textures: vec![
                json!({ "source": 0, "sampler": 0 }),
                json!({ "extensions": { "EXT_texture_webp": { "source": 0 } } }),
            ],
            samplers: vec![json!({})],
            images: vec![image],
            extensions_used: vec!["KHR_materials_sheen".to_owned()],
            copyright: Some("A. Tailor".to_owned()),
        }
    }

    #[test]
    fn a_second_source_refers_to_its_own_textures_and_images() {
        let appearance = textured();
        let mut document = Document::new("walk");
        add_appearance(&mut document, &appearance);
        add_appearance(&mut document, &appearance);
        let value = document.to_json(None).expect("JSON");
        assert_eq!(value["asset"]["copyright"], "A. Tailor");
        let second = &value["materials"][1];
        assert_eq!(second["pbrMetallicRoughness"]["baseColorTexture"]["index"], 2);
        assert_eq!(second["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]["index"], 3);
        assert_eq!(second["extras"]["noTexture"]["index"], 0);
        assert_eq!(value["textures"][2], json!({ "source": 1, "sampler": 1 }));
        assert_eq!(value["textures"][3]["extensions"]["EXT_texture_webp"]["source"], 1);
        assert_eq!(value["images"][1]["bufferView"], 1);
        assert_eq!(value["extensionsUsed"], json!(["KHR_materials_sheen"]));
    }

    #[test]
    fn textures_without_texture_coordinates_are_left_out_of_a_copy() {
        let appearance = textured();
        let mut document = Document::new("walk");
        let offset = add_appearance(&mut document, &appearance);
        assert_eq!(document.looks.material(offset, 0, 2), Some(0));
        assert_eq!(document.looks.material(offset, 0, 1), Some(1));
        assert_eq!(document.looks.material(offset, 0, 1), Some(1), "one copy serves all");
        let copy = &document.looks.materials[1];
        assert_eq!(copy["pbrMetallicRoughness"], json!({}));
        assert_eq!(copy["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]["index"], 1);
        assert_eq!(document.looks.material(offset, 7, 1), None);
    }
}
