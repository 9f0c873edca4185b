//! A pattern as a tree, and the sets of characters in it.
//!
//! It is made by `schema/pattern/parse.rs` and compiled by `schema/pattern/program.rs`. The classes
//! (`\s`, `\d`, `\w`) are those of ECMAScript without Unicode properties; other tables would make
//! builds for browsers large.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// The last character there is.
const LAST: u32 = 0x10_ffff;

/// The characters that `\s` matches in ECMAScript.
pub(super) const SPACE: &[CharRange] = &[
    (0x09, 0x0d),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
/// The characters that `\d` matches.
pub(super) const DIGIT: &[CharRange] = &[(0x30, 0x39)];
/// The characters that `\w` matches.
pub(super) const WORD: &[CharRange] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
/// The characters that `.` does not match.
pub(super) const LINE_ENDS: &[CharRange] = &[(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)];

/// A range of characters, including both ends.
pub(super) type CharRange = (u32, u32);

#[derive(Debug)]
pub(super) struct PatternTree {
    pub(super) root: PatternNode,
    /// The ranges that the sets in the tree point to.
    pub(super) ranges: Vec<CharRange>,
}

/// One part of a pattern.
#[derive(Debug)]
pub(super) enum PatternNode {
    /// One character of a set.
    One(CharSet),
    /// A condition on the place.
    Look(PatternAssertion),
    Row(Vec<PatternNode>),
    Choice(Vec<PatternNode>),
    /// The same again, at least and at most so often.
    Repeat {
        node: Box<PatternNode>,
        min: u32,
        max: Option<u32>,
    },
}

/// A set of characters: the indexes of its first and last ranges.
#[derive(Debug, Clone, Copy)]
pub(super) struct CharSet {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A condition on a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternAssertion {
    Start,
    End,
    Boundary,
    NoBoundary,
}

/// Everything that is not in a set.
pub(super) fn others(ranges: &[CharRange]) -> Vec<CharRange> {
    // In order of their first characters, both packed into one number.
    let mut ordered = BTreeSet::new();
    ordered.extend(ranges.iter().map(|(first, last)| (u64::from(*first) << 32) | u64::from(*last)));
    let mut out = Vec::new();
    let mut next = 0;
    for packed in ordered {
        let (first, last) = (low(packed >> 32), low(packed));
        if first > next {
            out.push((next, first - 1));
        }
        next = next.max(last.saturating_add(1));
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
const fn low(packed: u64) -> u32 {
    packed as u32
}
