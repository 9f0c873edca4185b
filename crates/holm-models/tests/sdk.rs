//! The provider double is itself checked, by clients that nobody here wrote: the official Python SDKs.
//!
//! `scripts/setup sdks` puts them into the user's cache; without them this test fails and says so.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use holm_testkit::double::{Double, rehearsed};

/// Where set-up puts the SDKs; `HOLM_SDKS` names another place.
fn python() -> Option<PathBuf> {
    let folder = std::env::var_os("HOLM_SDKS").map(PathBuf::from).or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        Some(cache.or(home)?.join("holm/sdks"))
    })?;
    Some(folder.join("bin/python3")).filter(|python| python.exists())
}

#[test]
fn official_sdks_accept_what_the_double_sends() {
    let python = python().expect("the Python SDKs are missing; run scripts/setup sdks");
    let double = Double::answering(rehearsed).expect("a port");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python/test_double.py");
    let output = Command::new(python)
        .arg(tests)
        .env("HOLM_DOUBLE", format!("http://{}", double.address()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // What the machine's environment says about proxies does not concern the loopback interface.
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(double.requests().len() > 40, "the SDKs did call");
}
