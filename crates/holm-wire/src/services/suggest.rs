//! Suggests the closest known name for an unknown one. It only compares names: `services/table.rs`
//! and `call.rs` put the suggestion into their errors.

use alloc::vec::Vec;

/// Longer words are not compared. No service has such a name, and the cost grows with the square.
const MAX_WORD: usize = 64;

/// The candidate closest to a word, if it is close enough to be a typing mistake.
///
/// One mistake is allowed for every third letter. A word that is the prefix of a candidate, or
/// starts with it, also matches.
pub(super) fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let word = word.to_ascii_lowercase();
    if word.is_empty() || word.len() > MAX_WORD {
        return None;
    }
    let allowed = word.len().div_ceil(3);
    candidates
        .filter_map(|candidate| {
            let related = word.len() > 2 && (candidate.starts_with(&*word) || word.starts_with(candidate));
            let slips = if related { 1 } else { distance(word.as_bytes(), candidate.as_bytes()) };
            (slips <= allowed).then_some((slips, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of letters that must be added, removed or changed.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut left = i.saturating_add(1);
        let mut corner = i;
        for (slot, y) in row.iter_mut().skip(1).zip(b) {
            let changed = corner.saturating_add(usize::from(x != y));
            corner = *slot;
            *slot = changed.min(left.saturating_add(1)).min(corner.saturating_add(1));
            left = *slot;
        }
        if let Some(first) = row.first_mut() {
            *first = i.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or(a.len())
}
