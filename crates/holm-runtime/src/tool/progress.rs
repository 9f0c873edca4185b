//! Progress reports of tools, for people who watch. They never reach the model or the journal.
//!
//! Secrets are removed before a text is cut. Length and number are bounded, since a tool may report
//! without end. They travel as deltas (`delta.rs`); a result belongs into the output
//! (`tool/output.rs`).

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_kernel::CallId;

use crate::{DeltaSink, ReplyDelta, SecretRedactor};

/// The most characters of one update: it is a line on a screen.
const LONGEST: usize = 1024;

/// The most updates of one call that reach watchers; later ones are dropped.
const MOST: u64 = 10_000;

/// The progress of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressUpdate {
    /// What the tool does now.
    pub text: String,
    /// The amount done, in any unit.
    pub done: Option<u64>,
    /// The total amount, in the same unit.
    pub total: Option<u64>,
}

impl ProgressUpdate {
    /// An amount done out of a total.
    pub fn of(done: u64, total: u64, text: impl Into<String>) -> Self {
        Self { text: text.into(), done: Some(done), total: Some(total) }
    }
}

impl From<&str> for ProgressUpdate {
    fn from(text: &str) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<String> for ProgressUpdate {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Reports the progress of a tool. Clones report for the same call.
///
/// ```
/// use holm_runtime::{ToolInvocation, ProgressUpdate};
///
/// let job = ToolInvocation::alone("{}");
/// job.progress.say("reading");
/// job.progress.say(ProgressUpdate::of(3, 10, "pages"));
/// ```
#[derive(Clone)]
pub struct ProgressReporter {
    watched: Option<Arc<ProgressTarget>>,
}

struct ProgressTarget {
    call: CallId,
    deltas: Arc<dyn DeltaSink>,
    secrets: SecretRedactor,
    said: AtomicU64,
}

impl ProgressReporter {
    /// A reporter that drops all updates.
    pub const fn silent() -> Self {
        Self { watched: None }
    }

    /// Sends updates to the watchers of the run, with secrets removed.
    pub fn new(call: CallId, deltas: Arc<dyn DeltaSink>, secrets: SecretRedactor) -> Self {
        Self { watched: Some(Arc::new(ProgressTarget { call, deltas, secrets, said: AtomicU64::new(0) })) }
    }

    /// A text without the secrets of the run, for a tool that shortens what it shows: half of a
    /// secret would not be known again.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.watched.as_ref().map_or(Cow::Borrowed(text), |watched| watched.secrets.text(text))
    }

    /// Says something. Long texts are cut, and after very many updates nothing is heard any more.
    pub fn say(&self, update: impl Into<ProgressUpdate>) {
        let Some(watched) = &self.watched else { return };
        if watched.said.fetch_add(1, Ordering::Relaxed) >= MOST {
            return;
        }
        let update = update.into();
        // Cleaned before it is cut, so that no half of a key remains.
        let text = watched.secrets.text(&update.text);
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        watched
            .deltas
            .delta(watched.call, ReplyDelta::Progress { text, done: update.done, total: update.total });
    }
}

impl fmt::Debug for ProgressReporter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ProgressReporter").field("watched", &self.watched.is_some()).finish()
    }
}
