//! The checks of a case: what must be true of the files, the answer and the calls after a run.
//!
//! A check that cannot be read is an error when the case is read. A check that cannot be made, such
//! as a command that does not start, fails. Commands run in `attempt.rs`, because they need the jail.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use holm_guards::json::Json;
use holm_kernel::Outcome;
use holm_runtime::AnswerSchema;
use regex_automata::meta::Regex;
use serde::{Deserialize, Serialize};

use crate::case::read_text;
use crate::contract_check::ContractText;
use crate::{ContractCheck, EvalError, SessionTranscript};

/// The largest file that a check reads, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// How much of a text an explanation quotes, in characters.
const MAX_QUOTE: usize = 200;

/// One check of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseCheck {
    File(FileCheck),
    /// A command that must end with status 0, in the jail.
    Command(String),
    Answer(AnswerCheck),
    /// A call that must come, or must not.
    Call {
        tool: String,
        arguments: Option<TextPattern>,
        never: bool,
    },
    /// A call of this tool that must be denied.
    Denied {
        tool: String,
    },
    /// The attempt must decline the task, or must not.
    Declined {
        /// An answer that declines. Without an answer, the task is declined too.
        words: TextPattern,
        never: bool,
    },
    /// A model judges the answer.
    Judge(AnswerJudge),
}

/// A model that judges an answer by a rubric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerJudge {
    /// What a good answer is.
    pub rubric: String,
    /// The model that judges when a model answers, as `provider/model`.
    pub model: String,
    /// The recorded replies with which a replay judges, in the form of `holm run --script`.
    pub replies: PathBuf,
}

/// What must be true of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCheck {
    /// Its path below the workspace.
    pub path: PathBuf,
    pub expected: FileExpectation,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FileExpectation {
    Exists,
    Absent,
    Text(TextExpectation),
}

/// What must be true of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerCheck {
    Text(TextExpectation),
    /// It contains a number that differs from this one by at most the tolerance.
    Number {
        value: f64,
        tolerance: f64,
    },
    /// It is a JSON value that fits the schema in this file.
    Schema(PathBuf),
    /// It satisfies a contract skill.
    Contract(ContractCheck),
}

/// What must be true of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextExpectation {
    /// It is this text. Blanks at both ends do not count.
    Equals(String),
    Contains(String),
    Lacks(String),
    Matches(TextPattern),
}

/// The memory that a compiled regular expression may take, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A regular expression.
#[derive(Clone)]
pub struct TextPattern {
    text: String,
    regex: Regex,
}

impl TextPattern {
    pub(crate) fn new(text: String) -> Result<Self, String> {
        let config = Regex::config().nfa_size_limit(Some(MAX_REGEX_BYTES));
        let regex = Regex::builder().configure(config).build(&text);
        let regex = regex.map_err(|error| format!("`{text}` is not a valid regular expression: {error}"))?;
        Ok(Self { text, regex })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Replaces each match that is not empty.
    pub(crate) fn replace(&self, text: &str, replacement: &str) -> String {
        let (mut out, mut end) = (String::new(), 0);
        for found in self.regex.find_iter(text).filter(|found| !found.is_empty()) {
            out.push_str(text.get(end..found.start()).unwrap_or_default());
            out.push_str(replacement);
            end = found.end();
        }
        out.push_str(text.get(end..).unwrap_or_default());
        out
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for TextPattern {}

impl fmt::Debug for TextPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, out)
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// What was checked, in one line.
    pub check: String,
    /// Why it failed; `None` if it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The form of a `[[check]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckText {
    file: Option<String>,
    command: Option<String>,
    answer: Option<AnswerText>,
    call: Option<String>,
    denied: Option<String>,
    declined: Option<String>,
    judge: Option<JudgeText>,
    equals: Option<String>,
    contains: Option<String>,
    lacks: Option<String>,
    matches: Option<String>,
    absent: Option<bool>,
    arguments: Option<String>,
    never: Option<bool>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgeText {
    rubric: String,
    model: String,
    replies: PathBuf,
}

impl JudgeText {
    fn read(self, folder: &Path) -> Result<AnswerJudge, String> {
        if self.rubric.trim().is_empty() || self.model.trim().is_empty() {
            return Err("a `judge` needs a `rubric` and a `model`".into());
        }
        let replies = folder.join(self.replies);
        if !replies.is_file() {
            return Err(format!("the replies of the judge, {}, do not exist", replies.display()));
        }
        Ok(AnswerJudge { rubric: self.rubric, model: self.model, replies })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerText {
    equals: Option<String>,
    contains: Option<String>,
    lacks: Option<String>,
    matches: Option<String>,
    number: Option<f64>,
    tolerance: Option<f64>,
    schema: Option<PathBuf>,
    skill: Option<PathBuf>,
    input: Option<toml::Table>,
    input_files: Option<toml::Table>,
}

impl CheckText {
    /// Reads a check; files that it names lie in the folder of the case.
    pub(crate) fn read(self, folder: &Path) -> Result<CaseCheck, String> {
        if let Some(words) = self.declined.clone() {
            return self.declines(words);
        }
        let text = TextExpectation::of(self.equals, self.contains, self.lacks, self.matches)?;
        let is_file = self.file.is_some();
        if !is_file && (text.is_some() || self.absent.is_some()) {
            return Err(
                "`equals`, `contains`, `lacks`, `matches` and `absent` belong to a check of a `file`".into(),
            );
        }
        if self.call.is_none() && (self.arguments.is_some() || self.never.is_some()) {
            return Err("`arguments` and `never` belong to a check of a `call`".into());
        }
        match (self.file, self.command, self.answer, self.call, self.denied, self.judge) {
            (Some(file), None, None, None, None, None) => {
                let path = inside(&file)?;
                let expected = match (self.absent, text) {
                    (Some(true), None) => FileExpectation::Absent,
                    (Some(true), Some(_)) => {
                        return Err(format!("`{file}` is to be absent and to have a text"));
                    }
                    (Some(false) | None, Some(text)) => FileExpectation::Text(text),
                    (Some(false) | None, None) => FileExpectation::Exists,
                };
                Ok(CaseCheck::File(FileCheck { path, expected }))
            }
            (None, Some(command), None, None, None, None) => Ok(CaseCheck::Command(command)),
            (None, None, Some(answer), None, None, None) => answer.read(folder).map(CaseCheck::Answer),
            (None, None, None, Some(tool), None, None) => {
                let arguments = self.arguments.map(TextPattern::new).transpose()?;
                Ok(CaseCheck::Call { tool, arguments, never: self.never.unwrap_or(false) })
            }
            (None, None, None, None, Some(tool), None) => Ok(CaseCheck::Denied { tool }),
            (None, None, None, None, None, Some(judge)) => judge.read(folder).map(CaseCheck::Judge),
            _ => Err(
                "a [[check]] has exactly one of `file`, `command`, `answer`, `call`, `denied`, `declined` and `judge`"
                    .into(),
            ),
        }
    }

    /// Reads a check of whether the task was declined.
    fn declines(self, words: String) -> Result<CaseCheck, String> {
        let others = [
            self.file,
            self.command,
            self.call,
            self.denied,
            self.equals,
            self.contains,
            self.lacks,
            self.matches,
            self.arguments,
        ];
        let is_alone = others.iter().all(Option::is_none) && self.absent.is_none();
        if !is_alone || self.answer.is_some() || self.judge.is_some() {
            return Err("a [[check]] with `declined` has no other subject; write several checks".into());
        }
        Ok(CaseCheck::Declined { words: TextPattern::new(words)?, never: self.never.unwrap_or(false) })
    }
}

impl AnswerText {
    fn read(self, folder: &Path) -> Result<AnswerCheck, String> {
        let text = TextExpectation::of(self.equals, self.contains, self.lacks, self.matches)?;
        if self.tolerance.is_some() && self.number.is_none() {
            return Err("`tolerance` belongs to a `number`".into());
        }
        if self.skill.is_none() && (self.input.is_some() || self.input_files.is_some()) {
            return Err("`input` and `input_files` belong to a `skill`".into());
        }
        match (text, self.number, self.schema, self.skill) {
            (Some(text), None, None, None) => Ok(AnswerCheck::Text(text)),
            (None, Some(value), None, None) => {
                Ok(AnswerCheck::Number { value, tolerance: self.tolerance.unwrap_or(0.0).abs() })
            }
            (None, None, Some(schema), None) => {
                let path = folder.join(schema);
                schema_of(&path)?;
                Ok(AnswerCheck::Schema(path))
            }
            (None, None, None, Some(skill)) => {
                let (input, input_files) =
                    (self.input.unwrap_or_default(), self.input_files.unwrap_or_default());
                ContractText { skill, input, input_files }.read(folder).map(AnswerCheck::Contract)
            }
            _ => Err("a check of the `answer` has exactly one of `equals`, `contains`, `lacks`, `matches`, \
                      `number`, `schema` and `skill`"
                .into()),
        }
    }
}

fn schema_of(path: &Path) -> Result<AnswerSchema, String> {
    let text = read_text(path).map_err(|error| error.to_string())?;
    let json = Json::parse(text.trim()).map_err(|error| format!("{}: {error}", path.display()))?;
    AnswerSchema::new(&json).map_err(|why| format!("{}: {why}", path.display()))
}

/// A path that stays below the workspace.
pub(crate) fn inside(file: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(file);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_plain && !file.is_empty() {
        Ok(path)
    } else {
        Err(format!("`{file}` is not a path below the workspace"))
    }
}

impl TextExpectation {
    fn of(
        equals: Option<String>,
        contains: Option<String>,
        lacks: Option<String>,
        matches: Option<String>,
    ) -> Result<Option<Self>, String> {
        let given = [equals.map(Self::Equals), contains.map(Self::Contains), lacks.map(Self::Lacks)];
        let mut given: Vec<Self> = given.into_iter().flatten().collect();
        if let Some(pattern) = matches {
            given.push(Self::Matches(TextPattern::new(pattern)?));
        }
        match given.len() {
            0 | 1 => Ok(given.pop()),
            _ => {
                Err("use one of `equals`, `contains`, `lacks` and `matches` in a check; write several checks"
                    .into())
            }
        }
    }

    /// Why a text does not fit; `None` if it does.
    fn failure(&self, text: &str) -> Option<String> {
        let (fits, wanted) = match self {
            Self::Equals(wanted) => (text.trim() == wanted.trim(), format!("is not {}", quote(wanted))),
            Self::Contains(wanted) => {
                (text.contains(wanted.as_str()), format!("does not contain {}", quote(wanted)))
            }
            Self::Lacks(wanted) => (!text.contains(wanted.as_str()), format!("contains {}", quote(wanted))),
            Self::Matches(pattern) => {
                (pattern.is_match(text), format!("does not match {}", quote(&pattern.text)))
            }
        };
        (!fits).then(|| format!("{wanted}; it is {}", quote(text.trim())))
    }
}

fn quote(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTE).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{cut:?}{more}")
}

impl CaseCheck {
    /// What is checked, in one line.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::File(check) => format!("file {}", check.path.display()),
            Self::Command(command) => format!("command {}", quote(command)),
            Self::Answer(AnswerCheck::Contract(contract)) => {
                let name = contract.skill.file_name().unwrap_or_default().to_string_lossy();
                format!("answer, by the skill {name}")
            }
            Self::Answer(_) => "answer".into(),
            Self::Call { tool, never: true, .. } => format!("no call of {tool}"),
            Self::Call { tool, .. } => format!("call of {tool}"),
            Self::Denied { tool } => format!("denied call of {tool}"),
            Self::Declined { never: false, .. } => "declined".into(),
            Self::Declined { never: true, .. } => "not declined".into(),
            Self::Judge(judge) => format!("judged by {}", judge.model),
        }
    }

    /// The files that the check uses.
    pub(crate) fn used_files(&self) -> Result<Vec<PathBuf>, EvalError> {
        match self {
            Self::Answer(AnswerCheck::Schema(path)) => Ok(vec![path.clone()]),
            Self::Answer(AnswerCheck::Contract(contract)) => contract.files(),
            Self::Judge(judge) => Ok(vec![judge.replies.clone()]),
            Self::Answer(AnswerCheck::Text(_) | AnswerCheck::Number { .. })
            | Self::File(_)
            | Self::Command(_)
            | Self::Call { .. }
            | Self::Denied { .. }
            | Self::Declined { .. } => Ok(Vec::new()),
        }
    }

    /// Whether an attempt without an answer can pass this check.
    pub(crate) const fn allows_no_answer(&self) -> bool {
        matches!(self, Self::Declined { never: false, .. })
    }

    /// Makes a check that needs no process. `None` for one that does.
    pub(crate) fn outcome(&self, workspace: &Path, session: &SessionTranscript) -> Option<CheckOutcome> {
        let failure = match self {
            Self::Command(_) | Self::Judge(_) | Self::Answer(AnswerCheck::Contract(_)) => return None,
            Self::File(check) => check.failure(workspace),
            Self::Answer(check) => check.failure(session.answer.as_deref()),
            Self::Declined { words, never } => declined_failure(words, *never, session.answer.as_deref()),
            Self::Call { tool, arguments, never } => call_failure(tool, arguments.as_ref(), *never, session),
            Self::Denied { tool } => {
                let is_denied =
                    session.calls().any(|call| call.tool == *tool && call.outcome == Outcome::Refused);
                (!is_denied).then(|| format!("no call of {tool} was denied"))
            }
        };
        Some(CheckOutcome { check: self.title(), failure })
    }
}

fn declined_failure(words: &TextPattern, never: bool, answer: Option<&str>) -> Option<String> {
    let is_declined = answer.is_none_or(|answer| words.is_match(answer));
    match (is_declined, never, answer) {
        (true, true, Some(answer)) => Some(format!("it was declined: {}", quote(answer.trim()))),
        (true, true, None) => Some("there is no answer".into()),
        (false, false, _) => Some(format!("it was answered: {}", quote(answer.unwrap_or_default().trim()))),
        (true, false, _) | (false, true, _) => None,
    }
}

fn call_failure(
    tool: &str,
    arguments: Option<&TextPattern>,
    never: bool,
    session: &SessionTranscript,
) -> Option<String> {
    let fits = |text: &str| arguments.is_none_or(|pattern| pattern.is_match(text));
    let found = session.calls().find(|call| call.tool == tool && fits(&call.arguments));
    match (found, never) {
        (Some(call), true) => Some(format!("it came: {} {}", call.tool, quote(&call.arguments))),
        (None, false) => {
            let calls: Vec<&str> = session.calls().map(|call| call.tool.as_str()).collect();
            Some(format!("it did not come; the calls were: {}", calls.join(", ")))
        }
        (Some(_), false) | (None, true) => None,
    }
}

impl FileCheck {
    fn failure(&self, workspace: &Path) -> Option<String> {
        let path = workspace.join(&self.path);
        let data = fs::symlink_metadata(&path);
        match (&self.expected, data) {
            (FileExpectation::Absent, Ok(_)) => Some("it exists".into()),
            (FileExpectation::Absent, Err(_)) => None,
            (FileExpectation::Exists | FileExpectation::Text(_), Err(error)) => Some(error.to_string()),
            (FileExpectation::Exists, Ok(_)) => None,
            (FileExpectation::Text(_), Ok(data)) if !data.is_file() || data.len() > MAX_FILE_BYTES => {
                Some(format!("it is not a file of at most {} MiB", MAX_FILE_BYTES >> 20))
            }
            (FileExpectation::Text(text), Ok(_)) => match fs::read(&path) {
                Ok(bytes) => text.failure(&String::from_utf8_lossy(&bytes)),
                Err(error) => Some(error.to_string()),
            },
        }
    }
}

impl AnswerCheck {
    fn failure(&self, answer: Option<&str>) -> Option<String> {
        let Some(answer) = answer else { return Some("there is no answer".into()) };
        match self {
            Self::Text(text) => text.failure(answer),
            Self::Number { value, tolerance } => {
                let fits = numbers(answer).any(|number| (number - value).abs() <= *tolerance);
                (!fits).then(|| format!("it has no number {value} ± {tolerance}; it is {}", quote(answer)))
            }
            Self::Schema(path) => match schema_of(path) {
                Ok(schema) => {
                    schema.check(answer).err().map(|problem| format!("it does not fit the schema: {problem}"))
                }
                Err(why) => Some(why),
            },
            Self::Contract(_) => Some("it needs the command".into()),
        }
    }
}

/// The numbers in a text, also with commas between thousands.
fn numbers(text: &str) -> impl Iterator<Item = f64> + '_ {
    let is_part = |character: char| character.is_ascii_digit() || "+-.,eE".contains(character);
    text.split(move |character| !is_part(character)).filter_map(|word| {
        let word = word.trim_end_matches(['.', ',', 'e', 'E', '-', '+']).replace(',', "");
        word.parse().ok().filter(|_| word.contains(|character: char| character.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests;
