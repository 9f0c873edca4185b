//! Detects that a run repeats itself, before it has spent its budget on the repetition.
//!
//! Repeating a call is often right: a test is run after every edit. So a repeat counts only while
//! nothing has changed: the same call gave the same result, and no state-changing call did anything
//! *new* in between. The memory is bounded, so the cost of a call does not grow with the run. A
//! repeat of a call that is no longer remembered is not a loop.
//!
//! This file only rules. `run/call.rs` asks it before a call and words the refusal,
//! `run/result_checks.rs` reports results, and `run/batch.rs` closes turns. It knows no tools:
//! exempt calls (`Exemption` in `config/tool.rs`) are not passed in.

#[cfg(test)]
mod tests;

use alloc::collections::{BTreeSet, VecDeque};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::digest::StreamHasher;

/// How many calls back a repeat is still a repeat. Wide enough for a cycle that hides among
/// a batch of other calls, narrow enough that reading a file again after its text has left
/// the context is allowed.
const WINDOW: usize = 32;

/// Equal observations after which the next proposal is refused: the third is.
const TOLERATED: u64 = 2;

/// Cycles are looked for up to this many calls long.
const LONGEST_CYCLE: usize = 3;

/// Turns without anything new after which a run is stuck.
const PATIENCE: u64 = 12;

/// The same where results have left the view: in a small window, a model reads again what it
/// needs, and nothing of that is new. It still ends, because a model could go round for ever.
const PATIENCE_IN_SMALL_VIEW: u64 = 60;

/// Results remembered in each of two generations, so that "new" is decided in bounded
/// memory (some 16 KiB).
const GENERATION: usize = 512;

/// Names one call by what it asks for: the tool and its canonical arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(transparent)]
pub(crate) struct CallFingerprint(u64);

impl CallFingerprint {
    /// Wraps a digest over the tool's name and its canonical arguments.
    pub(crate) const fn new(digest: u64) -> Self {
        Self(digest)
    }

    /// The fingerprint of this call together with its result.
    fn with(self, result: u64) -> u64 {
        StreamHasher::new().u64(self.0).u64(result).finish()
    }
}

/// Whether a proposed call is part of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopRuling {
    /// The call is not a loop.
    Fine,
    /// It is a loop: refuse the call with that reason, and call [`LoopDetector::refused`].
    Refuse {
        /// How often the call has been proposed, this time included.
        times: u64,
    },
    /// It is a loop, and the model was told in an earlier turn: end the run.
    End {
        /// How often the call has been proposed, this time included.
        times: u64,
    },
}

/// Whether a finished call changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallImpact {
    /// No change: the call only reads, or it failed.
    None,
    /// It may write or execute, and it succeeded.
    Changed,
}

/// Whether a run makes progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunProgress {
    /// The run makes progress.
    Fine,
    /// No call of the last turns gave a result that was not known before.
    Stuck { turns: u64 },
}

/// The memory of recent calls. Exempt calls are simply not passed in.
///
/// Order of calls: [`propose`](Self::propose) before a call runs, then [`observe`](Self::observe)
/// with its result or [`refused`](Self::refused), and [`turn`](Self::turn) once when all calls of
/// a turn are settled. Every prompt gets a new detector: repeating what a person asks for again
/// is not a loop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub(crate) struct LoopDetector {
    /// What happened since the last new change, the latest at the back.
    recent: VecDeque<RecentCall>,
    /// Results that were seen recently.
    young: BTreeSet<u64>,
    /// Results known before that.
    old: BTreeSet<u64>,
    turns: u64,
    /// Turns in a row without anything new.
    idle: u64,
    /// The novelty of the current turn so far.
    current: TurnNovelty,
    /// Whether results have left the view.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    has_lost_results: bool,
}

/// A call that has been settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
enum RecentCall {
    Ran {
        call: CallFingerprint,
        result: u64,
    },
    /// It was refused as a loop, in this turn.
    Refused {
        call: CallFingerprint,
        turn: u64,
    },
}

/// Whether a turn gave anything new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
enum TurnNovelty {
    /// No call that counts.
    #[default]
    Quiet,
    /// Calls, but only known results.
    Idle,
    /// A result that was not known before.
    Fresh,
}

impl LoopDetector {
    /// Rules on a call before it is run. Changes nothing.
    pub(crate) fn propose(&self, call: CallFingerprint) -> LoopRuling {
        let repeats = self.repeats(call).max(self.periods(call));
        if repeats < TOLERATED {
            return LoopRuling::Fine;
        }
        let (refusals, told) = self.refusals(call);
        let times = repeats + refusals + 1;
        if told { LoopRuling::End { times } } else { LoopRuling::Refuse { times } }
    }

    /// Takes note of a call that ran. `result` is a digest of what it gave; failures
    /// count like other results.
    pub(crate) fn observe(&mut self, call: CallFingerprint, result: u64, change: CallImpact) {
        let fresh = self.remember(call.with(result));
        match (fresh, change) {
            (true, CallImpact::Changed) => {
                self.recent.clear();
                self.current = TurnNovelty::Fresh;
            }
            (true, CallImpact::None) => self.current = TurnNovelty::Fresh,
            (false, CallImpact::None | CallImpact::Changed) => self.worked(),
        }
        self.push(RecentCall::Ran { call, result });
    }

    /// Takes note of a call that was answered with a refusal.
    pub(crate) fn refused(&mut self, call: CallFingerprint) {
        self.worked();
        self.push(RecentCall::Refused { call, turn: self.turns });
    }

    /// Records a call that was answered without being run: unknown, invalid,
    /// denied, over its quota.
    ///
    /// It counts as a repeat, like a result, and never as something new. A model that keeps asking
    /// for something it cannot have makes no progress.
    pub(crate) fn turned_down(&mut self, call: CallFingerprint, reason: u64) {
        self.worked();
        self.push(RecentCall::Ran { call, result: reason });
    }

    /// Results left the view, so the model may fetch them again. Turns without
    /// anything new still count, but more of them are allowed.
    pub(crate) fn left_view(&mut self) {
        self.recent.clear();
        self.has_lost_results = true;
    }

    /// A person gave a prompt, or the run's authority changed: earlier attempts may be repeated.
    pub(crate) fn forget(&mut self) {
        self.recent.clear();
        self.idle = 0;
    }

    /// Closes a turn. A turn without any call that counts (only exempt ones)
    /// proves nothing either way.
    pub(crate) fn turn(&mut self) -> RunProgress {
        self.turns = self.turns.saturating_add(1);
        match core::mem::take(&mut self.current) {
            TurnNovelty::Quiet => {}
            TurnNovelty::Idle => self.idle = self.idle.saturating_add(1),
            TurnNovelty::Fresh => self.idle = 0,
        }
        let patience = if self.has_lost_results { PATIENCE_IN_SMALL_VIEW } else { PATIENCE };
        if self.idle >= patience { RunProgress::Stuck { turns: self.idle } } else { RunProgress::Fine }
    }

    /// How often in a row this call gave the result that it gave last.
    fn repeats(&self, call: CallFingerprint) -> u64 {
        let mut results = self.ran().filter_map(|(name, result)| (name == call).then_some(result));
        let Some(last) = results.next() else { return 0 };
        1 + results.take_while(|result| *result == last).count() as u64
    }

    /// How many equal periods of calls *and* results, up to the tolerated number, end where this
    /// call would begin the next.
    ///
    /// This finds what [`repeats`](Self::repeats) cannot: a call whose result flips back and forth.
    fn periods(&self, call: CallFingerprint) -> u64 {
        let cycle = |length: usize| {
            let begins = self.ran().nth(length - 1).is_some_and(|(first, _)| first == call);
            let equal = || self.ran().take(length).eq(self.ran().skip(length).take(length));
            begins && equal()
        };
        if (2..=LONGEST_CYCLE).any(cycle) { TOLERATED } else { 0 }
    }

    /// How often this call was refused, and whether the model has read one of the refusals.
    fn refusals(&self, call: CallFingerprint) -> (u64, bool) {
        let mut count = 0;
        let mut told = false;
        for seen in &self.recent {
            match seen {
                RecentCall::Refused { call: name, turn } if *name == call => {
                    count += 1;
                    told |= *turn < self.turns;
                }
                RecentCall::Refused { .. } | RecentCall::Ran { .. } => {}
            }
        }
        (count, told)
    }

    /// The calls that ran, the latest first.
    fn ran(&self) -> impl Iterator<Item = (CallFingerprint, u64)> {
        self.recent.iter().rev().filter_map(|seen| match seen {
            RecentCall::Ran { call, result } => Some((*call, *result)),
            RecentCall::Refused { .. } => None,
        })
    }

    fn push(&mut self, seen: RecentCall) {
        while self.recent.len() >= WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back(seen);
    }

    /// Records that the turn had a call, unless it already had a new result.
    fn worked(&mut self) {
        match self.current {
            TurnNovelty::Quiet => self.current = TurnNovelty::Idle,
            TurnNovelty::Idle | TurnNovelty::Fresh => {}
        }
    }

    /// Remembers a result, and returns whether it was new.
    fn remember(&mut self, pair: u64) -> bool {
        let known = self.young.contains(&pair) || self.old.contains(&pair);
        if self.young.insert(pair) && self.young.len() >= GENERATION {
            self.old = core::mem::take(&mut self.young);
        }
        !known
    }
}
