//! Finds the part of a file that is most similar to a text that is not in it. The model then sees
//! its mistake without reading the file again. The result is only shown and never used as a place
//! for an edit; those are found in `text_search.rs` and `diff/hunk.rs`. The number of compared
//! lines is bounded.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::{
    changed_lines::{clipped, numbered},
    line_comparison::{LineComparison, normal},
    lines::LineIndex,
};

/// Lines of the text that are searched for, and lines that are shown.
const MOST_LOOKED_FOR: usize = 200;
const MOST_SHOWN: usize = 12;

/// Lines of the file that are compared one by one if no line is equal.
const MOST_COMPARED: usize = 20_000;

/// Characters of a line that count for how alike two are.
const LETTERS: usize = 200;

/// A line that occurs more often in the file says nothing about the place.
const TOO_COMMON: usize = 50;

/// Describes the lines that are most like the wanted ones; `whose` has them.
pub(super) fn describe(text: &str, wanted: &[&str], whose: &str) -> String {
    let lines = LineIndex::of(text);
    let wanted = match wanted.split_last() {
        Some((last, rest)) if last.is_empty() && !rest.is_empty() => rest,
        _ => wanted,
    };
    let Some(first) = by_same_lines(&lines, wanted).or_else(|| by_likeness(&lines, wanted)) else {
        return "The file has no similar text; read it again.".into();
    };
    let end = (first + wanted.len()).min(lines.len());
    let differs = (first..end).zip(wanted).find(|(line, wanted)| key(lines.body(*line)) != key(wanted));
    let how = match differs {
        None if end == first + wanted.len() => "only white space or typographic characters differ".to_owned(),
        None => format!("the file ends at line {end}"),
        Some((line, _)) => format!("line {} differs", line + 1),
    };
    let range = if end == first + 1 { format!("line {end}") } else { format!("lines {}–{end}", first + 1) };
    let mut out = format!("Nearest, {range} ({how}):");
    for line in (first..end).take(MOST_SHOWN) {
        let _ = write!(out, "\n{}", numbered(&lines, line));
    }
    if end - first > MOST_SHOWN {
        let _ = write!(out, "\n[{} more lines]", end - first - MOST_SHOWN);
    }
    if let Some((line, wanted)) = differs {
        let (there, wanted) = (clipped(lines.body(line), LETTERS), clipped(wanted, LETTERS));
        let _ = write!(out, "\nLine {} is `{there}`; {whose} has `{wanted}`.", line + 1);
    }
    out
}

/// A line as it is compared here.
fn key(line: &str) -> String {
    normal(line, LineComparison::Characters).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The place with most of the lines.
fn by_same_lines(lines: &LineIndex<'_>, wanted: &[&str]) -> Option<usize> {
    let mut offsets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, line) in wanted.iter().enumerate().take(MOST_LOOKED_FOR) {
        let key = key(line);
        if !key.is_empty() {
            offsets.entry(key).or_default().push(at);
        }
    }
    let mut found: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
    for line in 0..lines.len() {
        if let Some((key, _)) = offsets.get_key_value(&key(lines.body(line))) {
            let places = found.entry(key).or_default();
            if places.len() <= TOO_COMMON {
                places.push(line);
            }
        }
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (key, places) in found.iter().filter(|(_, places)| places.len() <= TOO_COMMON) {
        for (place, offset) in
            places.iter().flat_map(|place| offsets.get(*key).into_iter().flatten().map(move |at| (place, at)))
        {
            if let Some(first) = place.checked_sub(*offset) {
                *votes.entry(first).or_default() += key.len().min(40);
            }
        }
    }
    votes.into_iter().max_by_key(|(first, votes)| (*votes, std::cmp::Reverse(*first))).map(|(first, _)| first)
}

/// The place of the line that is most similar to the longest wanted one, if it is
/// at least half similar.
fn by_likeness(lines: &LineIndex<'_>, wanted: &[&str]) -> Option<usize> {
    let (at, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let wanted = pairs(&key(longest));
    if wanted.is_empty() {
        return None;
    }
    let mut best = None;
    for line in at..lines.len().min(MOST_COMPARED) {
        let there = pairs(&key(lines.body(line)));
        let common = wanted.intersection(&there).count() * 2_000 / (wanted.len() + there.len());
        if common >= 500 && best.is_none_or(|(most, _)| common > most) {
            best = Some((common, line - at));
        }
    }
    best.map(|(_, first)| first)
}

/// All pairs of neighbouring characters.
fn pairs(text: &str) -> BTreeSet<(char, char)> {
    let letters = || text.chars().take(LETTERS);
    letters().zip(letters().skip(1)).collect()
}
