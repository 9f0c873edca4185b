//! Makes a case from a session: its prompts, its replies, a recording, and checks to begin with. A
//! person then edits the checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use holm_kernel::Outcome;
use serde_json::Value;

use crate::case::{CASE_FILE, WORKSPACE};
use crate::recording::write_replies;
use crate::{CaseRecording, EvalError, SessionTranscript, TrustLevelName, workspace};

/// The tools that write a file, whose path is the argument `path`.
const FILE_TOOLS: [&str; 2] = ["write", "edit"];
/// The tools that may change files of the workspace.
const CHANGING: [&str; 5] = ["write", "edit", "patch", "shell", "run_program"];

/// A case that is made from a session.
#[derive(Debug)]
pub struct NewCase<'a> {
    pub session: &'a SessionTranscript,
    /// The workspace before the session.
    pub workspace: &'a Path,
    pub trust: TrustLevelName,
}

impl NewCase<'_> {
    /// Whether a session may have changed its workspace, so that the workspace of now is not the one
    /// that it began with.
    #[must_use]
    pub fn may_have_changed(session: &SessionTranscript) -> bool {
        session.calls().any(|call| CHANGING.contains(&call.tool.as_str()) && call.outcome != Outcome::Refused)
    }

    /// Writes the case into a new folder. Files for which `is_secret` holds are left out, and
    /// returned by name so that the user learns of them.
    ///
    /// # Errors
    /// If the folder exists, the session has no prompt, or a file cannot be written.
    pub fn write(&self, folder: &Path, is_secret: impl Fn(&str) -> bool) -> Result<Vec<String>, EvalError> {
        if folder.join(CASE_FILE).exists() {
            return Err(EvalError::case(folder, "there is a case already"));
        }
        if self.session.prompts.iter().all(|prompt| prompt.trim().is_empty()) {
            return Err(EvalError::case(folder, "the session has no prompt"));
        }
        fs::create_dir_all(folder).map_err(EvalError::file(folder))?;
        let left_out = workspace::copy_visible(self.workspace, &folder.join(WORKSPACE), is_secret)?;
        write_replies(self.session, folder)?;
        CaseRecording::of(self.session, &[]).write(folder)?;
        let path = folder.join(CASE_FILE);
        fs::write(&path, self.text()).map_err(EvalError::file(&path))?;
        Ok(left_out)
    }

    fn text(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let prompts: Vec<String> = self.session.prompts.iter().map(|prompt| quoted(prompt)).collect();
        let mut text = match prompts.as_slice() {
            [one] => format!("prompt = {one}\n"),
            all => format!("prompts = [{}]\n", all.join(", ")),
        };
        text.push_str(&format!("trust = \"{}\"\n", self.trust.as_str()));
        text.push_str("\n# Proposed from what the session did. Edit them: a check should fail if the task is not done.\n");
        for path in self.written() {
            text.push_str(&format!("\n[[check]]\nfile = {}\n", quoted(&path)));
        }
        if let Some(command) = self.last_command() {
            text.push_str(&format!("\n[[check]]\ncommand = {}\n", quoted(&command)));
        }
        for tool in self.denied() {
            text.push_str(&format!("\n[[check]]\ndenied = {}\n", quoted(&tool)));
        }
        let turns = 2 * self.session.turns.len().max(1);
        text.push_str(&format!("\n[limits]\nturns = {turns}\n"));
        text
    }

    /// The files that were written.
    fn written(&self) -> BTreeSet<String> {
        let done = self.session.calls().filter(|call| call.outcome == Outcome::Succeeded);
        let files = done.filter(|call| FILE_TOOLS.contains(&call.tool.as_str()));
        let path = |arguments: &str| Some(argument(arguments, "path")?.replacen("/workspace/", "", 1));
        files.filter_map(|call| path(&call.arguments)).filter(|path| !path.starts_with('/')).collect()
    }

    /// The last command that succeeded: mostly it ran the tests.
    fn last_command(&self) -> Option<String> {
        let mut done = self.session.calls().filter(|call| call.outcome == Outcome::Succeeded);
        let last = done.by_ref().filter(|call| call.tool == "shell").last()?;
        argument(&last.arguments, "script")
    }

    fn denied(&self) -> BTreeSet<String> {
        let denied = self.session.calls().filter(|call| call.outcome == Outcome::Refused);
        denied.map(|call| call.tool.clone()).collect()
    }
}

fn argument(arguments: &str, name: &str) -> Option<String> {
    let value: Value = serde_json::from_str(arguments).ok()?;
    value.get(name)?.as_str().map(str::to_owned)
}
