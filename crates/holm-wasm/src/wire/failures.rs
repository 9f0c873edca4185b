//! What went wrong with a call, sorted by the one classifier.

use alloc::string::String;
use alloc::vec::Vec;
use holm_kernel::{FailureClass, ModelResult};
use holm_wire::classify::{self, HttpFailure};

use crate::{Fault, text};

/// The model result of an HTTP answer that is no reply. Headers as a JSON array of pairs; `now_ms` makes sense of dates.
///
/// # Errors
/// [`FaultKind::BadJson`](crate::FaultKind::BadJson) for the headers.
pub fn http_failure(status: u16, headers: &str, body: &[u8], now_ms: u64) -> Result<String, Fault> {
    let headers: Vec<(String, String)> = text::read(headers, "list of headers")?;
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let failure = classify::http(&HttpFailure { status, headers: &headers, body, now_ms: Some(now_ms) });
    Ok(text::json(&ModelResult::Failed(failure)))
}

/// The model result of a call that failed in this class, for instance `network`; the message is bounded and freed of keys.
///
/// # Errors
/// [`FaultKind::BadJson`](crate::FaultKind::BadJson) for an unknown class.
pub fn failure(class: &str, message: &str) -> Result<String, Fault> {
    let class: FailureClass = text::read(&text::json(&class), "class of failures")?;
    Ok(text::json(&ModelResult::Failed(classify::failure(class, message))))
}
