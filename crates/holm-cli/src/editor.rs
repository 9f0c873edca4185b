//! Opens the user's own editor for text that is too long for a prompt. It is not the code for
//! editors that speak the Agent Client Protocol; that is `acp/`.
//!
//! The editor is the user's own program and runs with the user's rights, without a jail. The text
//! that it saves counts as typed. So the file name is an argument and never part of the command
//! line, and the draft file is private and removed afterwards. The caller must give up the terminal
//! first (`screen.rs` or `chat/terminal.rs`).

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths,
};

/// The variables that name an editor, in the order in which git asks them.
const VARIABLES: [&str; 3] = ["GIT_EDITOR", "VISUAL", "EDITOR"];

/// The longest text that is taken back: as much as standard input may hold.
const MOST_BYTES: u64 = 16 << 20;

/// The user's editor program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExternalEditor {
    /// A shell command, so that flags may follow the program.
    command: String,
}

impl ExternalEditor {
    /// The editor that the environment names.
    ///
    /// # Errors
    /// Where it names none.
    pub(crate) fn find(env: impl Fn(&str) -> Option<String>) -> Result<Self, CommandError> {
        let named = VARIABLES.iter().find_map(|name| env(name).filter(|command| !command.trim().is_empty()));
        let command = named.ok_or_else(|| {
            CommandError::new(CommandExit::Usage, "no editor is set")
                .hint("set EDITOR, such as: export EDITOR=nano")
        })?;
        Ok(Self { command })
    }

    /// Lets the user edit a text, in a temporary file of this folder that only its owner can read.
    ///
    /// # Errors
    /// If the editor cannot be started or fails, or if the result is not text.
    pub(crate) fn edit(&self, folder: &Path, text: &str) -> Result<String, CommandError> {
        let draft = EditorDraftFile::write(folder, text)?;
        // As git does it: the command is a shell command, and the file is an argument, never a
        // part of the command.
        let shell = format!("{} \"$@\"", self.command);
        let status = Command::new("sh").args(["-c", &shell, &self.command]).arg(&draft.path).status();
        match status {
            Ok(status) if status.success() => draft.read(),
            Ok(status) => {
                let message =
                    format!("the editor `{}` ended with {status}, so nothing was done", self.command);
                Err(CommandError::new(CommandExit::Failed, message))
            }
            Err(error) => {
                let message = format!("the editor `{}` cannot be started: {error}", self.command);
                Err(CommandError::new(CommandExit::Failed, message).hint("set EDITOR to an installed editor"))
            }
        }
    }
}

/// A temporary file that exists while the user edits it.
struct EditorDraftFile {
    path: PathBuf,
}

impl EditorDraftFile {
    fn write(folder: &Path, text: &str) -> Result<Self, CommandError> {
        let folder = folder.join("drafts");
        let path = folder.join(format!("{}.md", holm::runtime::new_name(holm::kernel::Timestamp::new(0))));
        let write = || {
            holm_paths::private_folder(&folder)?;
            let mut file = holm_paths::private_file(&path)?;
            // From here on the file goes when this does.
            let draft = Self { path: path.clone() };
            file.write_all(text.as_bytes())?;
            if !text.is_empty() && !text.ends_with('\n') {
                file.write_all(b"\n")?;
            }
            Ok(draft)
        };
        write().map_err(|error: std::io::Error| {
            CommandError::new(CommandExit::Failed, format!("{} cannot be written: {error}", path.shown()))
        })
    }

    /// The text without the line's end that editors add.
    fn read(&self) -> Result<String, CommandError> {
        let place = self.path.shown();
        let failed = |why: String| {
            CommandError::new(CommandExit::Failed, format!("{place} cannot be read back: {why}"))
        };
        let length = fs::metadata(&self.path).map_err(|error| failed(error.to_string()))?.len();
        if length > MOST_BYTES {
            return Err(CommandError::new(
                CommandExit::Usage,
                format!("the text is longer than {} MiB", MOST_BYTES >> 20),
            ));
        }
        let text = fs::read_to_string(&self.path).map_err(|error| failed(error.to_string()))?;
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }
}

impl Drop for EditorDraftFile {
    fn drop(&mut self) {
        // One that the editor has moved away is gone already.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests;
