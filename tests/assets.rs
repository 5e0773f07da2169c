//! The meshes in the repository are what the code generates, byte for byte.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

#[test]
fn committed_meshes_are_the_generated_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let generated = toile::assets::generate(folder.path()).expect("generated meshes");
    for path in &generated {
        let name = path.file_name().expect("a file name");
        let wanted = fs::read(committed.join(name)).unwrap_or_default();
        let same = fs::read(path).expect("a generated file") == wanted;
        assert!(same, "meshes/{} is out of date: generate it again", name.display());
    }
    let names: BTreeSet<OsString> = generated.iter().filter_map(|p| p.file_name().map(OsString::from)).collect();
    let entries = fs::read_dir(committed).expect("the folder meshes");
    let meshes = entries.filter_map(|entry| entry.ok().map(|e| e.file_name()));
    let strays: Vec<OsString> = meshes.filter(|name| is_mesh(name) && !names.contains(name)).collect();
    assert!(strays.is_empty(), "not generated: {strays:?}");
}

fn is_mesh(name: &OsString) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "obj" || extension == "glb")
}
