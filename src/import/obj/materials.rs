//! Materials from MTL libraries: what of them has a place in glTF.
//!
//! ```text
//! Kd            base colour         map_Kd        its picture, which takes the place of Kd
//! d, Tr         opacity             map_d         the same picture: its alpha cuts holes
//! Pr, Pm, Ke    roughness, metal, own light       norm          normals, as tangent-space colours
//! ```
//!
//! The crate `obj` would refuse a whole library for one bad line and cut names at spaces.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::lines::{Statements, text};
use super::words::is_decimal;
use crate::import::{Image, Material, mime_type, quoted};

/// Largest picture that is read, and all pictures of a garment, bytes.
pub(super) const MAX_PICTURE_BYTES: u64 = 64 << 20;
const MAX_PICTURES_BYTES: usize = 128 << 20;
/// Paths under which pictures are looked for, and names of pictures that were missed, at most.
const MAX_PICTURES: usize = 1000;
const MISSED: usize = 100;
/// Statements without a place in glTF that are named, at most, and those of textures that do not begin with `map_`.
const LEFT_OUT: usize = 8;
const OTHER_MAPS: [&[u8]; 3] = [b"bump", b"disp", b"refl"];

/// Options of a texture statement with the number of words that follow each; those of one to three numbers end before the first word
/// that is none.
const OPTIONS: [(&[u8], usize); 8] = [
    (b"-blendu", 1),
    (b"-blendv", 1),
    (b"-boost", 1),
    (b"-mm", 2),
    (b"-texres", 1),
    (b"-clamp", 1),
    (b"-bm", 1),
    (b"-imfchan", 1),
];
const UP_TO_THREE: [&[u8]; 3] = [b"-o", b"-s", b"-t"];

/// Bytes of a picture by its name in an MTL file, which nobody has checked.
pub(super) type ReadPicture<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// Materials while their libraries are read.
pub(super) struct Looks<'a> {
    materials: Vec<Material>,
    pictures: Vec<Image>,
    read_picture: ReadPicture<'a>,
    /// Index of each picture that was looked for, by its path.
    found: HashMap<String, Option<u32>>,
    bytes_left: usize,
    missed: Vec<String>,
    /// Indices of the materials that no library has defined.
    undefined: BTreeSet<usize>,
    /// Keywords that have no place in glTF.
    left_out: BTreeSet<String>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(materials: Vec<Material>, read_picture: ReadPicture<'a>) -> Looks<'a> {
        Looks {
            undefined: (0..materials.len()).collect(),
            materials,
            pictures: Vec::new(),
            read_picture,
            found: HashMap::new(),
            bytes_left: MAX_PICTURES_BYTES,
            missed: Vec::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// Fills in those materials that `bytes`, of the library called `name`, define and that no library did before.
    pub(super) fn read(&mut self, name: &str, bytes: &[u8]) {
        let mut statements = Statements::new(bytes);
        let without = self.materials.iter().enumerate().filter(|(_, m)| m.base_colour.is_none());
        let mut wanted: HashMap<String, usize> = without.map(|(i, m)| (m.name.clone(), i)).collect();
        let mut current: Option<usize> = None;
        while statements.advance() {
            if statements.word(0) == b"newmtl" {
                current = wanted.remove(&text(statements.rest()));
                current.map(|index| self.undefined.remove(&index));
            } else if let Some(index) = current {
                self.statement(index, &statements, name);
            }
        }
    }

    /// The materials, the pictures that they refer to, and what was left out of them, the file having named these `libraries`.
    pub(super) fn into_parts(self, libraries: &[String]) -> (Vec<Material>, Vec<Image>, Vec<String>) {
        let mut notices = Vec::new();
        let undefined = || self.undefined.iter().map(|&index| quoted(self.materials[index].name.as_bytes())).collect();
        if let Some((library, names)) = libraries.first().zip(first_of(undefined())) {
            let library = quoted(library.as_bytes());
            notices.push(format!(
                "material {names} is in no MTL file that could be read (mtllib {library}) beneath the OBJ's \
                 folder, or that of --allow-dir: without colour"
            ));
        }
        if let Some(names) = first_of(self.missed) {
            notices.push(format!(
                "picture {names} of its materials is beneath neither the OBJ's folder nor that of --allow-dir, or \
                 neither PNG nor JPEG: left out"
            ));
        }
        if !self.left_out.is_empty() {
            let words: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
            notices.push(format!("{} of its materials: no place in glTF, left out there", words.join(", ")));
        }
        (self.materials, self.pictures, notices)
    }

    fn statement(&mut self, index: usize, s: &Statements<'_>, library: &str) {
        let number = |i: usize| decimal(s.word(i)).map(|number| number.clamp(0.0, 1.0));
        let picture = match s.word(0) {
            b"map_Kd" | b"map_d" | b"norm" => self.picture(s, library),
            _ => None,
        };
        let Some(material) = self.materials.get_mut(index) else { return };
        match s.word(0) {
            b"Kd" => material.base_colour = colour(s),
            b"d" => material.opacity = number(1).or(number(2)),
            b"Tr" => material.opacity = material.opacity.or(number(1).map(|through| 1.0 - through)),
            b"Pr" => material.roughness = number(1),
            b"Pm" => material.metallic = number(1),
            b"Ke" => material.emission = colour(s).filter(|colour| *colour != [0.0; 3]),
            b"map_Kd" => material.base_picture = picture,
            b"norm" => material.normal_picture = picture,
            b"map_d" if picture.is_none() || picture == material.base_picture => material.has_holes = picture.is_some(),
            word if self.left_out.len() < LEFT_OUT && (word.starts_with(b"map_") || OTHER_MAPS.contains(&word)) => {
                self.left_out.insert(quoted(word));
            }
            _ => {}
        }
    }

    /// The picture that a statement names, as far as it can be had.
    fn picture(&mut self, s: &Statements<'_>, library: &str) -> Option<u32> {
        let name = picture_name(s)?;
        for path in paths(&name, library) {
            if !self.found.contains_key(&path) && self.found.len() < MAX_PICTURES && self.bytes_left > 0 {
                let image = (self.read_picture)(&path).and_then(|bytes| self.image(&name, bytes));
                let index = image.map(|image| {
                    self.pictures.push(image);
                    self.pictures.len() as u32 - 1
                });
                self.found.insert(path.clone(), index);
            }
            if let Some(Some(index)) = self.found.get(&path) {
                return Some(*index);
            }
        }
        let name = quoted(name.as_bytes());
        if self.missed.len() < MISSED && !self.missed.contains(&name) {
            self.missed.push(name);
        }
        None
    }

    /// The picture `bytes` called `name`, unless there are too many already. What is no picture counts as well: one file has many paths.
    fn image(&mut self, name: &str, bytes: Vec<u8>) -> Option<Image> {
        let left = self.bytes_left.checked_sub(bytes.len());
        self.bytes_left = left.unwrap_or(0);
        // All that glTF has without an extension.
        let mime_type =
            left.and_then(|_| mime_type(&bytes)).filter(|kind| ["image/png", "image/jpeg"].contains(kind))?;
        let stem = Path::new(&name.replace('\\', "/")).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Some(Image { name: stem, mime_type: mime_type.to_owned(), bytes })
    }
}

/// The first of what was missed, and how many more.
fn first_of(mut missed: Vec<String>) -> Option<String> {
    let more = missed.len().checked_sub(1)?;
    let first = missed.swap_remove(0);
    Some(if more == 0 { first } else { format!("{first} and {more} more") })
}

/// Names of pictures in a library, as paths from the OBJ's folder where they may be.
pub(super) fn picture_paths(library: &str, bytes: &[u8]) -> Vec<String> {
    let (mut statements, mut all) = (Statements::new(bytes), Vec::new());
    while statements.advance() && all.len() < MAX_PICTURES {
        if [&b"map_Kd"[..], b"map_d", b"norm"].contains(&statements.word(0)) {
            all.extend(picture_name(&statements).map(|name| paths(&name, library)));
        }
    }
    all.concat()
}

/// Where a picture may be that a library names: beside it where it says, and beside it whatever folder it says, which is one of another
/// machine in many files.
fn paths(name: &str, library: &str) -> Vec<String> {
    let (name, library) = (name.replace('\\', "/"), library.replace('\\', "/"));
    let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let mut paths = vec![beside(&name)];
    if let Some((_, file)) = name.rsplit_once('/') {
        paths.push(beside(file));
    }
    paths
}

/// The file that a texture statement names behind its options: all words that are left.
fn picture_name(s: &Statements<'_>) -> Option<String> {
    let mut at = 1;
    while s.word(at).starts_with(b"-") && at < s.words.len() {
        let option = s.word(at);
        if let Some(&(_, words)) = OPTIONS.iter().find(|(known, _)| *known == option) {
            at += 1 + words;
        } else if UP_TO_THREE.contains(&option) {
            at += 1 + (1..=3).take_while(|i| decimal(s.word(at + i)).is_some()).count();
        } else {
            break;
        }
    }
    let name = text(s.rest_from(at));
    (!name.is_empty()).then_some(name)
}

fn decimal(word: &[u8]) -> Option<f32> {
    std::str::from_utf8(word).ok().filter(|_| is_decimal(word))?.parse().ok()
}

/// Red, green, blue in [0, 1]; a single number is a grey.
fn colour(s: &Statements<'_>) -> Option<[f32; 3]> {
    let component = |i| Some(decimal(s.word(i))?.clamp(0.0, 1.0));
    let red = component(1)?;
    Some([red, component(2).unwrap_or(red), component(3).unwrap_or(red)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

    fn read<const N: usize>(names: [&str; N], library: &str) -> (Vec<Material>, Vec<Image>, Vec<String>) {
        let materials = names.map(|name| Material { name: name.to_owned(), ..Material::default() }).to_vec();
        let picture = |path: &str| match path {
            "looks/weave 2.png" | "looks/relief.png" => Some(PNG.to_vec()),
            "looks/text.png" => Some(b"no picture".to_vec()),
            "looks/modern.webp" => Some(b"RIFF....WEBP and more".to_vec()),
            _ => None,
        };
        let mut looks = Looks::new(materials, &picture);
        looks.read("looks/coat.mtl", library.as_bytes());
        looks.into_parts(&[])
    }

    #[test]
    fn diffuse_colours_are_found_by_name() {
        let library = "Kd 1 1 1\nnewmtl red silk\r\nNs x\nKd 0.5 .25 2\nnewmtl grey\nKd 0.5\nnewmtl other\nKd 1 0 0";
        let (materials, _, notices) = read(["red silk", "grey", "none"], library);
        assert_eq!(materials[0].base_colour, Some([0.5, 0.25, 1.0]));
        assert_eq!(materials[1].base_colour, Some([0.5; 3]));
        assert_eq!(materials[2].base_colour, None);
        assert!(notices.is_empty());
    }

    #[test]
    fn pictures_are_read_up_to_a_limit_whatever_they_are_called() {
        let library: String = (0..20).map(|i| format!("newmtl m{i}\nmap_Kd {}w.txt\n", "./".repeat(i))).collect();
        let reads = std::cell::Cell::new(0);
        let picture = |_: &str| {
            reads.set(reads.get() + 1);
            Some(vec![0; MAX_PICTURES_BYTES / 4])
        };
        let names = (0..20).map(|i| Material { name: format!("m{i}"), ..Material::default() });
        let mut looks = Looks::new(names.collect(), &picture);
        looks.read("coat.mtl", library.as_bytes());
        assert_eq!((reads.get(), looks.into_parts(&[]).1.len()), (4, 0));
    }

    #[test]
    fn opacity_finish_light_and_pictures_are_found() {
        let library = "newmtl lace\nKd 0 0 0\nd -halo 0.5\nPr 0.3\nPm 1\nKe 0 0.5 0\nmap_Kd -s 1 1 1 -blendu on C:\\work\\weave 2.png\n\
                       map_d weave 2.png\nnorm -bm 1.0 relief.png\nnewmtl plain\nTr 0.25\nKe 0 0 0\nmap_Kd looks/lost.png\n\
                       map_Ks weave 2.png\nbump relief.png\nnorm text.png\nmap_Kd modern.webp\n";
        let (materials, pictures, notices) = read(["lace", "plain"], library);
        let lace = &materials[0];
        assert_eq!((lace.opacity, lace.roughness, lace.metallic), (Some(0.5), Some(0.3), Some(1.0)));
        assert_eq!((lace.emission, lace.base_picture, lace.normal_picture), (Some([0.0, 0.5, 0.0]), Some(0), Some(1)));
        assert!(lace.has_holes);
        let plain = &materials[1];
        assert_eq!((plain.opacity, plain.emission, plain.base_picture), (Some(0.75), None, None));
        assert_eq!(pictures.iter().map(|p| p.name.as_deref()).collect::<Vec<_>>(), [Some("weave 2"), Some("relief")]);
        assert!(notices[0].starts_with("picture `looks/lost.png` and 2 more"), "{}", notices[0]);
        assert!(notices[1].starts_with("`bump`, `map_Ks` of its materials"), "{}", notices[1]);
    }
}
