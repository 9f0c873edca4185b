//! Keeps the last words of the user in view, and the facts for the note, within the limit of
//! [`ContextPolicy::verbatim_tokens`].
//!
//! The facts themselves are in `context/retained_facts.rs`, and `context/cut.rs` leaves the kept
//! messages in place. Both take at most an eighth of the target each: otherwise a long prompt would
//! leave no room for the work.

use alloc::vec::Vec;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::{
    retained_facts::{RetainedCall, RetainedFile},
    view::{ContextView, index},
};
use crate::{Block, ContextPolicy, MessageId};

/// The most messages of the user that stay.
const MOST_WORDS: u64 = 16;

/// Words and facts each take at most this part of the target (as a divisor).
const WORDS_PART: u64 = 8;

/// How much of what the user said stays in view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(super) struct WordLimit {
    pub(super) tokens: u64,
    pub(super) messages: u64,
}

impl WordLimit {
    pub(super) const fn is_nothing(&self) -> bool {
        self.tokens == 0 && self.messages == 0
    }
}

impl ContextView {
    /// Sets how much stays, for a plan with this target. What no longer fits may
    /// leave, the oldest first.
    pub(super) fn limit_words(&mut self, policy: &ContextPolicy, target: u64) {
        let tokens = policy.verbatim_tokens.min(target / WORDS_PART);
        let most = policy.max_messages.map_or(MOST_WORDS, |most| (most / WORDS_PART).min(MOST_WORDS));
        let messages = if tokens == 0 { 0 } else { most };
        self.word_limit = WordLimit { tokens, messages };
        self.forget_words();
    }

    /// Keeps one more message of the user. One that takes more than half of the limit would push
    /// the others out, so it only stays while it is the prompt.
    pub(super) fn keep_word(&mut self, at: u64) {
        if self.measure(at).tokens <= self.word_limit.tokens / 2 {
            self.words.push(at);
            self.forget_words();
        }
    }

    fn forget_words(&mut self) {
        let mut tokens = 0_u64;
        let mut keep = 0;
        for at in self.words.iter().rev() {
            tokens = tokens.saturating_add(self.measure(*at).tokens);
            if tokens > self.word_limit.tokens || keep >= self.word_limit.messages {
                break;
            }
            keep += 1;
        }
        let leaving = self.words.len().saturating_sub(index(keep));
        let forgotten: Vec<u64> = self.words.drain(..leaving).collect();
        for at in forgotten {
            self.may_leave(at);
        }
    }

    /// Remembers the facts of a message with results.
    pub(crate) fn keep_facts(&mut self, facts: CallFacts, message: MessageId) {
        for call in facts.calls {
            self.facts.keep_call(RetainedCall { message, ..call });
        }
        for file in facts.files {
            self.facts.keep_file(RetainedFile { message, ..file });
        }
    }

    /// The facts that the note repeats if everything before `at` leaves.
    pub(super) fn kept_before(&self, at: u64) -> Vec<Block> {
        let upto = self.messages.get(index(at)).map_or(MessageId::new(u64::MAX), |message| message.id);
        self.facts.blocks(self.family, self.word_limit.tokens, upto)
    }

    /// The tokens that the facts of a note take at the most.
    pub(super) const fn kept_room(&self) -> u64 {
        if self.facts.is_empty() { 0 } else { self.word_limit.tokens }
    }
}

/// The facts of one batch of calls.
#[derive(Debug, Default)]
pub(crate) struct CallFacts {
    pub(crate) calls: Vec<RetainedCall>,
    pub(crate) files: Vec<RetainedFile>,
}
