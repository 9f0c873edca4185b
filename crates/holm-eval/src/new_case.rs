//! Makes a case from a session: its prompts, its replies, a recording, and checks to begin with. A
//! person then edits the checks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use holm_kernel::Outcome;
use holm_runtime::SecretRedactor;
use serde_json::Value;

use crate::case::{CASE_FILE, WORKSPACE, quoted};
use crate::recording::write_replies;
use crate::{CaseRecording, EvalError, SessionCall, SessionTranscript, TrustLevelName, workspace};

/// The tools that write a file, whose path is the argument `path`.
const FILE_TOOLS: [&str; 2] = ["write", "edit"];
/// The tools that always change files of the workspace.
const WRITING: [&str; 3] = ["write", "edit", "patch"];
/// The tools that may change files of the workspace.
const CHANGING: [&str; 5] = ["write", "edit", "patch", "shell", "run_program"];

/// The longest line that a proposed check has, in bytes.
const MAX_LINE: usize = 200;

/// The largest file in which keys are searched for, in bytes.
const MAX_CLEANED_BYTES: u64 = 1 << 20;

/// What a new case does not have from its workspace, so that the user learns of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaseOmissions {
    /// Files that were left out because they may hold secrets.
    pub left_out: Vec<String>,
    /// Files in which something that looks like a key was replaced.
    pub cleaned: Vec<String>,
}

/// A path of the workspace as it was before a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastFile {
    /// The path below the workspace.
    pub path: PathBuf,
    pub state: PastState,
}

/// The state of a path before a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PastState {
    Absent,
    File {
        content: Vec<u8>,
        mode: Option<u32>,
    },
    /// Where the link leads, as bytes.
    Link(Vec<u8>),
    Folder,
}

impl PastFile {
    /// Restores the path in a copy of the workspace. Returns its name if it is left out because
    /// it may hold secrets.
    fn restore(&self, copy: &Path, is_secret: impl Fn(&str) -> bool) -> Result<Option<String>, EvalError> {
        let name = self.path.to_string_lossy().into_owned();
        let is_plain = self.path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || self.path.starts_with(".git") {
            return Ok(None);
        }
        let path = copy.join(&self.path);
        let wrong = || EvalError::file(&path);
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() && self.state == PastState::Folder => return Ok(None),
            Ok(data) if data.is_dir() && self.state == PastState::Absent => {
                // What else is in it stays.
                let _ = fs::remove_dir(&path);
                return Ok(None);
            }
            Ok(data) if data.is_dir() => fs::remove_dir_all(&path).map_err(wrong())?,
            Ok(_) => fs::remove_file(&path).map_err(wrong())?,
            Err(_) => {}
        }
        if self.state == PastState::Absent {
            return Ok(None);
        }
        if is_secret(&name) {
            return Ok(Some(name));
        }
        let parent = path.parent().unwrap_or(copy);
        fs::create_dir_all(parent).map_err(wrong())?;
        match &self.state {
            PastState::Absent => {}
            PastState::Folder => fs::create_dir_all(&path).map_err(wrong())?,
            PastState::Link(target) => symlink(OsStr::from_bytes(target), &path).map_err(wrong())?,
            PastState::File { content, mode } => {
                fs::write(&path, content).map_err(wrong())?;
                if let Some(mode) = mode {
                    fs::set_permissions(&path, Permissions::from_mode(mode & 0o777)).map_err(wrong())?;
                }
            }
        }
        Ok(None)
    }
}

/// Replaces what looks like a key in the texts of a copied workspace, and returns their names.
fn clean(copy: &Path) -> Result<Vec<String>, EvalError> {
    let redactor = SecretRedactor::new().nameless();
    let mut cleaned = Vec::new();
    for (name, path) in workspace::files(copy)? {
        let data = fs::symlink_metadata(&path).map_err(EvalError::file(&path))?;
        if !data.is_file() || data.len() > MAX_CLEANED_BYTES {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if let Cow::Owned(clean) = redactor.text(&text) {
            fs::write(&path, clean).map_err(EvalError::file(&path))?;
            cleaned.push(name);
        }
    }
    Ok(cleaned)
}

/// A case that is made from a session.
#[derive(Debug)]
pub struct NewCase<'a> {
    pub session: &'a SessionTranscript,
    /// The workspace, before the session except for `past`.
    pub workspace: &'a Path,
    /// The paths of the workspace that were something else before the session.
    pub past: &'a [PastFile],
    pub trust: TrustLevelName,
}

impl NewCase<'_> {
    /// Whether a session may have changed its workspace, so that the workspace of now is not the one
    /// that it began with.
    #[must_use]
    pub fn may_have_changed(session: &SessionTranscript) -> bool {
        session.calls().any(|call| CHANGING.contains(&call.tool.as_str()) && call.outcome != Outcome::Refused)
    }

    /// Whether a file tool of the session wrote a file.
    #[must_use]
    pub fn has_written(session: &SessionTranscript) -> bool {
        let is_written =
            |call: &SessionCall| WRITING.contains(&call.tool.as_str()) && call.outcome == Outcome::Succeeded;
        session.calls().any(is_written)
    }

    /// Writes the case into a new folder. Files for which `is_secret` holds are left out, and what looks
    /// like a key in other files is replaced.
    ///
    /// # Errors
    /// If the folder exists, the session has no prompt, or a file cannot be written.
    pub fn write(&self, folder: &Path, is_secret: impl Fn(&str) -> bool) -> Result<CaseOmissions, EvalError> {
        if folder.join(CASE_FILE).exists() {
            return Err(EvalError::case(folder, "there is a case already"));
        }
        if self.session.prompts.iter().all(|prompt| prompt.trim().is_empty()) {
            return Err(EvalError::case(folder, "the session has no prompt"));
        }
        fs::create_dir_all(folder).map_err(EvalError::file(folder))?;
        let work = folder.join(WORKSPACE);
        let mut left_out = workspace::copy_visible(self.workspace, &work, &is_secret)?;
        // What did not exist goes first, the deepest paths before their folders.
        let (absent, other): (Vec<_>, Vec<_>) =
            self.past.iter().partition(|past| past.state == PastState::Absent);
        for past in absent.into_iter().rev().chain(other) {
            left_out.extend(past.restore(&work, &is_secret)?);
        }
        let cleaned = clean(&work)?;
        write_replies(self.session, folder)?;
        CaseRecording::of(self.session, &[]).write(folder)?;
        let path = folder.join(CASE_FILE);
        fs::write(&path, self.text()).map_err(EvalError::file(&path))?;
        left_out.sort();
        left_out.dedup();
        Ok(CaseOmissions { left_out, cleaned })
    }

    fn text(&self) -> String {
        let prompts: Vec<String> = self.session.prompts.iter().map(|prompt| quoted(prompt)).collect();
        let mut text = match prompts.as_slice() {
            [one] => format!("prompt = {one}\n"),
            all => format!("prompts = [{}]\n", all.join(", ")),
        };
        text.push_str(&format!("trust = \"{}\"\n", self.trust.as_str()));
        text.push_str("\n# Proposed from what the session did. Edit them: a check should fail if the task is not done.\n");
        for (path, line) in self.written() {
            text.push_str(&format!("\n[[check]]\nfile = {}\n", quoted(&path)));
            if let Some(line) = line {
                text.push_str(&format!("contains = {}\n", quoted(&line)));
            }
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

    /// The files that were written, each with a line that it then had, if it was written once.
    fn written(&self) -> BTreeMap<String, Option<String>> {
        let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
        let done = self.session.calls().filter(|call| call.outcome == Outcome::Succeeded);
        for call in done.filter(|call| FILE_TOOLS.contains(&call.tool.as_str())) {
            let Some(path) = argument(&call.arguments, "path") else { continue };
            let path = path.replacen("/workspace/", "", 1);
            if path.starts_with('/') {
                continue;
            }
            let text = argument(&call.arguments, "new").or_else(|| argument(&call.arguments, "content"));
            let line = text.and_then(|text| longest_line(&text));
            // What a later call wrote may have replaced it.
            found.entry(path).and_modify(|known| *known = None).or_insert(line);
        }
        found
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

/// The line of a text that says most, if it is not too long for a check.
fn longest_line(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && line.len() <= MAX_LINE);
    lines.max_by_key(|line| line.len()).map(str::to_owned)
}

fn argument(arguments: &str, name: &str) -> Option<String> {
    let value: Value = serde_json::from_str(arguments).ok()?;
    value.get(name)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
