//! Broken, hostile and odd OBJ files: a clear error or the right result for each.

use std::path::{Path, PathBuf};

use toile::import::{FileFrame, ImportError, ImportFailure, read_body, read_garment};

/// Odd, but right.
const VALID: [&str; 10] = [
    "o17_crlf",
    "o19_bom",
    "o21_latin1",
    "o23_continuation",
    "o25_comment_eol",
    "o29_v_w",
    "o33_mixed",
    "o37_nbsp_g",
    "o39_emsp_g",
    "o47_tabs",
];

fn assets(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/assets").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no {}", path.display());
    None
}

#[test]
fn every_odd_file_is_read_or_refused_in_words() {
    let Some(folder) = assets("malformed") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "obj") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        for result in
            [read_garment(&path, FileFrame::default()).map(|_| ()), read_body(&path, FileFrame::default()).map(|_| ())]
        {
            match result {
                Ok(()) => println!("{stem}: read"),
                Err(error) => {
                    println!("{stem}: {error}");
                    assert!(!VALID.contains(&stem.as_str()), "{error}");
                    assert_eq!(error.failure(), ImportFailure::BadData);
                    assert!(error.to_string().contains(&stem), "{error}");
                }
            }
        }
    }
}

#[test]
fn real_garments_are_read_whole() {
    let garments = [
        ("cesium_man_skirt/garment.obj", 1800, 1728),
        ("fox_blanket/garment.obj", 1271, 1200),
        ("kaykit_mage_cape/garment.obj", 725, 1344),
        ("makehuman_gait_skirt/garment.obj", 720, 684),
    ];
    for (file, vertices, faces) in garments {
        let (folder, name) = file.split_once('/').unwrap();
        let Some(folder) = assets(folder) else { continue };
        let garment = read_garment(&folder.join(name), FileFrame::default()).unwrap();
        assert_eq!((garment.positions.len(), garment.polygons.len()), (vertices, faces));
        let topology = toile::topology::build(&garment).unwrap();
        println!(
            "{file}: {} particles, {} quads, loops {:?}, {:?}",
            topology.positions.len(),
            topology.polygons.iter().filter(|p| p.len() == 4).count(),
            topology.boundary_loops.iter().map(Vec::len).collect::<Vec<_>>(),
            topology.notices
        );
    }
}

#[test]
fn what_is_no_file_is_refused_without_opening_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let frame = FileFrame::default();
    assert!(matches!(read_garment(&path("none.obj"), frame), Err(ImportError::Missing { .. })));
    assert!(matches!(read_garment(&path("none"), frame), Err(ImportError::Missing { .. })));
    assert!(matches!(read_garment(folder.path(), frame), Err(ImportError::Directory { .. })));
    std::fs::write(path("empty.obj"), "").unwrap();
    assert!(matches!(read_garment(&path("empty.obj"), frame), Err(ImportError::Empty { .. })));
    if cfg!(unix) {
        let pipe = path("pipe.obj");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success());
        if made {
            assert!(matches!(read_garment(&pipe, frame), Err(ImportError::NotAFile { .. })));
            assert!(matches!(read_body(&pipe, frame), Err(ImportError::NotAFile { .. })));
        }
        assert!(matches!(read_garment(Path::new("/dev/zero"), frame), Err(ImportError::NotAFile { .. })));
    }
}

#[test]
fn content_that_is_not_what_the_name_says_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fail = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        read_garment(&path, FileFrame::default()).unwrap_err().to_string()
    };
    assert!(fail("a.obj", b"glTF\x02\0\0\0").contains("a GLB file; name it .glb"));
    assert!(fail("b.obj", b"\x1f\x8b\x08\0").contains("gzip compressed; unpack it first"));
    assert!(fail("c.obj", b" {\"asset\": {}}").contains("name it .gltf"));
    assert!(fail("d.fbx", b"Kaydara FBX Binary").contains("it is an FBX file: export glTF or OBJ"));
    assert!(fail("e", b"v 0 0 0").contains(".obj, .glb and .gltf"));
    assert!(fail("f.glb", b"PK\x03\x04").contains("a ZIP archive"));
}

#[test]
fn a_sequence_is_read_in_order_and_must_not_change_its_faces() {
    let folder = tempfile::tempdir().unwrap();
    let write = |number: u32, height: f32, face: &str| {
        let text = format!("v 0 {height} 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf {face}\n");
        std::fs::write(folder.path().join(format!("walk_{number:04}.obj")), text).unwrap();
    };
    (8..=11).for_each(|n| write(n, n as f32, "1 2 3 4"));
    let pattern = folder.path().join("walk_####.obj");
    let Ok(toile::import::BodyAsset::Sequence(sequence)) = read_body(&pattern, FileFrame::default()) else {
        panic!("no sequence")
    };
    assert_eq!((sequence.name.as_str(), sequence.first_frame, sequence.frames.len()), ("walk", 8, 4));
    assert_eq!((sequence.triangles.len(), sequence.frames[3][0].y), (2, 11.0));
    write(10, 10.0, "1 2 4 3");
    let error = read_body(&pattern, FileFrame::default()).unwrap_err().to_string();
    assert!(error.contains("walk_0010.obj: other corners of face 1 than in walk_0008.obj"), "{error}");
    std::fs::remove_file(folder.path().join("walk_0009.obj")).unwrap();
    let error = read_body(folder.path(), FileFrame::default()).unwrap_err().to_string();
    assert!(error.contains("walk_0009.obj") && error.contains("walk_0010.obj"), "{error}");
}

#[cfg(unix)]
#[test]
fn material_libraries_outside_the_folder_are_not_read() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    let inside = outside.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.mtl"), inside.join("link.mtl")).unwrap();
    std::fs::write(inside.join("own.mtl"), "newmtl red\nKd 0 1 0\n").unwrap();
    let colour = |library: &str| {
        let text = format!("mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
        std::fs::write(inside.join("coat.obj"), text).unwrap();
        let garment = read_garment(&inside.join("coat.obj"), FileFrame::default()).unwrap();
        match garment.source {
            toile::import::GarmentSource::Obj(obj) => obj.materials[0].base_colour,
            toile::import::GarmentSource::Gltf(_) => None,
        }
    };
    assert_eq!(colour("own.mtl"), Some([0.0, 1.0, 0.0]));
    for library in ["../secret.mtl", "link.mtl", &outside.path().join("secret.mtl").display().to_string()] {
        assert_eq!(colour(library), None, "{library}");
    }
}
