//! What a model thinks, while it arrives. Its end is what is looked at, and it may be very long: what can change no more is
//! laid out once, and what nobody will see is never laid out at all.

use ratatui::text::{Line, Span};

use super::{
    item::{Detail, FEW_RESULT_LINES, MOST_LINES},
    markdown::too_long,
    text::{Break, Margin, wrap},
    theme::Theme,
};

/// The most bytes that one column takes in the writing of people.
const BYTES: usize = 4;

/// A thought that grows at its end, and its last lines at one width.
#[derive(Debug, Clone, Default)]
pub(super) struct Thought {
    text: String,
    laid: Option<Laid>,
}

#[derive(Debug, Clone)]
struct Laid {
    width: usize,
    /// The last lines; those from `open` on can still change.
    lines: Vec<Line<'static>>,
    open: usize,
    /// How much of the text the settled lines stand for.
    settled: usize,
    /// How much of it is laid out at all.
    seen: usize,
}

impl Thought {
    /// A thought that is whole.
    pub(super) fn of(text: String) -> Self {
        Self { text, laid: None }
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds to its end.
    pub(super) fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Lets the lines go; they come back when they are wanted.
    pub(super) fn forget(&mut self) {
        self.laid = None;
    }

    /// Its last lines at a width.
    pub(super) fn lines(&mut self, width: usize, theme: &Theme, detail: Detail) -> &[Line<'static>] {
        let text = self.text.trim_end();
        let laid = match self.laid.take() {
            Some(laid) if laid.width == width => self.laid.insert(laid),
            _ => self.laid.insert(Laid::at(width, text)),
        };
        if laid.seen < text.len() {
            laid.grow(text, theme);
        }
        let most = match detail {
            Detail::Few => FEW_RESULT_LINES,
            Detail::All => MOST_LINES,
        };
        let from = laid.lines.len().saturating_sub(most);
        laid.lines.get(from..).unwrap_or_default()
    }
}

impl Laid {
    /// Nothing yet, from where the lines begin that will be seen.
    fn at(width: usize, text: &str) -> Self {
        let far = MOST_LINES.saturating_mul(width.max(1)).saturating_mul(BYTES);
        let settled = text.floor_char_boundary(text.len().saturating_sub(far));
        Self { width, lines: Vec::new(), open: 0, settled, seen: settled }
    }

    fn grow(&mut self, text: &str, theme: &Theme) {
        self.lines.truncate(self.open);
        loop {
            let rest = text.get(self.settled..).unwrap_or_default();
            let cut = rest.find('\n').map_or_else(|| too_long(rest), |at| at + 1);
            if cut == 0 {
                self.let_go();
                self.open = self.lines.len();
                if !rest.is_empty() {
                    self.lay(rest, theme);
                }
                break;
            }
            self.lay(rest.get(..cut).unwrap_or_default(), theme);
            self.settled += cut;
        }
        self.seen = text.len();
    }

    fn lay(&mut self, line: &str, theme: &Theme) {
        let margin = Margin::of(Span::styled("┆ ", theme.dim));
        let span = Span::styled(line.trim_end_matches('\n').to_owned(), theme.comment);
        self.lines.extend(wrap(&[span], self.width, &margin, Break::Words));
    }

    /// Lets the first lines go, many at once, so that each is moved seldom.
    fn let_go(&mut self) {
        if self.lines.len() > 2 * MOST_LINES {
            let surplus = self.lines.len() - MOST_LINES;
            self.lines.drain(..surplus);
        }
    }
}

#[cfg(test)]
mod tests;
