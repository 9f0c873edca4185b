//! The text input of the user, with a cursor. It edits text and lays out the rows near the cursor.
//! Which key does what is in `update/key_presses.rs`, completion in `picker.rs`, and drawing in
//! `draw.rs`. The cursor is always between two grapheme clusters, and a pasted book must not make
//! each key slow.

use unicode_segmentation::UnicodeSegmentation as _;

use super::text::columns;

/// How far from the cursor rows are laid out, in bytes: more than any screen shows, yet fast for
/// each key after a whole book was pasted.
const NEAR: usize = 8 * 1024;

/// An editable text with a cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct InputBuffer {
    text: String,
    /// A byte offset, always between two grapheme clusters.
    cursor: usize,
}

/// A movement of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorMove {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
}

/// Whether there was a line in that direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorMoveResult {
    Yes,
    No,
}

/// The visible rows of the input near the cursor, and the position of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InputRows {
    pub(super) rows: Vec<String>,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl InputBuffer {
    /// With this text, the cursor behind it.
    pub(super) fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What stands before the cursor.
    pub(super) fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// What stands behind it.
    fn after(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    /// Takes the text out.
    pub(super) fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Puts something in at the cursor.
    pub(super) fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Replaces the last so many bytes before the cursor.
    pub(super) fn replace_before(&mut self, bytes: usize, by: &str) {
        let from = self.cursor.saturating_sub(bytes);
        if self.text.is_char_boundary(from) {
            self.text.replace_range(from..self.cursor, by);
            self.cursor = from + by.len();
        }
    }

    /// Removes what lies between the cursor and where it would go.
    pub(super) fn delete(&mut self, go: CursorMove) {
        let to = self.target(go);
        let (from, to) = (to.min(self.cursor), to.max(self.cursor));
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    pub(super) fn go(&mut self, go: CursorMove) {
        self.cursor = self.target(go);
    }

    fn target(&self, go: CursorMove) -> usize {
        let (before, after) = (self.before(), self.after());
        let last = |text: &str| text.graphemes(true).next_back().map_or(0, str::len);
        match go {
            CursorMove::Left => self.cursor - last(before),
            CursorMove::Right => self.cursor + after.graphemes(true).next().map_or(0, str::len),
            CursorMove::WordLeft => {
                let text = before.trim_end();
                text.rfind(char::is_whitespace).map_or(0, |at| {
                    at + text.get(at..).and_then(|text| text.chars().next()).map_or(1, char::len_utf8)
                })
            }
            CursorMove::WordRight => {
                let blanks = after.len() - after.trim_start().len();
                let word = after.trim_start();
                self.cursor + blanks + word.find(char::is_whitespace).unwrap_or(word.len())
            }
            CursorMove::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            CursorMove::LineEnd => self.cursor + after.find('\n').unwrap_or(after.len()),
        }
    }

    /// Moves to the line above, if there is one.
    pub(super) fn up(&mut self) -> CursorMoveResult {
        let start = self.target(CursorMove::LineStart);
        let Some(end) = start.checked_sub(1) else { return CursorMoveResult::No };
        let column = columns(self.text.get(start..self.cursor).unwrap_or_default());
        let above = self.text.get(..end).map_or(0, |text| text.rfind('\n').map_or(0, |at| at + 1));
        self.cursor = above + reach(self.text.get(above..end).unwrap_or_default(), column);
        CursorMoveResult::Yes
    }

    /// Moves to the line below, if there is one.
    pub(super) fn down(&mut self) -> CursorMoveResult {
        let end = self.target(CursorMove::LineEnd);
        if end == self.text.len() {
            return CursorMoveResult::No;
        }
        let start = self.target(CursorMove::LineStart);
        let column = columns(self.text.get(start..self.cursor).unwrap_or_default());
        let below = self.text.get(end + 1..).unwrap_or_default();
        let line = below.split('\n').next().unwrap_or_default();
        self.cursor = end + 1 + reach(line, column);
        CursorMoveResult::Yes
    }

    /// The rows at a width, broken where a row is full. Pasted text is sanitized like all other
    /// text. Of a very long text, only the rows near the cursor are returned.
    pub(super) fn rows(&self, width: usize) -> InputRows {
        let width = width.max(2);
        let mut out = InputRows { rows: vec![String::new()], row: 0, column: 0 };
        let (near, from) = self.near();
        let (mut at, mut used) = (from, 0);
        for piece in near.graphemes(true).chain([""]) {
            if at == self.cursor {
                if used >= width {
                    out.rows.push(String::new());
                    used = 0;
                }
                (out.row, out.column) = (out.rows.len() - 1, used);
            }
            at += piece.len();
            if piece == "\n" {
                out.rows.push(String::new());
                used = 0;
                continue;
            }
            let shown = super::text::safe(piece);
            let wide = columns(&shown);
            if used + wide > width && used > 0 {
                out.rows.push(String::new());
                used = 0;
            }
            if let Some(row) = out.rows.last_mut() {
                row.push_str(&shown);
            }
            used += wide;
        }
        out
    }

    /// The text near the cursor, and its offset. It starts at the beginning of a line if
    /// one is close enough.
    fn near(&self) -> (&str, usize) {
        let (before, after) = (self.before(), self.after());
        let far = before.floor_char_boundary(before.len().saturating_sub(NEAR));
        let line = before.get(far..).and_then(|near| near.find('\n')).filter(|at| far > 0 && *at < NEAR / 2);
        let from = line.map_or(far, |at| far + at + 1);
        let to = self.cursor + after.floor_char_boundary(NEAR);
        (self.text.get(from..to).unwrap_or_default(), from)
    }
}

/// How many bytes of a line reach a column.
fn reach(line: &str, column: usize) -> usize {
    let mut used = 0;
    let mut bytes = 0;
    for piece in line.graphemes(true) {
        used += columns(piece);
        if used > column {
            break;
        }
        bytes += piece.len();
    }
    bytes
}

#[cfg(test)]
mod tests;
