//! No bytes make the reader panic, and what it reads refers to what exists.

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::*;

const VALID: &str = "mtllib a.mtl\no coat\ng left sleeve\nusemtl Silk #2\nv 0 0 0 1 .5 .25\nv 1 0 0\nv 1 1e-3 0\nv 0 1 \\\n 0\n\
vt 0 0\nvt 1\nvn 0 0 1\ns off\nf 1/1/1 2/2/1 3//1 -1\nf 1 2 3 # comment\nusemtl b\nf -4/-1 -3/-2 -2/1\nl 1 2\n";

const PIECES: [&[u8]; 24] = [
    b"v",
    b"vt",
    b"vn",
    b"f",
    b"g",
    b"o",
    b"usemtl",
    b" ",
    b"\n",
    b"\r",
    b"\\\n",
    b"#",
    b"/",
    b"-",
    b"1",
    b"99999999999",
    b"1e39",
    b"nan",
    b"\0",
    b"\xc2\xa0",
    b"\xa0",
    b"\xe2\x80\x83",
    b"\xff",
    b"\xef\xbb\xbf",
];

fn check(bytes: &[u8]) {
    let Ok(garment) = read_garment(bytes, "coat", FileFrame::default()) else { return };
    let GarmentSource::Obj(source) = &garment.source else { panic!("no OBJ") };
    assert_eq!(source.position_spans.len(), garment.positions.len());
    assert_eq!(source.normal_spans.len(), source.normals.len());
    let refers = !(source.texcoords.is_empty() && source.normals.is_empty());
    assert_eq!(source.corners.len(), if refers { garment.polygons.corners.len() } else { 0 });
    assert_eq!(source.polygon_materials.len(), garment.polygons.len());
    assert!(garment.positions.iter().all(|p| p.is_finite()));
    assert!(garment.polygons.corners.iter().all(|&v| (v as usize) < garment.positions.len()));
    assert!(source.corners.iter().all(|c| c.texcoord.is_none_or(|t| (t as usize) < source.texcoords.len())));
    assert!(source.corners.iter().all(|c| c.normal.is_none_or(|n| (n as usize) < source.normals.len())));
    assert!(source.position_spans.iter().all(|s| s.start < s.end && s.end <= bytes.len()));
    assert!(garment.groups.iter().flat_map(|g| &g.polygons).all(|&p| (p as usize) < garment.polygons.len()));
}

proptest! {
    #[test]
    fn mutated_files_do_no_harm(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..24_usize, 0..4_usize), 0..12)) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, piece, removed) in edits {
            let at = at.index(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, PIECES[piece].iter().copied());
        }
        check(&bytes);
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn random_statements_do_no_harm(pieces in prop::collection::vec(0..24_usize, 0..200)) {
        let bytes: Vec<u8> = pieces.into_iter().flat_map(|i| PIECES[i].iter().copied()).collect();
        check(&bytes);
    }

    #[test]
    fn coordinates_come_back_bit_by_bit(positions in prop::collection::vec(prop::array::uniform3(-1e6_f32..1e6), 3..20)) {
        let text: String = positions.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
        // The face is at the origin: what has no face does not decide where positions count from.
        let text = format!("{text}v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n");
        let garment = read_garment(text.as_bytes(), "coat", FileFrame::default()).unwrap();
        prop_assert_eq!(garment.positions.len(), positions.len() + 3);
        for (read, written) in garment.positions.iter().zip(&positions) {
            prop_assert!(read.to_array().map(f32::to_bits) == written.map(f32::to_bits));
        }
    }

    #[test]
    fn far_from_the_origin_coordinates_keep_their_digits(
        at in prop::array::uniform3(-1e6_f64..1e6),
        corners in prop::collection::vec(prop::array::uniform3(-1_f64..1.0), 3..10),
    ) {
        let places: Vec<[f64; 3]> = corners.iter().map(|c| [0, 1, 2].map(|axis| at[axis] + c[axis])).collect();
        let text: String = places.iter().map(|[x, y, z]| format!("v {x:.7} {y:.7} {z:.7}\n")).collect();
        let garment = read_garment(format!("{text}f 1 2 3\n").as_bytes(), "coat", FileFrame::default()).unwrap();
        for (read, written) in garment.positions.iter().zip(&places) {
            let gap = (read.as_dvec3() + garment.origin).distance((*written).into());
            prop_assert!(gap < 2e-6, "{} m", gap);
        }
    }
}
