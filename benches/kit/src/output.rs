//! Where figures go, and one session by itself for a profiler.

use std::{env, fs, path::PathBuf, process::ExitCode};

use serde::Serialize;

use crate::System;

/// Next to the build output, which is where nobody commits anything.
pub fn folder() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    exe.parent().and_then(|profile| profile.parent()).map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// Writes a report as `<target>/{name}.json`.
pub fn write(name: &str, report: &impl Serialize) -> ExitCode {
    let path = folder().join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    match fs::write(&path, text) {
        Ok(()) => {
            eprintln!("written: {}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("could not write {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs one session, or only sets it up: `one` or `set-up`, a system, a number of turns. None if they name nothing.
pub fn single<S: System>(what: &str, system: &str, turns: &str) -> Option<()> {
    let (system, turns) = (S::named(system)?, turns.parse().ok()?);
    // What a process does once (tables that are made when they are first needed) is part of neither.
    let mut first = system.prepare(1);
    std::hint::black_box(first.run());
    std::mem::forget(first);
    let mut session = system.prepare(turns);
    if what == "one" {
        std::hint::black_box(session.run());
    }
    // Taking a session apart is nobody's loop.
    std::mem::forget(session);
    Some(())
}
