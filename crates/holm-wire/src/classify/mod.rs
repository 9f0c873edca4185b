//! Classifies failures by what can be done about them.
//!
//! The kernel decides about retries and fallback by the class, and about waiting by the time that
//! the provider asks for. Both must therefore be right for every provider's way to report a
//! failure: by status, by code, by type, or only in text. Nothing is tried again here;
//! `holm-kernel/src/run/failure.rs` decides that. A new spelling of an error belongs in the word
//! lists below.
//!
//! Where things are:
//! - `body.rs`: finds message and codes in a body, and removes keys from messages.
//! - `retry_after.rs`: how long to wait. `time.rs`: dates in headers.

mod body;
mod retry_after;
mod time;

#[cfg(test)]
mod tests;

pub use body::{ErrorBody, MAX_MESSAGE};
pub use retry_after::{MAX_RETRY_AFTER_MS, duration_ms, retry_after_ms};
pub use time::{http_date_ms, rfc3339_ms};

use alloc::{format, string::String};

use holm_kernel::{Failure, FailureClass, Usage};
use holm_read::ReadError;

/// An HTTP answer that is not a reply.
#[derive(Debug, Clone, Copy)]
pub struct HttpFailure<'a> {
    pub status: u16,
    /// The headers, with names in any case.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, as far as the host has read it.
    pub body: &'a [u8],
    /// The host's time in milliseconds since 1970, to interpret dates.
    pub now_ms: Option<u64>,
}

/// Classifies an HTTP answer that is not a reply.
///
/// ```
/// use holm_kernel::FailureClass;
/// use holm_wire::classify::{HttpFailure, http};
///
/// let failure = http(&HttpFailure {
///     status: 429,
///     headers: &[("Retry-After", "2")],
///     body: br#"{"error":{"message":"Slow down","type":"rate_limit_error"}}"#,
///     now_ms: None,
/// });
/// assert_eq!((failure.class, failure.retry_after_ms), (FailureClass::RateLimited, Some(2000)));
/// assert_eq!(failure.message, "status 429: Slow down");
/// ```
pub fn http(answer: &HttpFailure<'_>) -> Failure {
    let error = ErrorBody::read(answer.body);
    let class = class_of(Some(answer.status), &error);
    let wait = retry_after_ms(answer.headers, answer.now_ms).or(error.retry_after_ms);
    let message = match error.message.as_str() {
        "" => format!("status {}", answer.status),
        text => format!("status {}: {text}", answer.status),
    };
    let wait = wait.filter(|_| class.is_transient());
    let message = match wait.filter(|wait| *wait >= LONG_WAIT_MS) {
        Some(wait) => format!("{message}; it asks to wait {} s", wait.div_ceil(1_000)),
        None => message,
    };
    Failure { retry_after_ms: wait, ..failure(class, &message) }
}

/// A longer wait than this is named in the message, because the run ends instead.
const LONG_WAIT_MS: u64 = 60_000;

/// Classifies an error object inside a stream, or in a body with status 200.
pub fn in_stream(json: &[u8]) -> Failure {
    let error = ErrorBody::read(json);
    let class = class_of(error.status, &error);
    let message = if error.message.is_empty() { error.words.clone() } else { error.message.clone() };
    Failure {
        retry_after_ms: error.retry_after_ms.filter(|_| class.is_transient()),
        ..failure(class, &message)
    }
}

/// Whether a body is a web page. Captive portals and proxies send them with any status.
pub fn web_page(body: &[u8]) -> Option<Failure> {
    let text = body.trim_ascii_start();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.first() != Some(&b'<') {
        return None;
    }
    let message = "the server sent a web page instead of a model's reply; check the base URL and any proxy";
    Some(failure(FailureClass::Network, message))
}

/// A failure without usage or waiting time. The message is limited in length, and keys
/// are removed from it.
pub fn failure(class: FailureClass, message: &str) -> Failure {
    let message = body::tidy(message);
    Failure { class, message, retry_after_ms: None, usage: Usage::default() }
}

/// The failure for a reply body that is not JSON of the expected shape. The provider has answered,
/// so the class says that it charges for the answer.
pub fn unreadable(body: &[u8], error: &ReadError) -> Failure {
    if let Some(page) = web_page(body) {
        return page;
    }
    if error.is_end() {
        return failure(FailureClass::Truncated, "the reply's body ends in the middle");
    }
    let start = String::from_utf8_lossy(body.get(..80).unwrap_or(body));
    failure(FailureClass::Truncated, &format!("the reply cannot be read; it begins {start:?}"))
}

/// Determines the class: first by the text where status codes are known to be wrong, then by the
/// status, then by the text.
fn class_of(status: Option<u16>, error: &ErrorBody) -> FailureClass {
    let says = |needles: &[&str]| needles.iter().any(|needle| error.words.contains(needle));
    let quota = says(QUOTA) && error.retry_after_ms.is_none();
    match status {
        Some(402) => FailureClass::Quota,
        Some(429) if quota => FailureClass::Quota,
        Some(429) => FailureClass::RateLimited,
        Some(529) => FailureClass::Overloaded,
        Some(503) => FailureClass::Overloaded,
        Some(401) => FailureClass::Auth,
        Some(403) if says(FILTER) => FailureClass::ContentFilter,
        Some(403) if quota => FailureClass::Quota,
        Some(403) => FailureClass::Auth,
        Some(413) => FailureClass::ContextOverflow,
        Some(408 | 409 | 425) => FailureClass::Server,
        Some(500..=599) if says(OVERFLOW) => FailureClass::ContextOverflow,
        Some(500..=599) if says(OVERLOADED) => FailureClass::Overloaded,
        Some(500..=599) => FailureClass::Server,
        Some(400..=499) => by_words(error, quota).unwrap_or(FailureClass::BadRequest),
        Some(_) | None => by_words(error, quota).unwrap_or(FailureClass::Server),
    }
}

fn by_words(error: &ErrorBody, quota: bool) -> Option<FailureClass> {
    let says = |needles: &[&str]| needles.iter().any(|needle| error.words.contains(needle));
    [
        (says(OVERFLOW), FailureClass::ContextOverflow),
        (quota, FailureClass::Quota),
        (says(FILTER), FailureClass::ContentFilter),
        (says(RATE), FailureClass::RateLimited),
        (says(OVERLOADED), FailureClass::Overloaded),
        (says(AUTH), FailureClass::Auth),
        (says(BAD), FailureClass::BadRequest),
    ]
    .into_iter()
    .find_map(|(matches, class)| matches.then_some(class))
}

// Lower-case fragments of codes, types and messages, in the spellings of all providers.

const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size",
    "string_above_max_length",
    "maximum context length",
    "maximum prompt length",
    "maximum input length",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "input token length too long",
    "too many input tokens",
    "too many tokens",
    "exceeds the context",
    "exceed context limit",
    "exceeds context limit",
    "exceeds the maximum number of tokens",
    "exceeds the available context size",
    "exceeds the model's maximum context",
    "exceeded model token limit",
    "context window exceeds",
    "context window of",
    "larger than the context",
    "reduce the length of the messages",
    "range of input length should be",
    "request_too_large",
];

const QUOTA: &[&str] = &[
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credits",
    "insufficient funds",
    "credit balance is too low",
    "exceeded your current quota",
    "billing_hard_limit",
    "billing_not_active",
    "billing hard limit",
    "access_terminated",
    "out of credits",
    "requires more credits",
    "payment required",
    "arrearage",
];

const FILTER: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "content management policy",
    "responsibleaipolicyviolation",
    "prohibited_content",
    "prohibited content",
    "data_inspection_failed",
    "datainspectionfailed",
    "content blocked",
    "content filtering policy",
    "flagged as potentially violating",
    "moderation",
    "invalid_prompt",
];

const RATE: &[&str] = &[
    "rate_limit",
    "rate limit",
    "ratelimit",
    "too many requests",
    "too_many_requests",
    "throttling",
    "resource_exhausted",
    "tokens per min",
    "requests per min",
];

const OVERLOADED: &[&str] = &[
    "overloaded",
    "at capacity",
    "over capacity",
    "server is busy",
    "engine_overloaded",
    "slow_down",
    "unavailable",
    "no available capacity",
];

const AUTH: &[&str] = &[
    "authentication_error",
    "permission_error",
    "permission_denied",
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "unauthenticated",
    "unauthorized",
    "accessdenied",
    "unrecognizedclient",
    "expiredtoken",
];

const BAD: &[&str] = &[
    "invalid_request_error",
    "invalid_argument",
    "validationexception",
    "not_found_error",
    "model_not_found",
    "unsupported",
    "failed_precondition",
];
