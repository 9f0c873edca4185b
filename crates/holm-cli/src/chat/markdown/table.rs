//! Renders tables. Columns are as wide as their content, or as the screen allows. If the page is
//! too narrow or there are too many columns, it gives nothing, and `chat/markdown.rs` shows the
//! text as it was written.

use ratatui::text::{Line, Span};

use super::inline;
use crate::chat::{
    text::{LineBreak, LineMargin, columns, wrap},
    theme::ChatTheme,
};

/// The most columns of a table; what has more is shown as it was written.
const MOST_COLUMNS: usize = 24;

/// The narrowest column: below that, words fall apart into letters.
const NARROWEST: usize = 3;

/// A table, and how many lines of the text it covers.
pub(super) struct MarkdownTable {
    pub(super) cells: Vec<Vec<String>>,
    pub(super) lines: usize,
}

/// The table that begins here, if one does: a row, a line of dashes, and more rows.
pub(super) fn rows(from: &[&str]) -> Option<MarkdownTable> {
    let (head, dashes) = (from.first()?, from.get(1)?);
    if !head.contains('|') || !is_dashes(dashes) {
        return None;
    }
    let head = cells(head);
    if head.is_empty() || head.len() > MOST_COLUMNS {
        return None;
    }
    let body: Vec<Vec<String>> = from
        .iter()
        .skip(2)
        .map_while(|line| (line.contains('|') && !line.trim().is_empty()).then(|| cells(line)))
        .collect();
    let lines = body.len() + 2;
    let wide = head.len();
    let mut all = vec![head];
    all.extend(body);
    for row in &mut all {
        row.resize(wide, String::new());
    }
    Some(MarkdownTable { cells: all, lines })
}

fn is_dashes(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The lines of a table; `None` if the page is too narrow for its columns. Long cells are wrapped.
pub(super) fn lay(rows: &[Vec<String>], width: usize, theme: &ChatTheme) -> Option<Vec<Line<'static>>> {
    let widths = widths(rows, width, theme)?;
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let style = if number == 0 { theme.heading } else { theme.text };
        let cells: Vec<Vec<Line<'static>>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| {
                wrap(&inline::spans(cell, style, theme), *width, &LineMargin::default(), LineBreak::Words)
            })
            .collect();
        let high = cells.iter().map(Vec::len).max().unwrap_or(1);
        lines.extend((0..high).map(|at| joined(&cells, &widths, at, theme)));
        if number == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(Line::styled(rule.join("─┼─"), theme.dim));
        }
    }
    Some(lines)
}

fn joined(cells: &[Vec<Line<'static>>], widths: &[usize], at: usize, theme: &ChatTheme) -> Line<'static> {
    let mut spans = Vec::new();
    for (number, (cell, width)) in cells.iter().zip(widths).enumerate() {
        if number > 0 {
            spans.push(Span::styled(" │ ", theme.dim));
        }
        let line = cell.get(at).cloned().unwrap_or_default();
        let used: usize = line.spans.iter().map(|span| columns(&span.content)).sum();
        spans.extend(line.spans);
        spans.push(Span::raw(" ".repeat(width.saturating_sub(used))));
    }
    Line::from(spans)
}

/// The column widths: that of the longest cell, where the widest columns shrink first. `None` if
/// that is still too wide.
fn widths(rows: &[Vec<String>], width: usize, theme: &ChatTheme) -> Option<Vec<usize>> {
    let count = rows.first().map_or(0, Vec::len);
    let shown = |cell: &String| -> usize {
        inline::spans(cell, theme.text, theme).iter().map(|span| columns(&span.content)).sum()
    };
    let mut widths: Vec<usize> = (0..count)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(shown).max().unwrap_or(0).max(1))
        .collect();
    let room = width.checked_sub(count.saturating_sub(1) * 3)?;
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= NARROWEST {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}
