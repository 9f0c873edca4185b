//! Shows a model the lines of a file around a change. It only writes text for the result of `edit`
//! and `patch`; the changes are made in `change.rs`. The number and length of lines are bounded.

use std::{fmt::Write, ops::Range};

use super::lines::LineIndex;

/// Lines shown before and after a change, so that the model sees where it landed.
const AROUND: usize = 3;

/// Lines of one place that are shown.
const MOST_OF_PLACE: usize = 20;

/// Lines of one call that are shown.
const MOST_LINES: usize = 80;

/// Characters of one line that are shown; the model knows the rest.
const LINE: usize = 200;

/// How many lines a call may still show.
pub(super) struct LineAllowance(usize);

impl Default for LineAllowance {
    fn default() -> Self {
        Self(MOST_LINES)
    }
}

/// Writes the lines around each place, in the order of the file.
pub(super) fn echo(out: &mut String, text: &str, places: &[Range<usize>], room: &mut LineAllowance) {
    let lines = LineIndex::of(text);
    let mut blocks: Vec<Range<usize>> = places.iter().map(|place| around(&lines, place)).collect();
    blocks.sort_unstable_by_key(|block| block.start);
    let blocks = blocks.into_iter().fold(Vec::new(), |mut merged: Vec<Range<usize>>, block| {
        match merged.last_mut() {
            Some(last) if block.start <= last.end => last.end = last.end.max(block.end),
            _ => merged.push(block),
        }
        merged
    });
    for (at, block) in blocks.iter().enumerate() {
        if room.0 == 0 {
            let more = blocks.len() - at;
            let places = if more == 1 { "place" } else { "places" };
            let _ = write!(out, "\n[{more} more {places} not shown]");
            return;
        }
        if at > 0 {
            out.push_str("\n--");
        }
        let shown = block.len().min(MOST_OF_PLACE).min(room.0);
        room.0 -= shown;
        for line in block.clone().take(shown) {
            let _ = write!(out, "\n{}", numbered(&lines, line));
        }
        let more = block.len() - shown;
        if more > 0 {
            let _ = write!(out, "\n[{more} more lines of this place not shown]");
        }
    }
}

/// The lines of a place and around it.
fn around(lines: &LineIndex<'_>, place: &Range<usize>) -> Range<usize> {
    let first = lines.line_of(place.start);
    let last = lines.line_of(place.end.saturating_sub(1).max(place.start));
    first.saturating_sub(AROUND)..(last + 1 + AROUND).min(lines.len())
}

/// A line with its number, as `read` shows it.
pub(super) fn numbered(lines: &LineIndex<'_>, line: usize) -> String {
    format!("{:>6}\t{}", line + 1, clipped(lines.body(line), LINE))
}

/// The beginning of a text.
pub(super) fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.split_at(at).0),
    }
}
