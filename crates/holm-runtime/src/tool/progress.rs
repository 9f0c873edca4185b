//! What a tool says while it works, for people who watch. Never for the model, never for the journal.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_kernel::CallId;

use crate::{Delta, DeltaSink, Secrets};

/// One update is cut here: it is a line on a screen.
const LONGEST: usize = 1024;

/// Updates of one call that reach watchers; a tool that says more says it to nobody.
const MOST: u64 = 10_000;

/// How far a tool is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// What it does now.
    pub text: String,
    /// How much is done, in whatever unit.
    pub done: Option<u64>,
    /// How much there is, in the same unit.
    pub total: Option<u64>,
}

impl Update {
    /// So much of so much.
    pub fn of(done: u64, total: u64, text: impl Into<String>) -> Self {
        Self { text: text.into(), done: Some(done), total: Some(total) }
    }
}

impl From<&str> for Update {
    fn from(text: &str) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<String> for Update {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Where a tool says how far it is. Clones speak for the same call.
///
/// ```
/// use holm_runtime::{Job, Update};
///
/// let job = Job::alone("{}");
/// job.progress.say("reading");
/// job.progress.say(Update::of(3, 10, "pages"));
/// ```
#[derive(Clone)]
pub struct Progress {
    watched: Option<Arc<Watched>>,
}

struct Watched {
    call: CallId,
    deltas: Arc<dyn DeltaSink>,
    secrets: Secrets,
    said: AtomicU64,
}

impl Progress {
    /// Nobody listens.
    pub const fn silent() -> Self {
        Self { watched: None }
    }

    /// Those who watch the run listen; secrets are taken out on the way.
    pub fn new(call: CallId, deltas: Arc<dyn DeltaSink>, secrets: Secrets) -> Self {
        Self { watched: Some(Arc::new(Watched { call, deltas, secrets, said: AtomicU64::new(0) })) }
    }

    /// A text without the secrets of the run, for a tool that shortens what it shows: half of a secret would not be known again.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.watched.as_ref().map_or(Cow::Borrowed(text), |watched| watched.secrets.text(text))
    }

    /// Says something. Long texts are cut, and after very many updates nothing is heard any more.
    pub fn say(&self, update: impl Into<Update>) {
        let Some(watched) = &self.watched else { return };
        if watched.said.fetch_add(1, Ordering::Relaxed) >= MOST {
            return;
        }
        let update = update.into();
        // Cleaned before it is cut, so that no half of a key is left over.
        let text = watched.secrets.text(&update.text);
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        watched.deltas.delta(watched.call, Delta::Progress { text, done: update.done, total: update.total });
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Progress").field("watched", &self.watched.is_some()).finish()
    }
}
