//! Removes the oldest turns from the view and puts the note about them in their place.
//!
//! Whole turns leave, never a part of one, so that no call loses its result: providers refuse such
//! a request. The task, the latest prompt, the last words of the user and standing orders stay.
//! This file does not decide when to cut (`context/plan.rs` and `context/overflow.rs` do), and the
//! transcript keeps every message.

use alloc::{sync::Arc, vec::Vec};

use super::{
    compaction_note::CompactionNote,
    estimate::{self, MessageSize},
    view::{ContextView, SummaryPermission, index},
};
use crate::{Message, MessageId};

/// The target that a cut must reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CutTarget {
    /// Tokens in view after it.
    pub(super) tokens: u64,
    /// Messages in view after it.
    pub(super) messages: u64,
}

/// Where to cut, and how much that frees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ViewCut {
    /// The first message that is kept whole.
    pub(super) at: u64,
    pub(super) tokens: u64,
    pub(super) messages: u64,
}

impl ContextView {
    /// The smallest cut that reaches the goal, or else the largest possible one; `None`
    /// if nothing would leave.
    ///
    /// It looks only at turns that the cut would remove, so the cost is bounded by what leaves.
    pub(super) fn find_cut(&mut self, goal: CutTarget, keep_start: u64) -> Option<ViewCut> {
        let mut cut = ViewCut { at: self.head, tokens: 0, messages: 0 };
        let mut next = 1;
        while cut.at < keep_start {
            let end = self.turns.get(next).copied()?.min(keep_start);
            next += 1;
            for at in cut.at..end {
                self.worked(1);
                if !self.stays(at) {
                    cut.tokens = cut.tokens.saturating_add(self.measure(at).tokens);
                    cut.messages += 1;
                }
            }
            cut.at = end;
            let tokens = self.tokens.saturating_sub(cut.tokens);
            let messages = (self.messages.len() as u64).saturating_sub(cut.messages);
            if tokens <= goal.tokens && messages <= goal.messages {
                break;
            }
        }
        (cut.messages > 0).then_some(cut)
    }

    /// Removes everything before `at`. A summary in view stays; the note beside it counts
    /// what has left since.
    pub(super) fn drop_before(&mut self, at: u64) {
        let leaving = self.leaving(at);
        let last = self.last_leaving(at).unwrap_or_default();
        let digest = match self.digest.clone() {
            Some(digest) if digest.summary.is_some() => digest,
            Some(digest) => CompactionNote { id: last, ..digest },
            None => CompactionNote { id: last, summed: 0, gone: 0, summary: None, kept: Vec::new() },
        };
        self.cut(at, CompactionNote { gone: digest.gone.saturating_add(leaving.messages), ..digest });
    }

    /// What leaves if everything before `at` leaves; the note is not counted.
    pub(super) fn leaving(&mut self, at: u64) -> ViewCut {
        let mut cut = ViewCut { at, tokens: 0, messages: 0 };
        for place in (0..at).filter(|place| !self.remains(*place) && !self.is_digest(*place)) {
            cut.tokens = cut.tokens.saturating_add(self.measure(place).tokens);
            cut.messages += 1;
        }
        self.worked(at);
        cut
    }

    /// Replaces everything before `at` by the messages that always stay and by the note.
    pub(super) fn cut(&mut self, at: u64, digest: CompactionNote) {
        let digest = CompactionNote { kept: self.kept_before(at), ..digest };
        let message = digest.message();
        let mut head = ViewHead::default();
        for place in 0..at {
            if self.remains(place) {
                head.keep(self, place);
            }
        }
        head.messages.push(Arc::clone(&message));
        head.measures.push(estimate::measure(self.family, &message));
        let length = head.messages.len() as u64;
        self.worked(at.saturating_add(self.messages.len() as u64));

        self.messages.splice(..index(at).min(self.messages.len()), head.messages);
        self.measures.splice(..index(at).min(self.measures.len()), head.measures);
        self.turns.retain(|start| *start >= at);
        let moved = |place: u64| place.saturating_sub(at).saturating_add(length);
        for start in &mut self.turns {
            *start = moved(*start);
        }
        self.task = head.task.or(self.task.filter(|task| *task >= at).map(moved));
        self.prompt = head.prompt.or(self.prompt.filter(|prompt| *prompt >= at).map(moved));
        let later = self.words.iter().copied().filter(|word| *word >= at).map(moved);
        self.words = head.words.into_iter().chain(later).collect();
        self.aged = moved(self.aged);
        self.elided = moved(self.elided);
        self.head = length;
        self.digest = Some(digest);
        self.asked = None;
        self.summaries = SummaryPermission::Welcome;
        self.epoch += 1;
        self.tokens = self.measures.iter().fold(0, |sum, measure| sum.saturating_add(measure.tokens));
        self.recount_old();
    }

    /// The note is the last message of the head.
    pub(super) fn is_digest(&self, at: u64) -> bool {
        self.digest.is_some() && at + 1 == self.head
    }

    /// Whether a message survives a cut; the old note is replaced by the next one.
    fn remains(&self, at: u64) -> bool {
        self.stays(at) && !self.is_digest(at)
    }

    /// The id of the last message that leaves. The note reuses it, so ids stay in order.
    fn last_leaving(&self, at: u64) -> Option<MessageId> {
        let place = (0..at).rev().find(|place| !self.remains(*place))?;
        self.messages.get(index(place)).map(|message| message.id)
    }
}

/// The part of the old beginning that stays.
#[derive(Default)]
struct ViewHead {
    messages: Vec<Arc<Message>>,
    measures: Vec<MessageSize>,
    task: Option<u64>,
    prompt: Option<u64>,
    words: Vec<u64>,
}

impl ViewHead {
    fn keep(&mut self, view: &ContextView, place: u64) {
        let Some(message) = view.messages.get(index(place)) else {
            return;
        };
        let at = self.messages.len() as u64;
        if view.task == Some(place) {
            self.task = Some(at);
        }
        if view.prompt == Some(place) {
            self.prompt = Some(at);
        }
        if view.words.contains(&place) {
            self.words.push(at);
        }
        self.messages.push(Arc::clone(message));
        self.measures.push(view.measure(place));
    }
}
