//! One run as a state machine: takes facts, decides, and queues commands.
//!
//! [`Run::handle`] takes a fact and [`Run::poll`] returns the commands. This file checks a fact for
//! misuse, numbers records, calls, events and messages, and passes each fact to the file that
//! handles it; decisions belong into those files. Nothing in this folder performs I/O, reads a
//! clock or asks a hook directly. A step takes the phase by value and returns the next one, so no
//! step can forget to set it. The same facts must give the same effects: a changed decision makes
//! replays of existing journals fail and needs a new [`SEMANTICS`](crate::SEMANTICS).
//!
//! Where things are, along the loop:
//!
//! - `run/state.rs`: the state that snapshots store.
//! - `run/history.rs`: the transcript.
//! - `run/trace.rs`: the digest of effects.
//! - `run/turn.rs`: prepares and makes a model call.
//! - `run/reply.rs`: takes its reply.
//! - `run/failure.rs`: takes its failure.
//! - `run/ladder.rs`: changes to a stronger model.
//! - `run/catalogue.rs`, `run/pinned_offer.rs`: the tools and the list that requests carry.
//! - `run/batch.rs`: the calls of one reply and their order.
//! - `run/call.rs`: one call from validation to its sealed result.
//! - `run/permit.rs`: deny, ask or allow.
//! - `run/question.rs`: asks and takes verdicts.
//! - `run/plan.rs`: plan mode.
//! - `run/result_checks.rs`: whether a result is believed.
//! - `run/skill.rs`: contract skills.
//! - `run/retained.rs`: what a compaction keeps.
//! - `run/budget_share.rs`, `run/billing.rs`: reservations and payments.
//! - `run/background.rs`: children that work in the background.
//! - `run/changes.rs`: tools, mode, grants or budget change.
//! - `run/stop.rs`: queues, deadlines, cancelling, the end of a group.
//! - `run/resume.rs`: continues after a crash or on another host.

mod background;
mod batch;
mod billing;
mod budget_share;
mod call;
mod catalogue;
mod changes;
mod failure;
mod history;
mod ladder;
mod past;
mod permit;
mod pinned_offer;
mod plan;
mod question;
mod reply;
mod result_checks;
mod resume;
mod retained;
mod skill;
mod state;
mod stop;
mod trace;
mod turn;

#[cfg(test)]
mod tests;

use alloc::{collections::VecDeque, string::String, sync::Arc, vec::Vec};

use holm_grants::{GrantSet, Mode};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use self::{
    catalogue::RunCatalogue,
    state::{KernelState, RunPhase},
};
use crate::digest::StreamHasher;
use crate::journal::{self, JournalRecord, ReplayError};
use crate::{
    Author, Block, Budget, CallId, Config, Effect, Event, EventId, Input, KernelMisuse, Marks, Message,
    MessageId, Messages, NanoUsd, Numbered, Queue, Request, Role, Seq, Started, Timestamp, ToolCallId,
    ToolOutput, Usage,
};

/// One agent run: a session of one or more prompts.
///
/// A host works in this order: `handle` a fact, append its record durably ([`RecordReceipt`]), then
/// `poll` until [`Effect::Wait`] and perform the effects.
///
/// ```
/// use holm_kernel::{Config, Effect, Ending, Input, ModelSpec, ModelResult, Prompt, Reply, Run, Started, Timestamp, Block};
///
/// let now = Timestamp::new(0);
/// let mut run = Run::start(Started::new("run-1", 7, Config::new(ModelSpec::named("scripted/one"))), now);
/// run.handle(now, Input::Prompted(Prompt::text("What is 2 + 2?")))?;
/// let mut answer = None;
/// loop {
///     match run.poll() {
///         Effect::CallModel { call, .. } => {
///             let reply = Reply { blocks: vec![Block::Text("4".into())], ..Reply::default() };
///             run.handle(now, Input::ModelFinished { call, result: ModelResult::Replied(reply) })?;
///         }
///         Effect::Finish(ending) => answer = Some(ending),
///         Effect::Wait(_) => break,
///         _ => {}
///     }
/// }
/// assert_eq!(answer.as_deref(), Some(&Ending::Answered { text: "4".into() }));
/// # Ok::<(), holm_kernel::KernelMisuse>(())
/// ```
#[derive(Debug)]
pub struct Run {
    state: KernelState,
    catalogue: RunCatalogue,
    effects: VecDeque<Effect>,
    digest: StreamHasher,
    next_event: u64,
    /// Models and prompts that requests share.
    shared: turn::SharedRequestParts,
    standing: permit::StandingGrants,
}

/// What a host stores with an input: its number, its time and the digest of its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct RecordReceipt {
    pub seq: Seq,
    /// The record's time, clamped to be monotonic.
    pub at: Timestamp,
    /// A digest over every effect that the record caused.
    pub effects: u64,
}

/// The state of a run at one record, as [`journal::Snapshot`](crate::journal::Snapshot) keeps it.
#[derive(Debug, Deserialize, Read)]
pub(crate) struct SnapshotState {
    state: KernelState,
    catalogue: RunCatalogue,
}

impl Run {
    /// Starts a run by handling record 0. Poll it as after any other input.
    pub fn start(started: Started, now: Timestamp) -> Self {
        let catalogue = RunCatalogue::new(started.config.tools.clone());
        let state = KernelState::new(started, now);
        let shared = turn::SharedRequestParts::new(&state, &catalogue);
        let mut run = Self {
            state,
            catalogue,
            effects: VecDeque::new(),
            digest: StreamHasher::new(),
            next_event: 0,
            shared,
            standing: permit::StandingGrants::default(),
        };
        run.refresh_plan_offer();
        let name = run.config().name.clone();
        run.emit(Event::RunStarted { name });
        run.report_flaws();
        run
    }

    /// Takes one fact.
    ///
    /// # Errors
    /// Only a mistake of the host is an error ([`KernelMisuse`]); it leaves the run unchanged and
    /// is not recorded. Late or duplicate facts about issued calls are recorded and change nothing.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Result<RecordReceipt, KernelMisuse> {
        self.check(&input)?;
        self.state.seq = Seq::new(self.state.seq.value() + 1);
        self.state.now = self.state.now.max(now);
        self.digest = StreamHasher::new();
        self.next_event = 0;
        self.take(input);
        Ok(self.receipt())
    }

    /// Returns the next command; [`Effect::Wait`] ends every drain.
    pub fn poll(&mut self) -> Effect {
        self.effects.pop_front().unwrap_or_else(|| Effect::Wait(self.deadline()))
    }

    /// The receipt of the record that was handled last.
    pub fn receipt(&self) -> RecordReceipt {
        RecordReceipt { seq: self.state.seq, at: self.state.now, effects: self.digest.finish() }
    }

    /// The messages of a request, in order.
    pub fn messages<'a>(&'a self, request: &'a Request) -> &'a [Arc<Message>] {
        match &request.messages {
            Messages::Own(messages) => messages,
            Messages::View { count, .. } => {
                let view = self.state.view.messages();
                let count = usize::try_from(*count).unwrap_or(usize::MAX).min(view.len());
                view.get(..count).unwrap_or(view)
            }
        }
    }

    /// The messages that the next request would show: the transcript after elision and summaries.
    pub fn view(&self) -> &[Arc<Message>] {
        self.state.view.messages()
    }

    /// How many prompts are queued. Hosts limit it, because a sender may send without end.
    pub fn waiting(&self, queue: Queue) -> u64 {
        let line = match queue {
            Queue::Steering => &self.state.steering,
            Queue::FollowUp => &self.state.follow_ups,
        };
        line.len() as u64
    }

    /// The whole transcript: every message ever added, none rewritten. A run that was restored
    /// [without its transcript](crate::journal::Snapshot::without_transcript) only has the later
    /// messages; a [replay](Self::replay) has all of them.
    pub fn transcript(&self) -> &[Arc<Message>] {
        self.state.history.messages()
    }

    /// The first part of an answer, if replies were cut at the output limit and the turn group
    /// ended before the rest came; otherwise empty.
    pub fn unfinished_answer(&self) -> &str {
        &self.state.group.cut_text
    }

    /// How many messages come before those of [`transcript`](Self::transcript).
    pub fn earlier_messages(&self) -> u64 {
        self.state.history.earlier()
    }

    /// Drops the messages so far, which the journal has, so that a long run takes little memory. No
    /// decision depends on them; [`earlier_messages`](Self::earlier_messages) counts them.
    pub fn leave_transcript(&mut self) {
        self.state.history.leave_to_journal(&self.state.gone);
    }

    /// The configuration, with the host's later restrictions.
    pub fn config(&self) -> &Config {
        &self.state.started.config
    }

    /// The content of record 0, with the host's later restrictions.
    pub fn started(&self) -> &Started {
        &self.state.started
    }

    /// Tokens used so far, children included.
    pub fn usage(&self) -> Usage {
        self.state.usage
    }

    /// Money spent so far, children included.
    pub fn spent(&self) -> NanoUsd {
        self.state.spent
    }

    /// The total budget, including what is already spent.
    pub fn budget(&self) -> Budget {
        self.state.budget
    }

    /// The marks of the run.
    pub fn marks(&self) -> Marks {
        self.state.marks
    }

    /// The current mode: the configured one, or the one that the model or a person chose.
    pub fn mode(&self) -> Mode {
        self.state.mode
    }

    /// The mode that people chose. It applies again when the model leaves the plan
    /// mode that it entered.
    pub fn chosen_mode(&self) -> Mode {
        self.state.planning_from.unwrap_or(self.state.mode)
    }

    /// The grants of the run, without leases.
    pub fn grants(&self) -> &GrantSet {
        &self.state.authority.policy.grants
    }

    /// The last message, also if only the journal has it.
    pub fn last_message(&self) -> Option<MessageId> {
        self.state.history.last()
    }

    /// Whether the run waits for a prompt.
    pub fn is_idle(&self) -> bool {
        matches!(self.state.phase, RunPhase::Idle)
    }

    /// The whole arguments of a tool call under way; a [`Proposal`](crate::Proposal) shows
    /// a part of them.
    pub fn arguments(&self, tool_call: ToolCallId) -> Option<&Arc<str>> {
        let batch = match &self.state.phase {
            RunPhase::Working(batch) => batch.slots.as_slice(),
            _ => &[],
        };
        let mut slots = batch.iter().chain(&self.state.background);
        slots.find(|slot| slot.call == tool_call).map(|slot| &slot.arguments)
    }

    /// The result that an [`Effect::Check`] is about.
    pub fn checked_output(&self, tool_call: ToolCallId) -> Option<&ToolOutput> {
        let batch = match &self.state.phase {
            RunPhase::Working(batch) => batch.slots.as_slice(),
            _ => &[],
        };
        let mut slots = batch.iter().chain(&self.state.background);
        slots.find_map(|slot| slot.checked_output().filter(|_| slot.call == tool_call))
    }

    /// The tools that the run knows now, offered or not. This is what its journal says, independent
    /// of the host's tools.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<crate::ToolSpec>> {
        self.catalogue.tools()
    }

    /// The tools that the model knows now: those of its requests, or those that
    /// the text protocol describes.
    pub fn offer(&self) -> &Arc<crate::Offer> {
        self.catalogue.offer()
    }

    /// Folds a journal: the same records give the same run, byte for byte, on every host.
    ///
    /// # Errors
    /// [`ReplayError`] names the record at which the fold fails or decides differently.
    pub fn replay(records: &[JournalRecord]) -> Result<Self, ReplayError> {
        journal::replay(records)
    }

    /// Serialises the state, to be stored beside the journal.
    ///
    /// Call it after a drain: effects that were not polled are not part of it.
    ///
    /// # Errors
    /// If the state cannot be written as JSON, which would be a bug in this crate.
    pub(crate) fn freeze(&self) -> Result<String, serde_json::Error> {
        freeze(&self.state, &self.catalogue)
    }

    /// As [`freeze`](Self::freeze), without the transcript, which the journal has.
    ///
    /// # Errors
    /// The same errors as [`freeze`](Self::freeze).
    pub(crate) fn freeze_without_transcript(&self) -> Result<String, serde_json::Error> {
        let mut state = self.state.clone();
        state.history.leave_to_journal(&state.gone);
        freeze(&state, &self.catalogue)
    }

    /// Restores a run from a snapshot.
    pub(crate) fn thaw(frozen: SnapshotState) -> Self {
        let SnapshotState { mut state, mut catalogue } = frozen;
        catalogue.refresh();
        state.view.relink(state.history.messages());
        let shared = turn::SharedRequestParts::new(&state, &catalogue);
        Self {
            state,
            catalogue,
            effects: VecDeque::new(),
            digest: StreamHasher::new(),
            next_event: 0,
            shared,
            standing: permit::StandingGrants::default(),
        }
    }

    /// Finds mistakes of the host before anything changes.
    fn check(&self, input: &Input) -> Result<(), KernelMisuse> {
        if matches!(input, Input::Started(_)) {
            return Err(KernelMisuse::AlreadyStarted);
        }
        if let Some(call) = input.call().filter(|call| call.value() >= self.state.next_call) {
            return Err(KernelMisuse::UnknownCall(call));
        }
        match input {
            Input::ToolFinished { call, .. } if self.awaits_dispatch(*call) => {
                Err(KernelMisuse::NotDispatched(*call))
            }
            _ => Ok(()),
        }
    }

    /// Handles a fact. The phase is passed by value through every step, and each step returns the
    /// next one, so that no step can forget to set it. Nothing reads the one in the state meanwhile.
    fn take(&mut self, input: Input) {
        if input.is_answer() {
            // The host survived until this answer.
            self.state.group.crashes = 0;
        }
        let phase = core::mem::replace(&mut self.state.phase, RunPhase::Idle);
        self.state.phase = match input {
            // `check` refuses it.
            Input::Started(_) => phase,
            Input::Resumed { host } => self.resumed(phase, host),
            Input::Prompted(mut prompt) => {
                self.add_past(core::mem::take(&mut prompt.past));
                self.prompted(phase, prompt)
            }
            Input::Steered(prompt) => self.steered(phase, prompt),
            Input::FollowedUp(prompt) => self.followed_up(phase, prompt),
            Input::ModelFinished { call, result } => self.model_finished(phase, call, result),
            Input::Judged { call, verdict } => self.judged(phase, call, verdict),
            Input::Consulted { call, answer } => self.consulted(phase, call, answer),
            Input::Dispatched { call } => self.dispatched(phase, call),
            Input::ToolFinished { call, result } => self.tool_finished(phase, call, result),
            Input::Checked { call, ruling } => self.checked(phase, call, ruling),
            Input::ChildStarted { call, child } => {
                // A forked run has its own child in place of the one in its past.
                self.state.children.insert(call, child.clone());
                self.child_started(phase, call, child)
            }
            Input::ChildFinished { call, result } => {
                self.state.children.remove(&call);
                self.child_finished(phase, call, result)
            }
            Input::Summarised { call, result } => self.summarised(phase, call, result),
            Input::ToolsChanged(tools) => self.tools_changed(phase, tools),
            Input::ModeChanged(mode) => self.mode_changed(phase, mode),
            Input::GrantsChanged(grants) => self.grants_changed(phase, grants),
            Input::BudgetChanged(budget) => self.budget_changed(phase, budget),
            Input::Narrowed(narrowing) => self.narrowed(phase, &narrowing),
            Input::Cancelled { reason } => self.cancelled(phase, reason),
            Input::TimePassed => self.time_passed(phase),
        };
    }

    /// Queues a command and adds it to the record's digest.
    fn issue(&mut self, effect: Effect) {
        trace::effect(&mut self.digest, &effect);
        self.effects.push_back(effect);
    }

    fn emit(&mut self, event: Event) {
        let id = EventId { record: self.state.seq, index: self.next_event };
        self.next_event += 1;
        self.issue(Effect::Emit(Numbered { id, at: self.state.now, event }));
    }

    /// Ignores a fact that came too late or twice: the phase stays.
    fn ignore(&mut self, phase: RunPhase, call: impl Into<CallId>) -> RunPhase {
        self.emit(Event::Ignored { call: Some(call.into()) });
        phase
    }

    /// The number of the next piece of work. All kinds of ids share one counter.
    fn next_number(&mut self) -> u64 {
        let number = self.state.next_call;
        self.state.next_call += 1;
        number
    }

    /// Sends a note to the model in the kernel's own name.
    fn note(&mut self, text: String) {
        self.add_note(Role::User, alloc::vec![Block::Text(text)]);
    }

    fn add_note(&mut self, role: Role, blocks: Vec<Block>) -> Arc<Message> {
        self.add_message_by(Author::Kernel, role, blocks)
    }

    /// Adds a message to the transcript and to the view.
    fn add_message(&mut self, role: Role, blocks: Vec<Block>) -> Arc<Message> {
        self.add_message_by(Author::Speaker, role, blocks)
    }

    fn add_message_by(&mut self, author: Author, role: Role, blocks: Vec<Block>) -> Arc<Message> {
        let id = MessageId::new(self.state.next_message);
        self.state.next_message += 1;
        let message = Arc::new(Message { author, ..Message::new(id, role, blocks) });
        self.state.history.push(message.clone());
        if role != Role::Custom {
            self.state.view.push(message.clone(), self.shared.family());
        }
        self.emit(Event::MessageAdded { message: message.clone() });
        message
    }
}

fn freeze(state: &KernelState, catalogue: &RunCatalogue) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct SnapshotStateRef<'a> {
        state: &'a KernelState,
        catalogue: &'a RunCatalogue,
    }
    serde_json::to_string(&SnapshotStateRef { state, catalogue })
}
