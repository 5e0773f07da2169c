//! Bakes that are killed, interrupted, or refused by the disk: no half file, nothing lost, and the same command goes on to the same bytes.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use toile::bake::{Output as BakeOutput, read_checkpoint, write_checkpoint};

/// A short bake of a body's skirt, quick to simulate.
const SKIRT: &[&str] =
    &["short_skirt_walk", "--simulate-as", "200", "--frames", "0..14", "--preroll", "8", "--out", "walk.glb"];
/// Signals, as `kill` knows them.
const KILL: &str = "-KILL";

/// `toile bake` in `folder`, with a checkpoint after every frame.
fn bake(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.arg("bake").args(arguments).args(["--checkpoint-every", "0.000001"]).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    bake(folder, arguments).output().expect("toile runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// All files of a folder and their bytes, hidden ones too.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a file"))
        })
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().collect()
}

/// The files of a bake that nothing disturbs.
fn undisturbed(arguments: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let folder = folder();
    let output = run(folder.path(), arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    files(folder.path())
}

/// Starts a bake and waits until it has written a checkpoint after `frames` frames or more.
fn started(folder: &Path, arguments: &[&str], frames: u32) -> (Child, BufReader<ChildStderr>) {
    let mut child =
        bake(folder, arguments).arg("-v").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("toile runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while lines.read_line(&mut line).expect("text") > 0 {
        let done = line.strip_prefix("checkpoint after ").and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        if done.is_some_and(|done| done >= frames) {
            return (child, lines);
        }
        line.clear();
    }
    let end = child.wait().expect("an end");
    panic!("{arguments:?}: no checkpoint after {frames} frames, {end}");
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs").success());
}

/// Kills a bake after so many frames, again and again, and lets it end; what it writes is what is expected.
fn assert_survives(arguments: &[&str], kills: &[u32]) {
    let expected = undisturbed(arguments);
    let folder = folder();
    for &frames in kills {
        let (mut child, _lines) = started(folder.path(), arguments, frames);
        signal(&child, KILL);
        assert_eq!(child.wait().expect("an end").signal(), Some(9));
        assert!(!files(folder.path()).keys().any(|name| expected.contains_key(name)), "{arguments:?}");
    }
    let output = run(folder.path(), arguments);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {words}");
    assert!(words.contains("going on after"), "{arguments:?}: {words}");
    assert!(files(folder.path()) == expected, "{arguments:?}: other bytes, or files: {:?}", names(folder.path()));
}

#[test]
fn a_bake_that_is_killed_goes_on_to_the_same_bytes() {
    assert_survives(SKIRT, &[1, 5, 9, 16, 22]);
    assert_survives(
        &["flag", "--frames", "0..20", "--preroll", "0", "--out", "a.pc2", "--out", "seq.obj"],
        &[3, 12, 21],
    );
}

#[test]
fn a_bake_that_looks_ahead_goes_on_in_either_pass() {
    let line = [SKIRT, &["--look-ahead", "--states", "contacts"]].concat();
    assert_survives(&line, &[6, 20, 26, 40]);
    let states = ["skirt_walk", "--simulate-as", "200", "--frames", "0..14", "--preroll", "8", "--states", "named"];
    let states = [&states[..], &["--out", "walk.glb"]].concat();
    assert_survives(&states, &[14, 20]);
    assert_survives(&[&states[..], &["--look-ahead"]].concat(), &[12, 30]);
}

#[test]
fn a_loop_goes_on_in_any_lap() {
    let line = [
        "short_skirt_walk",
        "--simulate-as",
        "150",
        "--preroll",
        "4",
        "--loop",
        "--loop-frames",
        "10",
        "--loop-laps",
        "5",
    ];
    assert_survives(&[&line[..], &["--out", "loop.glb"]].concat(), &[3, 12, 25, 38]);
}

#[test]
fn a_bake_that_is_killed_at_any_moment_goes_on_to_the_same_bytes() {
    let expected = undisturbed(SKIRT);
    let folder = folder();
    for milliseconds in (10..400).step_by(35) {
        let mut child =
            bake(folder.path(), SKIRT).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("toile runs");
        std::thread::sleep(Duration::from_millis(milliseconds));
        let is_done = child.try_wait().expect("a process").is_some();
        child.kill().expect("a signal");
        child.wait().expect("an end");
        for (name, bytes) in files(folder.path()) {
            assert!(expected.get(&name).is_none_or(|whole| *whole == bytes), "half of {name} after {milliseconds} ms");
        }
        if is_done {
            break;
        }
    }
    let output = run(folder.path(), &[SKIRT, &["--force"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(files(folder.path()) == expected, "{:?}", names(folder.path()));
}

/// Whether programs that are started here hear of a closed terminal: not beneath `nohup`.
fn hears_hangups() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let hears = ignored.is_some_and(|ignored| ignored & 1 == 0);
    if !hears {
        println!("no SIGHUP reaches programs that are started here: left out");
    }
    hears
}

#[test]
fn a_bake_that_is_asked_to_stop_says_how_to_go_on() {
    let expected = undisturbed(SKIRT);
    let hangup = hears_hangups().then_some(("-HUP", 129));
    for (name, code) in [("-INT", 130), ("-TERM", 143)].into_iter().chain(hangup) {
        let folder = folder();
        let (mut child, mut lines) = started(folder.path(), SKIRT, 4);
        signal(&child, name);
        let mut words = String::new();
        lines.read_to_string(&mut words).expect("text");
        assert_eq!(child.wait().expect("an end").code(), Some(code), "{words}");
        assert!(words.contains("interrupted") && words.contains("the same command goes on from there"), "{words}");
        assert_eq!(names(folder.path()), [".walk.glb.toile-checkpoint"]);
        assert_eq!(run(folder.path(), SKIRT).status.code(), Some(0));
        assert!(files(folder.path()) == expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_bake_that_is_to_outlive_its_terminal_does() {
    let folder = folder();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_toile")).arg("bake").args(SKIRT).arg("-v").current_dir(folder.path());
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("nohup runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut words = String::new();
    while !words.contains("preroll") && lines.read_line(&mut words).expect("text") > 0 {}
    signal(&child, "-HUP");
    lines.read_to_string(&mut words).expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(0), "{words}");
}

#[test]
fn a_bake_that_is_asked_to_stop_while_it_is_measured_stops_at_once_and_goes_on_to_the_same_bytes() {
    // Few particles are simulated, and all vertices measured.
    let line = ["short_skirt_walk", "--simulate-as", "100", "--substeps", "1", "--frames", "0..240"];
    let line = [&line[..], &["--preroll", "0", "--out", "walk.glb"]].concat();
    let expected = undisturbed(&line);
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = folder();
        let mut child =
            bake(folder.path(), &line).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("toile runs");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut words = String::new();
        while !words.ends_with("measuring\n") {
            assert!(lines.read_line(&mut words).expect("text") > 0, "{words}");
        }
        signal(&child, name);
        lines.read_to_string(&mut words).expect("text");
        assert_eq!(child.wait().expect("an end").code(), Some(code), "{words}");
        assert!(words.contains("interrupted while measuring") && words.contains("without simulating again"), "{words}");
        assert_eq!(names(folder.path()), [".walk.glb.toile-checkpoint"]);
        assert_eq!(run(folder.path(), &line).status.code(), Some(0));
        assert!(files(folder.path()) == expected);
    }
}

#[test]
fn outputs_may_be_named_in_another_order_when_a_bake_goes_on() {
    let folder = folder();
    let (mut child, _lines) = started(folder.path(), &[SKIRT, &["--out", "walk.pc2"]].concat(), 4);
    signal(&child, "-INT");
    child.wait().expect("an end");
    assert_eq!(names(folder.path()), [".walk.glb.toile-checkpoint"]);
    let (out, rest) = (SKIRT.len() - 2, ["--out", "walk.pc2"]);
    let again = run(folder.path(), &[&SKIRT[..out], &rest, &SKIRT[out..]].concat());
    assert!(again.status.success() && stderr(&again).contains("going on after"), "{}", stderr(&again));
    assert_eq!(names(folder.path()), ["walk.glb", "walk.pc2"]);
}

/// The words before the state of a checkpoint, with what `change` makes of them.
fn with_heading(path: &Path, change: impl FnOnce(&str) -> Vec<u8>) {
    let found = read_checkpoint(path).expect("readable").expect("there");
    let (heading, mut state) = (change(std::str::from_utf8(&found.heading).expect("text")), Vec::new());
    found.state.take(u64::MAX).read_to_end(&mut state).expect("bytes");
    let output = BakeOutput::parse(path.with_file_name("walk.glb")).expect("a format");
    write_checkpoint(&output, &heading, &mut |sink| sink.write_all(&state)).expect("written");
}

#[test]
fn a_heading_that_somebody_has_changed_does_no_harm() {
    let folder = folder();
    let (mut child, _lines) = started(folder.path(), SKIRT, 4);
    signal(&child, "-INT");
    child.wait().expect("an end");
    let path = folder.path().join(".walk.glb.toile-checkpoint");
    let good = fs::read(&path).expect("a checkpoint");
    let tried = |change: &dyn Fn(&str) -> Vec<u8>| {
        fs::write(&path, &good).expect("written");
        with_heading(&path, change);
        let output = run(folder.path(), &[SKIRT, &["--force"]].concat());
        (output.status.code(), stderr(&output))
    };
    let object = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let set = |key: &'static str, value: serde_json::Value| {
        move |text: &str| {
            let mut heading = object(text);
            heading[key] = value.clone();
            heading.to_string().into_bytes()
        }
    };
    for nothing in ["", "{", "null", "[]", "{}", "\u{feff}{}", "1e999"] {
        assert_eq!(tried(&|_| nothing.into()).0, Some(65), "{nothing}");
    }
    assert_eq!(tried(&|_| vec![0xff; 9]).0, Some(65));
    assert_eq!(tried(&|_| "[".repeat(1 << 20).into()).0, Some(65));
    assert_eq!(tried(&|text| text.replacen('{', "{\"done\":1,", 1).into()).0, Some(65));
    assert_eq!(tried(&|text| [text.as_bytes(), b"x"].concat()).0, Some(65));
    for (key, value) in
        [("done", "-1"), ("done", "4294967296"), ("total", "1.5"), ("seconds", "null"), ("identity", "{}")]
    {
        assert_eq!(tried(&set(key, object(value))).0, Some(65), "{key} {value}");
    }
    for (key, value) in [("done", "4294967295"), ("total", "0"), ("seconds", "-1e300"), ("seconds", "1e300")] {
        let (code, words) = tried(&set(key, object(value)));
        assert_eq!(code, Some(0), "{key} {value}: {words}");
    }
    let (code, words) = tried(&|text| {
        let mut heading = object(text);
        heading["identity"]["program"] = "\u{1b}[2J\u{202e}toile 9".into();
        heading.to_string().into_bytes()
    });
    assert_eq!(code, Some(2), "{words}");
    assert!(!words.contains(['\u{1b}', '\u{202e}']), "{words}");
}

#[test]
fn a_checkpoint_of_another_bake_is_refused_until_told_to_begin_anew() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/short_skirt.obj"), at("skirt.obj")).expect("a mesh");
    let line =
        ["--garment", "skirt.obj", "--pin", "loop:top", "--frames", "0..30", "--preroll", "0", "--out", "walk.pc2"];
    let (mut child, _lines) = started(folder.path(), &line, 3);
    signal(&child, "-INT");
    child.wait().expect("an end");
    let before = files(folder.path());
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = run(folder.path(), arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    refused(&[&line[..], &["--fabric", "silk"]].concat(), &["the setting `fabric`", "--restart"]);
    refused(&[&line[..], &["--substeps", "9", "--wind", "1,0,0"]].concat(), &["`wind`; the setting `substeps`"]);
    assert!(files(folder.path()) == before, "a refusal changes nothing");
    let text = fs::read_to_string(at("skirt.obj")).expect("text");
    fs::write(at("skirt.obj"), format!("{text}# a comment\n")).expect("written");
    refused(&line, &["the file skirt.obj", "--restart"]);
    let anew = run(folder.path(), &[&line[..], &["--restart"]].concat());
    assert_eq!(anew.status.code(), Some(0), "{}", stderr(&anew));
    assert!(!stderr(&anew).contains("going on"));
    assert_eq!(names(folder.path()), ["skirt.obj", "walk.pc2"]);
}

#[test]
fn threads_names_and_formats_are_no_other_bake() {
    let expected = undisturbed(SKIRT);
    let folder = folder();
    let (mut child, _lines) = started(folder.path(), &[SKIRT, &["--threads", "1"]].concat(), 9);
    signal(&child, KILL);
    child.wait().expect("an end");
    let output = run(folder.path(), &[SKIRT, &["--threads", "2", "--out", "more.pc2", "--report", "r.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("going on after"));
    assert!(files(folder.path())["walk.glb"] == expected["walk.glb"]);
    assert_eq!(names(folder.path()), ["more.pc2", "r.json", "walk.glb"]);
}

#[test]
fn a_checkpoint_that_is_damaged_or_none_is_refused() {
    let folder = folder();
    let (mut child, _lines) = started(folder.path(), SKIRT, 9);
    signal(&child, "-INT");
    child.wait().expect("an end");
    let path = folder.path().join(".walk.glb.toile-checkpoint");
    let good = fs::read(&path).expect("a checkpoint");
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let output = run(folder.path(), SKIRT);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(65), "{message}");
        assert!(message.contains(".walk.glb.toile-checkpoint: ") && message.contains("--restart"), "{message}");
    };
    refused(b"");
    refused(b"solid cube");
    for part in 1..8 {
        refused(&good[..good.len() * part / 8]);
        let mut flipped = good.clone();
        flipped[good.len() * part / 8] ^= 0x20;
        refused(&flipped);
    }
    fs::remove_file(&path).expect("the checkpoint");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(run(folder.path(), SKIRT).status.code(), Some(65));
    fs::remove_dir(&path).expect("the folder");
    fs::write(&path, &good).expect("written");
    assert_eq!(run(folder.path(), SKIRT).status.code(), Some(0));
}

#[test]
fn of_two_bakes_of_one_output_the_second_leaves_at_once() {
    let folder = folder();
    let long = ["flag", "--frames", "0..5000", "--out", "flag.glb"];
    let (mut child, _lines) = started(folder.path(), &long, 2);
    let second = run(
        folder.path(),
        &["curtain", "--out", "other.pc2", "--out", "../x/flag.glb"]
            .map(|word| if word == "../x/flag.glb" { "./flag.glb" } else { word }),
    );
    assert_eq!(second.status.code(), Some(75), "{}", stderr(&second));
    assert!(stderr(&second).contains("flag.glb: another bake is writing it"), "{}", stderr(&second));
    signal(&child, KILL);
    child.wait().expect("an end");
    // What the dead left behind locks nobody out.
    assert!(names(folder.path()).contains(&".flag.glb.toile-lock".to_owned()));
    let third = run(folder.path(), &["flag", "--frames", "0..2", "--preroll", "0", "--out", "flag.glb", "--restart"]);
    assert_eq!(third.status.code(), Some(0), "{}", stderr(&third));
    assert_eq!(names(folder.path()), ["flag.glb"]);
}

/// Runs a bake that may write files of so many bytes at most.
fn limited(folder: &Path, arguments: &[&str], bytes: usize) -> Output {
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    // POSIX shells count blocks of 512 bytes, bash others.
    let script = format!("ulimit -f {}; exec '{}' bake {}", bytes / 512, env!("CARGO_BIN_EXE_toile"), words.join(" "));
    Command::new("sh").args(["-c", &script]).env("POSIXLY_CORRECT", "1").current_dir(folder).output().expect("a shell")
}

#[test]
fn a_disk_that_is_full_at_the_outputs_costs_no_simulation() {
    let expected = undisturbed(SKIRT);
    let folder = folder();
    let output = limited(folder.path(), SKIRT, expected["walk.glb"].len() * 9 / 10);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(74), "{words}");
    assert!(words.contains("walk.glb: cannot write it") && words.contains("without simulating again"), "{words}");
    assert_eq!(names(folder.path()), [".walk.glb.toile-checkpoint"]);
    let again = run(folder.path(), SKIRT);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert!(stderr(&again).contains("going on after 23 of 23 frames"), "{}", stderr(&again));
    assert!(files(folder.path()) == expected);
}

#[test]
fn a_disk_that_is_full_at_the_report_costs_no_simulation() {
    let folder = folder();
    fs::write(folder.path().join("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n").expect("a file");
    let line = ["--garment", "sheet.obj", "--pin", "vertex:0,1", "--pin-to", "world", "--frames", "0..5"];
    let line = [&line[..], &["--out", "sheet.pc2", "--report", "sheet.html"]].concat();
    let output = limited(folder.path(), &line, 20_000);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(74), "{words}");
    assert!(words.contains("sheet.html") && words.contains("the same command with --force"), "{words}");
    assert_eq!(names(folder.path()), [".sheet.pc2.toile-checkpoint", "sheet.obj", "sheet.pc2"]);
    let again = run(folder.path(), &[&line[..], &["--force"]].concat());
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert!(stderr(&again).contains("going on after 66 of 66 frames"), "{}", stderr(&again));
    assert_eq!(names(folder.path()), ["sheet.html", "sheet.obj", "sheet.pc2"]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_a_note_and_the_bake_goes_on() {
    let folder = folder();
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/short_skirt.obj");
    let mesh = mesh.to_str().expect("a readable path");
    let line = ["--garment", mesh, "--pin", "loop:top", "--frames", "0..5", "--preroll", "0", "--out", "walk.pc2"];
    let output = limited(folder.path(), &[&line[..], &["--checkpoint-every", "0.000001"]].concat(), 4096);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(74), "{words}");
    assert_eq!(words.matches("no checkpoint was written, the bake goes on").count(), 1, "{words}");
    assert!(words.contains("walk.pc2: cannot write it") && words.contains("nothing is kept"), "{words}");
    assert_eq!(names(folder.path()), [] as [&str; 0]);
    assert_eq!(run(folder.path(), &line).status.code(), Some(0));
}

#[test]
fn what_is_no_place_for_files_is_told_with_its_name() {
    let folder = folder();
    let output = run(folder.path(), &["flag", "--frames", "0..1", "--out", "/proc/flag.glb"]);
    assert_eq!(output.status.code(), Some(74), "{}", stderr(&output));
    assert!(stderr(&output).contains("/proc: cannot write into this folder"), "{}", stderr(&output));
}

#[test]
fn links_and_pipes_in_the_place_of_an_output_are_replaced_only_when_told_and_never_followed() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("precious"), "precious").expect("a file");
    std::os::unix::fs::symlink(at("precious"), at("a.pc2")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("b.pc2")).status().expect("mkfifo runs").success());
    let line = ["flag", "--frames", "0..1", "--preroll", "0", "--out", "a.pc2", "--out", "b.pc2"];
    let refused = run(folder.path(), &line);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    let forced = run(folder.path(), &[&line[..], &["--force"]].concat());
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    assert_eq!(fs::read(at("precious")).expect("a file"), b"precious");
    for name in ["a.pc2", "b.pc2"] {
        assert!(at(name).symlink_metadata().expect("a file").is_file(), "{name}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_fault_and_a_full_stdout_is_one() {
    let folder = folder();
    let line = |name| ["flag", "--frames", "0..1", "--preroll", "0", "--json", "--out", name];
    let mut child =
        bake(folder.path(), &line("a.pc2")).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("toile runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = bake(folder.path(), &line("b.pc2")).stdout(full).output().expect("toile runs");
    assert_eq!(output.status.code(), Some(74), "{}", stderr(&output));
}

#[test]
fn a_checkpoint_is_written_never_when_told_so() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    let line = ["bake", "flag", "--frames", "0..5000", "--checkpoint-every", "0", "--out", "flag.glb"];
    let mut child = command.args(line).current_dir(folder.path()).stderr(Stdio::piped()).spawn().expect("toile runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    assert!(lines.by_ref().any(|line| line.expect("text").contains("frames, ")));
    signal(&child, "-INT");
    lines.for_each(drop);
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

#[test]
fn of_a_bake_that_diverges_the_good_frames_can_be_kept() {
    let line = [
        "flag",
        "--frames",
        "0..40",
        "--preroll",
        "0",
        "--integrator",
        "explicit_euler",
        "--substeps",
        "1",
        "--out",
        "a.pc2",
    ];
    let folder = folder();
    let output = run(folder.path(), &line);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.contains("diverged at particle") && words.contains("of the garment's file"), "{words}");
    assert!(words.contains("--keep-partial writes frames 0 to "), "{words}");
    assert_eq!(names(folder.path()), [] as [&str; 0]);
    let partly = run(folder.path(), &[&line[..], &["--keep-partial", "--report", "r.json"]].concat());
    let words = stderr(&partly);
    assert_eq!(partly.status.code(), Some(3), "{words}");
    assert_eq!(names(folder.path()), ["a.pc2", "r.json"]);
    let report: serde_json::Value = serde_json::from_slice(&files(folder.path())["r.json"]).expect("JSON");
    let last = report["frames"]["last"].as_i64().expect("a frame");
    assert!((0..40).contains(&last) && words.contains(&format!("frames 0 to {last} are written")), "{words}");
    let bytes = &files(folder.path())["a.pc2"];
    assert_eq!(u32::from_le_bytes(bytes[28..32].try_into().expect("four bytes")), last as u32 + 1);
}
