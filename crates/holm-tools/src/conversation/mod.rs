//! Tools of the conversation itself: they ask the user, notify the user, wait, keep a to-do list,
//! and look up other tools. None of them changes anything outside the conversation. Approvals are
//! not among them: the kernel asks for these, and `shell/approval_gate.rs` remembers the answers.
//!
//! Where things are:
//! - `user_channel.rs`: the tools that ask and notify; `user_mailbox.rs`: a queue between them and
//!   a user interface.
//! - `todo.rs`, `sleep.rs`, `plan.rs`: the to-do list, waiting, and plan mode.
//! - `search.rs`: looks up tools if there are many. `withheld.rs`: tools that are not offered
//!   without a user.

mod plan;
mod search;
mod sleep;
mod todo;
mod user_channel;
mod user_mailbox;
mod withheld;

#[cfg(test)]
mod tests;

pub use plan::plan_tools;
pub use search::{MOST_SHOWN, TOOL_SEARCH, ToolDisplayPolicy, ToolLookup};
pub use sleep::SleepTool;
pub use todo::{TodoItem, TodoProgress, TodoTool};
pub use user_channel::{AskUserTool, NotifyUserTool, UserChannel};
pub use user_mailbox::{MailboxMessage, PendingQuestion, QuestionNotOpenError, UserMailbox};
pub use withheld::{ASK_USER, PERSON_TOOLS, WithheldTools};
