//! The modules are a pipeline: each uses only those above it in the order of `src/lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// From the first stage to the last.
const ORDER: [&str; 16] = [
    "geometry",
    "import",
    "topology",
    "body",
    "pins",
    "springs",
    "carry",
    "correction",
    "simulate",
    "bake",
    "assets",
    "preview",
    "report",
    "verify",
    "preset",
    "cli",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Names of modules after `crate::` in code; links in comments may point anywhere.
fn used_modules(source: &str) -> Vec<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|known| *known == module)
}

#[test]
fn every_module_uses_only_those_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (layer, module) in ORDER.iter().enumerate() {
        for file in sources(&root.join(module)) {
            for used in used_modules(&fs::read_to_string(&file).expect("a source file")) {
                if rank(&used).is_none_or(|used| used > layer) {
                    wrong.push(format!("{} uses crate::{used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_its_place_in_the_order() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("lib.rs");
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.split(';').next());
    let mut modules: Vec<&str> = modules.collect();
    let mut order = ORDER.to_vec();
    modules.sort_unstable();
    order.sort_unstable();
    assert_eq!(modules, order);
}
