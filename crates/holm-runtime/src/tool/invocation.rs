//! What a tool receives for one approved call.
//!
//! It holds the data of the kernel's request and the handles of this host (stop, progress,
//! threads). It is built, and its `stop` token cancelled, in `driver/perform.rs` and
//! `driver/tasks.rs`.
//! Arguments may contain revealed secrets, so they are never part of debug output. Parsing them
//! into a type is here; the kernel has already validated them against the schema. Inserting secrets
//! and running the call are in `tool/containment.rs`.

use std::{fmt, sync::Arc};

use holm_grants::{CallNeed, DenialSet, GrantSet};
use holm_guards::json::Json;
use holm_kernel::{CallAccess, IdempotencyKey, Timestamp, ToolCallId, ToolRequest};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::{BlockingThreads, ProgressReporter, error_pointer::pointer_at};

/// One approved call of a tool.
///
/// Its arguments may contain secrets that were inserted for this tool only, so they are not part
/// of its debug output.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolInvocation {
    /// Its id within the run.
    pub call: ToolCallId,
    /// Valid arguments in canonical JSON.
    pub arguments: Arc<str>,
    /// The idempotency key: the same for the same call of the same run.
    pub key: IdempotencyKey,
    /// The needs that were allowed for this call. The tool must enforce them.
    pub needs: Arc<[CallNeed]>,
    /// What no call of the run may do. A tool that finds out only while it runs what it will touch
    /// must check this itself.
    pub denials: Arc<DenialSet>,
    /// The grants of the run beyond the call's own needs, for tools that
    /// run programs: see [`ToolRequest::grants`](holm_kernel::ToolRequest).
    pub grants: Arc<GrantSet>,
    /// What it may do. A tool that declares [`PlanAccess::ReadOnly`](holm_kernel::PlanAccess) must
    /// change and send nothing if this is [`CallAccess::ReadOnly`].
    pub access: CallAccess,
    /// When the kernel stops it.
    pub deadline: Timestamp,
    /// Whether it ran before and its answer was lost.
    pub again: bool,
    /// Cancelled when the answer is no longer needed.
    pub stop: CancellationToken,
    /// Reports progress to people.
    pub progress: ProgressReporter,
    /// Threads for code that blocks.
    pub threads: BlockingThreads,
    /// The run that it belongs to, so that resources shared among runs can be divided fairly; empty
    /// if it is unknown.
    pub run: Arc<str>,
}

impl ToolInvocation {
    /// The invocation for a request of the kernel, without progress reporting and
    /// without a shared stop token.
    pub fn new(call: ToolCallId, request: &ToolRequest) -> Self {
        Self {
            call,
            arguments: Arc::clone(&request.arguments),
            key: request.key,
            needs: Arc::clone(&request.needs),
            denials: Arc::clone(&request.denials),
            grants: Arc::clone(&request.grants),
            access: request.access,
            deadline: request.deadline,
            again: request.again,
            stop: CancellationToken::new(),
            progress: ProgressReporter::silent(),
            threads: BlockingThreads::shared(),
            run: Arc::default(),
        }
    }

    /// An invocation outside a run: for tests of a tool and for manual calls.
    ///
    /// ```
    /// use holm_runtime::ToolInvocation;
    ///
    /// let invocation = ToolInvocation::alone(r#"{"path":"notes.md"}"#);
    /// assert!(invocation.needs.is_empty() && !invocation.again);
    /// ```
    pub fn alone(arguments: impl Into<Arc<str>>) -> Self {
        Self {
            call: ToolCallId::new(0),
            arguments: arguments.into(),
            key: IdempotencyKey::from_bytes([0; 16]),
            needs: Arc::default(),
            denials: Arc::default(),
            grants: Arc::default(),
            access: CallAccess::Full,
            deadline: Timestamp::new(u64::MAX),
            again: false,
            stop: CancellationToken::new(),
            progress: ProgressReporter::silent(),
            threads: BlockingThreads::shared(),
            run: Arc::default(),
        }
    }

    /// The same invocation with other arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl Into<Arc<str>>) -> Self {
        self.arguments = arguments.into();
        self
    }

    /// Sets the cancellation token.
    #[must_use]
    pub fn stop(mut self, stop: CancellationToken) -> Self {
        self.stop = stop;
        self
    }

    /// Sets where progress is reported.
    #[must_use]
    pub fn progress(mut self, progress: ProgressReporter) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the threads for blocking code.
    #[must_use]
    pub fn threads(mut self, threads: BlockingThreads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the run that it belongs to.
    #[must_use]
    pub fn run(mut self, run: impl Into<Arc<str>>) -> Self {
        self.run = run.into();
        self
    }

    /// Parses the arguments into a type.
    ///
    /// # Errors
    /// [`ArgumentsError`] if the type rejects what the schema accepted.
    pub fn parse<A: DeserializeOwned>(&self) -> Result<A, ArgumentsError> {
        parse(&self.arguments)
    }
}

impl fmt::Debug for ToolInvocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolInvocation")
            .field("call", &self.call)
            .field("key", &self.key)
            .field("needs", &self.needs)
            .field("deadline", &self.deadline)
            .field("again", &self.again)
            .finish_non_exhaustive()
    }
}

/// Arguments that match the schema but are rejected by the tool's own type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid argument at {location}: {reason}; fix it and call again", location = pointer_text(.pointer))]
pub struct ArgumentsError {
    /// A JSON pointer to the invalid value; empty for the root.
    pub pointer: String,
    /// Why the type rejects it.
    pub reason: String,
}

fn pointer_text(pointer: &str) -> String {
    if pointer.is_empty() { "the root".into() } else { format!("`{pointer}`") }
}

pub(super) fn parse<A: DeserializeOwned>(arguments: &str) -> Result<A, ArgumentsError> {
    serde_json::from_str(arguments).or_else(|error| match with_whole_numbers(arguments) {
        Some(arguments) => {
            serde_json::from_str(&arguments).map_err(|error| arguments_error(&arguments, &error))
        }
        None => Err(arguments_error(arguments, &error)),
    })
}

fn arguments_error(arguments: &str, error: &serde_json::Error) -> ArgumentsError {
    // Canonical JSON has one line, so the column counts the bytes read, including the one that
    // caused the error.
    let pointer = pointer_at(arguments, error.column().saturating_sub(1));
    ArgumentsError { pointer, reason: reason_of(error) }
}

/// The arguments with `5.0` written as `5`: JSON Schema accepts both as integers, serde only the
/// second.
/// `None` if nothing changes.
fn with_whole_numbers(arguments: &str) -> Option<String> {
    let mut json = Json::parse(arguments).ok()?;
    rewrite_integral_floats(&mut json).then(|| json.canonical())
}

fn rewrite_integral_floats(json: &mut Json) -> bool {
    match json {
        Json::Null | Json::Bool(_) | Json::String(_) => false,
        Json::Number(number) => {
            let is_plain_integer = number.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let integer = number.as_i64().map(Json::from).or_else(|| number.as_u64().map(Json::from));
            match integer.filter(|_| !is_plain_integer) {
                Some(integer) => {
                    *json = integer;
                    true
                }
                None => false,
            }
        }
        Json::Array(items) => {
            items.iter_mut().fold(false, |changed, item| rewrite_integral_floats(item) | changed)
        }
        Json::Object(members) => {
            members.values_mut().fold(false, |changed, member| rewrite_integral_floats(member) | changed)
        }
    }
}

/// The text of the error, without the byte position, which does not help the
/// author of the arguments.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}
