//! Tracks the sequences of the KV cache: the tokens each one holds, how much of a new prompt is
//! already cached, and which sequence is evicted when there is no room. It is pure bookkeeping; the
//! engine calls llama.cpp.
//!
//! The calls of llama.cpp are in `engine.rs`, which must do what is recorded here.
//!
//! Orders arrive through `worker/mod.rs`.

/// The shortest common beginning that is worth copying.
const WORTH_COPYING: usize = 16;

/// All sequences of the cache.
#[derive(Debug)]
pub(super) struct CacheSequences {
    sequences: Vec<CacheSequence>,
    capacity: usize,
    clock: u64,
}

/// One sequence of the KV cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CacheSequence {
    /// The session that owns the sequence.
    session: Option<u64>,
    /// The tokens in the cache.
    pub(super) tokens: Vec<i32>,
    /// When it was last used.
    used: u64,
    busy: bool,
}

/// The sequence of a prompt, and how much of it is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PromptPlacement {
    pub(super) sequence: usize,
    /// How many tokens of the prompt are already cached.
    pub(super) kept: usize,
    /// The other sequence whose beginning is copied, if any.
    pub(super) copied_from: Option<usize>,
}

/// A sequence that must be evicted from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheEviction {
    /// No prompt uses the sequence.
    Idle(usize),
    /// A prompt uses the sequence, and must start again.
    Working(usize),
}

impl CacheSequences {
    pub(super) fn new(count: usize, capacity: usize) -> Self {
        Self { sequences: vec![CacheSequence::default(); count], capacity, clock: 0 }
    }

    pub(super) fn get(&self, sequence: usize) -> &[i32] {
        self.sequences.get(sequence).map_or(&[], |sequence| sequence.tokens.as_slice())
    }

    /// Assigns a sequence to a prompt: its session's own, a free one, or the one that was idle
    /// longest. Returns `None` while all are busy.
    pub(super) fn place(&mut self, session: u64, prompt: &[i32]) -> Option<PromptPlacement> {
        let own =
            self.sequences.iter().position(|sequence| sequence.session == Some(session) && !sequence.busy);
        let sequence = own.or_else(|| {
            let idle = self.sequences.iter().enumerate().filter(|(_, sequence)| !sequence.busy);
            idle.min_by_key(|(_, sequence)| (sequence.session.is_some(), sequence.used)).map(|(at, _)| at)
        })?;
        let shared = |sequence: &CacheSequence| sequence.shared(prompt);
        let own_prefix = self.sequences.get(sequence).map_or(0, shared);
        let others = self.sequences.iter().enumerate().filter(|(at, _)| *at != sequence);
        let best = others.map(|(at, other)| (shared(other), at)).max();
        let copied = best.filter(|(length, _)| *length >= own_prefix + WORTH_COPYING);
        let (reused, copied_from) = copied.map_or((own_prefix, None), |(length, from)| (length, Some(from)));
        self.clock += 1;
        let used = self.clock;
        let tokens = prompt.get(..reused).unwrap_or_default().to_vec();
        *self.sequences.get_mut(sequence)? =
            CacheSequence { session: Some(session), tokens, used, busy: true };
        Some(PromptPlacement { sequence, kept: reused, copied_from })
    }

    /// Records that tokens were added to a sequence.
    pub(super) fn grow(&mut self, sequence: usize, tokens: &[i32]) {
        if let Some(sequence) = self.sequences.get_mut(sequence) {
            sequence.tokens.extend_from_slice(tokens);
        }
    }

    /// Records that a sequence continues with another prompt. Returns how many of its tokens stay.
    pub(super) fn turn(&mut self, sequence: usize, prompt: &[i32]) -> usize {
        let Some(sequence) = self.sequences.get_mut(sequence) else { return 0 };
        let kept = sequence.shared(prompt);
        sequence.tokens.truncate(kept);
        kept
    }

    /// Records that a sequence is empty.
    pub(super) fn empty(&mut self, sequence: usize) {
        if let Some(sequence) = self.sequences.get_mut(sequence) {
            sequence.tokens.clear();
        }
    }

    /// Records that no prompt uses a sequence any more. Its content may be useful later.
    pub(super) fn release(&mut self, sequence: usize) {
        self.clock += 1;
        let used = self.clock;
        if let Some(sequence) = self.sequences.get_mut(sequence) {
            (sequence.busy, sequence.used) = (false, used);
        }
    }

    /// Frees the sequence of a session that has ended. Returns `None` if it is still busy.
    pub(super) fn forget(&mut self, session: u64) -> Option<usize> {
        let at =
            self.sequences.iter().position(|sequence| sequence.session == Some(session) && !sequence.busy)?;
        *self.sequences.get_mut(at)? = CacheSequence::default();
        Some(at)
    }

    /// The sequence to evict so that `more` tokens fit, or `None` if they already fit.
    /// Idle sequences go first, oldest first. Of the busy ones, the youngest goes first,
    /// and the last one stays.
    pub(super) fn make_room(&self, more: usize) -> Option<CacheEviction> {
        let held: usize = self.sequences.iter().map(|sequence| sequence.tokens.len()).sum();
        if held.saturating_add(more) <= self.capacity {
            return None;
        }
        let full = || self.sequences.iter().enumerate().filter(|(_, sequence)| !sequence.tokens.is_empty());
        let idle = full().filter(|(_, sequence)| !sequence.busy).min_by_key(|(_, sequence)| sequence.used);
        if let Some((at, _)) = idle {
            return Some(CacheEviction::Idle(at));
        }
        let working = full().filter(|(_, sequence)| sequence.busy);
        let youngest = working.clone().max_by_key(|(_, sequence)| sequence.used);
        youngest.filter(|_| working.count() > 1).map(|(at, _)| CacheEviction::Working(at))
    }
}

impl CacheSequence {
    /// How many tokens of a prompt are cached. The last token is always computed again, because
    /// its result is needed.
    fn shared(&self, prompt: &[i32]) -> usize {
        let alike = self.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        alike.min(prompt.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests;
