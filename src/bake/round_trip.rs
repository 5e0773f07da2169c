//! Files that toile reads and writes back: everything but the coordinates stays byte for byte.

use std::fs;
use std::path::Path;

use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{Bake, Output, Overwrite, write};
use crate::geometry::Vec3;
use crate::import::obj::read_garment;
use crate::import::{FileFrame, Garment, GarmentSource, Unit, UpAxis, gltf, parse_point_cache};
use crate::simulate::{FrameRate, PointCache, Timeline};
use crate::topology;
use crate::topology::properties::{heap, sheet};

const CENTIMETRES_Z_UP: FileFrame = FileFrame { unit: Unit::Centimetre, up: UpAxis::Z };

/// Every oddity that exporters leave: byte-order mark, both line ends, continued lines, colours behind positions, a fourth
/// coordinate, tabs, negative indices, a polygon with five corners, faces without texture coordinates, a loose vertex.
const ODD: &str = "\u{feff}# caf\u{e9}\r\nmtllib a b.mtl\r\no one\r\nv 0 0 0 # corner\r\nv\t100 0 0 1.0\r\nv 100.5 \\\r\n100 0\r\n\
    v 0 1e2 0 0.1 0.2 0.3\nv -50 50 5\nv 7 7 7\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nvn 0.6 0 0.8\nvn 0 0 1\nvn 0 .6 .8\nvn 0 0 1\n\
    g front\nusemtl red\ns 1\nf 1/1/1 2/2/2 3/3/3 4/1/4 5/1/5 # five\nusemtl blue\ng back left\nf -3//-2 -5//2 \\\n  -6//1\n\
    o two\nv 0 0 -10\nv 10 0 -10\nv 0 10 -10\nf 7 8 9\nf 7/1 9/2 8/3\n# end";

/// The files that one frame of a garment becomes.
fn written(source: &Garment, moved: impl Fn(Vec3) -> Vec3, names: &[&str]) -> Vec<Vec<u8>> {
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
    let outputs: Vec<Output> =
        names.iter().map(|name| Output::parse(folder.path().join(name)).expect("a format")).collect();
    let files = write(&outputs, &bake, Overwrite::Refuse).expect("written");
    files.iter().map(|file| fs::read(&file.path).expect("a file")).collect()
}

fn rewritten(source: &Garment, moved: impl Fn(Vec3) -> Vec3) -> Garment {
    let files = written(source, moved, &["odd.obj"]);
    read_garment(&files[0], "odd", source.frame).expect("what toile writes, toile reads")
}

/// A garment as the text of an OBJ file.
fn text_of(garment: &Garment) -> String {
    let vertices = garment.positions.iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z));
    let corners = |face: &[u32]| face.iter().map(|v| format!(" {}", v + 1)).collect::<String>();
    vertices.chain(garment.polygons.iter().map(|face| format!("f{}\n", corners(face)))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_format_gives_back_every_vertex_and_face(
        mesh in prop_oneof![sheet(), heap()],
        exponent in -6..7_i32,
        way in -2.0..2.0_f32,
    ) {
        // Some heaps of faces are no garment.
        let source = read_garment(text_of(&mesh).as_bytes(), "any", FileFrame::default());
        let Some(source) = source.ok().filter(|source| topology::build(source).is_ok()) else { return Ok(()) };
        let scale = f32::from_bits(((127 + exponent) as u32) << 23);
        let moved = |p: Vec3| (p + Vec3::new(way, 0.1, -way)) * scale;
        let places: Vec<Vec3> = source.positions.iter().map(|&p| moved(p)).collect();
        let files = written(&source, moved, &["any.obj", "any.pc2", "any.glb"]);
        let obj = read_garment(&files[0], "any", FileFrame::default()).expect("an OBJ file");
        prop_assert_eq!(&obj.polygons, &source.polygons);
        // What is far away is read as counted from a nearby origin.
        let world = |garment: &Garment, v: usize| (garment.origin + garment.positions[v].as_dvec3()).as_vec3();
        let is_at = |back: Vec3, place: Vec3| back.distance(place) <= 1e-6 * place.length().max(1.0);
        prop_assert_eq!(obj.positions.len(), places.len());
        for (vertex, place) in places.iter().enumerate() {
            let back = world(&obj, vertex);
            prop_assert!(is_at(back, *place), "{back} {place}");
        }
        let size = files[1].len() as u64;
        let cache = parse_point_cache(Path::new("any.pc2"), &*files[1], size, places.len(), FileFrame::default());
        prop_assert_eq!(cache.expect("a point cache").1, vec![places.clone()]);
        let glb = gltf::read_garment(&files[2], Path::new("."), "any").expect("a GLB file");
        // glTF has triangles only: each is one of the face it was cut from.
        let cut = source.polygons.iter().flat_map(|face| std::iter::repeat_n(face, face.len() - 2));
        let faces: Vec<&[u32]> = cut.collect();
        prop_assert_eq!(glb.polygons.len(), faces.len());
        for (triangle, face) in glb.polygons.iter().zip(faces) {
            let is_corner = |&v: &u32| face.iter().any(|&c| is_at(world(&glb, v as usize), places[c as usize]));
            prop_assert!(triangle.iter().all(is_corner), "{triangle:?} {face:?} {:?} {:?} {places:?}", glb.positions, glb.origin);
        }
    }
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

/// A sheet with one normal for all of it, two for a row of corners that a crease parts, one that is none, and one that nobody uses.
const SHARING: &str = "v 0 0 0\r\nv 1 0 0\r\nv 2 0 0\r\nv 0 1 0\r\nv 1 1 0\r\nv 2 1 0\r\nv 0 2 0\nv 1 2 0\nv 2 2 0\nvt 0.5 0.5\n\
    vn 0 0 1 # all\r\nvn 9 nan\r\nvn\r\nvn 0 1 0\r\nvn 0 0.6 0.8\nf 1//1 2//1 5/1/1 4//1\nf 2//-5 3//1 6//+1 5//1\n\
    f 4//1 5//5 8//1 \\\n 7//2 # here\nf 5/1 6/1 9/1\nf 5//1 9//1 8//3\n";

#[test]
fn a_normal_that_particles_share_becomes_one_for_each() {
    let source = read_garment(SHARING.as_bytes(), "sharing", FileFrame::default()).expect("a garment");
    // Bent about y, so that the surface at x looks that way.
    let slope = |x: f32| Vec3::new(libm::sinf(0.3 * x), 0.0, libm::cosf(0.3 * x));
    let bent = |p: Vec3| (slope(p.x) / 0.3).with_y(p.y);
    let files = written(&source, bent, &["sharing.obj"]);
    let text = String::from_utf8_lossy(&files[0]);
    let back = read_garment(&files[0], "sharing", FileFrame::default()).expect("what toile writes, toile reads");
    assert_eq!((&back.polygons, &back.notices), (&source.polygons, &Vec::new()), "{text}");
    let (GarmentSource::Obj(before), GarmentSource::Obj(after)) = (&source.source, &back.source) else {
        panic!("OBJ garments")
    };
    // Eight particles use the first, one each of the next three, nobody the fourth.
    assert_eq!(after.normals.len(), 8 + 4, "{text}");
    for ((was, is), vertex) in before.corners.iter().zip(&after.corners).zip(&back.polygons.corners) {
        assert_eq!((was.texcoord, was.normal.is_some()), (is.texcoord, is.normal.is_some()), "{text}");
        let normal = is.normal.map(|n| after.normals[n as usize]);
        if was.normal == Some(0) {
            let slope = slope(source.positions[*vertex as usize].x);
            assert!(normal.is_some_and(|n| n.distance(slope) < 0.2), "{normal:?} at {vertex}, not {slope}: {text}");
        }
    }
    assert!(text.contains("# all\r\n") && text.contains(" # here\n") && text.contains("vn 0 1 0\r\n"), "{text}");
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
