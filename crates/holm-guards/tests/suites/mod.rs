//! Finds the public suites that `make setup` fetches.

use std::path::PathBuf;

use holm_guards::json::Json;

/// The folder of one suite. A missing suite is a failure: an oracle that is silently skipped proves nothing.
pub(crate) fn folder(name: &str) -> PathBuf {
    let suites = std::env::var_os("HOLM_SUITES").map(PathBuf::from).unwrap_or_else(|| {
        let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache");
        std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("holm").join("suites")
    });
    let folder = suites.join(name);
    assert!(
        folder.is_dir(),
        "the test suite `{name}` is not in {}; run `make setup` (or `scripts/fetch-suites`) to fetch it",
        suites.display()
    );
    folder
}

/// Reads one file of a suite.
pub(crate) fn read(path: &std::path::Path) -> Json {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Json::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
