//! The interface between folders and kinds of tools: WASM files, programs, agent files and others.
//! Implementations are `program/loader.rs`, `wasm/loader.rs`, `agents/loader.rs` and
//! `holm-mcp/src/loader/mod.rs`. A loader gets the bytes that were hashed, and must not open the
//! path again to read the file.

use std::fs::File;
use std::path::Path;

use holm_runtime::BoxFuture;
use thiserror::Error;

use super::{PinStatus, ToolOffer, ToolSidecar};

/// Turns a file of a tool folder into tools.
///
/// A loader is asked only about trusted files, and only when they appear to be complete. It
/// receives the bytes that were hashed, and never opens the path again to read the file.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_kernel::{ToolOutput, ToolSpec};
/// use holm_runtime::{BoxFuture, tool_fn};
/// use holm_tools::registry::{ToolFile, ToolLoadError, ToolLoader, ToolOffer};
/// use std::{path::Path, sync::Arc};
///
/// /// Every `.txt` file is a tool that says what stands in it.
/// struct ArgumentTexts;
///
/// impl ToolLoader for ArgumentTexts {
///     fn claims(&self, path: &Path, _head: &[u8]) -> bool {
///         path.extension().is_some_and(|extension| extension == "txt")
///     }
///
///     fn load<'a>(
///         &'a self,
///         found: ToolFile<'a>,
///     ) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
///         Box::pin(async move {
///             let text = std::str::from_utf8(found.bytes)
///                 .map_err(|_| ToolLoadError::refused("it is no text"))?
///                 .to_owned();
///             let tool = ToolSpec::new(
///                 found.name,
///                 "Says what it was given.",
///                 Json::object([("type", "object".into())]),
///             );
///             let say = tool_fn(tool, move |_| {
///                 let text = text.clone();
///                 async move { ToolOutput::text(text) }
///             });
///             Ok(vec![ToolOffer::new(Arc::new(say))])
///         })
///     }
/// }
/// ```
pub trait ToolLoader: Send + Sync {
    /// Whether the file is of this loader's kind; `head` is how it begins. The first loader that
    /// says yes gets it.
    fn claims(&self, path: &Path, head: &[u8]) -> bool;

    /// Makes tools of the file. For files that are loaded together, this is called in the order of
    /// their paths. The returned future may take long, and other files are loaded meanwhile.
    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>>;

    /// The resource that loading needs most.
    fn takes(&self) -> LoadResource {
        LoadResource::Processors
    }
}

/// The resource that loading needs most. The number of processors is limited, while a loader that
/// only waits delays no other loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadResource {
    /// Work on this machine, of which only so much is done at a time.
    Processors,
    /// Loading waits for another process or a server.
    Patience,
}

/// A file that was found in a tool folder.
#[derive(Debug, Clone, Copy)]
pub struct ToolFile<'a> {
    pub path: &'a Path,
    /// Its name without the ending: what the tool is called unless it says otherwise.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// The open file that the bytes were read from, for kinds that are started by the system.
    pub file: &'a File,
    /// SHA-256 of the bytes.
    pub sha256: &'a [u8; 32],
    /// The content of `<name>.toml` beside it.
    pub sidecar: Option<&'a ToolSidecar>,
    /// Whether it is the code that a person has confirmed. Replaced code gets none of what
    /// its sidecar asks for.
    pub standing: PinStatus,
}

/// Why a file did not become a tool.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolLoadError {
    /// The file is not valid.
    #[error("{0}")]
    Refused(String),
    /// The file is not the problem: this machine is.
    #[error("cannot inspect it: {0}")]
    Unavailable(String),
    /// Not an error yet: the server behind the file has not answered. The loader
    /// requests [another look](super::ReloadRequester) later.
    #[error("{0}")]
    Later(String),
}

impl ToolLoadError {
    /// An error for a file that is not valid.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }

    /// Something of this machine does not work.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable(reason.into())
    }

    /// Loading takes time; the file is loaded again when it is ready.
    pub fn later(reason: impl Into<String>) -> Self {
        Self::Later(reason.into())
    }
}
