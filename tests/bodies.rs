//! Bodies as they come: the same walk in other units, axes, hierarchies and encodings is the same body; harder bodies get good
//! cloth all the same.

mod variants;

use std::fs;

use proptest::prelude::*;
use toile::body::{Body, JointId, Moment, write_poses};
use toile::geometry::{DAffine3, DVec3, Vec3};
use toile::import::{BodyAsset, FileFrame, MeshSequence, Rig, Unit, UpAxis, read_body};

use variants::{Bake, Baked, CONVENTIONS, Encoding, Faces, Interpolated, JointType, WeightType};

/// Deepest a walk may be inside, millimetres.
const DEEPEST: f64 = 3.0;
/// Largest p95 of stretch.
const P95: f64 = 0.03;
/// Largest stretch of an edge.
const STRETCH: f64 = 0.25;
/// Largest jitter, m/s2: twice that of the plain walker in so short a bake.
const JITTER: f64 = 4.0;
/// Where things are that are far away.
const FAR: DVec3 = DVec3::new(10_000.0, 0.0, -3_000.0);

/// A body that is told otherwise, or is another one.
struct Variant {
    name: &'static str,
    rig: Rig,
    encoding: Encoding,
    /// Units and axes that the file does not say.
    frame: FileFrame,
    /// Where it has what the plain file has.
    place: DAffine3,
    /// How far a vertex may be from there, metres.
    within: f64,
}

/// The walker, changed by `change`.
fn variant(name: &'static str, change: impl FnOnce(&mut Rig)) -> Variant {
    let mut rig = variants::walker();
    change(&mut rig);
    // What skinning in `f32` loses on a person.
    let within = 2e-6;
    let (encoding, frame, place) = (Encoding::default(), FileFrame::default(), DAffine3::IDENTITY);
    Variant { name, rig, encoding, frame, place, within }
}

fn encoded(name: &'static str, encoding: Encoding) -> Variant {
    Variant { encoding, ..variant(name, |_| {}) }
}

impl Variant {
    fn body(&self) -> Body {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("body.glb");
        fs::write(&path, variants::encode(&self.rig, self.encoding)).expect("written");
        Body::new(read_body(&path, self.frame).expect(self.name), None).expect("a clip")
    }
}

fn pose(body: &Body, moment: Moment) -> Vec<DVec3> {
    let mut positions = Vec::new();
    body.pose(moment, &mut positions);
    positions.iter().map(|p| p.as_dvec3() + body.origin(moment)).collect()
}

/// Corners of all triangles, whatever the numbers of their vertices.
fn corners(body: &Body, moment: Moment) -> Vec<DVec3> {
    let positions = pose(body, moment);
    body.triangles().iter().flatten().map(|&v| positions[v as usize]).collect()
}

fn furthest(a: &[DVec3], b: &[DVec3], place: DAffine3) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(place.transform_point3(*b))).fold(0.0, f64::max)
}

/// The same walk, told otherwise.
fn retold() -> Vec<Variant> {
    let z_up = variants::z_up();
    let centimetres = FileFrame { unit: Unit::Centimetre, ..FileFrame::default() };
    vec![
        Variant { frame: centimetres, ..variant("centimetres", |rig| variants::scaled(rig, 100.0)) },
        variant("centimetres under a scale", |rig| {
            variants::scaled(rig, 100.0);
            variants::under(rig, |node| node.scale = DVec3::splat(0.01));
        }),
        Variant {
            frame: FileFrame { up: UpAxis::Z, ..FileFrame::default() },
            ..variant("Z up", |rig| variants::seen_from(rig, z_up))
        },
        variant("Z up under a turn", |rig| {
            variants::seen_from(rig, z_up);
            variants::under(rig, |node| node.rotation = variants::about_x(-90.0));
        }),
        variant("two stacked turns", |rig| {
            variants::under(rig, |node| node.rotation = variants::about_x(90.0));
            variants::under(rig, |node| node.rotation = variants::about_x(-90.0));
        }),
        variant("a mirroring node", |rig| {
            variants::seen_from(rig, variants::mirrored());
            variants::under(rig, |node| node.scale = DVec3::new(-1.0, 1.0, 1.0));
        }),
        Variant {
            place: DAffine3::from_scale(DVec3::new(1.1, 1.0, 1.0)),
            ..variant("a wider ancestor", |rig| variants::under(rig, |node| node.scale = DVec3::new(1.1, 1.0, 1.0)))
        },
        Variant {
            place: DAffine3::from_translation(FAR),
            ..variant("10 km away", |rig| variants::under(rig, |node| node.translation = FAR))
        },
        encoded("u16 joints", Encoding { joints: JointType::Short, ..Encoding::default() }),
        // A weight of 1/255 more on a bone that has turned by 60 degrees half a metre away.
        Variant {
            within: 2e-3,
            ..encoded("u8 weights", Encoding { weights: WeightType::Byte, ..Encoding::default() })
        },
        Variant {
            within: 1e-5,
            ..encoded("u16 weights", Encoding { weights: WeightType::Short, ..Encoding::default() })
        },
        encoded("two sets of influences", Encoding { two_sets: true, ..Encoding::default() }),
        encoded("no normals", Encoding { normals: false, ..Encoding::default() }),
        encoded("triangle soup", Encoding { faces: Faces::Soup, ..Encoding::default() }),
        encoded("split normals", Encoding { faces: Faces::Split, ..Encoding::default() }),
        encoded("sparse positions", Encoding { sparse: true, ..Encoding::default() }),
        encoded("STEP keys", Encoding { keys: Interpolated::Step, ..Encoding::default() }),
        encoded("CUBICSPLINE keys", Encoding { keys: Interpolated::Spline, ..Encoding::default() }),
        variant("faces inward", variants::inside_out),
        variant("a mirroring node that turns faces inward", |rig| {
            variants::seen_from(rig, variants::mirrored());
            variants::inside_out(rig);
            variants::under(rig, |node| node.scale = DVec3::new(-1.0, 1.0, 1.0));
        }),
        variant("every third face inward", |rig| {
            rig.parts[0].triangles.iter_mut().step_by(3).for_each(|t| t.swap(1, 2));
        }),
    ]
}

#[test]
fn the_same_walk_told_otherwise_is_the_same_body() {
    let plain = variant("plain", |_| {}).body();
    // On keys, where all interpolations agree; mirrored triangles begin with another corner at most.
    let moments = [Moment::Bind, Moment::At(0.0), Moment::At(f64::from(0.4_f32))];
    for retold in retold() {
        let body = retold.body();
        for moment in moments {
            let far = match (pose(&body, moment), pose(&plain, moment)) {
                (own, same) if own.len() == same.len() => furthest(&own, &same, retold.place),
                _ => furthest(&corners(&body, moment), &corners(&plain, moment), retold.place),
            };
            assert!(far <= retold.within, "{}: {far} m at {moment:?}", retold.name);
        }
        assert!((body.height() - plain.height()).abs() < 1e-3, "{}: {} m tall", retold.name, body.height());
        assert_eq!(body.is_cyclic(), plain.is_cyclic(), "{}", retold.name);
        assert_eq!(signed_volume(&body).signum(), 1.0, "{}", retold.name);
    }
}

/// Six times the volume that the triangles enclose in the bind pose.
fn signed_volume(body: &Body) -> f64 {
    let middle = body.middle(Moment::Bind);
    let cone = |t: &[DVec3]| (t[0] - middle).dot((t[1] - middle).cross(t[2] - middle));
    corners(body, Moment::Bind).chunks_exact(3).map(cone).sum()
}

#[test]
fn strips_skins_and_rigid_parts_make_the_same_surface() {
    let plain = variant("plain", |_| {}).body();
    let sorted = |body: &Body| {
        let mut corners: Vec<[i64; 3]> =
            corners(body, Moment::At(0.3)).iter().map(|p| (*p * 1e5).round().to_array().map(|x| x as i64)).collect();
        corners.sort_unstable();
        corners
    };
    let close = |a: &[[i64; 3]], b: &[[i64; 3]]| {
        // Sums of all corners: the order of triangles differs, and rounding with it.
        let sum = |all: &[[i64; 3]]| (0..3).map(|axis| all.iter().map(|p| p[axis]).sum::<i64>()).collect::<Vec<_>>();
        a.len() == b.len() && sum(a).iter().zip(sum(b)).all(|(a, b)| (a - b).abs() < 1000)
    };
    let two_skins = variant("two skins", variants::two_skins).body();
    let strip = encoded("a strip", Encoding { faces: Faces::Strip, ..Encoding::default() }).body();
    assert!(close(&sorted(&two_skins), &sorted(&plain)) && close(&sorted(&strip), &sorted(&plain)));
    let hard = variant("hard shin", |rig| variants::hardened(rig, "shin_l")).body();
    let rigid = variant("rigid shin", |rig| variants::rigid_limb(rig, "shin_l")).body();
    assert!(close(&sorted(&rigid), &sorted(&hard)));
    assert!(rigid.joint_names().iter().any(|name| name == "shin_l"));
}

#[test]
fn knees_and_the_rest_are_found_in_the_names_of_five_conventions() {
    let plain = variants::walker();
    let place = |body: &Body, name: &str| {
        let joint = body.joint_named(name).unwrap_or_else(|| panic!("no {name} in {:?}", body.joint_names()));
        body.joint_transform(joint, Moment::At(0.2)).translation
    };
    let ours = variant("plain", |_| {}).body();
    for (number, (convention, _)) in CONVENTIONS.iter().enumerate() {
        let mut rig = plain.clone();
        variants::renamed(&mut rig, number);
        let body = Variant { rig, ..variant(convention, |_| {}) }.body();
        for (asked, own) in [
            ("left_knee", "shin_l"),
            ("right_knee", "shin_r"),
            ("left hip", "thigh_l"),
            ("RightFoot", "foot_r"),
            ("shin_r", "shin_r"),
            ("mixamorig:LeftForeArm", "forearm_l"),
            ("head", "head"),
            ("neck", "neck"),
        ] {
            let far = place(&body, asked).distance(place(&ours, own));
            assert!(far < 1e-6, "{convention}: {asked} is {far} m from {own}");
        }
        assert_eq!(body.joint_named("tail"), None);
    }
}

#[test]
fn held_poses_begin_at_their_keys_and_are_glided_between() {
    let rig = variants::walker();
    let times = rig.clips[0].tracks[0].times.clone();
    let plain = variant("plain", |_| {}).body();
    let held = encoded("STEP keys", Encoding { keys: Interpolated::Step, ..Encoding::default() }).body();
    assert_eq!(plain.shortest_hold(), None);
    assert!(held.mostly_holds() && !plain.mostly_holds());
    let hold = held.shortest_hold().expect("held poses");
    assert!((hold - f64::from(times[1] - times[0])).abs() < 1e-6, "{hold} s");
    let [from, to] = [f64::from(times[3]), f64::from(times[4])];
    // A frame that is meant to be at a key may be before it by what `f32` rounds.
    let far = furthest(&pose(&held, Moment::At(to - 2e-6)), &pose(&plain, Moment::At(to)), DAffine3::IDENTITY);
    assert!(far < 1e-6, "{far} m from the key");
    let between = pose(&held, Moment::Between { seconds: [from, to], amount: 0.5 });
    let far = furthest(&between, &pose(&plain, Moment::At(0.5 * (from + to))), DAffine3::IDENTITY);
    assert!(far < 1e-5, "{far} m from the middle");
}

/// A bake of a dozen frames, and what must hold of it.
fn bake(rig: &Rig, place: DAffine3, frames: &str) -> Baked {
    bake_after(24, rig, place, frames)
}

/// The same after so many frames before the first.
fn bake_after(preroll: u32, rig: &Rig, place: DAffine3, frames: &str) -> Baked {
    let body = variants::encode(rig, Encoding::default());
    let garment = variants::garment(&place);
    let flags = format!("--animation walk --preroll {preroll} --frames {frames}");
    let baked = variants::bake(&Bake { body: &body, garment: &garment, flags: &flags });
    assert_eq!(baked.code, Some(0), "{}", baked.messages);
    baked
}

fn assert_good(name: &str, baked: &Baked) {
    let (inside, p95) = (baked.number("penetration.max_mm"), baked.number("stretch.p95"));
    let (stretch, jitter) = (baked.number("stretch.max"), baked.number("motion.jitter_m_s2"));
    assert!(inside <= DEEPEST, "{name}: {inside} mm inside\n{}", baked.messages);
    assert!(p95 <= P95 && stretch <= STRETCH, "{name}: stretch {p95}, {stretch}\n{}", baked.messages);
    assert!(jitter <= JITTER, "{name}: jitter {jitter} m/s2");
    for key in ["jumping", "frozen"] {
        let frames = baked.report["steadiness"][key].as_array().map(Vec::len);
        assert_eq!(frames, Some(0), "{name}: {key} frames");
    }
}

/// The walker, changed, in a skirt where it was made for, from frame 0 on.
fn assert_bakes_well(name: &str, change: impl FnOnce(&mut Rig)) -> Baked {
    let baked = bake(&variant("hard", change).rig, DAffine3::IDENTITY, "0..12");
    assert_good(name, &baked);
    baked
}

#[test]
fn inward_faces_and_pieces_inside_change_nothing() {
    let plain = assert_bakes_well("plain", |_| {});
    let same = |name: &str, change: fn(&mut Rig)| {
        let baked = assert_bakes_well(name, change);
        assert_eq!(baked.report["position_hash"], plain.report["position_hash"], "{name}");
    };
    same("inward and without a head", |rig| {
        variants::inside_out(rig);
        variants::cut_away(rig, |p| p.y > 1.5);
    });
    same("eyes, teeth and pieces inside the legs", |rig| {
        for (joint, x, y, inward) in
            [("head", 0.03, 1.62, false), ("thigh_l", 0.09, 0.8, true), ("pelvis", 0.0, 0.98, false)]
        {
            variants::ball(rig, joint, Vec3::new(x, y, 0.0), 0.03, inward);
        }
    });
}

#[test]
fn parts_holes_and_bulges_are_kept_clear_of() {
    assert_bakes_well("a rigid thigh", |rig| variants::rigid_limb(rig, "thigh_l"));
    assert_bakes_well("a robot of rigid shells", variants::robot);
    assert_bakes_well("a belly that grows by a morph target", |rig| variants::belly(rig, 0.03));
    assert_bakes_well("a hole at the waist", |rig| {
        variants::cut_away(rig, |p| (1.0..1.03).contains(&p.y) && p.x.abs() < 0.04 && p.z > 0.0);
    });
}

#[test]
fn a_body_of_morph_targets_alone_has_parts_by_how_they_move() {
    let morphing = variant("morph targets alone", variants::morphs_alone);
    let [body, plain] = [morphing.body(), variant("plain", |_| {}).body()];
    let parts = body.joint_names();
    assert!((4..=20).contains(&parts.len()) && parts[1] == format!("{} part 2", parts[0]), "{parts:?}");
    assert_eq!(body.joint_transforms(Moment::At(0.2)).len(), parts.len());
    // Most of what a joint moves is one part, and the two feet are two.
    let most = |joint: &str| {
        let joint = plain.joint_named(joint).expect("a joint of the walker");
        let own = (0..plain.vertex_count() as u32).filter(|&v| plain.main_joint(v) == joint);
        let mut counts = vec![0; parts.len()];
        own.for_each(|v| counts[body.main_joint(v).0 as usize] += 1);
        (0..parts.len()).max_by_key(|&part| counts[part]).expect("parts")
    };
    assert!(most("foot_l") != most("foot_r") && most("foot_l") != most("pelvis"));
    let hangs = (0..parts.len() as u32).map(JointId).filter(|&part| body.line_of(part).last() == Some(JointId(0)));
    assert_eq!(hangs.count(), parts.len(), "all hang on the largest");
    assert_bakes_well("a body of morph targets alone", variants::morphs_alone);
}

#[test]
fn clips_that_begin_late_end_open_or_walk_away_bake_well() {
    let later = bake(&variant("later", |rig| variants::later(rig, 0.5)).rig, DAffine3::IDENTITY, "15..27");
    assert_good("first key at 0.5 s", &later);
    let open = variant("another last pose", |rig| variants::ends_at(rig, 0.6)).rig;
    let [within, beyond] = ["0..12", "0..24"].map(|frames| bake(&open, DAffine3::IDENTITY, frames));
    assert_good("another last pose", &within);
    let says_so = |baked: &Baked| baked.messages.contains("the clip ends at frame 18");
    assert!(!says_so(&within) && says_so(&beyond), "{}", beyond.messages);
    assert_bakes_well("a walk away", |rig| variants::walks_away(rig, DVec3::ZERO, DVec3::Z * 1.4));
    let near = assert_bakes_well("a walk that begins elsewhere", |rig| {
        variants::walks_away(rig, DVec3::new(40.0, 0.0, 5.0), DVec3::Z * 1.4);
    });
    let skirt = near.frames[0].iter().sum::<DVec3>() / near.frames[0].len() as f64;
    assert!(skirt.distance(DVec3::new(40.0, 0.8, 5.0)) < 0.3, "the skirt is at {skirt}");
}

#[test]
fn a_body_of_triangles_without_area_is_an_error_and_not_a_bake_without_a_body() {
    let check = |corners: [Vec3; 3]| {
        let sequence =
            MeshSequence { triangles: vec![[0, 1, 2]], frames: vec![corners.to_vec()], ..MeshSequence::default() };
        Body::new(BodyAsset::Sequence(sequence), None).expect("a body").check_places(&[0.0])
    };
    let near = Vec3::new(0.3, 1.1, -0.2);
    let point = [near, near + Vec3::X * 1e-7, near - Vec3::Y * 1e-7];
    let line = [near, near + Vec3::X, near + Vec3::X * 2.0];
    for corners in [point, line] {
        let error = check(corners).expect_err("no surface");
        assert!(error.to_string().starts_with("none of the body's 1 triangles has an area"), "{error}");
    }
    check([near, near + Vec3::X * 1e-3, near + Vec3::Y * 1e-3]).expect("a triangle of a millimetre");
}

#[test]
fn cloth_on_a_body_that_holds_its_poses_does_not_shake_more_than_the_body() {
    let garment = variants::garment(&DAffine3::IDENTITY);
    let keys = Interpolated::Step;
    let body = variants::encode(&variants::walker(), Encoding { keys, ..Encoding::default() });
    let flags = "--animation walk --preroll 24 --frames 0..12";
    let baked = variants::bake(&Bake { body: &body, garment: &garment, flags });
    assert_eq!(baked.code, Some(0), "{}", baked.messages);
    let (jitter, stretch) = (baked.number("motion.jitter_m_s2"), baked.number("stretch.max"));
    assert!(jitter < 2.0 * JITTER && stretch < 0.1, "jitter {jitter} m/s2, stretch {stretch}\n{}", baked.messages);
}

#[test]
fn far_from_the_origin_cloth_moves_as_it_does_there() {
    let far = DAffine3::from_translation(FAR);
    let here = assert_bakes_well("here", |_| {});
    let moved = variant("far", |rig| variants::under(rig, |node| node.translation = FAR)).rig;
    assert_good("10 km away", &bake(&moved, far, "0..12"));
    // Rounding of the last bit grows in cloth that swings, to a centimetre within a second.
    let soon = |rig, place| bake_after(4, rig, place, "0..4");
    let apart = soon(&moved, far).distance_from(&soon(&variants::walker(), DAffine3::IDENTITY), &far);
    assert!(apart < 1e-3, "{apart} m");
    // Bind pose and garment at the origin or where the clip is: the skirt goes to the body.
    let walks = |place| bake(&variant("far", |rig| variants::walks_away(rig, FAR, DVec3::Z * 1.4)).rig, place, "0..12");
    for (name, baked) in [("made at the origin", walks(DAffine3::IDENTITY)), ("made there", walks(far))] {
        assert_good(name, &baked);
        let distance = baked.frames[0][0].distance(here.frames[0][0] + FAR);
        assert!(distance < 0.1, "{name}: {distance} m from the body");
    }
}

#[test]
fn poses_of_a_body_that_is_far_away_are_written_where_it_is() {
    let moved = variant("far", |rig| variants::under(rig, |node| node.translation = FAR)).body();
    let written = |body: &Body| {
        let mut bytes = Vec::new();
        write_poses(body, &[0.2], &mut bytes).expect("written");
        let numbers: Vec<f32> =
            bytes[32..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect();
        numbers.chunks_exact(3).map(|p| DVec3::new(p[0].into(), p[1].into(), p[2].into())).collect::<Vec<_>>()
    };
    let plain = variant("plain", |_| {}).body();
    let apart = furthest(&written(&moved), &written(&plain), DAffine3::from_translation(FAR));
    assert!(apart < 1e-3, "{apart} m");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_body_moved_anywhere_has_the_same_pose(x in -20_000i32..20_000, z in -20_000i32..20_000) {
        let way = DVec3::new(f64::from(x), 0.0, f64::from(z));
        let moved = variant("moved", |rig| variants::under(rig, |node| node.translation = way)).body();
        let plain = variant("plain", |_| {}).body();
        let far = furthest(&pose(&moved, Moment::At(0.5)), &pose(&plain, Moment::At(0.5)), DAffine3::from_translation(way));
        prop_assert!(far < 5e-6, "{far} m");
    }
}

/// Figures of every hard body, for people: `cargo test --release --test bodies figures -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn figures() {
    let show = |name: &str, baked: &Baked| {
        let percent = |key: &str| baked.number(key) * 100.0;
        println!(
            "{name:40} {:6.2} mm inside, stretch p95 {:5.2} %, max {:5.2} %, jitter {:6.2} m/s2",
            baked.number("penetration.max_mm"),
            percent("stretch.p95"),
            percent("stretch.max"),
            baked.number("motion.jitter_m_s2"),
        );
    };
    let far = DAffine3::from_translation(FAR);
    let walk = |rig: &mut Rig| variants::walks_away(rig, FAR, DVec3::Z * 1.4);
    show(
        "rigid thigh",
        &bake(&variant("", |rig| variants::rigid_limb(rig, "thigh_l")).rig, DAffine3::IDENTITY, "0..12"),
    );
    show("robot", &bake(&variant("", variants::robot).rig, DAffine3::IDENTITY, "0..12"));
    show("belly", &bake(&variant("", |rig| variants::belly(rig, 0.03)).rig, DAffine3::IDENTITY, "0..12"));
    show("open clip", &bake(&variant("", |rig| variants::ends_at(rig, 0.6)).rig, DAffine3::IDENTITY, "0..12"));
    show("walk 10 km away, made at the origin", &bake(&variant("", walk).rig, DAffine3::IDENTITY, "0..12"));
    show("walk 10 km away, made there", &bake(&variant("", walk).rig, far, "0..12"));
    let run = |rig: &mut Rig| variants::walks_away(rig, DVec3::ZERO, DVec3::Z * 6.0);
    show("run at 6 m/s", &bake(&variant("", run).rig, DAffine3::IDENTITY, "0..12"));
    let step = variants::encode(&variant("", |_| {}).rig, Encoding { keys: Interpolated::Step, ..Encoding::default() });
    let garment = variants::garment(&DAffine3::IDENTITY);
    let flags = "--animation walk --preroll 24 --frames 0..12";
    show("STEP keys", &variants::bake(&Bake { body: &step, garment: &garment, flags }));
}
