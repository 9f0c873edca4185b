//! Turns a client's conversation into a prompt. A session has only its own history, so earlier
//! messages of the client are passed to the agent as a quoted text.

use std::fmt::Write as _;

use holm_kernel::{Block, Message, Prompt, Role};
use holm_wire::server::CompletionRequest;

use crate::ApiError;

/// The whole conversation as one prompt: earlier messages as a text, then
/// the last message unchanged.
pub(super) fn whole(asked: &CompletionRequest) -> Result<Prompt, ApiError> {
    let (last, before) = split(asked)?;
    let mut blocks = Vec::new();
    if !asked.system.trim().is_empty() || !before.is_empty() {
        blocks.push(Block::Text(told(&asked.system, before)));
    }
    blocks.extend(last.blocks.iter().cloned());
    Ok(Prompt { blocks, ..Prompt::text("") })
}

/// Only the last message, for a session that knows the rest.
pub(super) fn last(asked: &CompletionRequest) -> Result<Prompt, ApiError> {
    let (last, _) = split(asked)?;
    Ok(Prompt { blocks: last.blocks.clone(), ..Prompt::text("") })
}

fn split(asked: &CompletionRequest) -> Result<(&Message, &[Message]), ApiError> {
    let spoken = |message: &&Message| message.role == Role::User && !message.blocks.is_empty();
    match asked.messages.split_last().filter(|(last, _)| spoken(last)) {
        Some(found) => Ok(found),
        None => Err(ApiError::bad(
            "invalid_request_error",
            "the last message must have the role `user` and \
                                                       must \
                                                       not \
                                                       be \
                                                       empty",
        )),
    }
}

/// The earlier messages, as a text for the agent.
fn told(system: &str, before: &[Message]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if !system.trim().is_empty() {
        let _ = write!(text, "Instructions of the client:\n{}\n\n", system.trim());
    }
    if !before.is_empty() {
        text.push_str("The conversation so far:\n");
        for message in before {
            let speaker = match message.role {
                Role::System => "Note",
                Role::User => "They",
                Role::Assistant => "You",
                Role::Tool => "A tool",
                Role::Custom => continue,
            };
            let _ = writeln!(text, "{speaker}: {}", message.plain_text());
        }
        text.push('\n');
    }
    text.push_str("The new message:\n");
    text
}
