//! Turns a client's conversation into a prompt. The last message is the prompt itself; the messages
//! before it become the past of the session, each with its own role.
//!
//! The client reports that past, and no rule has judged it. Results of tools in it may come from
//! anywhere, and answers may repeat them. So the run counts as one that has read private and
//! untrusted content.

use holm_kernel::{Block, Marks, Message, PastMessage, Prompt, Role};
use holm_wire::server::CompletionRequest;

use crate::ApiError;

/// The last message, with the conversation before it.
pub(super) fn whole(asked: &CompletionRequest) -> Result<Prompt, ApiError> {
    let (last, before) = split(asked)?;
    let system = asked.system.trim();
    let system = (!system.is_empty())
        .then(|| PastMessage { role: Role::System, blocks: vec![Block::Text(system.to_owned())] });
    let before =
        before.iter().map(|message| PastMessage { role: message.role, blocks: message.blocks.clone() });
    let past: Vec<PastMessage> = system.into_iter().chain(before).collect();
    let has_read = past.iter().any(|message| matches!(message.role, Role::Tool | Role::Assistant));
    let marks = Marks { untrusted: has_read, private: has_read };
    Ok(Prompt { blocks: last.blocks.clone(), marks, past })
}

/// Only the last message, for a session that knows the rest.
pub(super) fn last(asked: &CompletionRequest) -> Result<Prompt, ApiError> {
    let (last, _) = split(asked)?;
    Ok(Prompt { blocks: last.blocks.clone(), ..Prompt::text("") })
}

fn split(asked: &CompletionRequest) -> Result<(&Message, &[Message]), ApiError> {
    let spoken = |message: &&Message| message.role == Role::User && !message.blocks.is_empty();
    let message = "the last message must have the role `user` and must not be empty";
    let found = asked.messages.split_last().filter(|(last, _)| spoken(last));
    found.ok_or_else(|| ApiError::bad("invalid_request_error", message))
}
