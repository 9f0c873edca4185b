//! codex's public scenarios for its patch format, against our tool. `scripts/fetch-suites patches`
//! fetches them, and `scripts/prove patches` runs this test; none of them is in the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Bench;

/// Scenarios that end differently here on purpose, and what stands in the folder then.
const DIFFERENT: [(&str, &str); 4] = [
    // A patch is applied whole or not at all.
    ("015_failure_after_partial_success_leaves_changes", "input"),
    // A file that is there is not lost without a word: `write` replaces one.
    ("010_move_overwrites_existing_destination", "input"),
    ("011_add_overwrites_existing_file", "input"),
    // A carriage return alone is no line end, as in git.
    ("024_preserves_mixed_line_endings", "input"),
];

/// Scenarios of the pinned commit.
const SCENARIOS: usize = 25;

#[tokio::test]
#[ignore = "needs codex's scenarios, which `scripts/prove patches` fetches"]
async fn patches_end_as_in_codex_except_where_we_differ_on_purpose() {
    let mut wrong = Vec::new();
    let scenarios = scenarios();
    assert_eq!(scenarios.len(), SCENARIOS, "{scenarios:?}");
    for scenario in scenarios {
        let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
        let bench = Bench::new();
        for (path, bytes) in files(&scenario.join("input")) {
            bench.put(&path, bytes);
        }
        let patch = std::fs::read_to_string(scenario.join("patch.txt")).unwrap();
        let output = bench.call("patch", json!({ "diff": patch })).await;
        let after = DIFFERENT.iter().find(|(other, _)| *other == name).map_or("expected", |(_, after)| after);
        let (found, meant) = (files(&bench.work()), files(&scenario.join(after)));
        if found != meant {
            wrong.push(format!("{name}: {}\nfound {found:#?}\nmeant {meant:#?}", output.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The folders of the scenarios, in their order.
fn scenarios() -> Vec<PathBuf> {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let suites = named("HOLM_SUITES").or_else(|| Some(cache()?.join("holm").join("suites")));
    let folder = suites.expect("HOLM_SUITES, XDG_CACHE_HOME or HOME is set").join("patches");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}; run `scripts/fetch-suites patches` to fetch the scenarios", folder.display())
    });
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// All files of a folder, with text that shows line ends.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    found
}
