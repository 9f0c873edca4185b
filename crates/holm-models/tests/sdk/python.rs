//! The Python that has the SDKs.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A script of `tests/python`, about to be run with the SDKs.
pub(crate) fn script(name: &str) -> Command {
    let python = python().expect("the Python SDKs are missing; run scripts/setup sdks");
    let mut command = Command::new(python);
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python").join(name))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Where set-up puts the SDKs; `HOLM_SDKS` names another place.
fn python() -> Option<PathBuf> {
    let folder = std::env::var_os("HOLM_SDKS").map(PathBuf::from).or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        Some(cache.or(home)?.join("holm/sdks"))
    })?;
    Some(folder.join("bin/python3")).filter(|python| python.exists())
}
