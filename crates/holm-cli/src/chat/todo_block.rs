//! The to-do list of the model in the transcript. The last list is shown in full; the calls before
//! it shrink to one line, so the transcript has one list that moves along. The tool is in
//! `holm-tools/src/conversation/todo.rs`; the arguments of its call are the whole list.

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::{
    text::{LineBreak, LineMargin, one_line, wrap},
    theme::ChatTheme,
};

/// The tool that keeps the list.
const TODO: &str = "todo";

/// A to-do list as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TodoBlock {
    items: Vec<TodoLine>,
    /// Whether no later call replaced it.
    is_latest: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TodoLine {
    progress: TodoLineProgress,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TodoLineProgress {
    Pending,
    InProgress,
    Completed,
}

impl TodoBlock {
    /// The list of a call; `None` for other tools, and for arguments that are not a list.
    pub(super) fn of_call(tool: &str, arguments: &str) -> Option<Self> {
        if tool != TODO {
            return None;
        }
        let said: Value = serde_json::from_str(arguments).ok()?;
        let items = said.get("items")?.as_array()?;
        let items: Option<Vec<TodoLine>> = items.iter().map(TodoLine::of).collect();
        Some(Self { items: items?, is_latest: true })
    }

    /// A later call replaced the list.
    pub(super) fn replaced(&mut self) {
        self.is_latest = false;
    }

    /// Whether no later call replaced the list.
    pub(super) fn is_latest(&self) -> bool {
        self.is_latest
    }

    /// How far the list is.
    pub(super) fn summary(&self) -> String {
        let done = self.items.iter().filter(|item| item.progress == TodoLineProgress::Completed).count();
        let now = self.items.iter().find(|item| item.progress == TodoLineProgress::InProgress);
        let now = now.map(|item| format!("; now: {}", item.text)).unwrap_or_default();
        format!("{done} of {} done{now}", self.items.len())
    }

    /// The items of the last list; a list that was replaced has no lines.
    pub(super) fn lines(&self, width: usize, theme: &ChatTheme) -> Vec<Line<'static>> {
        if !self.is_latest {
            return Vec::new();
        }
        let line = |item: &TodoLine| {
            let (mark, style) = match item.progress {
                TodoLineProgress::Pending => ("  ○ ", theme.text),
                TodoLineProgress::InProgress => ("  ◐ ", theme.accent),
                TodoLineProgress::Completed => ("  ● ", theme.dim),
            };
            let margin = LineMargin { first: vec![Span::styled(mark, style)], rest: vec![Span::raw("    ")] };
            wrap(&[Span::styled(item.text.clone(), style)], width, &margin, LineBreak::Words)
        };
        self.items.iter().flat_map(line).collect()
    }
}

impl TodoLine {
    fn of(item: &Value) -> Option<Self> {
        let progress = match item.get("progress")?.as_str()? {
            "pending" => TodoLineProgress::Pending,
            "in_progress" => TodoLineProgress::InProgress,
            "completed" => TodoLineProgress::Completed,
            _ => return None,
        };
        Some(Self { progress, text: one_line(item.get("text")?.as_str()?) })
    }
}
