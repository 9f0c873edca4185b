//! One run behind a handle: the kernel, the writer of its journal, and the requests that wait for
//! an answer. If `handle` fails, the run is unchanged.
//!
//! The kernel decides (`holm-kernel/src/run/`), the host stores and performs. This file has no
//! clock: every time comes from the caller. It keeps a request only until its answer, because an
//! effect shows a request without its messages. JavaScript sees these functions through
//! `bindings/run.rs`; requests of providers are encoded in `wire/codec.rs`.
//!
//! Where things are:
//! - `session/journal.rs`: runs from journals: replay, fork, resume, and checks of a journal.
//! - `session/effect.rs`: the form in which a host sees an effect.

mod effect;
mod journal;

#[cfg(test)]
mod tests;

pub use journal::{inspect, prefix, replay_effects};

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use holm_kernel::{
    CallId, Config, Effect, Input, Message, ModelCallId, Request, Run, Seq, SpawnRequest, Started, Timestamp,
    ToolCallId,
    journal::{self as records, JournalWriter, Snapshot, StepError},
};
use serde::Serialize;

use self::effect::EffectView;
use crate::{BindingError, BindingErrorKind, text};

/// A run, together with everything that a JavaScript host needs for it.
///
/// The order is the same as for every host: [`handle`](Self::handle) a fact, append the line that
/// it returns, then [`poll`](Self::poll) until `wait`, and perform the effects.
#[derive(Debug)]
pub struct WasmSession {
    /// Identifies the session, so that a codec never mixes the encoded messages of two runs.
    number: u64,
    run: Run,
    writer: JournalWriter,
    /// The model calls that wait for an answer. It is a list, because there are only a few at a time.
    requests: Vec<(ModelCallId, Request)>,
    /// The child runs that wait for their result.
    spawns: Vec<(ToolCallId, SpawnRequest)>,
}

impl WasmSession {
    /// Starts a run and returns the first line of its journal. Poll as after any other input.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] if the configuration cannot be parsed,
    /// [`BindingErrorKind::Payload`] if it cannot be journaled.
    pub fn start(run: &str, seed: u64, config: &str, now: u64) -> Result<(Self, String), BindingError> {
        let config: Config = text::read(config, "configuration")?;
        let started = Started::new(run, seed, config);
        let (run, writer, line) =
            records::begin(started, Timestamp::new(now)).map_err(|error| step_error(&error))?;
        Ok((Self::of(run, writer), line))
    }

    fn of(run: Run, writer: JournalWriter) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { number, run, writer, requests: Vec::new(), spawns: Vec::new() }
    }

    /// Handles one fact and returns the line to append before anything else is done.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`], [`BindingErrorKind::Misuse`] or
    /// [`BindingErrorKind::Payload`]; the run is unchanged.
    pub fn handle(&mut self, now: u64, input: &str) -> Result<String, BindingError> {
        let input: Input = text::read(input, "input")?;
        let answered_call = match &input {
            Input::ModelFinished { .. } | Input::Summarised { .. } | Input::ChildFinished { .. } => {
                input.call()
            }
            _ => None,
        };
        let line = records::step(&mut self.run, &mut self.writer, Timestamp::new(now), input)
            .map_err(|error| step_error(&error))?;
        if let Some(call) = answered_call {
            self.forget(call);
        }
        Ok(line)
    }

    /// The next effect as JSON; `{"wait":…}` ends every drain.
    ///
    /// An effect says what to do, but does not contain everything that is needed for it. A model
    /// request is shown by its epochs and counts, so a step costs the same in a conversation of any
    /// length. [`request`](Self::request) and the codecs have the rest.
    pub fn poll(&mut self) -> String {
        let effect = self.run.poll();
        let shown = text::json(&EffectView::of(&effect));
        match effect {
            Effect::CallModel { call, request } | Effect::Summarise { call, request } => {
                self.requests.push((call, request));
            }
            Effect::Spawn { call, request } => {
                self.spawns.push((call, *request));
            }
            Effect::Abort(call) => self.forget(call),
            Effect::Finish(_) => self.requests.clear(),
            Effect::RunTool { .. }
            | Effect::Judge(_)
            | Effect::Consult(_)
            | Effect::Check { .. }
            | Effect::Emit(_)
            | Effect::Wait(_) => {}
        }
        shown
    }

    /// The complete content of a waiting model call: model, system prompt, tools, output
    /// limit and format, messages.
    ///
    /// # Errors
    /// [`BindingErrorKind::UnknownCall`] if the call was answered or is not a model call.
    pub fn request(&self, call: u64) -> Result<String, BindingError> {
        #[derive(Serialize)]
        struct FullRequest<'a> {
            request: &'a Request,
            messages: &'a [alloc::sync::Arc<Message>],
        }
        let request = self.waiting(call)?;
        Ok(text::json(&FullRequest { request, messages: self.run.messages(request) }))
    }

    /// Narrows the configuration of a child run to what its parent allows.
    ///
    /// # Errors
    /// [`BindingErrorKind::UnknownCall`] if no child waits under this number,
    /// [`BindingErrorKind::BadJson`] if the configuration is invalid.
    pub fn confine(&self, call: u64, config: &str) -> Result<String, BindingError> {
        let spawn = find_waiting(&self.spawns, call)?;
        let mut config: Config = text::read(config, "configuration")?;
        spawn.confine(&mut config);
        Ok(text::json(&config))
    }

    /// The transcript as a JSON array, starting at one message, for a host that has already
    /// shown the earlier ones.
    pub fn transcript(&self, from: u64) -> String {
        let all = self.run.transcript();
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(all.len());
        text::json(&all.get(from..).unwrap_or_default())
    }

    /// Figures of the run: record, time, tokens, money, marks, whether it waits for a prompt, and
    /// the end of the journal.
    pub fn status(&self) -> String {
        let receipt = self.run.receipt();
        text::json(&Status {
            seq: receipt.seq,
            at: receipt.at,
            effects: format!("{:016x}", receipt.effects),
            usage: self.run.usage(),
            spent: self.run.spent(),
            marks: self.run.marks(),
            idle: self.run.is_idle(),
            messages: self.run.transcript().len() as u64,
            head: self.writer.head(),
        })
    }

    /// Record 0: the run's id, seed and configuration.
    pub fn started(&self) -> String {
        text::json(self.run.started())
    }

    /// The state at the last record, to be stored beside the journal as a cache. Take
    /// it after a drain.
    ///
    /// # Errors
    /// [`BindingErrorKind::Snapshot`] if the state cannot be captured.
    pub fn snapshot(&self) -> Result<String, BindingError> {
        let error = BindingError::of(BindingErrorKind::Snapshot);
        let head = self.writer.head().ok_or_else(|| error(records::SnapshotError::Changed))?;
        Snapshot::take(&self.run, head).map(|snapshot| snapshot.encode()).map_err(error)
    }

    /// Identifies this session among all others.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    pub(crate) const fn run(&self) -> &Run {
        &self.run
    }

    /// The request of a call that waits for its answer.
    pub(crate) fn waiting(&self, call: u64) -> Result<&Request, BindingError> {
        find_waiting(&self.requests, call)
    }

    fn forget(&mut self, call: CallId) {
        self.requests.retain(|(waiting, _)| call != *waiting);
        self.spawns.retain(|(waiting, _)| call != *waiting);
    }
}

fn find_waiting<Id: Copy, T>(list: &[(Id, T)], call: u64) -> Result<&T, BindingError>
where
    CallId: PartialEq<Id>,
{
    let found = list.iter().rev().find(|(waiting, _)| CallId::new(call) == *waiting);
    found.map(|(_, value)| value).ok_or_else(|| unknown_call(call))
}

/// Figures of a run.
#[derive(Serialize)]
struct Status {
    /// The record that was handled last.
    seq: Seq,
    at: Timestamp,
    /// The digest of what it caused, as the journal writes it: too large for a number of JavaScript.
    effects: String,
    usage: holm_kernel::Usage,
    spent: holm_kernel::NanoUsd,
    marks: holm_kernel::Marks,
    /// Whether the run waits for a prompt.
    idle: bool,
    /// How long the transcript is.
    messages: u64,
    /// The last record, which the next one follows.
    head: Option<records::Head>,
}

fn unknown_call(call: u64) -> BindingError {
    let message = "waits for an answer; ask between the effect that names it and the answer";
    BindingError::new(BindingErrorKind::UnknownCall, format_args!("no request of call {call} {message}"))
}

fn step_error(error: &StepError) -> BindingError {
    let kind = match error {
        StepError::Misuse(_) | StepError::Append(_) => BindingErrorKind::Misuse,
        StepError::Payload(_) => BindingErrorKind::Payload,
    };
    BindingError::new(kind, error)
}
