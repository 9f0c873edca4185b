//! The to-do list of the model. It stores nothing on disk: every call passes the whole list, so the
//! last result in the transcript is the list, and a resumed or compacted run loses nothing. Hosts
//! that show the list read the same arguments: the chat does so in
//! `holm-cli/src/chat/todo_block.rs`.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use holm_grants::Level;
use holm_kernel::{Retention, ToolSpec};
use holm_runtime::{ToolInvocation, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

/// More items than this are not a useful list.
const MOST_ITEMS: usize = 50;
/// The longest item, in characters. The list is repeated after every compaction.
const MOST_CHARS: usize = 200;

/// Keeps a to-do list. Every call passes the whole list, so only the last result in the transcript
/// counts: a compaction keeps it, and a resumed run loses nothing. Clones share the list: keep
/// one to display it.
#[derive(Debug, Clone, Default)]
pub struct TodoTool {
    items: Arc<Mutex<Vec<TodoItem>>>,
}

impl TodoTool {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub progress: TodoProgress,
}

/// How far a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoProgress {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Finished.
    Completed,
}

/// The whole list.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TodoArguments {
    /// Everything that is to be done, in order, also what is done already.
    items: Vec<TodoItem>,
}

impl TypedTool for TodoTool {
    type Arguments = TodoArguments;
    type Output = Result<String, String>;

    fn declare(&self) -> ToolSpec {
        let what = "Stores your to-do list. Send the whole list every time; work on one item at a time.";
        ToolSpec { retention: Retention::Latest, ..Self::named("todo", what).level(Level::None) }
    }

    async fn call(self: Arc<Self>, list: TodoArguments, _: ToolInvocation) -> Result<String, String> {
        if list.items.len() > MOST_ITEMS {
            return Err(format!("the list holds at most {MOST_ITEMS} items; merge some"));
        }
        if let Some(at) = list.items.iter().position(|item| item.text.chars().count() > MOST_CHARS) {
            return Err(format!("item {} has more than {MOST_CHARS} characters; shorten it", at + 1));
        }
        let begun = list.items.iter().filter(|item| item.progress == TodoProgress::InProgress).count();
        let mut text = String::from("The list:");
        for item in &list.items {
            let mark = match item.progress {
                TodoProgress::Pending => "[ ]",
                TodoProgress::InProgress => "[~]",
                TodoProgress::Completed => "[x]",
            };
            let _ = write!(text, "\n{mark} {}", item.text);
        }
        if begun > 1 {
            let _ = write!(text, "\n({begun} items are in progress; one at a time is better)");
        }
        *self.items.lock().unwrap_or_else(PoisonError::into_inner) = list.items;
        Ok(text)
    }
}
