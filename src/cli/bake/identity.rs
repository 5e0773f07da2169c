//! What tells a bake, or a preview that is kept, from others: the program, every byte of its inputs, and every setting that its
//! simulation rests on.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::inputs::Inputs;
use crate::bake;
use crate::import::{Access, gltf};
use crate::pins::PinSelector;
use crate::preset::{BodyChoice, MeshSource, Scene};
use crate::simulate::Parameters;

/// A bake, as far as its simulation goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Name and version of the program.
    program: String,
    /// Name and SHA-256 of each file that is read.
    files: Vec<(String, String)>,
    /// Names of settings, as presets have them, and what they are.
    settings: Vec<(String, String)>,
}

impl Identity {
    /// That of `scene` and its `inputs`, by this program.
    ///
    /// # Errors
    /// A file that cannot be read again, with its name.
    pub(crate) fn of(scene: &Scene, inputs: &Inputs) -> Result<Identity, (PathBuf, io::Error)> {
        let mut paths: Vec<PathBuf> =
            inputs.files.iter().filter(|path| Some(*path) != scene.preset.as_ref()).cloned().collect();
        let buffers: Vec<PathBuf> = paths.iter().flat_map(|path| buffers_of(path, &scene.access)).collect();
        paths.extend(buffers);
        let hashed = |path: &PathBuf| match hash_of(path) {
            Ok(hash) => Ok((path.display().to_string(), hash)),
            Err(error) => Err((path.clone(), error)),
        };
        Ok(Identity {
            program: format!("toile {}", env!("CARGO_PKG_VERSION")),
            files: paths.iter().map(hashed).collect::<Result<_, _>>()?,
            settings: settings(scene),
        })
    }

    /// What is another than in `before`, in words: none if both are the same bake.
    pub(super) fn differences(&self, before: &Identity, is_same_build: bool) -> Vec<String> {
        let mut found = Vec::new();
        if self.program != before.program {
            found.push(format!("the program: {} wrote it, this is {}", before.program, self.program));
        } else if !is_same_build {
            found.push(format!("the program: another build of {} wrote it", self.program));
        }
        let changed = self.files.iter().zip(&before.files).filter(|(now, then)| now.1 != then.1);
        found.extend(changed.map(|(now, _)| format!("the file {}", now.0)));
        if self.files.len() != before.files.len() {
            found.push(format!("the number of files that are read: {}, was {}", self.files.len(), before.files.len()));
        }
        let was = |name: &String| before.settings.iter().find(|then| then.0 == *name).map(|then| &then.1);
        let set = self.settings.iter().filter(|(name, now)| was(name) != Some(now));
        found.extend(set.map(|(name, _)| format!("the setting `{name}`")));
        found
    }
}

/// The file of this program. It is open, so that it is the one that runs even after another was put in its place, and is read when
/// somebody asks: a small bake takes no longer than that.
#[derive(Debug)]
pub(crate) struct Program {
    file: File,
    /// SHA-256 of it, once somebody has asked.
    build: Option<String>,
}

impl Program {
    /// Opens it.
    pub(crate) fn open() -> io::Result<Program> {
        let itself = Path::new("/proc/self/exe");
        let path = if itself.exists() { itself.to_owned() } else { std::env::current_exe()? };
        Ok(Program { file: File::open(path)?, build: None })
    }

    /// SHA-256 of the program: builds of one version differ.
    pub(crate) fn build(&mut self) -> io::Result<String> {
        let build = match self.build.take() {
            Some(build) => build,
            None => hash(&mut self.file)?,
        };
        Ok(self.build.insert(build).clone())
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    // A pipe or a device may have no end; who reads it for its content says so.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    hash(&mut File::open(path)?)
}

fn hash(file: &mut File) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(file, &mut hash)?;
    Ok(bake::hex(&hash.finalize()))
}

/// Files with the numbers of a glTF document, where it may read them. The document has been read before: what is odd about it is none.
fn buffers_of(path: &Path, access: &Access) -> BTreeSet<PathBuf> {
    let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gltf"));
    let document = is_text.then(|| fs::read(path).ok()).flatten();
    let folder = path.parent().unwrap_or(Path::new(""));
    document.map_or(BTreeSet::new(), |bytes| gltf::files_of(&["buffers"], &bytes, folder, access))
}

/// All settings of a scene that its simulation rests on. Fields are named one by one, so that none that is added is forgotten.
fn settings(scene: &Scene) -> Vec<(String, String)> {
    let Scene {
        // What it is called, where it comes from and how it is written and shown: nothing of that moves a particle.
        preset: _,
        name: _,
        access: _,
        description: _,
        fabric_colour: _,
        start_frame: _,
        outputs: _,
        with_body: _,
        sizes: _,
        comparison: _,
        garment,
        garment_frame,
        garment_pose,
        body,
        choice,
        pins,
        carrier,
        parameters,
        frames,
        fps,
        speed,
        cycle,
    } = scene;
    let body = body.as_ref().map(|BodyChoice { mesh, frame, animation }| (source(mesh), frame, animation));
    let pins: Vec<String> = pins.iter().map(pin).collect();
    let own = [
        ("garment", format!("{:?}", garment.as_ref().map(source))),
        ("units and up of the garment", format!("{garment_frame:?}")),
        ("garment-pose", format!("{garment_pose:?}")),
        ("body", format!("{body:?}")),
        ("include, exclude, simulate_as, islands, shells or seams", format!("{choice:?}")),
        ("pins", format!("{pins:?}")),
        ("pin_to", format!("{carrier:?}")),
        ("frames", format!("{frames:?}")),
        ("fps", format!("{fps:?}")),
        ("speed", format!("{speed:?}")),
        ("loop", format!("{cycle:?}")),
    ];
    own.into_iter().chain(of_simulation(parameters)).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn of_simulation(parameters: &Parameters) -> [(&'static str, String); 18] {
    let Parameters {
        gravity,
        fabric,
        drag,
        wind,
        substeps,
        retries,
        integrator,
        springs,
        enforcement,
        colliders,
        self_collision,
        body_collision,
        states,
        state_mode,
        look_ahead,
        preroll,
        cuts,
        laps,
    } = parameters;
    [
        ("gravity", format!("{gravity:?}")),
        ("fabric", format!("{fabric:?}")),
        ("drag", format!("{drag:?}")),
        ("wind", format!("{wind:?}")),
        ("substeps", format!("{substeps:?}")),
        ("retries", format!("{retries:?}")),
        ("integrator", format!("{integrator:?}")),
        ("springs", format!("{springs:?}")),
        ("enforce", format!("{enforcement:?}")),
        ("colliders", format!("{colliders:?}")),
        ("self_collision", format!("{self_collision:?}")),
        ("body_collision", format!("{body_collision:?}")),
        ("states", format!("{states:?}")),
        ("state_mode", format!("{state_mode:?}")),
        ("look_ahead", format!("{look_ahead:?}")),
        ("preroll", format!("{preroll:?}")),
        ("cuts", format!("{cuts:?}")),
        ("loop laps or tolerance", format!("{laps:?}")),
    ]
}

/// A mesh without the place of its file, whose bytes are told apart already.
fn source(mesh: &MeshSource) -> String {
    match mesh {
        MeshSource::File(path) => format!("a file of .{}", path.extension().unwrap_or_default().display()),
        MeshSource::BuiltIn(_) | MeshSource::Sheet(_) => format!("{mesh:?}"),
    }
}

/// A selector, without the place of its file likewise.
fn pin(selector: &PinSelector) -> String {
    match selector {
        PinSelector::Vertices(_) => "a file of vertices".to_owned(),
        _ => format!("{selector:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(scene: &Scene, hash: &str) -> Identity {
        let files = vec![("hero.glb".to_owned(), hash.to_owned())];
        Identity { program: "toile 1".to_owned(), files, settings: settings(scene) }
    }

    #[test]
    fn what_changed_is_told_and_what_moves_nothing_is_no_change() {
        let scene = crate::preset::load("skirt_walk").expect("a preset");
        let before = identity(&scene, "1");
        let renamed = Scene { outputs: vec!["a.pc2".into()], with_body: true, name: "x".into(), ..scene.clone() };
        assert!(identity(&renamed, "1").differences(&before, true).is_empty());
        let mut other = scene.clone();
        other.parameters.fabric.friction += 0.1;
        other.frames = Some((0, 3));
        let found = identity(&other, "2").differences(&before, true);
        assert_eq!(found, ["the file hero.glb", "the setting `frames`", "the setting `fabric`"]);
        let newer = Identity { program: "toile 2".to_owned(), ..before.clone() };
        assert_eq!(newer.differences(&before, false), ["the program: toile 1 wrote it, this is toile 2"]);
        assert_eq!(before.differences(&before, false), ["the program: another build of toile 1 wrote it"]);
    }

    #[test]
    fn the_numbers_beside_a_gltf_are_read_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hero.gltf");
        let buffers = r#"{"uri":"a%20b.bin"},{"uri":"./a%20b.bin"},{"uri":"data:,x"},{"uri":"none.bin"},{}"#;
        fs::write(&path, format!(r#"{{"buffers":[{buffers}]}}"#)).expect("a file");
        let beside = folder.path().join("a b.bin");
        fs::write(&beside, "").expect("a file");
        let closed = Access::default();
        assert_eq!(buffers_of(&path, &closed), BTreeSet::from([beside.canonicalize().expect("a path")]));
        assert!(buffers_of(&beside, &closed).is_empty());
    }

    #[test]
    fn numbers_that_may_not_be_read_are_not_looked_at() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("hero/hero.gltf");
        fs::create_dir(root.path().join("hero")).expect("a folder");
        let secret = root.path().join("key");
        fs::write(&secret, "x").expect("a file");
        for uri in ["../key".to_owned(), secret.display().to_string()] {
            fs::write(&path, format!(r#"{{"buffers":[{{"uri":"{uri}"}}]}}"#)).expect("a file");
            assert!(buffers_of(&path, &Access::default()).is_empty(), "{uri}");
        }
    }
}
