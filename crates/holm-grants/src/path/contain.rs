//! Whether a pattern admits a word, and with that whether it contains another pattern.
//!
//! The word of a concrete path is its components. The word of a *pattern* `b` is its hardest member: each `*` inside a
//! component becomes a foreign letter (see `glob`), and each `**` becomes one [`Letter::Gap`], which stands for any
//! number of foreign components at once. `a` contains `b` exactly when `a` accepts that word, provided that a gap may be
//! consumed only inside a run of `a` that holds `**` and adds nothing to the count of components there:
//!
//! - Sound: such an alignment stays valid whatever each gap expands to.
//! - Complete: let `a` admit every expansion. With a gap expanded beyond `a`'s size, its foreign components lie in one run
//!   of `a`, which must hold `**`; call that alignment A. With the gap expanded to nothing there is an alignment B. If B has
//!   the same run there, B serves for all expansions. Otherwise B has already filled that run on one side of the gap, so B
//!   on that side and A on the other make one alignment that serves for all. Gaps are treated one after the other.
//!
//! So no subset construction is needed, and the cost is the product of the two lengths.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::glob::Glob;

/// One step of the pattern that contains.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    /// A component that not every name fits.
    Name(&'a Glob),
    /// `*` alone; `open` where its run of wildcards also holds `**`.
    One {
        /// Whether a gap may be consumed here.
        open: bool,
    },
    /// `**`.
    Deep,
}

/// One letter of the word that is to be contained.
#[derive(Debug, Clone)]
pub(super) enum Letter<'a> {
    /// One component.
    Name(Cow<'a, [u8]>),
    /// Any number of foreign components.
    Gap,
}

/// Whether the steps consume the whole word.
pub(super) fn accepts<'a>(steps: &[Step<'_>], word: impl Iterator<Item = Letter<'a>>) -> bool {
    let mut live = start(steps);
    for letter in word {
        live = advance(steps, &live, &letter);
        if !live.contains(&true) {
            return false;
        }
    }
    live.last().copied().unwrap_or(false)
}

/// The states before the first letter: the first one, and those behind a leading `**`.
fn start(steps: &[Step<'_>]) -> Vec<bool> {
    let mut live = Vec::with_capacity(steps.len() + 1);
    let mut reached = true;
    for step in steps {
        live.push(reached);
        reached = reached && matches!(step, Step::Deep);
    }
    live.push(reached);
    live
}

/// The states after one more letter.
fn advance(steps: &[Step<'_>], live: &[bool], letter: &Letter<'_>) -> Vec<bool> {
    let mut next = Vec::with_capacity(steps.len() + 1);
    let mut reached = false;
    for (step, was_live) in steps.iter().zip(live) {
        let (stays, moves) = if *was_live { step.on(letter) } else { (false, false) };
        let here = reached || stays;
        next.push(here);
        reached = moves || (here && matches!(step, Step::Deep));
    }
    next.push(reached);
    next
}

impl Step<'_> {
    /// Whether the letter can be consumed while staying at this step, and while moving past it.
    fn on(&self, letter: &Letter<'_>) -> (bool, bool) {
        match (self, letter) {
            (Self::Name(glob), Letter::Name(name)) => (false, glob.admits(name)),
            (Self::Name(_), Letter::Gap) => (false, false),
            (Self::One { .. }, Letter::Name(_)) => (false, true),
            (Self::One { open }, Letter::Gap) => (*open, false),
            (Self::Deep, Letter::Name(_) | Letter::Gap) => (true, false),
        }
    }
}
