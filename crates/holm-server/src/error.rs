//! The errors that keep a server from starting. Errors of requests are in `api_error.rs`.

use std::{io, net::SocketAddr, path::Path};

/// Why a server cannot start, or cannot store its data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// Other machines on the network could read the unencrypted traffic of this address.
    #[error(
        "other machines can reach {0}; pass --certificate and --key, or listen on 127.0.0.1 behind a proxy with TLS"
    )]
    Exposed(SocketAddr),
    /// The system refuses to listen on the address.
    #[error("cannot listen on {address}: {reason}; choose another address")]
    Listen {
        address: SocketAddr,
        /// The error of the system.
        reason: String,
    },
    /// The certificate or its key cannot be used.
    #[error("{place} cannot be used for TLS ({reason}); give a chain and its key as PEM")]
    Certificate { place: String, reason: String },
    /// A file of the server cannot be read or written.
    #[error("{place}: {reason}")]
    File {
        place: String,
        /// The error of the system.
        reason: String,
    },
    /// Another server uses the folder.
    #[error("another server is using {0}; stop it, or choose another folder with --data")]
    Taken(String),
    /// The base path is invalid.
    #[error(
        "`{0}` is not a valid base path; start with a slash, and use only letters, digits, `-`, `_` \
             and `.`"
    )]
    BasePath(String),
    /// The text is not a valid name.
    #[error("`{given}` cannot name {what} ({reason})")]
    Name {
        /// The kind of thing that it should name.
        what: &'static str,
        given: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    #[error("cannot create a token: the system gave no random bytes ({0})")]
    Random(String),
}

impl ServerError {
    /// An input or output error with its path.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::File { place: path.display().to_string(), reason: error.to_string() }
    }
}
