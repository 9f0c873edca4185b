//! What came of a simulation: everything that anybody could have seen.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use holm_kernel::{
    CallId, Effect, Ending, Event, IdempotencyKey, Input, Message, ModelCallId, Numbered, Request, Run, Seq,
    Timestamp, ToolCallId,
    journal::{Head, Snapshot, SnapshotError},
};

use crate::{Fault, Script, naive::Comparison};

/// What came of a simulation.
#[derive(Debug)]
pub struct Outcome {
    /// The seed it was played with.
    pub seed: u64,
    /// The script that was played.
    pub script: Script,
    /// How each group ended.
    pub endings: Vec<Ending>,
    /// Every record with what it caused, in order.
    pub steps: Vec<Step>,
    /// The journal as text.
    pub journal: String,
    /// Every request to a model, with the messages as they stood then.
    pub sent: Vec<Sent>,
    /// Every tool and child that really ran; crashes do not undo it.
    pub ran: Vec<Ran>,
    /// Where it came to rest.
    pub rest: Rest,
    /// The run as it stands at the end.
    pub run: Run,
    /// Its whole state as text, as a snapshot holds it.
    pub state: String,
    /// How often a host died, could not write, or gave the run away.
    pub takeovers: u64,
    /// Those of the script's faults that really happened, in order.
    pub befell: Vec<Fault>,
    /// How often each call was answered by whoever was asked, heard or not.
    pub answered: BTreeMap<CallId, u64>,
    /// The record since which the world behaves; none if it was played for safety ([`Sim::lively`](crate::Sim::lively)).
    pub calm: Option<u64>,
    /// How far the naive kernel decided the same.
    pub naive: Comparison,
    /// What went wrong while it was played; [`check::all`](crate::check::all) finds the rest.
    pub violations: Vec<Violation>,
}

impl Outcome {
    /// The events in order.
    pub fn events(&self) -> impl Iterator<Item = &Numbered> {
        self.steps.iter().flat_map(Step::events)
    }

    /// The events as JSON Lines.
    pub fn event_bytes(&self) -> String {
        event_lines(self.events())
    }

    /// Whether an event of some kind was emitted.
    pub fn has(&self, is: impl Fn(&Event) -> bool) -> bool {
        self.events().any(|numbered| is(&numbered.event))
    }
}

/// The events as JSON Lines; an event that cannot be written stands there as its error.
pub(crate) fn event_lines<'a>(events: impl Iterator<Item = &'a Numbered>) -> String {
    let mut out = String::new();
    for event in events {
        match serde_json::to_string(event) {
            Ok(line) => out.push_str(&line),
            Err(error) => out.push_str(&error.to_string()),
        }
        out.push('\n');
    }
    out
}

/// The whole state of a run as text, to be compared with another at the same record.
pub(crate) fn state_of(run: &Run, head: Head) -> Result<String, SnapshotError> {
    Snapshot::take(run, head).map(|snapshot| snapshot.encode())
}

/// One record and what it caused.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number.
    pub seq: Seq,
    /// Its time, as the kernel clamped it.
    pub at: Timestamp,
    /// The fact.
    pub input: Input,
    /// What came out, without the closing `Wait`.
    pub effects: Vec<Effect>,
    /// When the kernel wants to be woken.
    pub wait: Option<Timestamp>,
    /// For a verdict: what was asked.
    pub verdict: Option<Verdicted>,
}

impl Step {
    /// The events of this record.
    pub fn events(&self) -> impl Iterator<Item = &Numbered> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Emit(numbered) => Some(numbered),
            Effect::CallModel { .. }
            | Effect::RunTool { .. }
            | Effect::Spawn { .. }
            | Effect::Abort(_)
            | Effect::Judge(_)
            | Effect::Consult(_)
            | Effect::Check { .. }
            | Effect::Summarise { .. }
            | Effect::Finish(_)
            | Effect::Wait(_) => None,
        })
    }
}

/// What somebody had in front of them when they ruled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdicted {
    /// The digest that the proposal showed.
    pub digest: String,
}

/// A request and its messages at that moment.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The record that caused it.
    pub seq: Seq,
    /// Names the call.
    pub call: ModelCallId,
    /// The request.
    pub request: Request,
    /// Its messages.
    pub messages: Vec<Arc<Message>>,
}

/// A side effect that really happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The record handled last when it ran.
    pub seq: Seq,
    /// Names the call.
    pub call: ToolCallId,
    /// The tool.
    pub tool: Arc<str>,
    /// Its idempotency key.
    pub key: IdempotencyKey,
}

/// Where a simulation came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Every group has ended.
    Idle,
    /// Somebody was asked and says nothing.
    AwaitsPerson,
    /// Nothing is under way, nobody was asked, and yet it has not ended.
    Stuck,
    /// It went on and on.
    Endless,
}

/// A promise that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub promise: &'static str,
    /// At which record, where that can be said.
    pub seq: Option<u64>,
    /// What was seen.
    pub message: String,
}

impl Violation {
    pub(crate) fn new(
        promise: &'static str,
        seq: impl Into<Option<Seq>>,
        message: impl Into<String>,
    ) -> Self {
        Self { promise, seq: seq.into().map(Seq::value), message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.promise, self.message)?;
        self.seq.map_or(Ok(()), |seq| write!(out, " (record {seq})"))
    }
}
