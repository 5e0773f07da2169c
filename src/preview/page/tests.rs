//! Pages as text; `.ci/clients` has a browser play them.

use super::*;
use crate::body::Body;
use crate::correction::Correction;
use crate::correction::CorrectionKind;
use crate::import::{BodyAsset, MeshSequence};
use crate::simulate::{FrameRate, Timeline};
use crate::topology::ParticleId;

const HOSTILE: &str = "</script><!--<script>\"'&amp; {{viewer}}";

/// A triangle that flutters beside a body that does not move.
fn film(name: &str, frames: usize) -> Film {
    let timeline = Timeline { first: 5, last: 4 + frames as i64, fps: FrameRate::whole(25), start_frame: 1 };
    let positions = |i: usize| vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1.0, (i % 7) as f32 * 0.1)];
    let cache = PointCache { timeline, frames: (0..frames).map(positions).collect() };
    let still = vec![Vec3::NEG_X, Vec3::NEG_Z, Vec3::NEG_ONE, Vec3::NEG_X];
    let asset = MeshSequence { triangles: vec![[0, 1, 2], [3, 2, 1]], frames: vec![still], ..MeshSequence::default() };
    let body = Body::new(BodyAsset::Sequence(asset), None).expect("a body").with_sequence_rate(25.0);
    Film::of_cloth(name, vec![[0, 1, 2]], None, cache, Some(body))
}

fn clip<'a>(film: &'a Film, frames: &'a [usize]) -> Clip<'a> {
    Clip {
        name: &film.figures[0].name,
        film,
        frames,
        edges: vec![vec![[0, 1], [1, 2]], Vec::new()],
        stretch: Box::new(|pose| vec![Some(vec![0.05; pose[0].len()]), None]),
        full_scale: 0.1,
        states: None,
        maps: None,
        particles: None,
        view: View::Front,
        switches: Switches::default(),
        background: None,
    }
}

fn contents_of(page: &str) -> serde_json::Value {
    let after = page.split("id=\"contents\">").nth(1).expect("contents");
    serde_json::from_str(after.split("</script>").next().expect("an end")).expect("JSON")
}

#[test]
fn a_page_has_the_figures_with_their_counts() {
    let film = film("skirt", 20);
    let frames: Vec<usize> = (2..18).collect();
    let page = page(&clip(&film, &frames)).expect("a page");
    let contents = contents_of(&page);
    assert_eq!((&contents["frames"], &contents["first"], &contents["fps"]), (&16.into(), &7.into(), &25.0.into()));
    let [cloth, body] = [0, 1].map(|i| &contents["figures"][i]);
    assert_eq!((&cloth["kind"], &cloth["vertices"], &cloth["faces"]), (&"cloth".into(), &3.into(), &1.into()));
    assert_eq!((&body["kind"], &body["vertices"], &body["faces"]), (&"body".into(), &4.into(), &2.into()));
    assert_eq!((&cloth["track"]["length"], &cloth["track"]["stretch"]), (&48.into(), &true.into()));
    assert_eq!((&body["track"]["length"], &body["track"]["stretch"]), (&48.into(), &false.into()));
    let bytes = |block: &serde_json::Value| {
        let text = page.split(&format!("id=\"block-{block}\">")).nth(1).and_then(|t| t.split('<').next());
        base64::Engine::decode(&STANDARD, text.expect("a block")).expect("base64")
    };
    assert_eq!(bytes(&cloth["track"]["blocks"][0]).len(), 16 * 48);
    assert_eq!(bytes(&body["track"]["blocks"][0]).len(), 48, "what stands still takes one record");
    assert_eq!(bytes(&body["seams"]), [3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(contents["strain"]["colours"].as_array().map(Vec::len), Some(33));
}

#[test]
fn a_page_is_the_same_each_time_and_names_nothing_to_load() {
    let film = film("skirt", 40);
    let frames: Vec<usize> = (0..40).collect();
    let once = page(&clip(&film, &frames)).expect("a page");
    assert_eq!(once, page(&clip(&film, &frames)).expect("a page"));
    assert!(!once.contains("://") && !once.contains(" src=") && !once.contains("@import") && !once.contains("{{"));
    assert!(once.contains("default-src 'none'"));
}

#[test]
fn hostile_names_stay_names() {
    let film = film(HOSTILE, 2);
    let mut maps = CorrectionMaps::default();
    let correction = Correction {
        source: ParticleId(0),
        goal: ParticleId(1),
        rest_length: 1.0,
        kind: CorrectionKind::Completion,
        level: 0,
    };
    maps.maps.push(CorrectionMap {
        state: HOSTILE.to_owned(),
        fixed: vec![ParticleId(0)],
        corrections: vec![correction],
        levels: 1,
        unreached: Vec::new(),
    });
    let mut clip = clip(&film, &[0, 1]);
    clip.states = Some((vec![HOSTILE, "free"], &[0, 1]));
    clip.maps = Some(&maps);
    let page = page(&clip).expect("a page");
    let contents = contents_of(&page);
    let found = [
        &contents["name"],
        &contents["figures"][0]["name"],
        &contents["states"]["names"][0],
        &contents["maps"]["maps"][0]["state"],
    ];
    assert_eq!(found, [HOSTILE; 4]);
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    assert!(
        !page.contains("<!--") && page.matches(" {{viewer}}").count() > 3,
        "the template's words are not looked for in names"
    );
}
