//! The errors of local models: why a model file or its worker cannot be used. They are found in
//! `gguf.rs` and `host/`; a failed call becomes a model result in `host/local_connection.rs`.

use std::path::{Path, PathBuf};

use holm_jail::JailError;
use thiserror::Error;

use crate::GgufError;

/// Why a local model cannot be used, sorted by cause: the files, the machine, or the worker.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LocalError {
    /// A file is missing, damaged, of the wrong kind or too large.
    #[error("{}", in_file(.path, .why))]
    File {
        path: PathBuf,
        /// What is wrong with the file.
        why: GgufError,
    },
    /// The adapter was made for another base model.
    #[error("the adapter {} belongs to another model (SHA-256 {wants}); use it with that one, or leave it out", .adapter.display())]
    OtherBase {
        adapter: PathBuf,
        /// The hash of the base model that the adapter names.
        wants: String,
    },
    /// llama.cpp was built for newer processors.
    #[error("this processor lacks {0}, which local models need here; use a model over the network")]
    Processor(&'static str),
    /// The worker cannot be confined or started.
    #[error(transparent)]
    Jail(#[from] JailError),
    /// The worker failed to start.
    #[error("the model does not load: {0}")]
    Refused(String),
    #[error("the local model's process ended: {0}; the next call starts it again")]
    Crashed(String),
}

/// The message for a bad file, which names the file once.
fn in_file(path: &Path, error: &GgufError) -> String {
    match error {
        GgufError::Unreadable { .. } => error.to_string(),
        GgufError::NotGguf
        | GgufError::Version(_)
        | GgufError::Truncated { .. }
        | GgufError::Damaged(_)
        | GgufError::TensorType(_)
        | GgufError::Kind { .. }
        | GgufError::TooBig { .. } => format!("{}: {error}", path.display()),
    }
}
