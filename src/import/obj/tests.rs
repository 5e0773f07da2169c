use super::*;
use crate::geometry::{Vec2, Vec3};
use crate::import::{ObjCorner, Unit, UpAxis};

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn read(text: impl AsRef<[u8]>) -> Garment {
    read_garment(text.as_ref(), "coat", FileFrame::default()).unwrap()
}

fn fail(text: impl AsRef<[u8]>) -> String {
    read_garment(text.as_ref(), "coat", FileFrame::default()).unwrap_err().to_string()
}

fn source(garment: &Garment) -> &ObjSource {
    match &garment.source {
        GarmentSource::Obj(source) => source,
        GarmentSource::Gltf(_) => panic!("no OBJ"),
    }
}

fn faces(garment: &Garment) -> Vec<Vec<u32>> {
    garment.polygons.iter().map(<[u32]>::to_vec).collect()
}

#[test]
fn positions_faces_and_corners_come_in_file_order() {
    let text = format!("{SQUARE}v 9 9 9\nvt 0 .5\nvt 1\nvn 0 0 1\nf 1/1/1 2/2/1 3//1\nf 1 2 3/2 4\n");
    let garment = read(&text);
    assert_eq!(garment.positions.len(), 5);
    assert_eq!(garment.positions[4], Vec3::splat(9.0));
    assert_eq!(faces(&garment), [vec![0, 1, 2], vec![0, 1, 2, 3]]);
    let obj = source(&garment);
    assert_eq!(obj.texcoords, [Vec2::new(0.0, 0.5), Vec2::new(1.0, 0.0)]);
    assert_eq!(obj.corners[1], ObjCorner { texcoord: Some(1), normal: Some(0) });
    assert_eq!(obj.corners[2], ObjCorner { texcoord: None, normal: Some(0) });
    assert_eq!(obj.corners[5], ObjCorner { texcoord: Some(1), normal: None });
    assert_eq!(garment.notices, Vec::<String>::new());
}

#[test]
fn spans_hold_the_three_coordinates_only() {
    let text = "\u{feff}v  1.0\t2 3 1.5 # w\r\nv 4 5 \\\n 6 .1 .2 .3\nv 0 0 0\nvn 0 0  1\nf 1 2 3\n";
    let garment = read(text);
    let obj = source(&garment);
    let spans: Vec<&str> =
        obj.position_spans.iter().map(|s| std::str::from_utf8(&obj.text[s.clone()]).unwrap()).collect();
    assert_eq!(spans, ["1.0\t2 3", "4 5 \\\n 6", "0 0 0"]);
    assert_eq!(&obj.text[obj.normal_spans[0].clone()], b"0 0  1");
    assert_eq!(obj.text, text.as_bytes());
    assert_eq!(garment.attributes[0].values, [0.0, 0.1, 0.0]);
}

#[test]
fn negative_indices_count_back_from_their_line_and_forward_ones_are_accepted() {
    let garment = read(format!("f 1 2 3\n{SQUARE}f -4 -3 -2 -1\nv 5 5 5\nf -1 -2 -3\n"));
    assert_eq!(faces(&garment), [vec![0, 1, 2], vec![0, 1, 2, 3], vec![4, 3, 2]]);
}

#[test]
fn faces_belong_to_objects_groups_and_materials() {
    let text = format!(
        "{SQUARE}f 1 2 3\no coat\ng left sleeve\nusemtl red\nf 1 2 4\ng\nf 2 3 4\no belt\nusemtl blue\nf 1 3 4\nusemtl red\ng left\nf 1 2 3 4\n"
    );
    let garment = read(&text);
    let group = |name: &str| garment.groups.iter().find(|g| g.name == name).map(|g| g.polygons.clone());
    assert_eq!(group("coat"), Some(vec![1, 2]));
    assert_eq!(group("left sleeve"), Some(vec![1]));
    assert_eq!(group("left"), Some(vec![1, 4]));
    assert_eq!(group("sleeve"), Some(vec![1]));
    assert_eq!(group("belt"), Some(vec![3, 4]));
    assert_eq!(group("red"), Some(vec![1, 2, 4]));
    assert_eq!(source(&garment).polygon_materials, [None, Some(0), Some(0), Some(1), Some(0)]);
}

#[test]
fn the_material_library_is_asked_for_by_all_words_and_by_each() {
    let text = format!("mtllib my coat.mtl\n{SQUARE}usemtl red\nf 1 2 3\n");
    let asked = std::cell::RefCell::new(Vec::new());
    let library = |name: &str, _| {
        asked.borrow_mut().push(name.to_owned());
        (name == "my coat.mtl").then(|| b"newmtl red\nKd 1 0 0\n".to_vec())
    };
    let garment =
        read_garment_with_materials(text.as_bytes(), "coat", FileFrame::default(), &library, &Access::default())
            .unwrap();
    assert_eq!(source(&garment).materials[0].base_colour, Some([1.0, 0.0, 0.0]));
    assert_eq!(asked.into_inner(), ["my coat.mtl", "my", "coat.mtl"]);
}

#[test]
fn materials_that_no_library_defines_are_told() {
    let text = format!("mtllib my coat.mtl\n{SQUARE}usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n");
    let notices = |text: &str, library: &'static [u8]| {
        let library = |name: &str, _| (name == "my coat.mtl" && !library.is_empty()).then(|| library.to_vec());
        let read =
            read_garment_with_materials(text.as_bytes(), "coat", FileFrame::default(), &library, &Access::default());
        read.unwrap().notices
    };
    let of_none = "coat.obj: material `red` and 1 more is in no MTL file that could be read (mtllib `my coat.mtl`) beneath the OBJ's \
                   folder, or that of --allow-dir: without colour";
    assert_eq!(notices(&text, b""), [of_none]);
    let of_one = of_none.replace("`red` and 1 more", "`blue`");
    assert_eq!(notices(&text, b"newmtl red\nNs 1\n"), [of_one]);
    assert!(notices(&text, b"newmtl red\nKd 1 0 0\nnewmtl blue\n").is_empty());
    assert!(notices(&text.replace("mtllib my coat.mtl", ""), b"").is_empty(), "none was promised");
}

#[test]
fn units_and_axes_are_turned_into_metres_y_up() {
    let frame = FileFrame { unit: Unit::Centimetre, up: UpAxis::Z };
    let garment = read_garment(b"v 0 0 100\nv 100 0 0\nv 0 100 0\nf 1 2 3\n", "coat", frame).unwrap();
    assert_eq!(garment.positions, [Vec3::Y, Vec3::X, Vec3::NEG_Z]);
}

#[test]
fn an_index_beyond_the_end_is_named_with_line_and_count() {
    assert_eq!(
        fail(format!("{SQUARE}f 1 2 5031\n")),
        "coat.obj: line 5: face uses vertex 5031, but the file has 4 vertices"
    );
    assert_eq!(
        fail(format!("{SQUARE}vt 0 0\nf 1/1 2/2 3/1\n")),
        "coat.obj: line 6: face uses texture coordinate 2, but the file has 1 texture coordinates"
    );
    assert_eq!(
        fail(format!("{SQUARE}f -9 -3 -2\n")),
        "coat.obj: line 5: face uses vertex -9, but only 4 vertices stand above it"
    );
    assert_eq!(fail(format!("{SQUARE}f 0 1 2\n")), "coat.obj: line 5: face uses vertex 0, but they are counted from 1");
}

#[test]
fn ten_faults_are_shown_and_all_are_counted() {
    let text = format!("{SQUARE}{}", "f 1 2 99\nv 1 nan 0\n".repeat(20));
    let message = fail(&text);
    assert!(
        message.starts_with(
            "coat.obj: 40 faults\n  line 5: face uses vertex 99, but the file has 24 vertices\n  line 6: `nan`"
        ),
        "{message}"
    );
    assert!(message.ends_with("\n  and 30 more"), "{message}");
    assert_eq!(message.lines().count(), 12);
}

#[test]
fn numbers_must_be_finite_and_near() {
    assert_eq!(fail(format!("v 1e39 0 0\n{SQUARE}f 1 2 3")), "coat.obj: line 1: coordinate inf is larger than 1e9");
    assert!(fail(format!("v 1,5 0 0\n{SQUARE}f 1 2 3")).contains("`1,5` is no finite number"));
    assert!(fail(format!("v 1 0\n{SQUARE}f 1 2 3")).contains("a vertex needs three coordinates, found 2"));
}

#[test]
fn a_bad_normal_or_texture_coordinate_is_only_noticed() {
    let garment = read(format!("{SQUARE}vn nan 0 0\nvt 1e39 0\nvt -1.#IND 0\nf 1/1/1 2/1/1 3/2/1\n"));
    assert!(garment.notices.join("\n").contains("line 5: a normal that is no finite number"), "{:?}", garment.notices);
    assert!(source(&garment).texcoords.iter().all(|t| t.is_finite()));
}

#[test]
fn unknown_statements_are_noticed_once_a_kind() {
    let garment = read(format!("{SQUARE}stitch 1 2\nf 1 2 3\nstitch 2 3\ncall /etc/passwd\nf 1 1 2\n"));
    assert_eq!(
        garment.notices,
        [
            "coat.obj: line 5: `stitch` is passed over: toile has no use for it (2 such lines)",
            "coat.obj: line 8: `call` is passed over: toile has no use for it",
            "coat.obj: line 9: a face with fewer than three different corners is left out",
        ]
    );
}

#[test]
fn files_without_cloth_are_refused_in_words() {
    assert!(fail(SQUARE).contains("no face with three different corners (4 vertices, 0 faces"));
    assert!(fail(format!("{SQUARE}f 1 1 2\nf 1\nf\n")).contains("(4 vertices, 3 faces"));
    assert!(fail("hello world").contains("is it an OBJ file?"));
    assert!(fail("").contains("is it an OBJ file?"));
    assert!(fail(b"\xff\xfev\0 \x001\0").contains("UTF-16"));
    assert!(fail(format!("{SQUARE}f 1\0 2 3")).contains("`1\\0` is no face corner"));
}

#[test]
fn a_giant_line_is_refused_in_bounded_memory() {
    let text = format!("{SQUARE}f{}", " 1 2 3".repeat(200_000));
    assert!(fail(&text).contains("line 5: face with more than 65534 corners"));
    let garment = read(format!("{SQUARE}g{}\nf 1 2 3\n", " x".repeat(200_000)));
    assert!(garment.groups[0].name.len() <= 256);
}

#[test]
fn absurd_numbers_of_names_are_refused() {
    let text: String = (0..200_000).map(|i| format!("g part{i}\n")).collect();
    assert!(fail(&text).contains("more than 100000 names"));
}
