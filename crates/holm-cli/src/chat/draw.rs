//! Draws the chat state as cells: the tab bar, the transcript, waiting prompts, the input or a
//! question, and the status line. Overlays are in `draw/overlay.rs`; the lines of an item are laid
//! out in `item.rs`, and the visible ones chosen in `view.rs`.
//!
//! Drawing decides nothing. It records what only it knows: the size of the terminal, the lines that
//! were laid out, and how much of a question was visible, which `question.rs` needs before a yes
//! counts. So a covered question must not be recorded as seen. Text that is not from Holm passes
//! through `text.rs` first.

mod overlay;

pub(super) use overlay::listed_at;

use holm::grants::Mode;
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
    text::{Line, Span},
};

use super::{
    input::InputRows,
    question::{ChatQuestion, QuestionBody},
    state::ChatState,
    tab::{DeliveryTiming, SessionTab, TabPhase},
    text::{LineBreak, LineMargin, clipped, columns, one_line, safe, wrap},
    theme::ChatTheme,
    view::TranscriptViewport,
};

/// The most rows of what waits.
const MOST_WAITING: usize = 3;

/// What stands before what is typed.
const PROMPT: &str = "› ";

/// The areas of the screen, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScreenAreas {
    pub(super) bar: Rect,
    pub(super) transcript: Rect,
    pub(super) waiting: Rect,
    /// The input, or a question, below a line.
    pub(super) foot: Rect,
    pub(super) state: Rect,
}

impl ScreenAreas {
    /// For what is known now.
    pub(super) fn of(state: &ChatState) -> Self {
        let (width, height) = (state.size.columns, state.size.rows);
        let tab = state.tab();
        let waits = tab.map_or(0, |tab| unheard(tab).len().min(MOST_WAITING));
        let foot = tab.map_or(2, |tab| foot_rows(tab, usize::from(width), usize::from(height), &state.theme));
        let rows = [1, waits, foot, 1].map(|rows| u16::try_from(rows).unwrap_or(u16::MAX));
        let mut left = height;
        let mut take = |rows: u16| {
            let taken = rows.min(left);
            left -= taken;
            taken
        };
        // On a very small screen what is typed comes first.
        let [bar, waiting, foot, line] = rows;
        let (foot, line, bar, waiting) = (take(foot), take(line), take(bar), take(waiting));
        let transcript = left;
        let mut y = 0;
        let mut area = |rows: u16| {
            let area = Rect { x: 0, y, width, height: rows };
            y += rows;
            area
        };
        Self {
            bar: area(bar),
            transcript: area(transcript),
            waiting: area(waiting),
            foot: area(foot),
            state: area(line),
        }
    }
}

/// How many rows the foot needs: its line, and a question or what is typed.
fn foot_rows(tab: &SessionTab, width: usize, height: usize, theme: &ChatTheme) -> usize {
    match tab.asks() {
        Some(question) => {
            let lines = question_lines(question, width, theme).len();
            (lines + 2).min((height * 2 / 3).max(4))
        }
        None => {
            let rows = tab.input.rows(width.saturating_sub(PROMPT.chars().count())).rows.len();
            rows.clamp(1, (height / 3).max(1)) + 1
        }
    }
}

pub(super) fn render(state: &mut ChatState, frame: &mut Frame<'_>) {
    let area = frame.area();
    state.size = super::state::TerminalSize { columns: area.width, rows: area.height };
    let areas = ScreenAreas::of(state);
    bar(state, areas.bar, frame.buffer_mut());
    transcript(state, areas.transcript, frame.buffer_mut());
    waiting(state, areas.waiting, frame.buffer_mut());
    let cursor = foot(state, areas.foot, frame.buffer_mut());
    line_of_state(state, areas.state, frame.buffer_mut());
    overlay::completion(state, areas.foot, frame.buffer_mut());
    let covered = overlay::over(state, area, frame.buffer_mut());
    if let Some(cursor) = cursor.filter(|_| !covered) {
        frame.set_cursor_position(cursor);
    }
}

/// One line in one place; what does not fit is left out.
fn put(buffer: &mut Buffer, area: Rect, row: u16, line: &Line<'_>) {
    if row < area.height {
        buffer.set_line(area.x, area.y + row, line, area.width);
    }
}

fn bar(state: &ChatState, area: Rect, buffer: &mut Buffer) {
    let mut spans = Vec::new();
    for (number, text) in labels(state, area.width).into_iter().enumerate() {
        let style = if number == state.current { state.theme.bar } else { state.theme.dim };
        spans.push(Span::styled(text, style));
    }
    put(buffer, area, 0, &Line::from(spans));
}

/// What the sessions are called in the bar, one after the other.
fn labels(state: &ChatState, width: u16) -> Vec<String> {
    let room = usize::from(width) / state.tabs.len().max(1);
    let label = |(number, tab): (usize, &SessionTab)| {
        let mark = match tab.phase {
            _ if !tab.questions.is_empty() => "?",
            TabPhase::Opening | TabPhase::Rewinding => "…",
            TabPhase::Running => "◐",
            TabPhase::Idle => " ",
            TabPhase::Broken => "✗",
        };
        clipped(&format!(" {}{mark} {} ", number + 1, tab.title()), room.min(40))
    };
    state.tabs.iter().enumerate().map(label).collect()
}

/// Which session stands in this column of the bar.
pub(super) fn tab_at(state: &ChatState, column: u16) -> Option<usize> {
    let mut end = 0;
    labels(state, state.size.columns).iter().position(|label| {
        end += columns(label);
        usize::from(column) < end
    })
}

fn transcript(state: &mut ChatState, area: Rect, buffer: &mut Buffer) {
    let glass = TranscriptViewport {
        width: usize::from(area.width),
        height: usize::from(area.height),
        theme: &state.theme,
        detail: state.detail,
    };
    let Some(tab) = state.tabs.get_mut(state.current) else { return };
    if tab.items.is_empty() {
        welcome(tab, area, buffer, &state.theme);
        return;
    }
    let words = state.search.as_ref().map(|search| search.words.to_lowercase());
    for (row, (_, line)) in (0_u16..).zip(glass.lines(tab)) {
        put(buffer, area, row, &line);
        if let Some(words) = &words {
            mark(&line, words, area, row, buffer, state.theme.chosen);
        }
    }
}

/// Marks what was searched for.
fn mark(line: &Line<'_>, words: &str, area: Rect, row: u16, buffer: &mut Buffer, style: Style) {
    let text = line.to_string().to_lowercase();
    for (at, found) in text.match_indices(words) {
        let from = columns(text.get(..at).unwrap_or_default());
        let (Ok(from), Ok(width)) = (u16::try_from(from), u16::try_from(columns(found))) else { return };
        if from < area.width && row < area.height {
            let width = width.min(area.width - from);
            buffer.set_style(Rect { x: area.x + from, y: area.y + row, width, height: 1 }, style);
        }
    }
}

fn welcome(tab: &SessionTab, area: Rect, buffer: &mut Buffer, theme: &ChatTheme) {
    let first = match tab.phase {
        TabPhase::Opening => "opening the session …",
        TabPhase::Idle | TabPhase::Running | TabPhase::Rewinding | TabPhase::Broken => {
            "Type what you want done."
        }
    };
    let keys = "/help shows keys and commands, @ names files, Shift-Tab changes the mode.";
    let asks = match (tab.phase, tab.mode) {
        (TabPhase::Opening | TabPhase::Broken, _) => "",
        (_, Mode::Plan) => "Plan mode: agents read and plan. They change nothing.",
        (_, Mode::Full) => "Full mode: what you granted runs without a question. The rest is refused.",
        (_, Mode::Default | Mode::AcceptEdits) => tab.level.meaning(),
    };
    let wrapped = |text: &'static str| {
        wrap(
            &[Span::styled(text, theme.dim)],
            usize::from(area.width),
            &LineMargin::default(),
            LineBreak::Words,
        )
    };
    let lines = [Line::styled(first, theme.text), Line::default()].into_iter();
    for (row, line) in (0_u16..).zip(lines.chain(wrapped(keys)).chain(wrapped(asks))) {
        put(buffer, area, row, &line);
    }
}

fn waiting(state: &ChatState, area: Rect, buffer: &mut Buffer) {
    let Some(tab) = state.tab() else { return };
    let unheard = unheard(tab);
    let from = unheard.len().saturating_sub(MOST_WAITING);
    for (row, (when, text)) in (0_u16..).zip(unheard.into_iter().skip(from)) {
        let text = clipped(&format!("  {when}: {}", one_line(text)), usize::from(area.width));
        put(buffer, area, row, &Line::styled(text, state.theme.dim));
    }
}

/// What was said and is not heard yet, the first one first, and when it will be.
fn unheard(tab: &SessionTab) -> Vec<(&'static str, &str)> {
    let held = tab.held.texts().map(|text| ("once the session is open", text));
    let waiting = tab.waiting.iter().map(|waiting| {
        let when = match waiting.when {
            DeliveryTiming::Soon => "before the next step",
            DeliveryTiming::Afterwards => "when it is done",
        };
        (when, waiting.text.as_str())
    });
    held.chain(waiting).collect()
}

/// Draws the foot, and gives where the cursor stands.
fn foot(state: &mut ChatState, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    // Behind something else nothing is seen, so nothing is noted as seen.
    if state.over.is_some() {
        return None;
    }
    let rule = "─".repeat(usize::from(area.width));
    put(buffer, area, 0, &Line::styled(rule, state.theme.dim));
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let tab = state.tabs.get_mut(state.current)?;
    let is_asked = tab.asks().is_some();
    match tab.questions.front_mut().filter(|_| is_asked) {
        Some(question) => ask(question, below, buffer, &state.theme),
        None => typed(&tab.input.rows(room(below.width)), below, buffer, &state.theme),
    }
}

fn room(width: u16) -> usize {
    usize::from(width).saturating_sub(columns(PROMPT))
}

fn typed(rows: &InputRows, area: Rect, buffer: &mut Buffer, theme: &ChatTheme) -> Option<Position> {
    let height = usize::from(area.height);
    // The row of the cursor is always seen.
    let from = (rows.row + 1).saturating_sub(height);
    for (row, text) in (0_u16..).zip(rows.rows.iter().skip(from).take(height)) {
        let first = if row == 0 && from == 0 { PROMPT } else { "  " };
        let line = Line::from(vec![Span::styled(first, theme.person), Span::raw(text.as_str())]);
        put(buffer, area, row, &line);
    }
    let (x, y) = (rows.column + columns(PROMPT), rows.row.checked_sub(from)?);
    let (x, y) = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
    (y < area.height).then_some(Position { x: area.x + x.min(area.width.saturating_sub(1)), y: area.y + y })
}

fn question_lines(question: &ChatQuestion, width: usize, theme: &ChatTheme) -> Vec<Line<'static>> {
    match &question.asks {
        QuestionBody::Call(wanted) => call_lines(&wanted.lines, width, theme),
        QuestionBody::Group(group) => call_lines(&group.lines, width, theme),
        QuestionBody::Words { question, choices, input } => {
            let asks = format!("the agent asks: {question}");
            let mut lines: Vec<Line<'static>> = asks
                .lines()
                .flat_map(|line| {
                    let spans = [Span::styled(line.to_owned(), theme.warning)];
                    wrap(&spans, width, &LineMargin::default(), LineBreak::Words)
                })
                .collect();
            for (number, choice) in choices.iter().enumerate() {
                let spans = [Span::raw(format!("  [{}] {choice}", number + 1))];
                lines.extend(wrap(&spans, width, &LineMargin::default(), LineBreak::Words));
            }
            let typed = format!("{PROMPT}{}", safe(input.text()));
            lines.extend(wrap(
                &[Span::styled(typed, theme.person)],
                width,
                &LineMargin::default(),
                LineBreak::Anywhere,
            ));
            lines
        }
    }
}

/// The lines of a question about calls. What a call would do stands at the left margin.
fn call_lines(lines: &[String], width: usize, theme: &ChatTheme) -> Vec<Line<'static>> {
    let margin = LineMargin { first: Vec::new(), rest: vec![Span::raw("    ")] };
    let line = |line: &String| {
        let style = match line {
            line if !line.starts_with(' ') => theme.warning,
            line if line.contains("(not granted)") => theme.error,
            _ => theme.text,
        };
        wrap(&[Span::styled(line.clone(), style)], width, &margin, LineBreak::Anywhere)
    };
    lines.iter().flat_map(line).collect()
}

/// Draws a question. It can be agreed to once each of its lines has been on the screen.
fn ask(question: &mut ChatQuestion, area: Rect, buffer: &mut Buffer, theme: &ChatTheme) -> Option<Position> {
    let lines = question_lines(question, usize::from(area.width), theme);
    // The last row says what can be pressed.
    let height = usize::from(area.height.saturating_sub(1));
    question.show(lines.len(), height);
    for (row, line) in (0_u16..).zip(lines.iter().skip(question.scroll).take(height)) {
        put(buffer, area, row, line);
    }
    let width = usize::from(area.width);
    let choices = clipped(&question.choices(width), width);
    put(buffer, area, area.height.saturating_sub(1), &Line::styled(choices, theme.accent));
    let QuestionBody::Words { input, .. } = &question.asks else { return None };
    if area.height < 2 {
        return None;
    }
    let x = u16::try_from(columns(PROMPT) + columns(&safe(input.before()))).ok()?;
    Some(Position {
        x: area.x + x.min(area.width.saturating_sub(1)),
        y: area.y + area.height.saturating_sub(2),
    })
}

fn line_of_state(state: &ChatState, area: Rect, buffer: &mut Buffer) {
    let Some(tab) = state.tab() else { return };
    let width = usize::from(area.width);
    let left = match state.flash.as_str() {
        "" if state.listed.is_some() && tab.questions.is_empty() => {
            "the list of sessions is ready · Tab shows it".into()
        }
        "" => doing(tab),
        flash => safe(flash),
    };
    let mode = format!(" {} ", tab.mode);
    let right = meters(tab);
    let room = width.saturating_sub(columns(&mode) + 1);
    // On a narrow screen what happens now comes before what it has cost.
    let right = if columns(&left) + columns(&right) + 2 > room { String::new() } else { right };
    let left = clipped(&left, room.saturating_sub(columns(&right) + 1));
    let gap = width.saturating_sub(columns(&mode) + 1 + columns(&left) + columns(&right));
    let style = match tab.mode {
        Mode::Plan | Mode::Default => state.theme.bar,
        Mode::AcceptEdits | Mode::Full => state.theme.warning.patch(state.theme.bar),
    };
    let line = Line::from(vec![
        Span::styled(mode, style),
        Span::raw(" "),
        Span::styled(left, state.theme.accent),
        Span::raw(" ".repeat(gap)),
        Span::styled(right, state.theme.dim),
    ]);
    put(buffer, area, 0, &line);
}

/// What happens now, in a few words.
fn doing(tab: &SessionTab) -> String {
    if tab.asks().is_none() && !tab.questions.is_empty() {
        return "a question waits · Tab shows it".into();
    }
    match tab.phase {
        TabPhase::Opening => "opens".into(),
        TabPhase::Rewinding => "restores files".into(),
        TabPhase::Broken => "cannot be used".into(),
        TabPhase::Idle => String::new(),
        TabPhase::Running => {
            let (_, helpers) = tab.at_work();
            let helpers = match helpers {
                0 => String::new(),
                1 => " · 1 helper".into(),
                many => format!(" · {many} helpers"),
            };
            let doing = if tab.doing.is_empty() { "works" } else { &tab.doing };
            format!("{doing}{helpers} · Ctrl-C stops")
        }
    }
}

/// The model, how full its window is, and what it has cost.
fn meters(tab: &SessionTab) -> String {
    let mut parts = vec![tab.model.clone()];
    if tab.meter.context > 0 {
        parts.push(match tab.meter.window.filter(|window| *window > 0) {
            Some(window) => {
                format!("{} % of {}", tab.meter.context.saturating_mul(100) / window, short(window))
            }
            None => format!("{} tokens", short(tab.meter.context)),
        });
    }
    parts.push(tab.meter.priced.show(tab.meter.spent, tab.meter.usage));
    parts.retain(|part| !part.is_empty());
    format!("{} ", parts.join(" · "))
}

/// A number as people say it.
fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests;
