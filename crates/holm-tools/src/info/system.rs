//! The `system_info` tool: the kind of machine.

use std::{env::consts, fmt::Write, fs, thread};

use holm_grants::Level;
use holm_runtime::{ClosureTool, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Characters of the system's own name that are shown.
const LONGEST: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
struct SystemInfoArguments {}

pub(super) fn tool() -> ClosureTool<impl JsonSchema> {
    let text = "Describes the machine that tools run on: operating system, processor, number of cores.";
    blocking_tool("system_info", text, |_: SystemInfoArguments, _| {
        told(fs::read_to_string("/etc/os-release").ok().as_deref())
    })
    .level(Level::None)
}

/// The machine in a few lines; `release` is what the distribution says of itself.
pub(super) fn told(release: Option<&str>) -> String {
    let mut out = format!("system: {}", consts::OS);
    if let Some(name) = release.and_then(pretty_name) {
        let _ = write!(out, " ({name})");
    }
    let _ = write!(out, "\nprocessor: {}", consts::ARCH);
    if let Ok(cores) = thread::available_parallelism() {
        let _ = write!(out, "\ncores: {cores}");
    }
    out
}

fn pretty_name(release: &str) -> Option<String> {
    let line = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name: String =
        line.trim().trim_matches('"').chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}
