//! OBJ files: garments, and frames of animated bodies.
//!
//! Sanitise, then read: [`lines`] takes the bytes apart, [`scan`] checks every word and writes clean lines of one object,
//! [`batch`] lets the crate `obj` turn those into numbers, and the indices it returns are checked against our own count.
//! Nothing is looked up outside the file but MTL libraries and their pictures, and those through the caller.

mod batch;
mod error;
mod lines;
mod materials;
mod names;
mod notices;
mod scan;
mod sequence;
mod words;

use super::garment::origin_for;
use super::{Access, FileFrame, Garment, GarmentSource, ObjSource, VertexAttribute};
use crate::geometry::{DVec3, Vec3};
use error::Element;
pub use error::{ObjError, ObjFault, ObjFaults};
use lines::Statements;
use materials::{Looks, MAX_PICTURE_BYTES};
use scan::{Limits, Scan};
pub use scan::{MAX_COORDINATE, MAX_CORNERS, MAX_ELEMENTS};
pub use sequence::SequenceError;
pub(crate) use sequence::{SequenceFiles, SequenceReader};

/// Largest OBJ file that is read, bytes: 1.5 million vertices with normals and texture coordinates.
pub const MAX_BYTES: u64 = 256 << 20;

/// Largest MTL library that is read, bytes.
const MAX_LIBRARY_BYTES: u64 = 4 << 20;

/// Names that an OBJ file gives MTL libraries, and that these give pictures; `library` is asked as when reading.
pub(super) fn named_files(bytes: &[u8], library: &dyn Fn(&str, u64) -> Option<Vec<u8>>) -> Vec<String> {
    let mut names = library_names(bytes);
    let of_library = |name: &String| Some(materials::picture_paths(name, &library(name, MAX_LIBRARY_BYTES)?));
    let pictures: Vec<String> = names.iter().filter_map(of_library).flatten().collect();
    names.extend(pictures);
    names
}

/// Names that an OBJ file gives MTL libraries.
fn library_names(bytes: &[u8]) -> Vec<String> {
    let (mut statements, mut names) = (Statements::new(bytes), Vec::new());
    while statements.advance() {
        if statements.word(0) == b"mtllib" {
            names.extend(scan::library_names(&statements));
        }
    }
    names
}

/// Reads a garment from the bytes of an OBJ file; materials have no colours.
///
/// # Errors
/// Lines that cannot be right (all together, the first ten named), no face with three corners, or more than toile reads.
pub fn read_garment(bytes: &[u8], name: &str, frame: FileFrame) -> Result<Garment, ObjError> {
    read_garment_with_materials(bytes, name, frame, &|_, _| None, &Access::default())
}

/// Reads a garment; `library` is asked for the bytes of each MTL file and of each picture of its materials, by names in the files, which
/// nobody has checked, and with the most bytes that it may have; `access` says how large the mesh may be.
///
/// # Errors
/// As [`read_garment`]. A library that is missing or bad is no error, nor is a picture.
pub fn read_garment_with_materials(
    bytes: &[u8],
    name: &str,
    frame: FileFrame,
    library: &dyn Fn(&str, u64) -> Option<Vec<u8>>,
    access: &Access,
) -> Result<Garment, ObjError> {
    let mut scan = checked_scan(bytes, name, Limits::of(access))?;
    scan.numbers.shrink();
    scan.position_spans.shrink_to_fit();
    scan.normal_indices.shrink_to_fit();
    let attributes = colour_attribute(&scan).into_iter().collect();
    let colours = vertex_colours(&scan, Vec3::ONE);
    let (groups, found_materials, polygon_materials) = scan.names.into_groups();
    let read_picture = |path: &str| library(path, MAX_PICTURE_BYTES);
    let mut looks = Looks::new(found_materials, &read_picture);
    for file in &scan.libraries {
        if let Some(bytes) = library(file, MAX_LIBRARY_BYTES) {
            looks.read(file, &bytes);
        }
    }
    let (found_materials, pictures, of_looks) = looks.into_parts(&scan.libraries);
    let mut notices = scan.notices.into_words(name);
    notices.extend(of_looks.into_iter().map(|notice| format!("{name}.obj: {notice}")));
    let source = ObjSource {
        text: bytes.to_vec(),
        position_spans: scan.position_spans,
        normal_spans: scan.normal_spans,
        normal_indices: scan.normal_indices,
        texcoords: scan.numbers.texcoords,
        normals: scan.numbers.normals,
        corners: scan.numbers.corners,
        materials: found_materials,
        polygon_materials,
        pictures,
        colours,
    };
    let metres = |&p: &Vec3| frame.to_metres(p);
    let origin = origin_for(&scan.numbers.polygons, |vertex| metres(&scan.numbers.positions[vertex]).as_dvec3());
    let positions = if origin == DVec3::ZERO {
        scan.numbers.positions.iter().map(metres).collect()
    } else {
        let exact = source
            .position_spans
            .iter()
            .zip(&scan.numbers.positions)
            .map(|(span, &read)| exact_position(&bytes[span.clone()]).unwrap_or(read.as_dvec3()));
        exact.map(|p| (frame.to_metres_far(p) - origin).as_vec3()).collect()
    };
    Ok(Garment {
        name: name.to_owned(),
        positions,
        origin,
        polygons: scan.numbers.polygons,
        groups,
        attributes,
        skin: None,
        frame,
        source: GarmentSource::Obj(source),
        notices,
    })
}

/// Three numbers as the file has them: `f32` would round them to a millimetre 10 km away.
fn exact_position(text: &[u8]) -> Option<DVec3> {
    let mut numbers = std::str::from_utf8(text).ok()?.split_ascii_whitespace().map(str::parse);
    let [x, y, z] = [numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?];
    Some(DVec3::new(x, y, z)).filter(|p| p.is_finite() && numbers.next().is_none())
}

/// Scans the file and makes sure that it is text, that every face refers to what exists, and that there is a face.
fn checked_scan(bytes: &[u8], name: &str, limits: Limits) -> Result<Scan, ObjError> {
    if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Err(ObjError::Utf16 { name: name.to_owned() });
    }
    let mut scan = Scan::run(name, bytes, limits)?;
    check_indices(&mut scan);
    let dropped = scan.notices.dropped_faces();
    let faces = scan.numbers.polygons.len();
    if !scan.faults.is_empty() {
        return Err(ObjError::Faulty { name: name.to_owned(), faults: scan.faults });
    }
    match (scan.numbers.positions.len(), faces) {
        (0, 0) if dropped == 0 => Err(ObjError::NotObj { name: name.to_owned() }),
        (vertices, 0) => Err(ObjError::NoFaces { name: name.to_owned(), vertices, dropped }),
        _ => Ok(scan),
    }
}

/// Faces may refer to what stands below them, so indices are checked at the end. One fault a face.
fn check_indices(scan: &mut Scan) {
    let numbers = &scan.numbers;
    // A vertex that could not be read still counts: it has its own fault.
    let (v, t, n) = (scan.vertex_count(), numbers.texcoords.len(), numbers.normals.len());
    let beyond = |element, index: Option<u32>, count| {
        let index = index.filter(|&i| i as usize >= count)?;
        Some(ObjFault::BeyondEnd { element, index: i64::from(index) + 1, count })
    };
    for (polygon, &line) in scan.polygon_lines.iter().enumerate() {
        let mut range = numbers.polygons.range(polygon);
        let fault = range.find_map(|i| {
            let corner = numbers.corners[i];
            beyond(Element::Vertex, Some(numbers.polygons.corners[i]), v)
                .or_else(|| beyond(Element::Texcoord, corner.texcoord, t))
                .or_else(|| beyond(Element::Normal, corner.normal, n))
        });
        if let Some(fault) = fault {
            scan.faults.push(line, fault);
        }
    }
}

/// Colour of each vertex, `otherwise` where the file gives only others one; empty if it gives none.
fn vertex_colours(scan: &Scan, otherwise: Vec3) -> Vec<Vec3> {
    let count = if scan.colours.is_empty() { 0 } else { scan.numbers.positions.len() };
    let mut colours = vec![otherwise; count];
    for &(vertex, colour) in &scan.colours {
        if let Some(slot) = colours.get_mut(vertex as usize) {
            *slot = colour;
        }
    }
    colours
}

/// Red is what vertices are selected by.
fn colour_attribute(scan: &Scan) -> Option<VertexAttribute> {
    let values: Vec<f32> = vertex_colours(scan, Vec3::ZERO).iter().map(|colour| colour.x).collect();
    (!values.is_empty()).then(|| VertexAttribute { name: "COLOR_0".to_owned(), values })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
