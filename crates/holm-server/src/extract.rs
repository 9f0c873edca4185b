//! Parses the parts of a request into types. Every parse error gets the same kind of response.
//!
//! It does not check access (`request_guard.rs`) and does not limit bodies; the guard has done
//! both. `if-match` headers are parsed in `precondition.rs`, and the names themselves in `id.rs`.

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
};
use http::{StatusCode, header::CONTENT_TYPE, request::Parts};
use serde::de::DeserializeOwned;

use crate::{ApiError, suggestion::did_you_mean};

/// A JSON body. It requires the JSON content type, which a form on another site cannot send.
///
/// The server's own types deny unknown fields: a misspelt field would be dropped, and the request
/// would do something else than intended.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        check_json(request.headers())?;
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|_| ApiError::bad("bad_body", "the body cannot be read"))?;
        let read = serde_json::from_slice(&body);
        read.map(Self).map_err(|error: serde_json::Error| {
            let error = error.to_string();
            let message = format!("invalid body: {error}{}", meant(&error));
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_body", message)
        })
    }
}

/// Suggests a known field for an unknown one. Serde reports both only in its message: first the
/// unknown name, then all known ones.
fn meant(error: &str) -> String {
    let Some(message) = error.strip_prefix("unknown field ") else { return String::new() };
    let mut names = message.split('`').skip(1).step_by(2);
    names.next().map(|name| did_you_mean(name, names)).unwrap_or_default()
}

/// Refuses a body without the JSON content type.
pub(crate) fn check_json(headers: &http::HeaderMap) -> Result<(), ApiError> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "send JSON with `content-type: application/json`";
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message))
}

/// The parsed query string.
pub(crate) struct QueryParams<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Query::try_from_uri(&parts.uri);
        let read = read.map_err(|error| ApiError::bad("bad_query", error.body_text()))?;
        Ok(Self(read.0))
    }
}

/// A parsed name from the path.
pub(crate) struct PathParam<T>(pub(crate) T);

impl<S: Send + Sync, T> FromRequestParts<S> for PathParam<T>
where
    T: std::str::FromStr + Send,
    T::Err: Into<ApiError>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        let path = path.map_err(|_| ApiError::bad("bad_id", "the path is not valid UTF-8"))?;
        path.0.parse().map(Self).map_err(Into::into)
    }
}
