//! The same bits everywhere: short bakes against the hashes of their positions. `.ci/other_processors` holds other processors
//! to the same hashes.

use std::process::Command;

use serde_json::Value;

/// Hashes and the arguments they belong to.
const GOLDEN: &str = include_str!("data/golden.txt");

fn position_hash(arguments: &[&str], threads: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.arg("bake").args(arguments).args(["--threads", threads, "--json", "--out", "bake.pc2"]);
    let output = command.current_dir(folder.path()).output().expect("toile runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {message}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    report["position_hash"].as_str().expect("a hash").to_owned()
}

#[test]
fn bakes_give_the_bits_they_always_gave() {
    let lines = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    let mut differing = Vec::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let golden = words.next().expect("a hash");
        let arguments: Vec<&str> = words.collect();
        for threads in ["1", "3"] {
            let found = position_hash(&arguments, threads);
            if found != golden {
                differing.push(format!("{found} {} (with {threads} threads)", arguments.join(" ")));
            }
        }
    }
    assert!(differing.is_empty(), "not what it was:\n{}", differing.join("\n"));
}
