//! Finds every occurrence of one text in another, in linear time.
//!
//! The standard search finds occurrences that do not overlap, and restarting it after each one is
//! quadratic on repetitive text. An occurrence that fails its boundaries may overlap the one that
//! passes, so all of them are needed.
//!
//! It knows nothing about values; `skill/source/boundary.rs` judges each place. Time must stay
//! linear, because a reply and a text may both be chosen to make it slow.

use alloc::vec;
use alloc::vec::Vec;

/// Calls `accept` with the byte range of each occurrence until it accepts one.
/// Returns whether it did.
///
/// An empty needle occurs nowhere. Knuth, Morris and Pratt: at most two comparisons a byte.
pub(super) fn any_occurrence(
    haystack: &str,
    needle: &str,
    mut accept: impl FnMut(usize, usize) -> bool,
) -> bool {
    let (haystack, needle) = (haystack.as_bytes(), needle.as_bytes());
    if needle.is_empty() || needle.len() > haystack.len() {
        return false;
    }
    let borders = borders(needle);
    let mut matched = 0;
    for (at, byte) in haystack.iter().enumerate() {
        matched = advance(needle, &borders, matched, *byte);
        if matched == needle.len() {
            let end = at + 1;
            if accept(end - needle.len(), end) {
                return true;
            }
        }
    }
    false
}

/// For each prefix of the needle, the length of its longest proper border.
fn borders(needle: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for (at, byte) in needle.iter().enumerate().skip(1) {
        matched = advance(needle, &borders, matched, *byte);
        if let Some(slot) = borders.get_mut(at) {
            *slot = matched;
        }
    }
    borders
}

/// The number of needle bytes that match after reading `byte`.
fn advance(needle: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    loop {
        if needle.get(matched) == Some(&byte) {
            return matched + 1;
        }
        let Some(shorter) = matched.checked_sub(1).and_then(|last| borders.get(last)) else { return 0 };
        matched = *shorter;
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::any_occurrence;

    fn places(haystack: &str, needle: &str) -> Vec<usize> {
        let mut places = Vec::new();
        any_occurrence(haystack, needle, |start, end| {
            assert_eq!(&haystack[start..end], needle);
            places.push(start);
            false
        });
        places
    }

    #[test]
    fn overlapping_places_are_found() {
        assert_eq!(places("xa b a b a", "a b a"), [1, 5]);
        assert_eq!(places("aaaa", "aa"), [0, 1, 2]);
        assert!(places("aaaa", "").is_empty());
        assert!(places("a", "aa").is_empty());
    }

    #[test]
    fn repetitive_text_takes_linear_time() {
        let (haystack, needle) = ("a".repeat(400_000), "a".repeat(200_000) + "b");
        assert!(!any_occurrence(&haystack, &needle, |_, _| true));
        let needle = "a".repeat(200_000);
        let mut count = 0;
        any_occurrence(&haystack, &needle, |_, _| {
            count += 1;
            false
        });
        assert_eq!(count, 200_001);
    }

    proptest! {
        #[test]
        fn every_place_of_the_naive_search_is_found(haystack in "[abé]{0,40}", needle in "[abé]{1,4}") {
            let naive: Vec<usize> = haystack
                .char_indices()
                .map(|(at, _)| at)
                .filter(|at| haystack[*at..].starts_with(&needle))
                .collect();
            prop_assert_eq!(places(&haystack, &needle), naive);
        }

        #[test]
        fn no_text_makes_the_search_panic(haystack in any::<String>(), needle in any::<String>()) {
            let _ = any_occurrence(&haystack, &needle, |_, _| false);
        }
    }
}
