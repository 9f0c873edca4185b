//! Which lines of a transcript are on the screen, and how scrolling moves. Only items near the
//! scroll position are laid out, so a long session costs no more than a short one. It does not lay
//! out items (`item.rs`) or draw (`draw.rs`). At the end, the view follows new lines.

use ratatui::text::Line;

use super::{
    item::{DetailLevel, TranscriptItem},
    tab::{ScrollPosition, SessionTab},
    theme::ChatTheme,
};

/// How a transcript is shown: size, theme and detail.
#[derive(Clone, Copy)]
pub(super) struct TranscriptViewport<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) theme: &'a ChatTheme,
    pub(super) detail: DetailLevel,
}

impl TranscriptViewport<'_> {
    /// The lines that are seen, the upper ones first, each with the thing that it belongs to.
    pub(super) fn lines(self, tab: &mut SessionTab) -> Vec<(usize, Line<'static>)> {
        let (mut item, mut row) = self.top(tab);
        let mut seen = Vec::with_capacity(self.height);
        while seen.len() < self.height && item < tab.items.len() {
            let room = self.height - seen.len();
            if let Some(thing) = tab.items.get_mut(item) {
                let lines = thing.lines(self.width, self.theme, self.detail);
                let is_empty = lines.is_empty();
                seen.extend(lines.iter().skip(row).take(room).map(|line| (item, line.clone())));
                // A line of nothing stands between two things.
                if !is_empty && seen.len() < self.height {
                    seen.push((item, Line::default()));
                }
            }
            (item, row) = (item + 1, 0);
        }
        seen
    }

    /// Scrolls up (negative) or down. At the end, the view follows new lines again.
    pub(super) fn scroll(self, tab: &mut SessionTab, by: isize) {
        let (mut item, mut row) = self.top(tab);
        let mut left = by.unsigned_abs();
        if by < 0 {
            while left > row && item > 0 {
                left -= row;
                item -= 1;
                row = self.rows(tab, item);
            }
            row = row.saturating_sub(left);
        } else {
            row += left;
            while item < tab.items.len() && row >= self.rows(tab, item) {
                row -= self.rows(tab, item);
                item += 1;
            }
        }
        tab.look =
            if (item, row) >= self.end(tab) { ScrollPosition::End } else { ScrollPosition::At { item, row } };
    }

    /// Looks at one thing.
    pub(super) fn show(self, tab: &mut SessionTab, item: usize) {
        tab.look = if (item, 0) >= self.end(tab) {
            ScrollPosition::End
        } else {
            ScrollPosition::At { item, row: 0 }
        };
    }

    /// What stands at the top of the screen.
    fn top(self, tab: &mut SessionTab) -> (usize, usize) {
        let end = self.end(tab);
        match tab.look {
            ScrollPosition::End => end,
            // After a resize there may be fewer lines than before.
            ScrollPosition::At { item, row } => {
                (item, row.min(self.rows(tab, item).saturating_sub(1))).min(end)
            }
        }
    }

    /// What stands at the top when the end is looked at.
    fn end(self, tab: &mut SessionTab) -> (usize, usize) {
        // The empty line below the last thing is not worth a row.
        let mut left = self.height + 1;
        for item in (0..tab.items.len()).rev() {
            let rows = self.rows(tab, item);
            if rows >= left {
                return (item, rows - left);
            }
            left -= rows;
        }
        (0, 0)
    }

    /// How many rows a thing takes, with the empty one below it.
    fn rows(self, tab: &mut SessionTab, item: usize) -> usize {
        let Some(thing) = tab.items.get_mut(item) else { return 0 };
        rows_of(thing, self)
    }
}

fn rows_of(item: &mut TranscriptItem, glass: TranscriptViewport<'_>) -> usize {
    match item.lines(glass.width, glass.theme, glass.detail).len() {
        0 => 0,
        lines => lines + 1,
    }
}

#[cfg(test)]
mod tests;
