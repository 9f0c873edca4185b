//! The seam between what is said and what carries it: a real connection, a recorder, a recording.

use std::fmt;

use bytes::Bytes;
use holm_kernel::FailureClass;
use holm_runtime::BoxFuture;
use holm_wire::Method;
use secrecy::SecretString;

/// Carries one request and brings the answer.
pub trait Transport: Send + Sync {
    /// Sends a request. The future is ready when the head of the answer is there; dropping it, or the body later, closes
    /// the connection.
    fn send(&self, request: Outgoing) -> BoxFuture<'static, Result<Incoming, TransportError>>;
}

/// A request on its way out. Its `Debug` form shows neither the body nor a secret.
#[derive(Clone)]
pub struct Outgoing {
    pub method: Method,
    /// The full URL; holds no secret.
    pub url: String,
    /// Headers that anybody may see.
    pub headers: Vec<(String, String)>,
    /// Headers that nobody may see.
    pub secrets: Vec<(String, SecretString)>,
    pub body: Bytes,
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.method;
        out.debug_struct("Outgoing").field("method", &method).field("url", &self.url).finish_non_exhaustive()
    }
}

/// The head of an answer, with a body that is still to be read.
pub struct Incoming {
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Body>,
}

impl Incoming {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A body that arrives in pieces.
pub trait Body: Send {
    /// The next piece; none at the end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// The way to the provider failed. All of these may go better another time, except the last two.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No connection came about.
    #[error("no connection ({reason}); check the network, the base URL and any proxy")]
    Connect {
        /// What the system said.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("{what} within {millis} ms; try again, or allow more time")]
    Late {
        /// What did not come.
        what: &'static str,
        /// How long was waited.
        millis: u64,
    },
    /// The connection ended in the middle.
    #[error("the connection broke ({reason})")]
    Broken {
        /// What the system said.
        reason: String,
    },
    /// The request cannot be sent at all.
    #[error("the request cannot be sent ({reason}); check the base URL and the key")]
    Unsendable {
        reason: String,
    },
    /// A recording does not hold what is asked.
    #[error("the recording has no answer to this ({reason}); record it again")]
    NotRecorded {
        /// What was asked and what is there.
        reason: String,
    },
}

impl TransportError {
    /// What the kernel can do about it.
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Connect { .. } | Self::Late { .. } | Self::Broken { .. } => FailureClass::Network,
            Self::Unsendable { .. } | Self::NotRecorded { .. } => FailureClass::BadRequest,
        }
    }
}
