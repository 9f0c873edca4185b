//! Errors that keep a server from starting.

use std::{io, net::SocketAddr, path::Path};

/// A server cannot begin, or cannot keep what it must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// Other machines on the network could read the unencrypted traffic of this address.
    #[error(
        "{0} can be reached from other machines; give a certificate, or listen on 127.0.0.1 behind a proxy that has one"
    )]
    Exposed(SocketAddr),
    /// The system does not let it listen.
    #[error("cannot listen on {address} ({reason}); choose another address")]
    Listen {
        address: SocketAddr,
        /// What the system said.
        reason: String,
    },
    /// The certificate or its key cannot be used.
    #[error("{place} cannot be used for TLS ({reason}); give a chain and its key as PEM")]
    Certificate {
        place: String,
        reason: String,
    },
    /// A file of the server cannot be read or written.
    #[error("{place}: {reason}")]
    File {
        place: String,
        /// What the system said.
        reason: String,
    },
    /// Another server has the folder.
    #[error("another server works in {0}; stop it, or choose another folder with --data")]
    Taken(String),
    /// A part of the path below which everything is served cannot be one.
    #[error("`{0}` is no base path; begin with a slash, and use letters, digits, `-`, `_` and `.` alone")]
    BasePath(String),
    /// The text is not a valid name.
    #[error("`{given}` cannot name {what} ({reason})")]
    Name {
        /// What it should name.
        what: &'static str,
        given: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    #[error("the system gives no random bytes ({0}); a token cannot be made")]
    Random(String),
}

impl ServerError {
    /// Says at which file the system said no.
    pub(crate) fn file(place: &Path, error: &io::Error) -> Self {
        Self::File { place: place.display().to_string(), reason: error.to_string() }
    }
}
