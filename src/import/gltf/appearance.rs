//! Materials, textures, samplers and images, carried along undecoded. Nothing here fails an import: what cannot be read is
//! left out with a notice, and what refers to it too.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::buffers::Buffers;
use super::element::{Element, whole};
use super::error::Faults;
use crate::import::{Appearance, Image, mime_type};

/// New index of each old item, none where it was left out.
type Renumbering = Vec<Option<usize>>;

/// Reads everything about looks.
pub(super) fn read_appearance(
    source: &Element<'_>,
    buffers: &mut Buffers<'_>,
    notices: &mut Vec<String>,
) -> Appearance {
    let mut ignored = Faults::default();
    let (images, image_numbers) = read_images(source, buffers, notices);
    let samplers = source.array("samplers", &mut ignored).iter().map(object).collect::<Vec<_>>();
    let (textures, texture_numbers) = read_textures(source, &image_numbers, samplers.len(), notices);
    let mut materials: Vec<Value> = source.array("materials", &mut ignored).iter().map(object).collect();
    for material in &mut materials {
        renumber_textures(material, &texture_numbers);
    }
    notices.extend(variants_notice(source));
    let mut extensions = BTreeSet::new();
    for item in materials.iter().chain(&textures) {
        collect_extensions(item, &mut extensions);
    }
    let copyright = source.get("asset").and_then(|asset| asset.get("copyright")).and_then(Value::as_str);
    Appearance {
        materials,
        textures,
        samplers,
        images,
        extensions_used: extensions.into_iter().collect(),
        copyright: copyright.filter(|text| !text.is_empty()).map(str::to_owned),
    }
}

/// Says that parts have one material each from now on.
fn variants_notice(source: &Element<'_>) -> Option<String> {
    let variants = source.get("extensions")?.get("KHR_materials_variants")?.get("variants")?.as_array()?.len();
    (variants > 0)
        .then(|| format!("KHR_materials_variants: {variants} variants are left out, parts keep their own materials"))
}

fn object(value: &Value) -> Value {
    if value.is_object() { value.clone() } else { Value::Object(Map::new()) }
}

fn read_images(
    source: &Element<'_>,
    buffers: &mut Buffers<'_>,
    notices: &mut Vec<String>,
) -> (Vec<Image>, Renumbering) {
    let (mut images, mut numbers) = (Vec::new(), Vec::new());
    for index in 0..source.array("images", &mut Faults::default()).len() {
        let mut faults = Faults::default();
        let image = source
            .item("images", index, &mut faults)
            .and_then(|image| read_image(source, &image, buffers, &mut faults));
        match image {
            Some(image) => {
                numbers.push(Some(images.len()));
                images.push(image);
            }
            None => {
                notices.push(format!("images[{index}] is left out: {faults}"));
                numbers.push(None);
            }
        }
    }
    (images, numbers)
}

fn read_image(
    source: &Element<'_>,
    image: &Element<'_>,
    buffers: &mut Buffers<'_>,
    faults: &mut Faults,
) -> Option<Image> {
    let bytes = if let Some(uri) = image.string("uri") {
        match buffers.resources().read(uri) {
            Ok(bytes) => bytes,
            Err(error) => {
                faults.push(image.place_of("uri"), error, "an image file beneath the glTF file's folder");
                return None;
            }
        }
    } else {
        let views = source.array("bufferViews", faults).len();
        let Some(index) = image.index("bufferView", "buffer views", views, faults) else {
            faults.push(image.place(), "no usable uri or bufferView", "an image");
            return None;
        };
        let view = buffers.view(source, index, faults)?;
        if let Err(error) = buffers.resources().charge(view.length) {
            faults.push(image.place(), error, "less");
            return None;
        }
        buffers.bytes(view.buffer, view.start, view.length).to_vec()
    };
    let Some(mime_type) = mime_type(&bytes) else {
        faults.push(image.place(), "bytes of no known kind", "PNG, JPEG, WebP or KTX2");
        return None;
    };
    Some(Image { name: image.name().map(str::to_owned), mime_type: mime_type.to_owned(), bytes })
}

/// Textures that still have an image; in extensions too the image is named `source`.
fn read_textures(
    source: &Element<'_>,
    images: &Renumbering,
    samplers: usize,
    notices: &mut Vec<String>,
) -> (Vec<Value>, Renumbering) {
    let (mut textures, mut numbers) = (Vec::new(), Vec::new());
    for (index, texture) in source.array("textures", &mut Faults::default()).iter().enumerate() {
        let mut texture = object(texture);
        let mut shown = renumber_field(&mut texture, "source", images);
        if let Some(extensions) = texture.get_mut("extensions").and_then(Value::as_object_mut) {
            extensions.retain(|_, extension| renumber_field(extension, "source", images));
            shown |= !extensions.is_empty();
        }
        let identity: Renumbering = (0..samplers).map(Some).collect();
        renumber_field(&mut texture, "sampler", &identity);
        if shown {
            numbers.push(Some(textures.len()));
            textures.push(texture);
        } else {
            notices.push(format!("textures[{index}] is left out: it has no image"));
            numbers.push(None);
        }
    }
    (textures, numbers)
}

/// Replaces the index in `value[key]`, or removes it when its item was left out; whether it is there afterwards.
fn renumber_field(value: &mut Value, key: &str, numbers: &Renumbering) -> bool {
    let Some(object) = value.as_object_mut() else { return false };
    let old = object.remove(key).as_ref().and_then(whole).and_then(|old| usize::try_from(old).ok());
    let new = old.and_then(|old| numbers.get(old).copied().flatten());
    object.extend(new.map(|new| (key.to_owned(), new.into())));
    new.is_some()
}

/// Renumbers every `...Texture: {index}` of a material, at any depth the JSON reader allows.
fn renumber_textures(value: &mut Value, textures: &Renumbering) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| renumber_textures(item, textures)),
        Value::Object(object) => object.retain(|key, value| {
            if key.ends_with("Texture") && value.is_object() {
                return renumber_field(value, "index", textures);
            }
            renumber_textures(value, textures);
            true
        }),
        _ => {}
    }
}

fn collect_extensions(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_extensions(item, names)),
        Value::Object(object) => {
            if let Some(extensions) = object.get("extensions").and_then(Value::as_object) {
                names.extend(extensions.keys().cloned());
            }
            object.iter().filter(|(key, _)| *key != "extras").for_each(|(_, value)| collect_extensions(value, names));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gltf::resource::Resources;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn unreadable_images_go_with_everything_that_shows_them() {
        let png = "data:image/png;base64,iVBORw0KGgo=";
        let document = json!({
            "images": [{ "uri": "../x.png" }, { "uri": png }],
            "textures": [{ "source": 0 }, { "source": 1, "sampler": 7 }],
            "materials": [{ "normalTexture": { "index": 0 }, "pbrMetallicRoughness": { "baseColorTexture": { "index": 1 } } }],
        });
        let mut notices = Vec::new();
        let access = crate::import::Access::default();
        let mut buffers = Buffers::new(0, None, Resources::new(Path::new("."), &access));
        let looks = read_appearance(&Element::root(&document).unwrap(), &mut buffers, &mut notices);
        assert_eq!((looks.images.len(), notices.len()), (1, 2));
        assert_eq!(looks.textures, [json!({ "source": 0 })]);
        assert_eq!(looks.materials, [json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } })]);
    }
}
