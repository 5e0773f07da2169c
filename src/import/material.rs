//! Materials of OBJ files, and what they are in glTF (2.0, section 3.9).

use serde_json::{Value, json};

use super::{Appearance, Image};

/// A material that an OBJ file names by `usemtl`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Name as in the file.
    pub name: String,
    /// Linear base colour, when an MTL file beside the OBJ gave one (`Kd`); the rest likewise.
    pub base_colour: Option<[f32; 3]>,
    /// Opacity, 0 to 1 (`d`, `Tr`).
    pub opacity: Option<f32>,
    /// Roughness, 0 to 1 (`Pr`).
    pub roughness: Option<f32>,
    /// How much of a metal it is, 0 to 1 (`Pm`).
    pub metallic: Option<f32>,
    /// Linear light of its own (`Ke`); none if it has none.
    pub emission: Option<[f32; 3]>,
    /// Picture of the base colour (`map_Kd`), index into [`ObjSource::pictures`](super::ObjSource::pictures).
    pub base_picture: Option<u32>,
    /// Whether the alpha of that picture cuts holes (`map_d` names it too).
    pub has_holes: bool,
    /// Picture of normals (`norm`), index into [`ObjSource::pictures`](super::ObjSource::pictures).
    pub normal_picture: Option<u32>,
}

impl Material {
    /// As a material of glTF, of the colour `unknown` where no file says one. Texture `i` shows picture `i` of the garment.
    pub fn to_gltf(&self, unknown: [f32; 3]) -> Value {
        // The colour beside a picture is what shows without it, black in many files.
        let colour = if self.base_picture.is_some() { [1.0; 3] } else { self.base_colour.unwrap_or(unknown) };
        let mut value = matt_material(&self.name, colour);
        let finish = &mut value["pbrMetallicRoughness"];
        for (key, number) in [("roughnessFactor", self.roughness), ("metallicFactor", self.metallic)] {
            if let Some(number) = number {
                finish[key] = number.into();
            }
        }
        if let Some(picture) = self.base_picture {
            finish["baseColorTexture"] = json!({ "index": picture });
        }
        if let Some(opacity) = self.opacity.filter(|opacity| *opacity < 1.0) {
            finish["baseColorFactor"][3] = opacity.into();
            value["alphaMode"] = "BLEND".into();
        } else if self.has_holes {
            value["alphaMode"] = "MASK".into();
        }
        if let Some(picture) = self.normal_picture {
            value["normalTexture"] = json!({ "index": picture });
        }
        if let Some(emission) = self.emission {
            value["emissiveFactor"] = json!(emission);
        }
        value
    }
}

/// `materials` that show these pictures.
pub fn with_pictures(materials: Vec<Value>, pictures: &[Image]) -> Appearance {
    let textures = (0..pictures.len()).map(|picture| json!({ "source": picture })).collect();
    Appearance { materials, textures, images: pictures.to_vec(), ..Appearance::default() }
}

/// A matt material of one linear colour that is seen from both sides.
pub fn matt_material(name: &str, [r, g, b]: [f32; 3]) -> Value {
    json!({
        "name": name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.875 },
        "doubleSided": true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_mtl_file_says_has_its_place_in_gltf() {
        let lace = Material {
            name: "lace".to_owned(),
            base_colour: Some([0.0; 3]),
            opacity: Some(0.5),
            roughness: Some(0.25),
            emission: Some([0.0, 0.5, 0.0]),
            base_picture: Some(1),
            normal_picture: Some(0),
            ..Material::default()
        };
        let expected = json!({
            "name": "lace",
            "pbrMetallicRoughness": {
                "baseColorFactor": [1.0, 1.0, 1.0, 0.5], "metallicFactor": 0.0, "roughnessFactor": 0.25,
                "baseColorTexture": { "index": 1 },
            },
            "doubleSided": true,
            "alphaMode": "BLEND",
            "normalTexture": { "index": 0 },
            "emissiveFactor": [0.0, 0.5, 0.0],
        });
        assert_eq!(lace.to_gltf([1.0; 3]), expected);
        let net = Material { has_holes: true, base_picture: Some(0), ..Material::default() };
        assert_eq!(net.to_gltf([1.0; 3])["alphaMode"], "MASK");
        assert_eq!(Material::default().to_gltf([0.5, 0.25, 0.0]), matt_material("", [0.5, 0.25, 0.0]));
    }
}
