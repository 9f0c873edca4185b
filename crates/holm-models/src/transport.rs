//! The interface between model calls and their transport: a real connection, a recorder, or a
//! recording.
//!
//! The implementations are in `http.rs` and `cassette.rs`. Secrets are in a separate field, so
//! that no implementation logs them by mistake.

use std::fmt;

use bytes::Bytes;
use holm_kernel::FailureClass;
use holm_runtime::BoxFuture;
use holm_wire::HttpMethod;
use secrecy::SecretString;

/// Sends one request and returns the answer.
pub trait Transport: Send + Sync {
    /// Sends a request. The future completes when the head of the answer has arrived. Dropping the
    /// future, or the body later, closes the connection.
    fn send(
        &self,
        request: TransportRequest,
    ) -> BoxFuture<'static, Result<TransportResponse, TransportError>>;
}

/// An outgoing request. Its `Debug` form shows neither the body nor a secret.
#[derive(Clone)]
pub struct TransportRequest {
    pub method: HttpMethod,
    /// The full URL. It contains no secret.
    pub url: String,
    /// Headers without secrets, which may be logged.
    pub headers: Vec<(String, String)>,
    /// Headers with secrets, which must never be logged.
    pub secrets: Vec<(String, SecretString)>,
    pub body: Bytes,
}

impl fmt::Debug for TransportRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.method;
        out.debug_struct("TransportRequest")
            .field("method", &method)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// The head of an answer, with a body that is still to be read.
pub struct TransportResponse {
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn ResponseBody>,
}

impl TransportResponse {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A body that arrives in pieces.
pub trait ResponseBody: Send {
    /// The next piece, or `None` at the end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// Why the transport failed. All errors except the last two may be temporary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The connection could not be opened.
    #[error("cannot connect to {reason}; check the network, the base URL and any proxy")]
    Connect {
        /// The host, and the system's error message.
        reason: String,
    },
    /// Nothing arrived within the timeout.
    #[error("{what} within {millis} ms; try again, or allow more time")]
    Late {
        /// What did not arrive.
        what: &'static str,
        /// How long the wait was.
        millis: u64,
    },
    /// The connection broke before the end.
    #[error("the connection broke ({reason})")]
    Broken {
        /// The system's error message.
        reason: String,
    },
    /// The request cannot be sent at all.
    #[error("the request cannot be sent ({reason}); check the base URL and the key")]
    Unsendable { reason: String },
    /// The recording does not contain the request.
    #[error("the recording has no answer to this ({reason}); record it again")]
    NotRecorded {
        /// The request, and what the recording contains.
        reason: String,
    },
}

impl TransportError {
    /// How the kernel should treat the failure.
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Connect { .. } | Self::Late { .. } | Self::Broken { .. } => FailureClass::Network,
            Self::Unsendable { .. } | Self::NotRecorded { .. } => FailureClass::BadRequest,
        }
    }
}
