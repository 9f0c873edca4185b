//! Preconditions of writes: the `if-match` and `if-none-match` headers.

use holm_tools::{root::WritePrecondition, trust::ContentHash};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::ApiError;

/// The precondition of a request, if it has one.
pub(crate) fn precondition(headers: &HeaderMap) -> Result<Option<WritePrecondition>, ApiError> {
    let bad = || {
        let message = "`if-match` takes one `etag` that this server gave, `if-none-match` takes `*`";
        ApiError::bad("bad_precondition", message)
    };
    match (headers.get(header::IF_MATCH), headers.get(header::IF_NONE_MATCH)) {
        (None, None) => Ok(None),
        (None, Some(none)) if none.as_bytes() == b"*" => Ok(Some(WritePrecondition::Absent)),
        (Some(tag), None) => {
            let tag = tag.to_str().ok().and_then(|tag| tag.strip_prefix('"')?.strip_suffix('"'));
            let hash = tag.and_then(|tag| tag.parse().ok()).ok_or_else(bad)?;
            Ok(Some(WritePrecondition::Is(hash)))
        }
        (Some(_) | None, Some(_)) => Err(bad()),
    }
}

/// As [`precondition`], where one is required.
pub(crate) fn required(headers: &HeaderMap) -> Result<WritePrecondition, ApiError> {
    precondition(headers)?.ok_or_else(|| {
        let message = "send the `etag` that you read as `if-match`, or `if-none-match: *` to create it";
        ApiError::new(StatusCode::PRECONDITION_REQUIRED, "precondition_required", message)
    })
}

/// The content hash of a file as an `etag` header.
pub(crate) fn tag(hash: ContentHash) -> Result<(HeaderName, HeaderValue), ApiError> {
    let value = HeaderValue::from_str(&format!("\"{hash}\""));
    value.map(|value| (header::ETAG, value)).map_err(|_| ApiError::failed("the file has no tag"))
}

/// The error for a client whose version is out of date.
pub(crate) fn changed() -> ApiError {
    let message = "it changed since you read it; read it again";
    ApiError::new(StatusCode::PRECONDITION_FAILED, "changed", message)
}
