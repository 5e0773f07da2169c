//! The fuzz targets on a stable compiler: all seeds, everything that once went wrong, and a while of mutations of them.
//!
//! `TOILE_FUZZ_SECONDS=600 cargo test --release --test fuzzing` goes on longer, with `TOILE_FUZZ_TARGET=checkpoint` on one target
//! alone; `cargo test --test fuzzing -- --ignored` writes the seeds for `cargo fuzz run TARGET` to `fuzz/corpus`.

#[path = "../glb/mod.rs"]
mod glb;
mod mutate;
mod seeds;
#[allow(unreachable_pub)] // it is a library of its own for the fuzzer
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// Time for mutations of each target when nobody says.
const SECONDS: u64 = 3;
/// Longest that a few kilobytes may take, in an unoptimised build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn folder(parent: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(parent).join(target)
}

/// Files that once made a target fail, smallest first.
fn regressions(target: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder("tests/fuzzing/regressions", target)) else { return Vec::new() };
    let mut files: Vec<Vec<u8>> = entries.map(|e| fs::read(e.expect("an entry").path()).expect("a file")).collect();
    files.sort_by_key(|file| (file.len(), file.clone()));
    files
}

/// Tries a target; on failure the bytes stay in a file.
fn attempt((name, target): Target, bytes: &[u8]) {
    let start = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    if done.is_err() || start.elapsed() > PATIENCE {
        let path = std::env::temp_dir().join(format!("toile_fuzz_{name}_{}", bytes.len()));
        fs::write(&path, bytes).expect("a file");
        panic!("{name} fails or takes {:.1} s: {}", start.elapsed().as_secs_f64(), path.display());
    }
}

#[test]
fn seeds_are_read_and_what_once_failed_does_no_more() {
    for target in TARGETS {
        let seeds = seeds::of(target.0);
        assert!(!seeds.is_empty(), "{} has no seed", target.0);
        seeds.iter().chain(&regressions(target.0)).for_each(|bytes| attempt(target, bytes));
    }
}

#[test]
fn mutated_files_do_no_harm() {
    let seconds = std::env::var("TOILE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(SECONDS);
    let only = std::env::var("TOILE_FUZZ_TARGET").ok();
    for target in TARGETS.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let mut seeds = seeds::of(target.0);
        seeds.extend(regressions(target.0));
        let mut mutator = Mutator::new(0x7011e);
        let (start, mut tries) = (Instant::now(), 0_u64);
        while start.elapsed() < Duration::from_secs(seconds) {
            attempt(target, &mutator.mutated(&seeds));
            tries += 1;
        }
        println!("{}: {tries} mutated files", target.0);
    }
}

#[test]
#[ignore = "writes the seeds for the fuzzer"]
fn seeds_for_the_fuzzer() {
    for (name, _) in TARGETS {
        let folder = folder("fuzz/corpus", name);
        fs::create_dir_all(&folder).expect("a folder");
        for (i, seed) in seeds::of(name).iter().chain(&regressions(name)).enumerate() {
            fs::write(folder.join(format!("seed_{i:02}")), seed).expect("a seed");
        }
    }
}
