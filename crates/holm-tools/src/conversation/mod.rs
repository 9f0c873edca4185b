//! Tools of the conversation itself: they ask the user, notify the user, wait, keep a to-do list,
//! and look up other tools. None of them changes anything outside the conversation.

mod counter;
mod people;
mod plan;
mod search;
mod sleep;
mod todo;
mod withheld;

#[cfg(test)]
mod tests;

pub use counter::{MailboxMessage, PendingQuestion, QuestionNotOpenError, UserMailbox};
pub use people::{AskUserTool, NotifyUserTool, UserChannel};
pub use plan::plan_tools;
pub use search::{MOST_SHOWN, TOOL_SEARCH, ToolDisplayPolicy, ToolLookup};
pub use sleep::SleepTool;
pub use todo::{TodoItem, TodoProgress, TodoTool};
pub use withheld::{PERSON_TOOLS, WithheldTools};
