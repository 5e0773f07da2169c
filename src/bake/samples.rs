//! Bakes for the checks with real clients, in the folder that `TOILE_SAMPLES` names.

use std::path::Path;

use super::fixtures::{gltf_skirt, skirt};
use super::{Output, Overwrite, write};
use crate::import::{FileFrame, GarmentSource};

#[test]
#[ignore = "writes files for other programs; run with TOILE_SAMPLES=folder"]
fn samples_for_real_clients() {
    let folder = std::env::var("TOILE_SAMPLES").expect("TOILE_SAMPLES names a folder");
    let folder = Path::new(&folder);
    let scenes = [
        ("skirt", skirt(40, 64, 60, FileFrame::default()), &["glb", "gltf", "pc2", "obj"][..]),
        ("panels", gltf_skirt(40, 64, 60), &["glb", "pc2", "obj"]),
        ("long", skirt(20, 32, 300, FileFrame::default()), &["glb", "pc2"]),
        ("pose", skirt(20, 32, 1, FileFrame::default()), &["glb", "pc2"]),
    ];
    for (name, scene, extensions) in scenes {
        let path = |extension: &&str| folder.join(name).with_extension(extension);
        let outputs: Vec<Output> = extensions.iter().map(|e| Output::parse(path(e)).expect("a format")).collect();
        let begin = std::time::Instant::now();
        let files = write(&outputs, &scene.bake(), Overwrite::Allow).expect("written");
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        println!("{name}: {} files, {bytes} bytes, {:?}", files.len(), begin.elapsed());
        if let GarmentSource::Obj(source) = &scene.garment.source {
            std::fs::write(folder.join(name).with_extension("source.obj"), &source.text).expect("written");
        }
    }
    super::gltf::write_dressed_sample(&folder.join("dressed.glb"));
}

#[test]
#[ignore = "measures; run in release"]
fn writing_eight_thousand_vertices_for_four_seconds() {
    let scene = skirt(80, 100, 120, FileFrame::default());
    let folder = tempfile::tempdir().expect("a folder");
    for extension in ["glb", "gltf", "pc2", "obj"] {
        let output = Output::parse(folder.path().join("walk").with_extension(extension)).expect("a format");
        let begin = std::time::Instant::now();
        let files = write(&[output], &scene.bake(), Overwrite::Refuse).expect("written");
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        println!("{extension}: {bytes} bytes in {:?}", begin.elapsed());
    }
}
