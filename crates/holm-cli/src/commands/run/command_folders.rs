//! The folders of a session's commands: `$HOME`, `$HOME/out` and `$TMPDIR`. They are kept for the
//! next process that resumes the session, and the model is told if files are gone. The folders
//! themselves are made, bounded and removed in `holm-tools/src/shell/home.rs`.

use std::sync::{Mutex, PoisonError};

use holm::{
    kernel::{Block, Message, Prompt},
    runtime::Session,
};
use holm_tools::shell::{FoundFolders, SessionFolderKey, SessionFolders};

use crate::{default_prompt::HostNote, holm_paths::HolmPaths};

/// The tools that run commands.
const COMMANDS: [&str; 2] = ["shell", "run_program"];
/// Texts in calls and results that name the folders.
const NAMES: [&str; 4] = ["$HOME", "$TMPDIR", "/tmp", "~/"];

/// What the model is told if nothing was kept.
const ALL_GONE: &str = "[The files that earlier commands left in $HOME, $HOME/out and $TMPDIR are gone. \
    Run a command again if you need its output.]";
/// What it is told if only temporary files were not kept.
const TEMPORARY_GONE: &str = "[The files that earlier commands left in $TMPDIR are gone.]";

/// The folders of one session's commands.
#[derive(Debug)]
pub(super) struct CommandFolders {
    folders: SessionFolders,
    /// What the model must be told before its next prompt.
    lost: Mutex<Option<&'static str>>,
}

impl CommandFolders {
    pub(super) fn new(folders: SessionFolders) -> Self {
        Self { folders, lost: Mutex::new(None) }
    }

    /// Keeps the folders for this session, and finds out whether files are
    /// gone that the transcript names.
    pub(super) fn keep(&self, places: &HolmPaths, session: &Session) {
        let lost = match self.folders.found() {
            FoundFolders::Everything => None,
            FoundFolders::NoTemporaryFiles => Some(TEMPORARY_GONE),
            FoundFolders::Nothing => Some(ALL_GONE),
        };
        let is_named = || session.run().transcript().iter().any(|message| names_folders(message));
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = lost.filter(|_| is_named());
        self.folders.keep_for(&SessionFolderKey::of(&places.data, session.id()));
    }

    /// The prompt, after a note the first time if files are gone.
    pub(super) fn before(&self, mut prompt: Prompt) -> Prompt {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(lost) = lost {
            HostNote::Folders.put_before(&mut prompt, lost.to_owned());
        }
        prompt
    }
}

fn names_folders(message: &Message) -> bool {
    let has_name = |text: &str| NAMES.iter().any(|name| text.contains(name));
    message.blocks.iter().any(|block| match block {
        Block::ToolCall(call) => COMMANDS.contains(&call.name.as_str()) && has_name(&call.arguments),
        Block::ToolResult(result) => COMMANDS.contains(&result.tool.as_str()) && has_name(&result.text),
        _ => false,
    })
}
