//! Decides whether a concrete path fits a pattern, without allocating memory.
//!
//! Between two `**` stands a block of names of fixed length. The leftmost place for a block leaves
//! the most room for the rest, so a mismatch only ever moves the last block begun, and the cost is
//! the product of the two lengths. Containment, where the word itself has gaps, is decided in
//! `path/containment.rs`.

use super::pattern::{PatternSegment, PatternTail};
use crate::glob::NameGlob;

/// Whether the segments consume all the names; `fits` compares one name with one glob.
pub(super) fn leads_to<'a>(
    segments: &[PatternSegment],
    tail: PatternTail,
    names: impl Iterator<Item = &'a [u8]> + Clone,
    fits: impl Fn(&NameGlob, &'a [u8]) -> bool,
) -> bool {
    let (mut pattern, mut names) = (segments, names);
    // The block behind the last `**`, and the first name that it was tried on.
    let mut block = None;
    loop {
        let fitted = match (pattern, tail) {
            ([], PatternTail::Subtree) | ([PatternSegment::Deep], _) => return true,
            ([], PatternTail::Exact) if names.clone().next().is_none() => return true,
            ([], PatternTail::Exact) => None,
            ([PatternSegment::Deep, after @ ..], _) => {
                block = Some((after, names.clone()));
                Some(after)
            }
            ([PatternSegment::Name(glob), after @ ..], _) => match names.next() {
                // Further to the right there would be even fewer names.
                None => return false,
                Some(name) => fits(glob, name).then_some(after),
            },
        };
        if let Some(after) = fitted {
            pattern = after;
            continue;
        }
        let Some((begin, from)) = &mut block else { return false };
        if from.next().is_none() {
            return false;
        }
        pattern = begin;
        names = from.clone();
    }
}
