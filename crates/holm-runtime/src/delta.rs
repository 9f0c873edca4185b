//! Deltas: the pieces of a reply as they arrive, and the progress of tools. They go to watchers
//! directly and not through the kernel, which gets the finished reply. Dropping one changes
//! nothing.
//!
//! No decision may depend on a delta, and none is journaled; facts about a run are events
//! (`events/mod.rs`). A withdrawn reply is announced by an event, not here. Models send text deltas
//! (`holm-models`), tools send progress through `tool/progress.rs`.

use std::sync::Arc;

use holm_kernel::{CallId, Usage};

/// One piece of a reply. Offsets count bytes, so a watcher can detect missed pieces, and can
/// join after a reconnect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyDelta<'a> {
    /// The provider accepted the call.
    Accepted {
        /// The provider's id of the request, for support cases.
        request: &'a str,
    },
    Text {
        /// Where it begins in the reply's text, all text blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// More reasoning that may be shown.
    Thinking {
        /// Where it begins in the reply's reasoning, all blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// A tool call started.
    ToolCallStarted {
        /// The call's index among the reply's calls, from 0.
        index: u64,
        /// The provider's id of the call.
        id: &'a str,
        name: &'a str,
    },
    /// More of a call's arguments.
    ToolArguments {
        /// The call's index among the reply's calls.
        index: u64,
        /// Where the piece begins in the call's arguments.
        offset: u64,
        /// The piece of JSON text.
        text: &'a str,
    },
    /// The usage of the call so far; it replaces earlier values.
    Usage(Usage),
    /// A tool reports its progress.
    Progress {
        /// What the tool does now.
        text: &'a str,
        /// The amount done, in the tool's own unit.
        done: Option<u64>,
        /// The total amount, in the same unit.
        total: Option<u64>,
    },
}

/// Receives the pieces of replies as they arrive. It is called from the task that reads the
/// connection, so a sink that blocks slows the reply down.
///
/// ```
/// use holm_kernel::CallId;
/// use holm_runtime::{ReplyDelta, DeltaSink};
///
/// let print = |call: CallId, delta: ReplyDelta<'_>| {
///     if let ReplyDelta::Text { text, .. } = delta {
///         println!("{call}: {text}");
///     }
/// };
/// print.delta(CallId::new(1), ReplyDelta::Text { offset: 0, text: "hello" });
/// ```
pub trait DeltaSink: Send + Sync {
    /// Takes one piece of the reply to `call`.
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>);

    /// Creates a sink for one run, if this sink must tell runs apart: deltas do not name their run.
    /// The driver calls it once, before the first delta. `None` means that this sink takes the
    /// deltas of all runs.
    fn of_run(&self, run: &str) -> Option<Arc<dyn DeltaSink>> {
        let _ = run;
        None
    }
}

impl DeltaSink for Arc<dyn DeltaSink> {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        (**self).delta(call, delta);
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn DeltaSink>> {
        (**self).of_run(run)
    }
}

impl<F: Fn(CallId, ReplyDelta<'_>) + Send + Sync> DeltaSink for F {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        self(call, delta);
    }
}

/// A sink that discards all deltas.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullDeltaSink;

impl DeltaSink for NullDeltaSink {
    fn delta(&self, _: CallId, _: ReplyDelta<'_>) {}
}
