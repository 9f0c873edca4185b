//! Errors of a server connection, sorted by cause: the entry, the server, or the network between.
//!
//! Text of a server is cut and put on one line before it becomes part of an error. Errors of
//! reading an entry are in `spec/mod.rs`.
//!
//! A failed call becomes an output for the model in `tool.rs`; what is tried again is decided in
//! `remote_server.rs`.

use holm_net::NetError;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::{
    DynamicTransportError,
    streamable_http_client::{AuthRequiredError, InsufficientScopeError, StreamableHttpError},
};
use thiserror::Error;

/// How much of a server's text an error repeats. The text is untrusted, as is everything
/// that a server sends.
const LONGEST: usize = 1024;

/// Our own error code for an answer that arrived and cannot be parsed. No protocol uses it, and a
/// server that did would report the same thing about itself.
pub(crate) const UNREADABLE: i32 = i32::MIN;

/// Why a request to a server failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RemoteServerError {
    /// Holm has no transport that reaches the server.
    #[error("{0}")]
    NoMeans(String),
    /// The server's program was not started.
    #[error("cannot start its program: {0}")]
    NotStarted(String),
    /// The connection or the handshake failed.
    #[error("the connection failed: {0}")]
    Unreachable(String),
    /// The server requires a login, and Holm has none.
    #[error("it requires a login: {0}")]
    Login(String),
    #[error("it refused ({code}): {message}")]
    Refused { code: i32, message: String },
    /// The server went away during the request.
    #[error("it closed the connection{0}")]
    Gone(String),
    /// The server broke the protocol.
    #[error("it broke the protocol: {0}")]
    Protocol(String),
    /// A tool of the server has changed or is gone.
    #[error(
        "`{tool}` changed since you first used it, so it was not called; review it with `holm mcp test \
         {server}`, then `holm mcp confirm {server}`"
    )]
    Changed { tool: String, server: String },
    /// The server took too long.
    #[error("it did not answer within {0} s")]
    TimedOut(u64),
    /// The server failed recently, and Holm does not retry it yet.
    #[error("{why}; retrying in {seconds} s")]
    Resting {
        why: Box<RemoteServerError>,
        /// How long until the next try.
        seconds: u64,
    },
    /// The caller no longer wants the answer.
    #[error("the call was stopped; what the server did by then is unknown")]
    Stopped,
}

/// How one exchange with the server failed.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    /// The server requires a login, or a login with more scopes.
    Challenged(String),
    /// The connection is closed.
    Gone,
    Other(RemoteServerError),
}

impl From<RemoteServerError> for ExchangeError {
    fn from(error: RemoteServerError) -> Self {
        Self::Other(error)
    }
}

impl From<ServiceError> for ExchangeError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => remote_error(&error).into(),
            ServiceError::TransportClosed => Self::Gone,
            ServiceError::TransportSend(error) => match challenge(&error) {
                Some(challenge) => Self::Challenged(challenge),
                None => Self::Other(RemoteServerError::Unreachable(cut(&chain(&error)))),
            },
            ServiceError::Timeout { timeout } => Self::Other(RemoteServerError::TimedOut(timeout.as_secs())),
            other => Self::Other(RemoteServerError::Protocol(cut(&other.to_string()))),
        }
    }
}

impl From<ClientInitializeError> for ExchangeError {
    fn from(error: ClientInitializeError) -> Self {
        if let Some(challenge) = error.auth_challenge() {
            return Self::Challenged(challenge.to_owned());
        }
        match error {
            // The server's answer to the older handshake says more than its rejection of the newer
            // one.
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::from(*fallback),
            ClientInitializeError::JsonRpcError(error) if error.code.0 == UNREADABLE => {
                remote_error(&error).into()
            }
            other => Self::Other(RemoteServerError::Unreachable(cut(&chain(&other)))),
        }
    }
}

impl From<StreamableHttpError<NetError>> for ExchangeError {
    fn from(error: StreamableHttpError<NetError>) -> Self {
        match challenge(&error) {
            Some(challenge) => Self::Challenged(challenge),
            None => Self::Other(RemoteServerError::Unreachable(cut(&chain(&error)))),
        }
    }
}

/// The error for an answer that is not a valid result.
fn remote_error(error: &ErrorData) -> RemoteServerError {
    let message = cut(&error.message);
    match error.code.0 {
        UNREADABLE => RemoteServerError::Protocol(message),
        code => RemoteServerError::Refused { code, message },
    }
}

/// The login challenge that caused the error, if there is one.
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

/// Skips the error layers that `rmcp` adds for itself, because their names tell the user nothing.
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

/// The error followed by its sources, each once.
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

/// A server's text on one line, cut to a readable length.
pub(crate) fn cut(text: &str) -> String {
    let cut = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    cut.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
