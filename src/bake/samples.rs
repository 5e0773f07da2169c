//! Bakes for the checks with real clients, in the folder that `TOILE_SAMPLES` names.

use std::path::Path;

use super::fixtures::{gltf_skirt, pc2_of, skirt};
use super::{Bake, Output, Overwrite, write};
use crate::body::{Body, Moment};
use crate::import::{BodyAsset, FileFrame, GarmentSource, gltf};

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
    let more = std::env::var("TOILE_SAMPLE_BODIES").unwrap_or_default();
    for path in std::iter::once("meshes/walker.glb").chain(more.split_terminator(':')) {
        write_body(Path::new(path), folder);
    }
}

/// The skirt beside a real body, and the body's vertices as `NAME.body.pc2`.
fn write_body(path: &Path, folder: &Path) {
    let bytes = std::fs::read(path).expect("a body");
    let name = path.with_extension("").to_string_lossy().rsplit('/').take(2).collect::<Vec<_>>().join("_");
    let rig = gltf::read_rig(&bytes, Path::new("."), &name).expect("a rig");
    let body = Body::new(BodyAsset::Rig(rig), None).expect("a body");
    let mut scene = skirt(20, 32, 40, FileFrame::default());
    scene.cache.timeline.first = 3;
    scene.cache.timeline.last = 42;
    let bake = Bake { body: Some(&body), clip: body.clip_name(), ..scene.bake() };
    let outputs = ["glb", "pc2"].map(|e| Output::parse(folder.join(&name).with_extension(e)).expect("a format"));
    write(&outputs, &bake, Overwrite::Allow).expect("written");
    let frames = (0..40).map(|index| {
        let mut positions = Vec::new();
        body.pose(Moment::At(scene.cache.timeline.clip_seconds(index)), &mut positions);
        positions
    });
    std::fs::write(folder.join(name).with_extension("body.pc2"), pc2_of(&frames.collect::<Vec<_>>())).expect("written");
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
