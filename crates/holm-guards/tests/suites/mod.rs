//! Finds the public suites that `make setup` fetches.

use std::path::PathBuf;

use holm_guards::json::Json;

/// The folder of one suite. A missing suite is a failure: an oracle that is
/// silently skipped proves nothing.
pub(crate) fn folder(name: &str) -> PathBuf {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let suites = named("HOLM_SUITES").or_else(|| Some(cache()?.join("holm").join("suites")));
    let suites = suites.expect("HOLM_SUITES, XDG_CACHE_HOME or HOME is set");
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
