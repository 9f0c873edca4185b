//! A text with an index of its lines, for tools that search and show lines. It compares nothing
//! (`line_comparison.rs`) and finds no place (`text_search.rs`, `diff/hunk.rs`).

use std::ops::Range;

/// The start of each line of a text. It takes four bytes a line, because a file may consist
/// of line ends only.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut starts = Vec::new();
        let mut at = 0_usize;
        for line in text.split_inclusive('\n') {
            starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            at += line.len();
        }
        Self { text, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The start of a line; after the last line, the end of the text.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).map_or(self.text.len(), |start| *start as usize)
    }

    /// The bytes of a line without its end.
    pub(super) fn body_range(&self, line: usize) -> Range<usize> {
        let start = self.start(line);
        let whole = self.text.get(start..self.start(line + 1)).unwrap_or_default();
        let body = whole.strip_suffix('\n').unwrap_or(whole);
        let body = body.strip_suffix('\r').unwrap_or(body);
        start..start + body.len()
    }

    /// A line without its end.
    pub(super) fn body(&self, line: usize) -> &'a str {
        self.text.get(self.body_range(line)).unwrap_or_default()
    }

    /// Whether some line begins with a tab.
    pub(super) fn uses_tabs(&self) -> bool {
        self.text.starts_with('\t') || self.text.contains("\n\t")
    }

    /// The line that contains a byte of the text, counted from 0.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= byte).saturating_sub(1)
    }
}
