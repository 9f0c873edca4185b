//! Loads the WASM files of a tool folder as tools. Which files may be loaded is decided before, in
//! `registry/trust_gate.rs`; compiling and describing are in `tool.rs`. Both block, so they never
//! run on an async worker.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use holm_runtime::BoxFuture;
use holm_sandbox::CompileProgress;

use super::{WasmHost, WasmTool};
use crate::registry::{ToolFile, ToolLoadError, ToolLoader, ToolOffer};

/// How a WASM file, module or component, begins.
const MAGIC: &[u8] = b"\0asm";

/// A callback for progress while a guest is compiled.
pub type CompileProgressCallback = Arc<dyn Fn(&Path, CompileProgress) + Send + Sync>;

/// Loads WASM files: see [`WasmTool`].
#[derive(Clone)]
pub struct WasmLoader {
    host: WasmHost,
    progress: CompileProgressCallback,
}

impl WasmLoader {
    /// Loads into this host.
    #[must_use]
    pub fn new(host: &WasmHost) -> Self {
        Self { host: host.clone(), progress: Arc::new(|_, _| {}) }
    }

    /// Whether a file is, or should be, WASM.
    #[must_use]
    pub fn is_wasm(path: &Path, head: &[u8]) -> bool {
        head.starts_with(MAGIC) || path.extension().is_some_and(|ending| ending == "wasm")
    }

    /// Sets the callback for compile progress, which is called ten times a second.
    #[must_use]
    pub fn on_progress(mut self, progress: CompileProgressCallback) -> Self {
        self.progress = progress;
        self
    }
}

impl fmt::Debug for WasmLoader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WasmLoader").field("host", &self.host).finish_non_exhaustive()
    }
}

impl ToolLoader for WasmLoader {
    fn claims(&self, path: &Path, head: &[u8]) -> bool {
        Self::is_wasm(path, head)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        let (host, progress) = (self.host.clone(), Arc::clone(&self.progress));
        let (name, path, bytes) = (found.name.to_owned(), found.path.to_owned(), found.bytes.to_vec());
        let (sidecar, standing) = (found.sidecar.cloned(), found.standing);
        Box::pin(async move {
            // Compiling waits for a child, and describing runs the guest: neither belongs
            // on an async worker.
            let opened = tokio::task::spawn_blocking(move || {
                let mut tell = |step: CompileProgress| progress(&path, step);
                let opened = WasmTool::open(&host, &name, &bytes, sidecar.as_ref(), standing, &mut tell);
                let disclosure = sidecar.and_then(|sidecar| sidecar.disclosure).unwrap_or_default();
                opened.map(|(tool, inspection)| tool.offer(inspection.warnings).disclosure(disclosure))
            });
            let opened = opened.await.map_err(|error| ToolLoadError::unavailable(error.to_string()))?;
            opened.map(|offer| vec![offer])
        })
    }
}
