//! Decides which files of a prompt a model accepts, for all callers: commands, the chat, and
//! editors. It asks the codec of the model's provider instead of keeping a list of its own. Reading
//! the files is done in `prompt/media.rs`, `chat/attachments.rs` and `acp/editor_prompt.rs`.

use holm::kernel::{Block, Prompt};

use super::{DEMO, SCRIPT};
use crate::{
    exit::{CommandError, CommandExit},
    provider_access::ProviderAccess,
};

/// Which pictures and files a model accepts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelMediaSupport {
    pub(super) name: String,
    pub(super) reach: ProviderAccess,
}

impl ModelMediaSupport {
    /// What a model of this name takes that is reached in the usual ways.
    #[cfg(test)]
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), reach: ProviderAccess::default() }
    }

    /// Refuses a prompt with a file that the model does not accept: it would answer without it, and
    /// the user would not notice.
    pub(crate) fn check(&self, prompt: &Prompt) -> Result<(), CommandError> {
        let Some((file, why)) = self.unseen(prompt) else { return Ok(()) };
        Err(CommandError::new(CommandExit::Usage, format!("{why}, so it cannot read {file}"))
            .hint("leave it out, or choose another model with --model"))
    }

    /// The first file of a prompt that the model would not be shown, and why not.
    pub(crate) fn unseen(&self, prompt: &Prompt) -> Option<(String, String)> {
        prompt.blocks.iter().find_map(|block| {
            let why = self.refusal(block)?;
            let name = match block {
                Block::Image(media) | Block::File(media) => media.name.clone(),
                Block::Text(_)
                | Block::Thinking(_)
                | Block::ToolCall(_)
                | Block::ToolResult(_)
                | Block::Custom(_) => None,
            };
            Some((name.unwrap_or_else(|| "a file".into()), why))
        })
    }

    /// Why the model would not be shown a block; none where it would.
    pub(crate) fn refusal(&self, block: &Block) -> Option<String> {
        // A script answers regardless of its input.
        if matches!(self.name.as_str(), DEMO | SCRIPT) {
            return None;
        }
        match block {
            Block::Image(media) | Block::File(media) if !self.reach.shows(&self.name, block) => {
                Some(format!("{} takes no {}", self.name, media.media_type))
            }
            Block::Image(_) | Block::File(_) | Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) => {
                None
            }
            Block::ToolResult(_) | Block::Custom(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
