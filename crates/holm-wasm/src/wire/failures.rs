//! Turns failed calls into model results, with the classifier of `holm-wire`.

use alloc::string::String;
use alloc::vec::Vec;
use holm_kernel::{FailureClass, ModelResult};
use holm_wire::classify::{self, HttpFailure};

use crate::{BindingError, text};

/// The model result of an HTTP answer that is not a reply. The headers are a JSON array of pairs;
/// `now_ms` is needed to interpret dates.
///
/// # Errors
/// [`BindingErrorKind::BadJson`](crate::BindingErrorKind::BadJson) if the headers are invalid.
pub fn http_failure(status: u16, headers: &str, body: &[u8], now_ms: u64) -> Result<String, BindingError> {
    let headers: Vec<(String, String)> = text::read(headers, "list of headers")?;
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let failure = classify::http(&HttpFailure { status, headers: &headers, body, now_ms: Some(now_ms) });
    Ok(text::json(&ModelResult::Failed(failure)))
}

/// The model result of a call that failed with this class, for instance `network`. The message is
/// limited in length, and keys are removed from it.
///
/// # Errors
/// [`BindingErrorKind::BadJson`](crate::BindingErrorKind::BadJson) if the class is unknown.
pub fn failure(class: &str, message: &str) -> Result<String, BindingError> {
    let class: FailureClass = text::read(&text::json(&class), "class of failures")?;
    Ok(text::json(&ModelResult::Failed(classify::failure(class, message))))
}
