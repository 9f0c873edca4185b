//! The items of a transcript: prompts, answers, thoughts, calls and notes. Their lines are laid out
//! when they are first shown, and cached until the item changes. Which items exist is decided in
//! `tab.rs` and `tab/events.rs`, which of their lines are visible in `view.rs`. Results and changes
//! are shortened to a maximum number of lines; text of tools is sanitized (`text.rs`) before it
//! becomes a line.

use std::sync::Arc;

use holm::kernel::Outcome;
use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    diff::{self, DiffLine},
    markdown::MarkdownText,
    text::{LineBreak, LineMargin, clipped, one_line, safe, wrap},
    theme::ChatTheme,
    thought::ThoughtText,
    todo_block::TodoBlock,
};

/// Lines of a result that are shown unless everything is.
pub(super) const FEW_RESULT_LINES: usize = 6;
/// Lines of a change that are shown unless everything is.
const FEW_CHANGE_LINES: usize = 40;
/// Lines of one thing at the most: more than anybody reads here; `holm session show` has the rest.
pub(super) const MOST_LINES: usize = 2_000;
/// What a helper has done lately, as far as it is kept.
const MOST_ACTIVITY: usize = 200;
/// What a helper has done lately, as far as it is shown.
const FEW_ACTIVITY: usize = 4;

/// One item of the transcript.
#[derive(Debug, Clone)]
pub(super) struct TranscriptItem {
    kind: TranscriptItemKind,
    laid: Option<ItemLayout>,
}

#[derive(Debug, Clone)]
struct ItemLayout {
    width: usize,
    detail: DetailLevel,
    lines: Vec<Line<'static>>,
}

/// The content of a transcript item.
#[derive(Debug, Clone)]
pub(super) enum TranscriptItemKind {
    /// A prompt of the user, with the number of its files.
    Person {
        text: String,
        files: usize,
    },
    /// The answer of the model.
    Answer(MarkdownText),
    /// The beginning of an answer that the user stopped.
    Stopped(MarkdownText),
    /// The reasoning of the model, as far as its provider shows it.
    Thinking(ThoughtText),
    Call(Box<ToolCallItem>),
    Note {
        tone: NoteTone,
        text: String,
    },
}

/// The severity of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoteTone {
    Quiet,
    Warning,
    Error,
}

/// How much of each call is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum DetailLevel {
    #[default]
    Few,
    All,
}

/// A tool call and its result.
#[derive(Debug, Clone)]
pub(super) struct ToolCallItem {
    tool: String,
    about: String,
    changes: Vec<DiffLine>,
    /// The to-do list, if the call stores it.
    pub(super) list: Option<TodoBlock>,
    pub(super) state: ToolCallState,
    pub(super) result: String,
    /// The progress that it reports.
    pub(super) progress: String,
    /// The actions of its helper, if it has one.
    pub(super) activity: Vec<String>,
}

/// The state of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolCallState {
    Proposed,
    Asked,
    Running,
    Denied { reason: String },
    Ended { outcome: Outcome, millis: u64 },
}

impl ToolCallItem {
    /// A call that was proposed.
    pub(super) fn new(tool: &str, arguments: &str) -> Self {
        let list = TodoBlock::of_call(tool, arguments);
        Self {
            tool: one_line(tool),
            about: list.as_ref().map_or_else(|| about(arguments), TodoBlock::summary),
            changes: diff::of_call(tool, arguments).unwrap_or_default(),
            list,
            state: ToolCallState::Proposed,
            result: String::new(),
            progress: String::new(),
            activity: Vec::new(),
        }
    }

    /// Whether it may still do something.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, ToolCallState::Proposed | ToolCallState::Asked | ToolCallState::Running)
    }

    /// Something that its helper did.
    pub(super) fn saw(&mut self, line: String) {
        if self.activity.len() >= MOST_ACTIVITY {
            self.activity.remove(0);
        }
        self.activity.push(line);
    }

    fn lines(&self, width: usize, theme: &ChatTheme, detail: DetailLevel) -> Vec<Line<'static>> {
        let (mark, style, after) = self.standing(theme);
        let head = format!("{mark} {} ", self.tool);
        let about = if detail == DetailLevel::All || !self.changes.is_empty() {
            self.about.clone()
        } else {
            clipped(&self.about, width.saturating_mul(2))
        };
        let about = if self.changes.is_empty() { about } else { String::new() };
        let spans =
            [Span::styled(head, style), Span::styled(about, theme.text), Span::styled(after, theme.dim)];
        let margin = LineMargin { first: Vec::new(), rest: vec![Span::raw("  ")] };
        let mut lines = wrap(&spans, width, &margin, LineBreak::Words);
        lines.extend(self.change_lines(width, theme, detail));
        if !self.failed() {
            lines.extend(self.list.iter().flat_map(|list| list.lines(width, theme)));
        }
        lines.extend(self.activity_lines(width, theme, detail));
        if !self.progress.is_empty() && self.is_open() {
            lines.extend(indented(&self.progress, width, theme.dim));
        }
        lines.extend(self.result_lines(width, theme, detail));
        lines
    }

    /// How it stands, in a mark and in words.
    fn standing(&self, theme: &ChatTheme) -> (&'static str, Style, String) {
        match &self.state {
            ToolCallState::Proposed => ("○", theme.dim, String::new()),
            ToolCallState::Asked => ("?", theme.warning, "  waits for you".into()),
            ToolCallState::Running => ("◐", theme.accent, "  …".into()),
            ToolCallState::Denied { reason } => {
                ("✗", theme.warning, format!("  denied: {}", one_line(reason)))
            }
            ToolCallState::Ended { outcome, millis } => match outcome {
                Outcome::Succeeded => ("●", theme.accent, format!("  {}", took(*millis))),
                Outcome::Failed => ("✗", theme.error, format!("  failed after {}", took(*millis))),
                Outcome::Refused if self.result.trim().is_empty() => ("✗", theme.warning, "  not run".into()),
                Outcome::Refused => (
                    "✗",
                    theme.warning,
                    format!("  not run: {}", one_line(crate::written_calls::reason_of(self.result.trim()))),
                ),
                Outcome::Unknown => ("?", theme.warning, "  unknown whether it happened".into()),
                Outcome::Stopped => ("■", theme.warning, "  stopped".into()),
            },
        }
    }

    fn change_lines(&self, width: usize, theme: &ChatTheme, detail: DetailLevel) -> Vec<Line<'static>> {
        let most = if detail == DetailLevel::All { MOST_LINES } else { FEW_CHANGE_LINES };
        let line = |change: &DiffLine| {
            let (mark, text, style) = match change {
                DiffLine::Place(text) => ("  ", text, theme.accent),
                DiffLine::Same(text) => ("   ", text, theme.dim),
                DiffLine::Added(text) => (" + ", text, theme.added),
                DiffLine::Removed(text) => (" - ", text, theme.removed),
            };
            let margin = LineMargin { first: vec![Span::styled(mark, style)], rest: vec![Span::raw("   ")] };
            wrap(&[Span::styled(safe(text), style)], width, &margin, LineBreak::Anywhere)
        };
        let mut lines: Vec<Line<'static>> = self.changes.iter().take(most).flat_map(line).collect();
        lines.extend(left_out(self.changes.len(), most, theme));
        lines
    }

    fn activity_lines(&self, width: usize, theme: &ChatTheme, detail: DetailLevel) -> Vec<Line<'static>> {
        let few = if detail == DetailLevel::All { MOST_ACTIVITY } else { FEW_ACTIVITY };
        let from = self.activity.len().saturating_sub(few);
        let shown = self.activity.iter().skip(from);
        shown.map(|line| Line::styled(clipped(&format!("  ⎿ {line}"), width), theme.dim)).collect()
    }

    fn result_lines(&self, width: usize, theme: &ChatTheme, detail: DetailLevel) -> Vec<Line<'static>> {
        let most = if detail == DetailLevel::All { MOST_LINES } else { FEW_RESULT_LINES };
        // An edit that was made says nothing new.
        if !self.changes.is_empty() && detail == DetailLevel::Few && !self.failed() {
            return Vec::new();
        }
        // The list is shown already.
        if self.list.is_some() && !self.failed() {
            return Vec::new();
        }
        // Why it was not run stands beside its name.
        if matches!(&self.state, ToolCallState::Ended { outcome: Outcome::Refused, .. }) {
            return Vec::new();
        }
        let text = self.result.trim_end();
        let all = text.lines().count();
        let mut lines = Vec::new();
        for line in text.lines().take(most) {
            // A line without end is shown as far as it is of use.
            let line = clipped(line, width.saturating_mul(most));
            lines.extend(indented(&line, width, theme.dim));
        }
        lines.truncate(most);
        lines.extend(left_out(all, most, theme));
        lines
    }

    fn failed(&self) -> bool {
        matches!(&self.state, ToolCallState::Ended { outcome, .. } if *outcome != Outcome::Succeeded)
    }
}

impl TranscriptItem {
    pub(super) fn new(kind: TranscriptItemKind) -> Self {
        Self { kind, laid: None }
    }

    /// A note of one tone.
    pub(super) fn note(tone: NoteTone, text: &str) -> Self {
        Self::new(TranscriptItemKind::Note { tone, text: safe(text) })
    }

    pub(super) fn kind(&self) -> &TranscriptItemKind {
        &self.kind
    }

    /// To change it: it is laid out again when it is next looked at.
    pub(super) fn change(&mut self) -> &mut TranscriptItemKind {
        self.laid = None;
        &mut self.kind
    }

    /// Lets the lines go; they come back when they are wanted.
    pub(super) fn forget(&mut self) {
        self.laid = None;
        match &mut self.kind {
            TranscriptItemKind::Answer(flow) | TranscriptItemKind::Stopped(flow) => flow.forget(),
            TranscriptItemKind::Thinking(thought) => thought.forget(),
            TranscriptItemKind::Person { .. }
            | TranscriptItemKind::Call(_)
            | TranscriptItemKind::Note { .. } => {}
        }
    }

    #[cfg(test)]
    pub(super) fn is_laid(&self) -> bool {
        self.laid.is_some()
    }

    /// All that it says, for a search.
    pub(super) fn words(&self) -> String {
        match &self.kind {
            TranscriptItemKind::Person { text, .. } | TranscriptItemKind::Note { text, .. } => text.clone(),
            TranscriptItemKind::Thinking(thought) => thought.text().to_owned(),
            TranscriptItemKind::Answer(flow) | TranscriptItemKind::Stopped(flow) => flow.text().to_owned(),
            TranscriptItemKind::Call(call) => format!("{} {}\n{}", call.tool, call.about, call.result),
        }
    }

    /// Its lines at a width.
    pub(super) fn lines(&mut self, width: usize, theme: &ChatTheme, detail: DetailLevel) -> &[Line<'static>] {
        let laid = self.laid.take().filter(|laid| laid.width == width && laid.detail == detail);
        let lines = match (&mut self.kind, laid) {
            (TranscriptItemKind::Answer(flow), _) => return flow.lines(width, theme),
            (TranscriptItemKind::Thinking(thought), _) => return thought.last_lines(width, theme, detail),
            (_, Some(laid)) => laid.lines,
            (TranscriptItemKind::Stopped(flow), None) => {
                let mark = Line::styled("(stopped)", theme.warning);
                flow.lines(width, theme).iter().cloned().chain([mark]).collect()
            }
            (kind, None) => lay(kind, width, theme, detail),
        };
        let fresh = ItemLayout { width, detail, lines };
        &self.laid.insert(fresh).lines
    }
}

fn lay(
    kind: &TranscriptItemKind,
    width: usize,
    theme: &ChatTheme,
    detail: DetailLevel,
) -> Vec<Line<'static>> {
    match kind {
        TranscriptItemKind::Answer(_) | TranscriptItemKind::Stopped(_) | TranscriptItemKind::Thinking(_) => {
            Vec::new()
        }
        TranscriptItemKind::Person { text, files } => {
            let margin =
                LineMargin { first: vec![Span::styled("› ", theme.person)], rest: vec![Span::raw("  ")] };
            let mut lines = paragraphs(text, width, &margin, theme.person);
            if *files > 0 {
                lines.push(Line::styled(format!("  with {files} attached"), theme.dim));
            }
            lines
        }
        TranscriptItemKind::Call(call) => call.lines(width, theme, detail),
        TranscriptItemKind::Note { tone, text } => {
            let style = match tone {
                NoteTone::Quiet => theme.dim,
                NoteTone::Warning => theme.warning,
                NoteTone::Error => theme.error,
            };
            paragraphs(text, width, &LineMargin::default(), style)
        }
    }
}

fn paragraphs(text: &str, width: usize, margin: &LineMargin, style: Style) -> Vec<Line<'static>> {
    let following = LineMargin { first: margin.rest.clone(), rest: margin.rest.clone() };
    let mut lines = Vec::new();
    for line in text.lines().take(MOST_LINES) {
        let margin = if lines.is_empty() { margin } else { &following };
        lines.extend(wrap(&[Span::styled(line.to_owned(), style)], width, margin, LineBreak::Words));
    }
    lines
}

fn indented(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    wrap(
        &[Span::styled(text.to_owned(), style)],
        width,
        &LineMargin::of(Span::raw("  ")),
        LineBreak::Anywhere,
    )
}

fn left_out(all: usize, most: usize, theme: &ChatTheme) -> Option<Line<'static>> {
    let more = all.checked_sub(most).filter(|more| *more > 0)?;
    Some(Line::styled(format!("  … {more} more lines"), theme.dim))
}

/// What a call is about, on one line: the command or the path alone where that is all.
fn about(arguments: &str) -> String {
    let said: Option<serde_json::Value> = serde_json::from_str(arguments).ok();
    let members = said.as_ref().and_then(serde_json::Value::as_object);
    let only = members.filter(|members| members.len() == 1).and_then(|members| members.values().next());
    match only.and_then(serde_json::Value::as_str) {
        Some(text) => one_line(text),
        None if members.is_some_and(serde_json::Map::is_empty) => String::new(),
        None => one_line(arguments),
    }
}

fn took(millis: u64) -> String {
    if millis < 1_000 {
        format!("{millis} ms")
    } else {
        format!("{}.{} s", millis / 1_000, millis % 1_000 / 100)
    }
}

/// What a message says.
pub(super) fn said(blocks: &[holm::kernel::Block]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(holm::kernel::Block::as_text).collect();
    safe(&texts.join("\n"))
}

/// A name that events carry.
pub(super) fn named(name: &Arc<str>) -> String {
    one_line(name)
}
