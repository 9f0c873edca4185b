//! Lays out the reasoning of a model while it arrives. Only its end is shown and it may be very
//! long, so the part that is not shown is never laid out.
//!
//! Which text is reasoning is decided in `tab/events.rs`, and where an item shows it in `item.rs`.
//! Answers are laid out in `markdown.rs`.

use ratatui::text::{Line, Span};

use super::{
    incremental_text::{IncrementalText, TextLayout, too_long},
    item::{DetailLevel, FEW_RESULT_LINES, MOST_LINES},
    text::{LineBreak, LineMargin, wrap},
    theme::ChatTheme,
};

/// Reasoning text that grows at its end, and its last lines at one width.
pub(super) type ThoughtText = IncrementalText<ThoughtLayout>;

/// Lays out reasoning text: each line separately, behind a bar.
#[derive(Debug, Clone, Default)]
pub(super) struct ThoughtLayout;

impl ThoughtText {
    /// Its last lines at a width.
    pub(super) fn last_lines(
        &mut self,
        width: usize,
        theme: &ChatTheme,
        detail: DetailLevel,
    ) -> &[Line<'static>] {
        let lines = self.lines(width, theme);
        let most = match detail {
            DetailLevel::Few => FEW_RESULT_LINES,
            DetailLevel::All => MOST_LINES,
        };
        lines.get(lines.len().saturating_sub(most)..).unwrap_or_default()
    }
}

impl TextLayout for ThoughtLayout {
    const MOST: usize = MOST_LINES;

    fn shown(text: &str) -> &str {
        text.trim_end()
    }

    fn settled(&self, rest: &str) -> usize {
        rest.find('\n').map_or_else(|| too_long(rest), |at| at + 1)
    }

    fn lay(&mut self, part: &str, width: usize, theme: &ChatTheme, lines: &mut Vec<Line<'static>>) {
        let margin = LineMargin::of(Span::styled("┆ ", theme.dim));
        let span = Span::styled(part.trim_end_matches('\n').to_owned(), theme.comment);
        lines.extend(wrap(&[span], width, &margin, LineBreak::Words));
    }
}

#[cfg(test)]
mod tests;
