//! The recording of a reference run: what the model saw and what became of its calls, by turns. The
//! replies themselves are in `replies.json`, the form that `holm run --script` reads.

use std::fs;
use std::path::Path;

use holm_kernel::{ModelResult, ToolSpec};
use serde::{Deserialize, Serialize};

use crate::case::read_text;
use crate::replay::normalized;
use crate::{EvalCase, EvalError, SessionTranscript, SessionTurn, TextPattern};

const FILE: &str = "recording.json";
/// The form of the file.
const VERSION: u32 = 2;
/// How much of a result is kept, in characters: enough to see what changed.
const MAX_RESULT: usize = 2_000;

/// A reference run of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseRecording {
    version: u32,
    pub prompts: Vec<String>,
    pub turns: Vec<SessionTurn>,
    /// The answer to the last prompt.
    pub answer: Option<String>,
    pub ending: Option<String>,
    /// What of the run is recorded, and so compared.
    #[serde(default, skip_serializing_if = "has_all")]
    pub scope: RecordingScope,
    /// The system prompt, without what differs from run to run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<RecordedTool>,
}

/// What a recording has of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingScope {
    /// Prompts, tools, calls, decisions, results and answers.
    #[default]
    All,
    /// Prompts of the case, calls, decisions and answers: they do not depend on the machine and its
    /// programs, and not on the descriptions of tools.
    Decisions,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn has_all(scope: &RecordingScope) -> bool {
    matches!(scope, RecordingScope::All)
}

/// What the model is told of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// A short digest of the schema of its arguments.
    pub(crate) schema: String,
}

impl RecordedTool {
    pub(crate) fn of(spec: &ToolSpec) -> Self {
        let schema = holm_kernel::journal::Sha256Hash::of(spec.schema.canonical().as_bytes()).to_string();
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            schema: schema.chars().take(16).collect(),
        }
    }
}

/// The replies to one prompt, in the form of `holm run --script`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplyScript<'a> {
    pub results: &'a [ModelResult],
}

impl CaseRecording {
    /// Makes the recording of a session. What varies in results is replaced before they are cut, so
    /// that the cut is at the same place in every run.
    #[must_use]
    pub fn of(session: &SessionTranscript, varies: &[TextPattern]) -> Self {
        let mut turns = session.turns.clone();
        for call in turns.iter_mut().flat_map(|turn| &mut turn.calls) {
            call.result = shortened(&normalized(&call.result, varies));
        }
        Self {
            version: VERSION,
            prompts: session.prompts.clone(),
            turns,
            answer: session.answer.clone(),
            ending: session.ending.clone(),
            scope: RecordingScope::All,
            system: lasting(&session.system),
            tools: session.tools.clone(),
        }
    }

    /// The same recording with only what belongs to a scope.
    #[must_use]
    pub fn within(mut self, scope: RecordingScope) -> Self {
        self.scope = scope;
        if scope == RecordingScope::Decisions {
            self.system.clear();
            self.tools.clear();
            self.turns.iter_mut().flat_map(|turn| &mut turn.calls).for_each(|call| call.result.clear());
        }
        self
    }

    /// Whether a case has a recording.
    pub(crate) fn is_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Reads the recording of a case; `None` if it has none.
    ///
    /// # Errors
    /// If it cannot be read, or another version wrote it.
    pub fn read(case: &EvalCase) -> Result<Option<Self>, EvalError> {
        let path = case.folder.join(FILE);
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_text(&path)?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| EvalError::case(&path, error.to_string()))?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            let why = "another version of Holm wrote this recording; `holm eval record` with this folder makes it anew";
            return Err(EvalError::case(&path, why));
        }
        serde_json::from_value(value).map(Some).map_err(|error| EvalError::case(&path, error.to_string()))
    }

    /// Writes the recording of a case.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), EvalError> {
        write_json(&folder.join(FILE), self)
    }
}

/// Writes the replies of a session into the folder of a case.
pub(crate) fn write_replies(session: &SessionTranscript, folder: &Path) -> Result<(), EvalError> {
    for (index, results) in session.replies.iter().enumerate() {
        let name = if index == 0 { "replies.json".to_owned() } else { format!("replies-{}.json", index + 1) };
        write_json(&folder.join(name), &ReplyScript { results })?;
    }
    Ok(())
}

/// Writes a file as a whole or not at all.
fn write_json(path: &Path, value: &impl Serialize) -> Result<(), EvalError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| EvalError::case(path, format!("it cannot be written: {error}")))?;
    text.push('\n');
    let fresh = path.with_extension("json.new");
    fs::write(&fresh, text).map_err(EvalError::file(&fresh))?;
    fs::rename(&fresh, path).map_err(EvalError::file(path))
}

/// A result as it is kept and compared: its beginning.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_RESULT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The lines of a system prompt that are the same in every run: without the folder, the machine, the
/// date and the state of the repository.
pub(crate) fn lasting(system: &str) -> String {
    const VARYING: [&str; 4] = ["Workspace: ", "System: ", "Date: ", "Git: "];
    let is_lasting = |line: &&str| !VARYING.iter().any(|start| line.starts_with(start));
    system.lines().filter(is_lasting).collect::<Vec<_>>().join("\n")
}
