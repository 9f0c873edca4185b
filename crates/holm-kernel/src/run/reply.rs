//! Takes a model's reply: pays for it, reads it, and decides what it means: calls, an answer, a
//! refusal, or a reply that was cut.
//!
//! Finding calls in text is done in `protocol/`, running them in `run/batch.rs`, failures in
//! `run/failure.rs`, and poor work is reported to `run/ladder.rs`. Results in a reply are removed,
//! since only the kernel answers calls. A call that is not run must not stay in the transcript
//! without an answer.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Run,
    state::{ConsultationSubject, PendingModelCall, PreparationStep, RequestDraft, RunPhase},
};
use crate::digest::StreamHasher;
use crate::protocol::{self, ParsedReply};
use crate::{
    Announcements, Block, ConsultPoint, Ending, Event, Failure, FailureClass, Limit, ModelCallId,
    ModelResult, PlainAnswer, Protocol, Question, Reply, Role, StepCause, StopReason, ToolCall, plain_text,
};

/// The default note for a model whose reply was cut.
const RESUME: &str = "Your reply was cut at the output limit. Continue exactly where it stopped; repeat a \
    call that was cut, in a shorter form.";

/// What stands between the parts of an answer that do not continue each other.
const PARTS: &str = "\n\n";

impl Run {
    pub(super) fn model_finished(
        &mut self,
        phase: RunPhase,
        call: ModelCallId,
        mut result: ModelResult,
    ) -> RunPhase {
        if self.pays_late(call, &result) {
            return self.ignore(phase, call);
        }
        match phase {
            RunPhase::Calling(PendingModelCall { call: waiting, draft, tokens }) if waiting == call => {
                self.learn_count(tokens, &result);
                self.fill_in(tokens, &mut result);
                self.turn_finished(call, draft, result)
            }
            RunPhase::Working(_) => self.skill_replied(phase, call, result),
            other => self.ignore(other, call),
        }
    }

    /// Compares the estimate of a request with what its provider counted, if it did.
    fn learn_count(&mut self, tokens: u64, result: &ModelResult) {
        if let ModelResult::Replied(reply) = result {
            self.state.view.learn_count(tokens, reply.usage.input);
        }
    }

    fn turn_finished(&mut self, call: ModelCallId, draft: RequestDraft, result: ModelResult) -> RunPhase {
        match result {
            ModelResult::Replied(reply) => self.replied(call, draft, reply),
            ModelResult::Aborted(reply) => {
                let message = String::from("the host stopped the call");
                let usage = reply.usage;
                let failure = Failure { class: FailureClass::Network, message, retry_after_ms: None, usage };
                self.model_failed(call, draft, failure)
            }
            ModelResult::Failed(failure) => self.model_failed(call, draft, failure),
        }
    }

    fn replied(&mut self, call: ModelCallId, draft: RequestDraft, mut reply: Reply) -> RunPhase {
        // Only the kernel writes results: a result in a reply would answer a call that never ran.
        reply.blocks.retain(|block| !matches!(block, Block::ToolResult(_)));
        if is_empty(&reply) {
            let message = String::from("the reply has neither text nor a call");
            let failure =
                Failure { class: FailureClass::Empty, message, retry_after_ms: None, usage: reply.usage };
            return self.model_failed(call, draft, failure);
        }
        let cost = self.account(reply.usage);
        self.emit(Event::replied(call, &reply, cost));
        match reply.stop {
            StopReason::Refusal | StopReason::ContentFilter => self.refused(reply),
            StopReason::MaxTokens => self.cut_short(call, draft, reply),
            StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence | StopReason::Other => {
                self.state.group.turns += 1;
                self.state.group.cuts = 0;
                self.read(reply.blocks)
            }
        }
    }

    fn refused(&mut self, reply: Reply) -> RunPhase {
        self.state.group.turns += 1;
        let reason = plain_text(&reply.blocks);
        self.add_unread(reply.blocks);
        self.finish(Ending::Refused { reason })
    }

    /// The output cap cut the reply: retries with a larger cap, or asks the model to continue.
    fn cut_short(&mut self, call: ModelCallId, mut draft: RequestDraft, reply: Reply) -> RunPhase {
        let recovery = self.config().limits.max_tokens;
        let tries = self.state.group.cuts;
        let cap = draft.cap.or_else(|| self.shared.model().and_then(|model| model.max_output));
        if tries >= recovery.attempts {
            self.state.group.turns += 1;
            self.keep_cut(&reply.blocks);
            self.add_unread(reply.blocks);
            let (used, allowed) = (reply.usage.output, cap.unwrap_or(reply.usage.output));
            return self.finish(Ending::OverLimit { limit: Limit::OutputTokens, used, allowed });
        }
        if let Some(ending) = self.limit_reached() {
            if self.awaits_shares(&ending) {
                // The model continues once the shares are back, as it would at once without them.
                self.state.group.cuts += 1;
                self.ask_to_continue(tries, cap, reply.blocks);
            } else {
                self.keep_cut(&reply.blocks);
                self.add_unread(reply.blocks);
            }
            return self.end_or_wait(ending);
        }
        self.state.group.cuts += 1;
        let raised = recovery.ceiling.and_then(|ceiling| {
            cap.map(|cap| cap.saturating_mul(2).min(ceiling)).filter(|raised| Some(*raised) > cap)
        });
        if let Some(raised) = raised {
            draft.cap = Some(raised);
            self.emit(Event::Withdrawn { call });
            self.emit(Event::OutputCapRaised { attempt: tries + 1, from: cap, to: Some(raised) });
            return self.advance_turn(PreparationStep::Call, draft);
        }
        self.ask_to_continue(tries, cap, reply.blocks);
        self.next_turn()
    }

    /// Keeps what was cut, and tells the model to continue with its next reply.
    fn ask_to_continue(&mut self, tries: u64, cap: Option<u64>, blocks: Vec<Block>) {
        self.state.group.turns += 1;
        self.emit(Event::OutputCapRaised { attempt: tries + 1, from: cap, to: cap });
        self.keep_cut(&blocks);
        self.add_unread(blocks);
        let text = self.config().policy.resume.clone().unwrap_or_else(|| RESUME.to_string());
        self.note(text);
    }

    /// Ends the sentence of a cut reply when a prompt or a child's result comes before the rest:
    /// the next reply also answers that, so it does not continue in the middle.
    pub(super) fn part_answer(&mut self) {
        let cut = &mut self.state.group.cut_text;
        if !cut.is_empty() && !cut.ends_with(PARTS) {
            cut.push_str(PARTS);
        }
    }

    /// Keeps the text of a cut reply as the beginning of the answer, because the model continues
    /// it. The text before a cut call is not kept: the model makes that call again.
    fn keep_cut(&mut self, blocks: &[Block]) {
        if blocks.iter().any(|block| matches!(block, Block::ToolCall(_))) {
            self.state.group.cut_text.clear();
        } else {
            self.state.group.cut_text.push_str(&plain_text(blocks));
        }
    }

    /// The whole answer, of which this reply is the end.
    fn joined(&mut self, text: String) -> String {
        let mut whole = core::mem::take(&mut self.state.group.cut_text);
        if whole.is_empty() {
            return text;
        }
        whole.push_str(&text);
        whole
    }

    /// Keeps the text of a reply whose calls were not read. The transcript must not contain an
    /// unanswered call, and providers refuse a message without content.
    fn add_unread(&mut self, mut blocks: Vec<Block>) {
        blocks.retain(|block| !matches!(block, Block::ToolCall(_)));
        if !blocks.is_empty() {
            self.add_message(Role::Assistant, blocks);
        }
    }

    /// Reads a whole reply by the run's protocol.
    fn read(&mut self, mut blocks: Vec<Block>) -> RunPhase {
        match self.config().protocol {
            Protocol::Native => {
                self.mend_calls(&mut blocks);
                let message = self.add_message(Role::Assistant, blocks);
                if message.tool_calls().next().is_none() {
                    let text = self.joined(message.plain_text());
                    return if self.only_announces(&text) { self.announced(text) } else { self.answer(text) };
                }
                self.state.group.cut_text.clear();
                // The correction helped; a later mistake gets a correction of its own.
                self.state.group.corrected = false;
                self.open_batch(message.tool_calls())
            }
            Protocol::Text => {
                let text = plain_text(&blocks);
                let mut reading = protocol::read_text(&text, &self.config().policy);
                if matches!(reading, ParsedReply::Answer(_) | ParsedReply::Inconclusive(_)) {
                    let whole = self.joined(text);
                    reading = protocol::read_text(&whole, &self.config().policy);
                }
                self.state.group.cut_text.clear();
                self.add_unread(blocks);
                self.read_text(reading)
            }
        }
    }

    fn read_text(&mut self, reading: ParsedReply) -> RunPhase {
        let (name, arguments) = match reading {
            ParsedReply::Tool { name, arguments } | ParsedReply::Skill { name, arguments } => {
                (name, arguments)
            }
            ParsedReply::Answer(text) => return self.answer(text),
            ParsedReply::Inconclusive(text) => return self.inconclusive(&text),
        };
        // The correction helped; a later mistake gets a correction of its own.
        self.state.group.corrected = false;
        let id = alloc::format!("call_{}", self.state.next_call);
        let schema = |tool: &str| self.catalogue.find(tool).map(|entry| &entry.tool.schema);
        let (name, arguments) = if self.catalogue.passes_calls_on() {
            protocol::passed_on(name, arguments)
        } else {
            (name, arguments)
        };
        let (name, arguments) =
            protocol::resolve_alias(&self.config().policy.aliases, name, arguments, schema);
        self.open_batch([ToolCall { id, name, arguments, replay: None }].iter())
    }

    /// Resolves the aliases of a native reply's calls and those that the tool search passes on, and
    /// makes their ids unique.
    fn mend_calls(&mut self, blocks: &mut [Block]) {
        let mut number = self.state.next_call;
        let started = self.state.started.clone();
        let passes_on = self.catalogue.passes_calls_on();
        for block in blocks {
            let Block::ToolCall(call) = block else { continue };
            let ids = &mut self.state.ids;
            if call.id.is_empty() || ids.contains(&id_digest(&call.id)) {
                call.id = protocol::unique_id(|id| ids.contains(&id_digest(id)), number);
            }
            ids.insert(id_digest(&call.id));
            if passes_on {
                let (name, arguments) =
                    (core::mem::take(&mut call.name), core::mem::take(&mut call.arguments));
                (call.name, call.arguments) = protocol::passed_on(name, arguments);
            }
            let aliases = &started.config.policy.aliases;
            if !aliases.is_empty() {
                let (name, arguments) = protocol::resolve_alias(
                    aliases,
                    core::mem::take(&mut call.name),
                    core::mem::take(&mut call.arguments),
                    |tool| self.catalogue.find(tool).map(|entry| &entry.tool.schema),
                );
                call.name = name;
                call.arguments = arguments;
            }
            number += 1;
        }
    }

    /// Handles text without a call.
    fn answer(&mut self, text: String) -> RunPhase {
        if self.wants(ConsultPoint::PlainAnswer) {
            let question = Question::PlainAnswer { text: text.clone() };
            return self.consult(question, ConsultationSubject::PlainAnswer(text));
        }
        self.plain_answer(text)
    }

    /// A plain answer ends the run, unless the policy requires a terminal tool and the model
    /// was not reminded yet.
    pub(super) fn plain_answer(&mut self, text: String) -> RunPhase {
        if let PlainAnswer::RemindOnce(reminder) = &self.config().policy.plain_answer
            && !self.state.group.reminded
        {
            let reminder = reminder.clone();
            self.state.group.reminded = true;
            self.note(reminder);
            return self.next_turn();
        }
        self.natural_stop(Ending::Answered { text })
    }

    /// Whether a native reply announces an action that it could have taken, with a turn
    /// left to take it.
    fn only_announces(&self, text: &str) -> bool {
        self.config().policy.announcements == Announcements::Corrected
            && !self.catalogue.offer().tools.is_empty()
            && self.limit_reached().is_none()
            && protocol::is_announcement(text)
    }

    /// An announcement without its action gets one correction, then a stronger model,
    /// then the ladder's hint. If the model still only announces, the text is the answer,
    /// so no text is lost.
    fn announced(&mut self, text: String) -> RunPhase {
        if self.state.group.corrected {
            let reason = announced_twice(&text);
            if !self.falls_short(StepCause::Inconclusive, &reason) {
                return self.answer(text);
            }
            self.climb();
            if self.state.group.corrected {
                return self.next_turn();
            }
        }
        self.correct()
    }

    fn correct(&mut self) -> RunPhase {
        self.state.group.corrected = true;
        let correction = self.config().policy.inconclusive.correction.clone();
        self.note(correction);
        self.next_turn()
    }

    /// A plan in prose without an action gets one correction.
    fn inconclusive(&mut self, text: &str) -> RunPhase {
        if self.state.group.corrected {
            let reason = announced_twice(text);
            if !self.falls_short(StepCause::Inconclusive, &reason) {
                let what = String::from("reply");
                return self.finish(Ending::Rejected { what, reason: self.last_reason(&reason) });
            }
            self.climb();
            // The next model was not corrected yet; the last one was, and had its hint.
            if self.state.group.corrected {
                return self.next_turn();
            }
        }
        self.correct()
    }
}

fn announced_twice(text: &str) -> String {
    let said = crate::visible_text::visible_bounded(text, 200);
    alloc::format!("the model announced an action twice but did not act: {said}")
}

/// If two ids have the same digest, one of them is merely replaced.
fn id_digest(id: &str) -> u64 {
    StreamHasher::new().str(id).finish()
}

/// A refusal may be without text, and a cap may have cut a reply during thinking. Any other reply
/// must contain something to act on.
fn is_empty(reply: &Reply) -> bool {
    let wordless = match reply.stop {
        StopReason::Refusal | StopReason::ContentFilter | StopReason::MaxTokens => true,
        StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence | StopReason::Other => false,
    };
    !wordless
        && !reply.blocks.iter().any(|block| match block {
            Block::Text(text) => !text.trim().is_empty(),
            Block::ToolCall(_) | Block::Image(_) | Block::File(_) => true,
            Block::Thinking(_) | Block::ToolResult(_) | Block::Custom(_) => false,
        })
}
