//! Decides whether a pattern admits a word, and so whether it contains another pattern.
//!
//! The word of a concrete path is its components. The word of a *pattern* `b` is its hardest
//! member: each `*` inside a component becomes a foreign letter (see `glob`), and each `**` becomes
//! one [`PathLetter::Gap`], which stands for any number of foreign components at once. `a` contains
//! `b` exactly when `a` accepts that word, provided that a gap may be consumed only inside a run of
//! `a` that holds `**` and adds nothing to the count of components there:
//!
//! - Sound: such an alignment stays valid for every expansion of each gap.
//! - Complete: let `a` admit every expansion. With a gap expanded beyond `a`'s size, its foreign
//!   components lie in one run of `a`, which must hold `**`; call that alignment A. With the gap
//!   expanded to nothing there is an alignment B. If B has the same run there, B serves for all
//!   expansions. Otherwise B has already filled that run on one side of the gap, so B on that side
//!   and A on the other make one alignment that serves for all. Gaps are treated one after the
//!   other.
//!
//! So no subset construction is needed, and the cost is the product of the two lengths.
//!
//! Whether a concrete path fits a pattern is decided in `path/walk.rs`, without allocating; the
//! syntax of patterns is in `path/pattern.rs`. The answer must stay exact in both directions: a
//! child would otherwise hold more than its parent, or lose what it was given.

use alloc::borrow::Cow;

use super::file::MAX_COMPONENTS;
use crate::glob::NameGlob;

/// One step of the pattern that contains.
#[derive(Debug, Clone, Copy)]
pub(super) enum ContainmentStep<'a> {
    /// A component that not every name fits.
    Name(&'a NameGlob),
    /// `*` alone; `open` if its run of wildcards also holds `**`.
    One {
        /// Whether a gap may be consumed here.
        open: bool,
    },
    /// Any number of components, written `**`.
    Deep,
}

/// One letter of the word that is to be contained.
#[derive(Debug, Clone)]
pub(super) enum PathLetter<'a> {
    Name(Cow<'a, [u8]>),
    /// Any number of foreign components.
    Gap,
}

/// Whether the steps consume the whole word.
pub(super) fn accepts<'a>(steps: &[ContainmentStep<'_>], word: impl Iterator<Item = PathLetter<'a>>) -> bool {
    let mut live = start(steps);
    for letter in word {
        live = advance(steps, &live, &letter);
        if live.is_empty() {
            return false;
        }
    }
    live.has(steps.len())
}

/// The states before the first letter: the first one, and those behind a leading `**`.
fn start(steps: &[ContainmentStep<'_>]) -> StateSet {
    let mut live = StateSet::default();
    let leading = steps.iter().take_while(|step| matches!(step, ContainmentStep::Deep)).count();
    (0..=leading).for_each(|state| live.add(state));
    live
}

/// The states after one more letter.
fn advance(steps: &[ContainmentStep<'_>], live: &StateSet, letter: &PathLetter<'_>) -> StateSet {
    let mut next = StateSet::default();
    let mut reached = false;
    for (state, step) in steps.iter().enumerate() {
        let (stays, moves) = if live.has(state) { step.on(letter) } else { (false, false) };
        let here = reached || stays;
        if here {
            next.add(state);
        }
        reached = moves || (here && matches!(step, ContainmentStep::Deep));
    }
    if reached {
        next.add(steps.len());
    }
    next
}

/// A set of states, one bit each: deciding takes no memory beyond the stack.
#[derive(Clone, Copy, Default)]
struct StateSet([u64; WORDS]);

/// Words for one state per step and one behind the last; a tail adds one step to the components.
const WORDS: usize = (MAX_COMPONENTS + 2).div_ceil(64);

impl StateSet {
    fn has(&self, state: usize) -> bool {
        self.0.get(state / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    fn add(&mut self, state: usize) {
        if let Some(word) = self.0.get_mut(state / 64) {
            *word |= 1 << (state % 64);
        }
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }
}

impl ContainmentStep<'_> {
    /// Whether the letter can be consumed while staying at this step, and while moving past it.
    fn on(&self, letter: &PathLetter<'_>) -> (bool, bool) {
        match (self, letter) {
            (Self::Name(glob), PathLetter::Name(name)) => (false, glob.admits(name)),
            (Self::Name(_), PathLetter::Gap) => (false, false),
            (Self::One { .. }, PathLetter::Name(_)) => (false, true),
            (Self::One { open }, PathLetter::Gap) => (*open, false),
            (Self::Deep, PathLetter::Name(_) | PathLetter::Gap) => (true, false),
        }
    }
}
