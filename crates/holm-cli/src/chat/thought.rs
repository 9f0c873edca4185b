//! Lays out the reasoning of a model while it arrives. Only its end is shown and it may be very
//! long, so the part that is not shown is never laid out.

use ratatui::text::{Line, Span};

use super::{
    growing::{Growing, Layout, too_long},
    item::{Detail, FEW_RESULT_LINES, MOST_LINES},
    text::{Break, Margin, wrap},
    theme::Theme,
};

/// Reasoning text that grows at its end, and its last lines at one width.
pub(super) type Thought = Growing<Thinking>;

/// Lays out reasoning text: each line separately, behind a bar.
#[derive(Debug, Clone, Default)]
pub(super) struct Thinking;

impl Thought {
    /// Its last lines at a width.
    pub(super) fn last_lines(&mut self, width: usize, theme: &Theme, detail: Detail) -> &[Line<'static>] {
        let lines = self.lines(width, theme);
        let most = match detail {
            Detail::Few => FEW_RESULT_LINES,
            Detail::All => MOST_LINES,
        };
        lines.get(lines.len().saturating_sub(most)..).unwrap_or_default()
    }
}

impl Layout for Thinking {
    const MOST: usize = MOST_LINES;

    fn shown(text: &str) -> &str {
        text.trim_end()
    }

    fn settled(&self, rest: &str) -> usize {
        rest.find('\n').map_or_else(|| too_long(rest), |at| at + 1)
    }

    fn lay(&mut self, part: &str, width: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let margin = Margin::of(Span::styled("┆ ", theme.dim));
        let span = Span::styled(part.trim_end_matches('\n').to_owned(), theme.comment);
        lines.extend(wrap(&[span], width, &margin, Break::Words));
    }
}

#[cfg(test)]
mod tests;
