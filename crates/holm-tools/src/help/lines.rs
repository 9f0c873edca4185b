//! Splits a help text into lines with their indentation, without the frames that some libraries
//! draw. It decides nothing about their meaning: sections are found in `section.rs`, and entries in
//! `entry.rs`. The text was decoded in `decode.rs`. Columns and gaps that other files use are
//! computed here. Long lines are cut.

use super::limits::MAX_LINE;

/// Tabs stop at every eighth column.
const TAB: usize = 8;

/// One line of a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HelpLine {
    /// Columns before the text.
    pub indent: usize,
    /// The text without white space at its ends; a tab inside is at least two spaces,
    /// since it separates columns.
    pub text: String,
    /// Whether a frame stood around it.
    pub frame: HelpFrame,
    /// Whether a star came before it: rich marks required options so.
    pub star: bool,
}

/// The frames of rich: boxes with a title in the upper border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelpFrame {
    None,
    /// A line inside a frame.
    Inside,
    /// The title of a frame.
    Title,
}

impl HelpLine {
    /// Whether the line is empty.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// All lines of a text, longer ones cut.
pub(super) fn lines(text: &str) -> Vec<HelpLine> {
    text.split('\n').map(line).collect()
}

fn line(raw: &str) -> HelpLine {
    let mut indent = 0;
    let mut text = String::new();
    let mut column = 0;
    for c in raw.chars().take(MAX_LINE) {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        column += width;
        if text.is_empty() && c.is_whitespace() {
            indent += width;
        } else if c == '\t' {
            text.extend(std::iter::repeat_n(' ', width.max(2)));
        } else {
            text.push(if c.is_whitespace() { ' ' } else { c });
        }
    }
    text.truncate(text.trim_end().len());
    unframe(indent, text)
}

fn unframe(indent: usize, text: String) -> HelpLine {
    let is_border = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
    if !text.starts_with(is_border) {
        return HelpLine { indent, text, frame: HelpFrame::None, star: false };
    }
    let is_side = |c: char| matches!(c, '│' | '┃' | '║');
    if text.starts_with(is_side) {
        let inner = text.trim_start_matches(is_side).trim_end_matches(is_side).trim_end();
        let bare = inner.trim_start();
        let inside = inner.chars().count() - bare.chars().count();
        let (starred, bare) = match bare.strip_prefix("* ") {
            Some(rest) => (Some(rest.chars().take_while(|c| *c == ' ').count() + 2), rest.trim_start()),
            None => (None, bare),
        };
        let indent = indent + 1 + inside + starred.unwrap_or(0);
        return HelpLine { indent, text: bare.into(), frame: HelpFrame::Inside, star: starred.is_some() };
    }
    let title = text.trim_matches(|c: char| is_border(c) || c == ' ');
    let frame = if title.is_empty() { HelpFrame::None } else { HelpFrame::Title };
    HelpLine { indent, text: title.into(), frame, star: false }
}

/// Where the first gap of two or more spaces begins and ends, if the text has one.
pub(super) fn gap(text: &str) -> Option<(usize, usize)> {
    let start = text.find("  ")?;
    let rest = text.get(start..)?;
    Some((start, start + rest.len() - rest.trim_start_matches(' ').len()))
}

/// The text before the first gap and the text after it.
pub(super) fn columns(text: &str) -> (&str, Option<&str>) {
    match gap(text) {
        Some((start, end)) => (text.get(..start).unwrap_or(text), text.get(end..)),
        None => (text, None),
    }
}
