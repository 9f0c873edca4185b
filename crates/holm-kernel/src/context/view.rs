//! The view: the part of a transcript that the model is shown, with running sums of its size.
//!
//! It takes new messages, ages old ones and shortens old results. It does not decide when to shrink
//! (`context/plan.rs`), does not remove turns (`context/cut.rs`) and keeps no complete transcript
//! (`run/history.rs`). Adding a message must cost the length of that message and never of the view.
//! Every change other than growth must raise the epoch, because codecs keep the bytes of an
//! unchanged epoch.

use alloc::{sync::Arc, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    compaction_note::CompactionNote,
    envelope_parts,
    estimate::{self, MessageSize},
    retained_facts::RetainedFacts,
    user_words::WordLimit,
};
use crate::{Author, Block, Family, Message, MessageId, Role};

/// The messages that a request shows, in the order of the transcript, with running sums.
///
/// Once something has left it, it begins with a *head*: the first message of a person (the task),
/// the latest prompt, the last words of the user, standing orders, and a note about the rest. After
/// the head come whole *turns*: a prompt, the reply, and the results of its calls. A turn is never
/// split, so no call loses its result.
///
/// Cursors remember how far each kind of work has come, so that a plan looks only at new messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct ContextView {
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) measures: Vec<MessageSize>,
    pub(super) family: Family,
    pub(super) tokens: u64,
    pub(super) epoch: u64,
    /// Where each turn begins; the first begins where the head ends.
    pub(super) turns: Vec<u64>,
    /// Calls of the last reply that have no result yet.
    pub(super) open: u64,
    pub(super) task: Option<u64>,
    pub(super) prompt: Option<u64>,
    pub(super) prompts: PromptTracking,
    pub(super) head: u64,
    pub(super) digest: Option<CompactionNote>,
    /// Messages before this one have been counted into `old`.
    pub(super) aged: u64,
    /// Messages before this one hold no result that could become shorter.
    pub(super) elided: u64,
    /// The removable part of the messages before `aged`.
    pub(super) old: MessageSize,
    pub(super) asked: Option<SummaryRequest>,
    pub(super) summaries: SummaryPermission,
    /// The size that a provider refused as too long, by our estimate.
    pub(super) ceiling: Option<u64>,
    /// What the provider counted for a thousand estimated tokens; zero while that is not known.
    #[serde(default, skip_serializing_if = "crate::message::is_zero")]
    pub(super) counted_milli: u64,
    /// The last words of the user, which stay in view; see [`ContextView::limit_words`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) words: Vec<u64>,
    #[serde(default, skip_serializing_if = "WordLimit::is_nothing")]
    pub(super) word_limit: WordLimit,
    /// What the note about the rest repeats word for word.
    #[serde(default, skip_serializing_if = "RetainedFacts::is_empty")]
    pub(super) facts: RetainedFacts,
    #[cfg(test)]
    #[serde(skip)]
    pub(super) work: u64,
}

/// How the latest prompt is identified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(super) enum PromptTracking {
    /// The prompt was not marked, so the last message of a person counts.
    #[default]
    Guessed,
    /// The prompt was marked with [`ContextView::mark_prompt`].
    Marked,
}

/// A requested summary of everything before this message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(super) struct SummaryRequest {
    pub(super) upto: MessageId,
    pub(super) at: u64,
}

/// Whether the next cut may ask for a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub(super) enum SummaryPermission {
    /// A summary may be requested.
    #[default]
    Welcome,
    /// The last summary was useless; this time the oldest turns leave without one.
    Discarded,
}

impl ContextView {
    /// The messages to show, oldest first.
    pub(crate) fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Changes whenever the view changes other than by growing.
    pub(crate) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Estimated tokens of all messages in view.
    pub(crate) const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Shows one more message. Applications' own records are not shown.
    ///
    /// Costs the length of this message, never of the view (a change of
    /// family excepted, see [`ContextView::retarget`]).
    pub(crate) fn push(&mut self, message: Arc<Message>, family: Family) {
        if message.role == Role::Custom {
            return;
        }
        self.retarget(family);
        let at = self.messages.len() as u64;
        if self.begins_turn(&message) {
            self.turns.push(at);
        }
        self.count_calls(&message);
        if speaks(&message) {
            self.task.get_or_insert(at);
            if self.prompts == PromptTracking::Guessed {
                self.set_prompt(at);
            }
        }
        let is_word = message.author == Author::Speaker && speaks(&message);
        let measure = estimate::measure(family, &message);
        self.tokens = self.tokens.saturating_add(measure.tokens);
        self.measures.push(measure);
        self.messages.push(message);
        if is_word {
            self.keep_word(at);
        }
        self.worked(1);
    }

    /// Marks the last message as the prompt of a new turn group: it stays in view
    /// until the next prompt.
    ///
    /// Without a mark, the last message of a person counts, which may be a mere correction.
    pub(crate) fn mark_prompt(&mut self) {
        self.prompts = PromptTracking::Marked;
        if self.messages.last().is_some_and(|message| speaks(message)) {
            self.set_prompt(self.messages.len() as u64 - 1);
        }
    }

    /// Estimates for another family from now on. Walks the view once if the family is not the same.
    pub(crate) fn retarget(&mut self, family: Family) {
        if self.family == family {
            return;
        }
        self.family = family;
        self.ceiling = None;
        self.counted_milli = 0;
        self.measures = self.messages.iter().map(|message| estimate::measure(family, message)).collect();
        self.tokens = self.measures.iter().fold(0, |sum, measure| sum.saturating_add(measure.tokens));
        self.worked(self.messages.len() as u64);
        self.recount_old();
    }

    /// Shares messages with the transcript again after a snapshot was read, where each
    /// had its own copy.
    ///
    /// `history` is sorted by id. A message that the view shows in a changed form keeps that form.
    pub(crate) fn relink(&mut self, history: &[Arc<Message>]) {
        for shown in &mut self.messages {
            let Ok(at) = history.binary_search_by_key(&shown.id, |message| message.id) else {
                continue;
            };
            if let Some(kept) = history.get(at).filter(|kept| *kept == shown) {
                *shown = Arc::clone(kept);
            }
        }
    }

    /// Where the last `keep` turns begin.
    pub(super) fn keep_start(&self, keep: u64) -> u64 {
        let keep = index(keep.max(1));
        let first = self.turns.len().saturating_sub(keep);
        self.turns.get(first).copied().unwrap_or(self.head)
    }

    /// Counts messages that have grown old by now, each once.
    pub(super) fn age(&mut self, upto: u64) {
        while self.aged < upto {
            let at = self.aged;
            self.aged += 1;
            self.worked(1);
            let measure = self.measure(at);
            self.old.elidable = self.old.elidable.saturating_add(measure.elidable);
            if at >= self.head && !self.stays(at) {
                self.old.tokens = self.old.tokens.saturating_add(measure.tokens);
            }
        }
    }

    /// Counts again what is old, after positions or weights have changed.
    pub(super) fn recount_old(&mut self) {
        let upto = core::mem::take(&mut self.aged);
        self.old = MessageSize::default();
        self.age(upto);
    }

    /// Whether a message always stays in view: the task, the latest prompt, the last words of
    /// the user, standing orders.
    pub(super) fn stays(&self, at: u64) -> bool {
        self.task == Some(at)
            || self.prompt == Some(at)
            || self.words.contains(&at)
            || self.messages.get(index(at)).is_some_and(|message| message.role == Role::System)
    }

    pub(super) fn measure(&self, at: u64) -> MessageSize {
        self.measures.get(index(at)).copied().unwrap_or_default()
    }

    /// Shows a message in another form, in the same place.
    pub(super) fn replace(&mut self, at: u64, message: Message) {
        let after = estimate::measure(self.family, &message);
        let before = self.measure(at);
        let (Some(shown), Some(measure)) =
            (self.messages.get_mut(index(at)), self.measures.get_mut(index(at)))
        else {
            return;
        };
        *shown = Arc::new(message);
        *measure = after;
        self.epoch += 1;
        self.tokens = self.tokens.saturating_sub(before.tokens).saturating_add(after.tokens);
        if at < self.aged {
            self.old.elidable =
                self.old.elidable.saturating_sub(before.elidable).saturating_add(after.elidable);
            if at >= self.head && !self.stays(at) {
                self.old.tokens = self.old.tokens.saturating_sub(before.tokens).saturating_add(after.tokens);
            }
        }
        self.worked(1);
    }

    /// Makes the oldest results before `end` one line each until at most `goal` tokens are in
    /// view or none is left.
    pub(super) fn elide(&mut self, goal: u64, end: u64) {
        while self.tokens > goal && self.elided < end {
            let at = self.elided;
            self.elided += 1;
            self.worked(1);
            if self.measure(at).elidable == 0 {
                continue;
            }
            let elided = self
                .messages
                .get(index(at))
                .and_then(|message| envelope_parts::elide(message, |call| self.arguments_of(at, call)));
            if let Some(message) = elided {
                self.replace(at, message);
            }
        }
    }

    /// The arguments of a call whose result is in the message at `at`: the last reply before
    /// it made the call.
    fn arguments_of(&self, at: u64, call: &str) -> Option<&str> {
        let before = self.messages.get(..index(at))?;
        let reply = before.iter().rev().find(|message| message.role == Role::Assistant)?;
        reply.blocks.iter().find_map(|block| match block {
            Block::ToolCall(made) if made.id == call => Some(made.arguments.as_str()),
            _ => None,
        })
    }

    fn set_prompt(&mut self, at: u64) {
        let before = self.prompt.replace(at);
        // The prompt of the group before may leave now.
        if let Some(before) = before {
            self.may_leave(before);
        }
    }

    /// Counts a message that no longer stays among what is old.
    pub(super) fn may_leave(&mut self, at: u64) {
        if at < self.aged && at >= self.head && !self.stays(at) {
            self.old.tokens = self.old.tokens.saturating_add(self.measure(at).tokens);
        }
    }

    fn begins_turn(&self, message: &Message) -> bool {
        let Some(last) = self.messages.last() else {
            return true;
        };
        let after_input = matches!(last.role, Role::User | Role::System) && !answers(last);
        match message.role {
            Role::Assistant => !after_input,
            Role::User | Role::System => !after_input && self.open == 0 && !answers(message),
            Role::Tool | Role::Custom => false,
        }
    }

    fn count_calls(&mut self, message: &Message) {
        if message.role == Role::Assistant {
            // Calls of an earlier reply that have no result yet will never get one.
            self.open = 0;
        }
        for block in &message.blocks {
            match block {
                Block::ToolCall(_) => self.open = self.open.saturating_add(1),
                Block::ToolResult(_) => self.open = self.open.saturating_sub(1),
                Block::Text(_) | Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) const fn worked(&mut self, steps: u64) {
        self.work += steps;
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "only tests count")]
    pub(super) const fn worked(&mut self, _: u64) {}
}

/// A place in a list; state counts in `u64` on every host.
pub(super) fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Whether a message is a person's word, and not a result in the user's role.
fn speaks(message: &Message) -> bool {
    message.role == Role::User && !answers(message)
}

fn answers(message: &Message) -> bool {
    message.blocks.iter().any(|block| matches!(block, Block::ToolResult(_)))
}
