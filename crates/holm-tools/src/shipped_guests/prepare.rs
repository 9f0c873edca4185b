//! Prepares each guest once, before it is packed into a program: compiles it and asks for its
//! description. It does not run in the finished program. Packing is in `pack.rs`, and reading the
//! result in `guest.rs`. The hashes that it writes bind the code to its guest.

use std::fs;
use std::path::{Path, PathBuf};

use holm_kernel::ToolSpec;
use holm_runtime::Tool as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::guest::hex;
use crate::registry::{PinStatus, ToolSidecar};
use crate::wasm::{WasmHost, WasmTool};

/// The description and the hashes of a prepared guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PrecompiledGuestInfo {
    pub(super) tool: ToolSpec,
    pub(super) keywords: Vec<String>,
    /// The SHA-256 of its code.
    pub(super) code_sha256: String,
    /// The SHA-256 of the guest that the code was made of, by which a build knows whether the
    /// two still belong together.
    pub(super) wasm_sha256: String,
}

impl PrecompiledGuestInfo {
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Why guests could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GuestPrepareError {
    /// A file could not be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A guest could not become a tool.
    #[error("{}: {reason}", path.display())]
    Guest {
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Prepares every guest of `dist`: beside `x.wasm` it writes `x.ready`, its code, and
/// `x.json`, its description. `sources` has a folder for each guest with its `tool.toml`.
/// Returns the names. Blocks.
///
/// # Errors
///
/// At the first guest with which something is wrong.
pub fn prepare(host: &WasmHost, dist: &Path, sources: &Path) -> Result<Vec<String>, GuestPrepareError> {
    let mut names: Vec<String> = fs::read_dir(dist)
        .map_err(|error| file(dist, &error))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".wasm")?.to_owned()))
        .collect();
    names.sort();
    for name in &names {
        one(host, name, dist, &sources.join(name).join("tool.toml"))?;
    }
    Ok(names)
}

fn one(host: &WasmHost, name: &str, dist: &Path, sidecar: &Path) -> Result<(), GuestPrepareError> {
    let path = dist.join(format!("{name}.wasm"));
    let wrong = |reason: String| GuestPrepareError::Guest { path: path.clone(), reason };
    let bytes = fs::read(&path).map_err(|error| file(&path, &error))?;
    let text = fs::read_to_string(sidecar).map_err(|error| file(sidecar, &error))?;
    let sidecar = ToolSidecar::parse(&text).map_err(|error| wrong(error.to_string()))?;
    let (tool, _) = WasmTool::open(host, name, &bytes, Some(&sidecar), PinStatus::Confirmed, &mut |_| {})
        .map_err(|error| wrong(error.to_string()))?;
    let code = holm_sandbox::prepare(&bytes).map_err(|error| wrong(error.to_string()))?;
    let about = PrecompiledGuestInfo {
        tool: tool.declaration().clone(),
        keywords: tool.keywords().to_vec(),
        code_sha256: hex(&Sha256::digest(&code)),
        wasm_sha256: hex(&Sha256::digest(&bytes)),
    };
    let about = serde_json::to_vec(&about).map_err(|error| wrong(error.to_string()))?;
    for (ending, bytes) in [("ready", code), ("json", about)] {
        let path = dist.join(format!("{name}.{ending}"));
        fs::write(&path, bytes).map_err(|error| file(&path, &error))?;
    }
    Ok(())
}

fn file(path: &Path, error: &std::io::Error) -> GuestPrepareError {
    GuestPrepareError::File { path: path.to_owned(), reason: error.to_string() }
}
