//! Draws overlays: lists, help, and completions. It also says which row of a list a click hits.
//! What a list contains is in `chat/picker.rs`, and what a key or a click does there in
//! `chat/update/key_presses.rs` and `chat/update/mouse.rs`. It changes no state.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use super::put;
use crate::chat::{
    picker::ListPicker,
    slash::COMMANDS,
    state::{ChatState, ScreenOverlay},
    text::{LineBreak, LineMargin, clipped, columns, one_line, wrap},
};

/// The line of state stays in view.
const BELOW_OVER: u16 = 1;
/// A list has its title and its filter above it.
const ABOVE_LIST: u16 = 2;

/// The column in which the help says what something does: behind the longest key but one.
const ABOUT: usize = 32;

/// Draws what a word could become, above the foot.
pub(super) fn completion(state: &ChatState, foot: Rect, buffer: &mut Buffer) {
    let Some(completion) = &state.completion else { return };
    let height = u16::try_from(completion.rows.len()).unwrap_or(u16::MAX).min(foot.y);
    let area = Rect { y: foot.y - height, height, ..foot };
    clear(buffer, area);
    let wide = completion.rows.iter().map(|(text, _)| columns(text)).max().unwrap_or(0);
    for (row, (number, (text, about))) in (0_u16..).zip(completion.rows.iter().enumerate()) {
        let style = if number == completion.at { state.theme.chosen } else { state.theme.text };
        let gap = " ".repeat(wide.saturating_sub(columns(text)) + 2);
        let room = usize::from(area.width).saturating_sub(wide + 4);
        let line = Line::from(vec![
            Span::styled(format!("  {text}"), style),
            Span::raw(gap),
            Span::styled(clipped(about, room), state.theme.dim),
        ]);
        put(buffer, area, row, &line);
    }
}

/// Draws what is in front of everything. Says whether something is.
pub(super) fn over(state: &ChatState, area: Rect, buffer: &mut Buffer) -> bool {
    let Some(over) = &state.over else { return false };
    let area = Rect { height: area.height.saturating_sub(BELOW_OVER), ..area };
    clear(buffer, area);
    match over {
        ScreenOverlay::Help { scroll } => help(state, *scroll, area, buffer),
        ScreenOverlay::Picker(picker) => list(state, picker, area, buffer),
    }
    true
}

fn clear(buffer: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
}

/// The rows of a list that a screen of this height has, and how many stand above them.
fn window(picker: &ListPicker, height: u16) -> (usize, usize) {
    let height = usize::from(height.saturating_sub(ABOVE_LIST));
    ((picker.at() + 1).saturating_sub(height), height)
}

/// Which of what a list shows stands in this row of a screen.
pub(in crate::chat) fn listed_at(picker: &ListPicker, rows: u16, row: u16) -> Option<usize> {
    let (from, height) = window(picker, rows.saturating_sub(BELOW_OVER));
    let at = usize::from(row.checked_sub(ABOVE_LIST)?);
    (at < height).then_some(from + at)
}

fn list(state: &ChatState, picker: &ListPicker, area: Rect, buffer: &mut Buffer) {
    let theme = &state.theme;
    put(buffer, area, 0, &Line::styled(clipped(&picker.title, usize::from(area.width)), theme.heading));
    let hint = format!("filter: {}  (Enter chooses, Esc goes back)", picker.filter);
    put(buffer, area, 1, &Line::styled(hint, theme.dim));
    let below = Rect { y: area.y + ABOVE_LIST, height: area.height.saturating_sub(ABOVE_LIST), ..area };
    let (rows, (from, height)) = (picker.shown(), window(picker, area.height));
    let wide = rows.iter().map(|row| columns(&row.label)).max().unwrap_or(0).min(40);
    for (line, (number, row)) in (0_u16..).zip(rows.iter().enumerate().skip(from).take(height)) {
        let style = if number == picker.at() { theme.chosen } else { theme.text };
        let label = clipped(&row.label, wide);
        let gap = " ".repeat(wide.saturating_sub(columns(&label)) + 2);
        let room = usize::from(below.width).saturating_sub(wide + 3);
        let spans = vec![
            Span::styled(format!(" {label}{gap}"), style),
            Span::styled(clipped(&row.about, room), style),
        ];
        put(buffer, below, line, &Line::from(spans));
    }
}

fn help(state: &ChatState, scroll: usize, area: Rect, buffer: &mut Buffer) {
    let lines = help_lines(state, usize::from(area.width));
    let height = usize::from(area.height);
    // Where not all of it can be seen at once, the last row says so.
    let shown = if lines.len() > height { height.saturating_sub(1) } else { height };
    let furthest = lines.len().saturating_sub(shown);
    let from = scroll.min(furthest);
    for (at, line) in (0_u16..).zip(lines.iter().skip(from).take(shown)) {
        put(buffer, area, at, line);
    }
    if furthest > 0 {
        let hint = match furthest - from {
            0 => "end of the text; Up and PageUp go back, Esc closes".to_owned(),
            more => format!("{more} more below: Down and PageDown go there, Esc closes"),
        };
        let hint = clipped(&hint, usize::from(area.width));
        put(buffer, area, area.height.saturating_sub(1), &Line::styled(hint, state.theme.dim));
    }
}

/// All that the help says; what is wider than the screen goes on below.
fn help_lines(state: &ChatState, width: usize) -> Vec<Line<'static>> {
    let theme = &state.theme;
    let row = |key: &str, about: &str| {
        // With a blank behind it also where it is as long as its column.
        let first = vec![Span::styled(format!("  {key:<29} "), theme.accent)];
        let margin = LineMargin { first, rest: vec![Span::raw(" ".repeat(ABOUT))] };
        wrap(&[Span::raw(one_line(about))], width, &margin, LineBreak::Words)
    };
    let mut lines = vec![Line::styled("Keys (chat.toml in the data folder changes them)", theme.heading)];
    lines.extend(state.keys.help().iter().flat_map(|(keys, about)| row(keys, about)));
    lines.push(Line::default());
    lines.push(Line::styled("Commands", theme.heading));
    lines.extend(COMMANDS.iter().flat_map(|(name, takes, about)| row(&format!("/{name} {takes}"), about)));
    lines.extend(state.customs.iter().flat_map(|custom| row(&format!("/{}", custom.name), &custom.about)));
    lines.push(Line::default());
    lines.push(Line::styled("Files", theme.heading));
    lines.extend(row("@path", "attach a file: text, or a picture"));
    lines
}
