//! Files that toile reads and writes back: everything but the coordinates stays byte for byte.

use std::fs;

use super::{Bake, Output, Overwrite, write};
use crate::geometry::Vec3;
use crate::import::obj::read_garment;
use crate::import::{FileFrame, Garment, GarmentSource, Unit, UpAxis};
use crate::simulate::{FrameRate, PointCache, Timeline};
use crate::topology;

const CENTIMETRES_Z_UP: FileFrame = FileFrame { unit: Unit::Centimetre, up: UpAxis::Z };

/// Every oddity that exporters leave: byte-order mark, both line ends, continued lines, colours behind positions, a fourth
/// coordinate, tabs, negative indices, a polygon with five corners, faces without texture coordinates, a loose vertex.
const ODD: &str = "\u{feff}# caf\u{e9}\r\nmtllib a b.mtl\r\no one\r\nv 0 0 0 # corner\r\nv\t100 0 0 1.0\r\nv 100.5 \\\r\n100 0\r\n\
    v 0 1e2 0 0.1 0.2 0.3\nv -50 50 5\nv 7 7 7\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nvn 0.6 0 0.8\n\
    g front\nusemtl red\ns 1\nf 1/1/1 2/2/1 3/3/1 4/1/1 5/1/2 # five\nusemtl blue\ng back left\nf -3//2 -5//2 \\\n  -6//2\n\
    o two\nv 0 0 -10\nv 10 0 -10\nv 0 10 -10\nf 7 8 9\nf 7/1 9/2 8/3\n# end";

fn rewritten(source: &Garment, moved: impl Fn(Vec3) -> Vec3) -> Garment {
    let topology = topology::build(source).expect("a mesh");
    let timeline = Timeline { first: 0, last: 0, fps: FrameRate::whole(24), start_frame: 1 };
    let frame = topology.positions.iter().map(|&p| moved(p)).collect();
    let bake = Bake {
        garment: source,
        particle_of_vertex: &topology.particle_of_vertex,
        cache: &PointCache { timeline, frames: vec![frame] },
        origin: crate::geometry::DVec3::ZERO,
        body: None,
        clip: None,
        interrupted: None,
    };
    let folder = tempfile::tempdir().expect("a folder");
    let output = Output::parse(folder.path().join("odd.obj")).expect("a format");
    let files = write(&[output], &bake, Overwrite::Refuse).expect("written");
    let bytes = fs::read(&files[0].path).expect("a file");
    read_garment(&bytes, "odd", source.frame).expect("what toile writes, toile reads")
}

/// The text with a mark in place of every coordinate that may change.
fn masked(garment: &Garment) -> String {
    let GarmentSource::Obj(source) = &garment.source else { panic!("an OBJ garment") };
    let mut text = source.text.clone();
    let mut spans: Vec<_> = source.position_spans.iter().chain(&source.normal_spans).cloned().collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    for span in spans {
        text.splice(span, *b"@");
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn an_odd_obj_comes_back_with_other_coordinates_only() {
    let source = read_garment(ODD.as_bytes(), "odd", CENTIMETRES_Z_UP).expect("a garment");
    let lift = |p: Vec3| p + Vec3::new(0.25, 0.5, -0.125);
    let back = rewritten(&source, lift);
    assert_eq!(masked(&back), masked(&source));
    assert_eq!(back.polygons, source.polygons);
    for (now, rest) in back.positions.iter().zip(&source.positions) {
        assert!((*now - lift(*rest)).length() < 1e-6, "{now} {rest}");
    }
}

#[test]
fn normals_of_a_garment_that_only_moved_are_the_files() {
    let source = read_garment(ODD.as_bytes(), "odd", CENTIMETRES_Z_UP).expect("a garment");
    let normals = |garment: &Garment| match &garment.source {
        GarmentSource::Obj(source) => source.normals.clone(),
        GarmentSource::Gltf(_) => Vec::new(),
    };
    for (now, rest) in normals(&rewritten(&source, |p| p + Vec3::Y)).iter().zip(normals(&source)) {
        assert!((*now - rest).length() < 1e-5, "{now} {rest}");
    }
}

#[test]
fn our_own_skirt_at_rest_is_written_with_the_numbers_of_its_file() {
    let bytes = fs::read("meshes/long_skirt.obj").expect("the skirt of this repository");
    let source = read_garment(&bytes, "long_skirt", FileFrame::default()).expect("a garment");
    let back = rewritten(&source, |p| p);
    assert_eq!(back.positions, source.positions);
    assert_eq!(masked(&back), masked(&source));
}
