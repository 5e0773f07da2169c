//! The bake that `toile inspect` proposes.

use std::path::Path;

use crate::cli::arguments::InspectArguments;
use crate::import::{FileFrame, Unit, UpAxis};
use crate::preset::Scene;
use crate::simulate::StartPose;

/// The command line that bakes the files that `arguments` name, with `flags` for their units and axes.
pub(super) fn command(
    arguments: &InspectArguments,
    flags: &[String],
    animation: Option<&str>,
    pin: &str,
    pose: StartPose,
) -> String {
    let [garment, body] = [&arguments.garment, &arguments.body].map(|path| path.as_deref().unwrap_or(Path::new("")));
    let say = |flag: &str, value: &str| format!("--{flag} {}", quoted(value));
    let mut words = vec!["toile bake".to_owned()];
    words.push(say("garment", &garment.display().to_string()));
    words.extend(flags.iter().cloned());
    words.extend(arguments.include.iter().map(|part| say("include", &part.to_string())));
    words.extend(arguments.exclude.iter().map(|part| say("exclude", &part.to_string())));
    words.push(say("body", &body.display().to_string()));
    words.extend(animation.map(|animation| say("animation", animation)));
    words.push(say("pin", pin));
    words.push(say("garment-pose", if pose == StartPose::Bind { "bind" } else { "first" }));
    words.push(say("out", &output_name([garment, body])));
    words.join(" ")
}

/// Flags of `toile bake` that say the scene's units and axes.
pub(super) fn flags(scene: &Scene) -> Vec<String> {
    let unit = |flag: &str, unit: Unit| match unit {
        Unit::Metre => None,
        Unit::Centimetre => Some(format!("--{flag} cm")),
        Unit::Millimetre => Some(format!("--{flag} mm")),
        Unit::Inch => Some(format!("--{flag} in")),
    };
    let up = |flag: &str, up: UpAxis| (up == UpAxis::Z).then(|| format!("--{flag} z"));
    let body = scene.body.as_ref().map_or(FileFrame::default(), |body| body.frame);
    let garment = scene.garment_frame;
    [unit("units", garment.unit), up("up", garment.up), unit("body-units", body.unit), up("body-up", body.up)]
        .into_iter()
        .flatten()
        .collect()
}

/// `word` as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,+=@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What to call the bake of a garment on a body: after the garment, but not as either file.
fn output_name([garment, body]: [&Path; 2]) -> String {
    let stem = garment.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}.glb");
    let is_taken = [garment, body].iter().any(|path| path.file_name().is_some_and(|file| *file == *name));
    if is_taken { format!("{stem}_baked.glb") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bake_is_named_after_the_garment_but_not_as_a_file_it_reads() {
        let name = |garment: &str, body: &str| output_name([garment, body].map(Path::new));
        assert_eq!(name("clothes/dress.obj", "anna.glb"), "dress.glb");
        assert_eq!(name("dress.glb", "anna.glb"), "dress_baked.glb");
        assert_eq!(name("anna.obj", "anna.glb"), "anna_baked.glb");
    }

    #[test]
    fn words_with_spaces_and_quotes_are_quoted() {
        assert_eq!(quoted("loop:top"), "loop:top");
        assert_eq!(quoted("Walk 1"), "'Walk 1'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
