//! Sanitizes text of models, tools and files before it is drawn: control sequences and hidden
//! characters are written out. It also measures, clips and wraps lines. Commands outside the chat
//! print through `screen.rs`.
//!
//! A text that arrives in pieces must become the same as the whole text, and a character that was
//! shown must not change the meaning of one that follows. Nothing here knows Markdown
//! (`markdown.rs`) or colours (`theme.rs`).

use std::iter;

use holm::kernel::visible;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How far a tab goes.
const TAB: &str = "    ";

/// The selector for a coloured symbol. After a symbol it hides nothing, and without it the
/// symbol is the same.
const IN_COLOUR: char = '\u{fe0f}';

/// Where symbols begin: arrows, signs and pictures stand above this.
const SYMBOLS: char = '\u{2190}';

/// Maximum number of marks on one letter: no language needs as many, and a thousand would make one
/// cell of many kilobytes.
const MOST_MARKS: usize = 8;

/// Sanitizes a text: line ends stay, tabs become blanks, and invisible characters and stacked
/// marks are written out.
pub(super) fn safe(text: &str) -> String {
    let mut pieces = StreamSanitizer::default();
    let mut safe = pieces.safe(text);
    if pieces.returned {
        safe.push_str(&visible("\r"));
    }
    safe
}

/// Sanitizes a text that arrives in pieces. Each piece becomes what it would be
/// within the whole text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StreamSanitizer {
    /// Whether the last character was a carriage return. It may be half of a line end, so it waits
    /// for the next character.
    returned: bool,
    before: Option<char>,
    /// How many combining marks the last letter has.
    marks: usize,
}

impl StreamSanitizer {
    /// The next piece, as [`safe`] makes it.
    pub(super) fn safe(&mut self, piece: &str) -> String {
        let text = if self.returned { format!("\r{piece}") } else { piece.to_owned() };
        let text = text.replace("\r\n", "\n");
        let whole = text.strip_suffix('\r');
        self.returned = whole.is_some();
        let text = whole.unwrap_or(&text);
        let mut plain = String::with_capacity(text.len());
        for c in text.chars() {
            self.marks = if c.width() == Some(0) { self.marks + 1 } else { 0 };
            if self.marks > MOST_MARKS {
                plain.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            } else if c != IN_COLOUR || self.before.is_none_or(|before| before < SYMBOLS) {
                plain.push(c);
            }
            self.before = Some(c);
        }
        visible(&plain).replace('\t', TAB)
    }
}

/// As [`safe`], on one line.
pub(crate) fn one_line(text: &str) -> String {
    safe(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that fits into so many columns, with a mark where something is left out.
pub(crate) fn clipped(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for piece in text.graphemes(true) {
        used += columns(piece);
        if used + 1 > room {
            break;
        }
        out.push_str(piece);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

/// Where long lines are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreak {
    /// Between words, if possible.
    Words,
    /// Anywhere, because in code every blank counts.
    Anywhere,
}

/// What is drawn before the lines of a text: before the first one, and before the others.
#[derive(Debug, Clone, Default)]
pub(super) struct LineMargin {
    pub(super) first: Vec<Span<'static>>,
    pub(super) rest: Vec<Span<'static>>,
}

impl LineMargin {
    /// The same before every line.
    pub(super) fn of(span: Span<'static>) -> Self {
        Self { first: vec![span.clone()], rest: vec![span] }
    }

    fn width(&self) -> usize {
        let width = |spans: &[Span<'static>]| spans.iter().map(|span| columns(&span.content)).sum::<usize>();
        width(&self.first).max(width(&self.rest))
    }
}

/// Breaks one line of text into as many as it takes.
pub(super) fn wrap(
    spans: &[Span<'static>],
    width: usize,
    margin: &LineMargin,
    how: LineBreak,
) -> Vec<Line<'static>> {
    let room = width.saturating_sub(margin.width()).max(1);
    let cells: Vec<(&str, usize, &Span<'static>)> = spans
        .iter()
        .flat_map(|span| {
            let pieces = span.content.graphemes(true).flat_map(move |piece| parts(piece, room));
            pieces.map(move |(piece, columns)| (piece, columns, span))
        })
        .collect();
    let mut lines = Vec::new();
    let mut rest = cells.as_slice();
    loop {
        let (taken, skipped) = fitting(rest, room, how);
        let (line, after) = rest.split_at(taken);
        let before = if lines.is_empty() { &margin.first } else { &margin.rest };
        lines.push(joined(before, line));
        rest = after.get(skipped..).unwrap_or_default();
        if rest.is_empty() {
            return lines;
        }
    }
}

/// A grapheme cluster with its width: whole if it fits into the room. Clusters can be longer than
/// any line (leading Hangul letters, skin tones after a letter), and those are broken.
fn parts(piece: &str, room: usize) -> impl Iterator<Item = (&str, usize)> {
    let wide = columns(piece);
    let mut rest = piece;
    iter::from_fn(move || {
        let (part, after) = if wide <= room { (rest, "") } else { rest.split_at(beginning(rest, room)) };
        rest = after;
        (!part.is_empty()).then(|| (part, if wide <= room { wide } else { columns(part) }))
    })
}

/// How many bytes of a text fit into so many columns, those of its first letter at least.
fn beginning(text: &str, room: usize) -> usize {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let fitting = ends.take_while(|end| text.get(..*end).is_some_and(|part| columns(part) <= room));
    fitting.last().or_else(|| text.chars().next().map(char::len_utf8)).unwrap_or(0)
}

/// How many cells fit on the line, and how many blanks after them are dropped. Returns
/// at least one cell.
fn fitting(cells: &[(&str, usize, &Span<'static>)], room: usize, how: LineBreak) -> (usize, usize) {
    let mut used = 0;
    let mut blank = None;
    for (index, (piece, columns, _)) in cells.iter().enumerate() {
        used += columns;
        if used > room {
            return match blank.filter(|_| how == LineBreak::Words) {
                Some(at) if *piece != " " => (at, 1),
                _ if *piece == " " && how == LineBreak::Words => (index, 1),
                _ => (index.max(1), 0),
            };
        }
        if *piece == " " && index > 0 {
            blank = Some(index);
        }
    }
    (cells.len(), 0)
}

/// A line of cells, where neighbours of one style form one span. Thousands of lines are cached, so
/// they are allocated without spare capacity.
fn joined(before: &[Span<'static>], cells: &[(&str, usize, &Span<'static>)]) -> Line<'static> {
    let alike = || cells.chunk_by(|(_, _, one), (_, _, next)| one.style == next.style);
    let mut spans: Vec<Span<'static>> = Vec::with_capacity(before.len() + alike().count());
    spans.extend_from_slice(before);
    for cells in alike() {
        let mut text = String::with_capacity(cells.iter().map(|(piece, _, _)| piece.len()).sum());
        cells.iter().for_each(|(piece, _, _)| text.push_str(piece));
        let style = cells.first().map(|(_, _, from)| from.style).unwrap_or_default();
        spans.push(Span::styled(text, style));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests;
