//! Puts notes of Holm itself in front of a user's prompt, and finds them again. A note is marked by
//! a block that no text can imitate and that is not sent to any provider, so a prompt that only
//! looks like a note does not count as one.
//!
//! The texts of notes are written by the callers: `permission_notice.rs` and
//! `commands/run/command_folders.rs`.

use holm::kernel::{Block, Custom, Message, Prompt};

/// A kind of note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostNote {
    /// What the model may do now.
    Permissions,
    /// Files of commands that are gone.
    Folders,
}

impl HostNote {
    const ALL: [Self; 2] = [Self::Permissions, Self::Folders];

    /// The kind of the block that marks the note.
    const fn mark(self) -> &'static str {
        match self {
            Self::Permissions => "holm/permissions",
            Self::Folders => "holm/folders",
        }
    }

    /// Puts a note in front of a prompt.
    pub(crate) fn put_before(self, prompt: &mut Prompt, text: String) {
        let mark = Block::Custom(Custom { kind: self.mark().into(), payload: Default::default() });
        prompt.blocks.splice(0..0, [mark, Block::Text(text)]);
    }

    /// The text of a note of this kind in a message.
    pub(crate) fn find(self, message: &Message) -> Option<&str> {
        let at = message.blocks.iter().position(|block| is_marked(block, self))?;
        message.blocks.get(at + 1)?.as_text()
    }

    /// The blocks without notes: what a user said.
    pub(crate) fn remove_all(blocks: &[Block]) -> Vec<&Block> {
        let is_note = |block: &Block| Self::ALL.iter().any(|note| is_marked(block, *note));
        let mut said = Vec::with_capacity(blocks.len());
        let mut rest = blocks.iter();
        while let Some(block) = rest.next() {
            if is_note(block) {
                rest.next();
            } else {
                said.push(block);
            }
        }
        said
    }
}

fn is_marked(block: &Block, note: HostNote) -> bool {
    matches!(block, Block::Custom(custom) if custom.kind == note.mark())
}
