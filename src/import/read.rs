//! Paths -> garments and bodies: which file is opened, how much of it, and which reader gets it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::gltf::GltfError;
use super::obj::{self, SequenceFiles};
use super::{Access, BodyAsset, FileFrame, Garment, ImportError, gltf};
use crate::geometry::Vec3;

/// Largest glTF or GLB file that is read, bytes.
pub const MAX_GLTF_BYTES: u64 = 512 << 20;

/// Files of a sequence that are read side by side, and their bytes, at most: what is read of them is held at the same time.
const FILES_AT_A_TIME: usize = 32;
const BYTES_AT_A_TIME: u64 = 64 << 20;

/// What a file holds, by its first bytes, when that is not what toile reads: (offset, bytes, what it is, what to do).
const FOREIGN: [(usize, &[u8], &str, &str); 12] = [
    (0, b"\x1f\x8b", "gzip compressed", "unpack it first"),
    (0, b"PK\x03\x04", "a ZIP archive (USDZ, 3MF, ...)", "unpack or export it"),
    (0, b"BZh", "bzip2 compressed", "unpack it first"),
    (0, b"\x28\xb5\x2f\xfd", "zstd compressed", "unpack it first"),
    (0, b"Kaydara FBX", "an FBX file", "export glTF or OBJ"),
    (0, b"; FBX", "an FBX file", "export glTF or OBJ"),
    (0, b"BLENDER", "a Blender file", "export glTF or OBJ"),
    (0, b"PXR-USDC", "a USD file", "export glTF or OBJ"),
    (0, b"#usda", "a USD file", "export glTF or OBJ"),
    (0, b"Ogawa", "an Alembic file", "export glTF or OBJ"),
    (0, b"\x89PNG", "a PNG image", "give a mesh"),
    (0, b"ply", "a PLY file", "export glTF or OBJ"),
];

/// Formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Obj,
    Gltf,
}

/// Reads a garment from an OBJ, glTF or GLB file. MTL libraries are looked for beneath the OBJ's folder only; `frame` says
/// what an OBJ does not. glTF is metres, Y up, but not every exporter knows: there `frame` tells what the file holds.
///
/// # Errors
/// The file is missing, no regular file, too large, unreadable, of a kind that is not read, or not right inside.
pub fn read_garment(path: &Path, frame: FileFrame) -> Result<Garment, ImportError> {
    read_garment_within(path, frame, &Access::default())
}

/// As [`read_garment`], of other sizes and with files in other folders.
///
/// # Errors
/// As [`read_garment`].
pub fn read_garment_within(path: &Path, frame: FileFrame, access: &Access) -> Result<Garment, ImportError> {
    let name = stem(path);
    match format_of(path)? {
        Format::Obj => {
            let bytes = read_mesh_file(path, access.limit(obj::MAX_BYTES), Format::Obj)?;
            let library = |file: &str, limit| read_library(folder_of(path), file, access, limit);
            obj::read_garment_with_materials(&bytes, &name, frame, &library, access).map_err(|source| source.into())
        }
        Format::Gltf => {
            let bytes = read_mesh_file(path, access.limit(MAX_GLTF_BYTES), Format::Gltf)?;
            let mut garment = gltf::read_garment_in(&bytes, folder_of(path), &name, frame, access)
                .map_err(|error| gltf_error(path, error))?;
            name_file(path, &mut garment.notices);
            Ok(garment)
        }
    }
}

/// Other files that a mesh file names, as far as they may be opened: buffers and images of a glTF document, MTL libraries of an OBJ
/// and their pictures. None of a file that cannot be read.
pub(crate) fn named_files(path: &Path, access: &Access) -> BTreeSet<PathBuf> {
    let read = |format| Some((format, read_mesh_file(path, access.limit(MAX_GLTF_BYTES), format).ok()?));
    match format_of(path).ok().and_then(read) {
        Some((Format::Gltf, bytes)) => gltf::files_of(&["buffers", "images"], &bytes, folder_of(path), access),
        Some((Format::Obj, bytes)) => {
            let file = |name: String| library_path(folder_of(path), &name, access);
            let library = |file: &str, limit| read_library(folder_of(path), file, access, limit);
            obj::named_files(&bytes, &library).into_iter().filter_map(file).filter(|file| file.is_file()).collect()
        }
        None => BTreeSet::new(),
    }
}

/// Reads a body: a glTF or GLB rig, or an OBJ sequence given by its first file, by a pattern (`walk_####.obj`) or by its folder.
///
/// # Errors
/// As [`read_garment`]; also when frames of a sequence are missing or differ in their faces.
pub fn read_body(path: &Path, frame: FileFrame) -> Result<BodyAsset, ImportError> {
    read_body_within(path, frame, &Access::default())
}

/// As [`read_body`], of other sizes and with files in other folders.
///
/// # Errors
/// As [`read_body`].
pub fn read_body_within(path: &Path, frame: FileFrame, access: &Access) -> Result<BodyAsset, ImportError> {
    if path.is_dir() || SequenceFiles::is_pattern(path) || format_of(path)? == Format::Obj {
        return read_sequence(path, frame, access);
    }
    let bytes = read_mesh_file(path, access.limit(MAX_GLTF_BYTES), Format::Gltf)?;
    let mut rig =
        gltf::read_rig_in(&bytes, folder_of(path), &stem(path), access).map_err(|error| gltf_error(path, error))?;
    name_file(path, &mut rig.notices);
    rig.place(frame);
    Ok(BodyAsset::Rig(rig))
}

fn gltf_error(path: &Path, error: GltfError) -> ImportError {
    ImportError::Gltf { path: path.to_owned(), error }
}

/// Puts the name of the file in front of notices that name places in it only.
fn name_file(path: &Path, notices: &mut [String]) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    notices.iter_mut().for_each(|notice| *notice = format!("{name}: {notice}"));
}

fn read_sequence(path: &Path, frame: FileFrame, access: &Access) -> Result<BodyAsset, ImportError> {
    if !path.is_dir() && !SequenceFiles::is_pattern(path) {
        check_regular(path)?;
    }
    let files = SequenceFiles::find(path)?;
    let mut sequence = obj::SequenceReader::new(&files, frame, access);
    let bytes_of = |file: &Path| read_mesh_file(file, access.limit(obj::MAX_BYTES), Format::Obj);
    let Some((first, mut later)) = files.paths().split_first() else {
        return Ok(BodyAsset::Sequence(sequence.finish()));
    };
    sequence.begin(first, &bytes_of(first)?)?;
    while !later.is_empty() {
        let sizes = later.iter().map(|file| fs::metadata(file).map_or(u64::MAX, |metadata| metadata.len()));
        let (files, rest) = later.split_at(side_by_side(sizes));
        let read = |file: &PathBuf| -> Result<Vec<Vec3>, ImportError> { Ok(sequence.read(file, &bytes_of(file)?)?) };
        let found: Vec<_> = files.par_iter().map(read).collect();
        for (file, positions) in files.iter().zip(found) {
            sequence.add(file, positions?)?;
        }
        later = rest;
    }
    Ok(BodyAsset::Sequence(sequence.finish()))
}

/// How many of the files with these sizes, bytes, are read at a time, from the first on: one if that is large.
fn side_by_side(sizes: impl Iterator<Item = u64>) -> usize {
    let fits = |left: &mut u64, size: u64| {
        *left = left.checked_sub(size)?;
        Some(())
    };
    sizes.take(FILES_AT_A_TIME).scan(BYTES_AT_A_TIME, fits).count().max(1)
}

/// Whether a file of this name is read as a mesh.
pub(crate) fn is_mesh_name(path: &Path) -> bool {
    promised(path).is_some()
}

/// The format that the extension promises.
fn promised(path: &Path) -> Option<Format> {
    match path.extension()?.to_string_lossy().to_ascii_lowercase().as_str() {
        "obj" => Some(Format::Obj),
        "glb" | "gltf" => Some(Format::Gltf),
        _ => None,
    }
}

/// The same; where it promises none, what the file is.
fn format_of(path: &Path) -> Result<Format, ImportError> {
    if let Some(format) = promised(path) {
        return Ok(format);
    }
    check_regular(path)?;
    let advice = match sniff(&read_start(path)?) {
        Sniffed::Foreign(what, advice) => format!("it is {what}: {advice}"),
        Sniffed::Glb => "it looks like a GLB file: name it .glb".to_owned(),
        Sniffed::Json => "if it is a glTF file, name it .gltf".to_owned(),
        Sniffed::Other => "export it as one of these".to_owned(),
    };
    Err(ImportError::UnknownExtension { path: path.to_owned(), advice })
}

/// What the first bytes of a file tell.
enum Sniffed {
    Glb,
    Json,
    Foreign(&'static str, &'static str),
    Other,
}

fn sniff(bytes: &[u8]) -> Sniffed {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    let foreign = FOREIGN.iter().find(|(at, magic, _, _)| bytes.get(*at..).is_some_and(|b| b.starts_with(magic)));
    match (foreign, first) {
        (Some(&(_, _, what, advice)), _) => Sniffed::Foreign(what, advice),
        _ if bytes.starts_with(b"glTF") => Sniffed::Glb,
        (_, Some(b'{')) => Sniffed::Json,
        _ => Sniffed::Other,
    }
}

/// The bytes of a mesh file that is what its extension promises, as far as the first bytes tell.
fn read_mesh_file(path: &Path, limit: u64, format: Format) -> Result<Vec<u8>, ImportError> {
    let bytes = read_limited(path, limit)?;
    let path = || path.to_owned();
    if bytes.is_empty() {
        return Err(ImportError::Empty { path: path() });
    }
    match (sniff(&bytes), format) {
        (Sniffed::Foreign(what, advice), _) => Err(ImportError::Foreign { path: path(), what, advice }),
        (Sniffed::Glb, Format::Obj) => {
            Err(ImportError::Foreign { path: path(), what: "a GLB file", advice: "name it .glb" })
        }
        (Sniffed::Json, Format::Obj) => Err(ImportError::Foreign {
            path: path(),
            what: "JSON, glTF perhaps",
            advice: "name it .gltf if it is glTF",
        }),
        _ => Ok(bytes),
    }
}

/// Only regular files are opened: a pipe or device would block or never end.
fn check_regular(path: &Path) -> Result<(), ImportError> {
    let metadata = fs::metadata(path).map_err(|source| io_error(path, source))?;
    if metadata.is_dir() {
        return Err(ImportError::Directory { path: path.to_owned() });
    }
    if metadata.is_file() { Ok(()) } else { Err(ImportError::NotAFile { path: path.to_owned() }) }
}

/// A regular file and its size, bytes.
pub(super) fn open_limited(path: &Path, limit: u64) -> Result<(File, u64), ImportError> {
    check_regular(path)?;
    let fail = |source| io_error(path, source);
    let file = File::open(path).map_err(fail)?;
    let bytes = file.metadata().map_err(fail)?.len();
    if bytes > limit {
        return Err(ImportError::TooLarge { path: path.to_owned(), bytes, limit });
    }
    Ok((file, bytes))
}

/// The bytes of a regular file; of one that grows while it is read, as many as it had.
fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    let (file, size) = open_limited(path, limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(size).read_to_end(&mut bytes).map_err(|source| io_error(path, source))?;
    Ok(bytes)
}

fn read_start(path: &Path) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|source| io_error(path, source))?;
    file.take(64).read_to_end(&mut bytes).map_err(|source| io_error(path, source))?;
    Ok(bytes)
}

fn io_error(path: &Path, source: io::Error) -> ImportError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ImportError::Missing { path },
        _ => ImportError::Io { path, source },
    }
}

/// Bytes of the library or picture `file` if it is a regular file of at most `limit` bytes that may be read.
fn read_library(folder: &Path, file: &str, access: &Access, limit: u64) -> Option<Vec<u8>> {
    read_limited(&library_path(folder, file, access)?, limit).ok()
}

fn library_path(folder: &Path, file: &str, access: &Access) -> Option<PathBuf> {
    access.resolve(folder, Path::new(&file.replace('\\', "/"))).ok()?
}

/// Folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(PathBuf::from).unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_read_one_at_a_time() {
        let count = |sizes: &[u64]| side_by_side(sizes.iter().copied());
        assert_eq!(count(&[1 << 20; 100]), FILES_AT_A_TIME);
        assert_eq!(count(&[20 << 20; 100]), 3);
        assert_eq!(count(&[1, 1, u64::MAX, 1]), 2);
        assert_eq!((count(&[u64::MAX, 1]), count(&[1])), (1, 1));
    }
}
