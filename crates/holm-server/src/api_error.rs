//! The error response of the API: an HTTP status, a code for programs, and a message for people.
//! Errors that keep a server from starting are in `error.rs`. The codes are part of the API and are
//! matched elsewhere (`jobs/attempt_runner.rs`), so they must not change. A message never contains
//! a path of the machine: such errors of the store become a general one.

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Seconds after which a session whose server lost its lease is usually resumed.
const RESUMED_AFTER: u64 = 30;

/// An error response of the API.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub status: StatusCode,
    /// The error code for programs.
    pub code: &'static str,
    /// The message for people.
    pub message: String,
    /// Seconds after which the client may retry.
    pub retry_after: Option<u64>,
}

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    pub error: ProblemDetail,
}

/// An error, for programs and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemDetail {
    /// A code for programs.
    pub code: String,
    /// A message for people.
    pub message: String,
}

impl ApiError {
    /// An error with a status.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    /// The request is invalid.
    pub fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "a token is needed: `authorization: Bearer …`")
    }

    /// A token that this server does not know.
    pub fn wrong_token() -> Self {
        let message = "unknown token: it was mistyped, revoked, or made for another server";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// The token does not allow this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// There is no such resource, or not for this user; the response does not say which.
    pub fn missing(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}"))
    }

    /// The request conflicts with the current state.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// Too many requests or too much work at once.
    pub fn busy(code: &'static str, message: impl Into<String>, retry_after: u64) -> Self {
        let refusal = Self::new(StatusCode::TOO_MANY_REQUESTS, code, message);
        Self { retry_after: Some(retry_after), ..refusal }
    }

    /// The server lost its lease with the connection to the database.
    pub(crate) fn lease_lost() -> Self {
        let message = "this server lost the database, so it stopped the run and its tools; a server that reaches the database resumes it";
        let refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, "lease_lost", message);
        Self { retry_after: Some(RESUMED_AFTER), ..refusal }
    }

    /// The server failed; it is not the client's fault.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let detail = ProblemDetail { code: self.code.into(), message: self.message };
        let mut answer = (self.status, Json(Problem { error: detail })).into_response();
        if let Some(seconds) = self.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            answer.headers_mut().insert(http::header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }
}

impl From<holm_store::StoreError> for ApiError {
    fn from(error: holm_store::StoreError) -> Self {
        use holm_store::StoreError;
        match &error {
            StoreError::Missing { .. } | StoreError::Erased { .. } => Self::missing("session"),
            StoreError::Exists { .. } => Self::conflict("exists", error.to_string()),
            StoreError::Busy { .. } => Self::conflict("driven_elsewhere", error.to_string()),
            StoreError::LeaseLost => Self::lease_lost(),
            StoreError::BadName { .. } | StoreError::BadLabel { .. } | StoreError::TooShort { .. } => {
                Self::bad("bad_request", error.to_string())
            }
            StoreError::Full => {
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "full", "the store is full; free some space")
            }
            // These messages of the store may contain paths of the machine, which clients must not
            // see.
            StoreError::OutOfOrder { .. }
            | StoreError::Uncertain { .. }
            | StoreError::NotAJournal(_)
            | StoreError::NotStarted { .. }
            | StoreError::Damaged { .. }
            | StoreError::Foreign { .. }
            | StoreError::Newer { .. }
            | StoreError::KeyNeeded
            | StoreError::WrongKey
            | StoreError::NotEncrypted
            | StoreError::ReadOnly { .. }
            | StoreError::Locked { .. }
            | StoreError::Unsynced { .. }
            | StoreError::NoBlob { .. }
            | StoreError::BlobChanged { .. }
            | StoreError::System { .. } => Self::failed("the store failed; the server's log says why"),
        }
    }
}
