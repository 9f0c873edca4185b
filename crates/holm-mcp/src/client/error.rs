//! What can go wrong with a server, sorted by blame: the entry, the server, the way to it.

use holm_net::NetError;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::{
    DynamicTransportError,
    streamable_http_client::{AuthRequiredError, InsufficientScopeError, StreamableHttpError},
};
use thiserror::Error;

/// How much of a server's words an error repeats: they are as hostile as everything else that it says.
const LONGEST: usize = 1024;

/// Our own number for an answer that came and cannot be read. No protocol has it; a server that uses it says the same of itself.
pub(crate) const UNREADABLE: i32 = i32::MIN;

/// Why nothing came of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RemoteError {
    /// What it takes to reach it is not there.
    #[error("{0}")]
    NoMeans(String),
    /// Its program was not started.
    #[error("its program was not started: {0}")]
    NotStarted(String),
    /// It could not be spoken with.
    #[error("it cannot be spoken with: {0}")]
    Unreachable(String),
    /// It wants to know who asks, and was not told.
    #[error("it wants a login: {0}")]
    Login(String),
    #[error("it refused ({code}): {message}")]
    Refused {
        code: i32,
        message: String,
    },
    /// It went away while it was asked.
    #[error("it went away{0}")]
    Gone(String),
    /// It broke the protocol.
    #[error("it broke the protocol: {0}")]
    Protocol(String),
    /// A tool of it is another one by now, or gone.
    #[error(
        "`{tool}` is not what it was when it was first seen, so it was not called; look at it with `holm mcp test {server}`, then \
         `holm mcp confirm {server}`"
    )]
    Changed {
        tool: String,
        server: String,
    },
    /// It took too long.
    #[error("it did not answer within {0} s")]
    TimedOut(u64),
    /// It failed a moment ago and is not tried again yet.
    #[error("{why}; tried again in {seconds} s")]
    Resting {
        why: Box<RemoteError>,
        /// How long it rests.
        seconds: u64,
    },
    /// The answer is no longer wanted.
    #[error("the call was stopped; what the server did by then is unknown")]
    Stopped,
}

/// What came of one exchange.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server wants a login, or a wider one.
    Challenged(String),
    /// The line is dead.
    Gone,
    Other(RemoteError),
}

impl From<RemoteError> for Fault {
    fn from(error: RemoteError) -> Self {
        Self::Other(error)
    }
}

impl From<ServiceError> for Fault {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => said(&error).into(),
            ServiceError::TransportClosed => Self::Gone,
            ServiceError::TransportSend(error) => match challenge(&error) {
                Some(challenge) => Self::Challenged(challenge),
                None => Self::Other(RemoteError::Unreachable(cut(&chain(&error)))),
            },
            ServiceError::Timeout { timeout } => Self::Other(RemoteError::TimedOut(timeout.as_secs())),
            other => Self::Other(RemoteError::Protocol(cut(&other.to_string()))),
        }
    }
}

impl From<ClientInitializeError> for Fault {
    fn from(error: ClientInitializeError) -> Self {
        if let Some(challenge) = error.auth_challenge() {
            return Self::Challenged(challenge.to_owned());
        }
        match error {
            // What it said to the older era says more than that it does not know the newer one.
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::from(*fallback),
            ClientInitializeError::JsonRpcError(error) if error.code.0 == UNREADABLE => said(&error).into(),
            other => Self::Other(RemoteError::Unreachable(cut(&chain(&other)))),
        }
    }
}

impl From<StreamableHttpError<NetError>> for Fault {
    fn from(error: StreamableHttpError<NetError>) -> Self {
        match challenge(&error) {
            Some(challenge) => Self::Challenged(challenge),
            None => Self::Other(RemoteError::Unreachable(cut(&chain(&error)))),
        }
    }
}

/// What an answer says that is none.
fn said(error: &ErrorData) -> RemoteError {
    let message = cut(&error.message);
    match error.code.0 {
        UNREADABLE => RemoteError::Protocol(message),
        code => RemoteError::Refused { code, message },
    }
}

/// The challenge that is the reason, if one is.
fn challenge(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(required) = error.downcast_ref::<AuthRequiredError>() {
            return Some(required.www_authenticate_header.clone());
        }
        if let Some(wider) = error.downcast_ref::<InsufficientScopeError>() {
            return Some(wider.www_authenticate_header.clone());
        }
        next = error.source();
    }
    None
}

/// What is behind the layers that the library has for itself: their names tell nobody anything.
fn plain<'e>(error: &'e (dyn std::error::Error + 'static)) -> &'e (dyn std::error::Error + 'static) {
    if let Some(ClientInitializeError::TransportError { error, .. }) =
        error.downcast_ref::<ClientInitializeError>()
    {
        return plain(error);
    }
    if let Some(transport) = error.downcast_ref::<DynamicTransportError>() {
        return plain(&*transport.error);
    }
    if let Some(StreamableHttpError::Client(error)) = error.downcast_ref::<StreamableHttpError<NetError>>() {
        return plain(error);
    }
    error
}

/// The error with its reasons, each once.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let error = plain(error);
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text.push_str(": ");
            text.push_str(&reason);
        }
        next = error.source();
    }
    text
}

/// A server's words, on one line and no longer than anybody reads.
pub(crate) fn cut(text: &str) -> String {
    let cut = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    cut.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
