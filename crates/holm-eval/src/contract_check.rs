//! Checks of an answer by a contract skill: one JSON object, its schema, values that must occur in a
//! source text, and their formats. All of that works without a model. The command reads the skill and
//! checks the answer (`holm skill validate --answer`); this file prepares what it reads.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::EvalError;
use crate::attempt::{AttemptPlace, CHECK_SECONDS, finish};
use crate::case::{WORKSPACE, read_text};
use crate::check::inside;
use crate::{AttemptMode, CaseRunner};

/// The file that makes a folder a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The most files of a skill that belongs to a case.
const MAX_FILES: usize = 1_000;

/// A contract skill that an answer must satisfy.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractCheck {
    /// The folder of the skill.
    pub skill: PathBuf,
    /// The arguments of the skill: what the answer belongs to.
    pub input: Map<String, Value>,
}

/// The form of `answer = { skill = … }`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractText {
    pub(crate) skill: PathBuf,
    #[serde(default)]
    pub(crate) input: toml::Table,
    /// Arguments that are the text of a file of the workspace, as it is before the run.
    #[serde(default)]
    pub(crate) input_files: toml::map::Map<String, toml::Value>,
}

impl ContractText {
    /// Reads the check; the skill and the workspace lie in the folder of the case.
    pub(crate) fn read(self, folder: &Path) -> Result<ContractCheck, String> {
        let skill = folder.join(&self.skill);
        if !skill.join(SKILL_FILE).is_file() {
            return Err(format!("the skill {} has no {SKILL_FILE}", skill.display()));
        }
        let json = serde_json::to_value(&self.input).map_err(|error| format!("`input`: {error}"))?;
        let Value::Object(mut input) = json else { return Err("`input` must be a table".into()) };
        for (name, file) in self.input_files {
            let toml::Value::String(file) = file else {
                return Err(format!("in `input_files`, `{name}` must be a path below the workspace"));
            };
            if input.contains_key(&name) {
                return Err(format!("`{name}` is in `input` and in `input_files`; use one of them"));
            }
            input.insert(name, Value::String(workspace_text(folder, &file)?));
        }
        Ok(ContractCheck { skill, input })
    }
}

/// The text of a file of the workspace. A link must not lead out of it.
fn workspace_text(folder: &Path, file: &str) -> Result<String, String> {
    let wrong = |error: std::io::Error| format!("`input_files`, {file}: {error}");
    let top = folder.join(WORKSPACE).canonicalize().map_err(wrong)?;
    let path = top.join(inside(file)?).canonicalize().map_err(wrong)?;
    if !path.starts_with(&top) {
        return Err(format!("`{file}` leads out of the workspace"));
    }
    read_text(&path).map_err(|error| error.to_string())
}

impl ContractCheck {
    /// The files of the skill, which belong to the case.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, EvalError> {
        let files = crate::workspace::files(&self.skill)?;
        if files.len() > MAX_FILES {
            return Err(EvalError::case(&self.skill, format!("a skill has at most {MAX_FILES} files")));
        }
        Ok(files.into_iter().map(|(_, path)| path).filter(|path| path.is_file()).collect())
    }
}

impl CaseRunner {
    /// Checks an answer by a contract skill, and returns why it fails.
    pub(crate) fn contract(
        &self,
        check: &ContractCheck,
        answer: Option<&str>,
        place: &AttemptPlace,
    ) -> Result<Option<String>, EvalError> {
        let Some(answer) = answer else { return Ok(Some("there is no answer".into())) };
        let write = |name: &str, text: &str| {
            let path = place.beside(name);
            fs::write(&path, text).map(|()| path.clone()).map_err(EvalError::file(path))
        };
        let answer = write("answer.txt", answer)?;
        let input = write("input.json", &Value::Object(check.input.clone()).to_string())?;
        let mut command = self.holm(place, &AttemptMode::Replay);
        command.args(["skill", "validate", "--json"]).arg(&check.skill);
        command.arg("--answer").arg(&answer).arg("--input").arg(&input);
        Ok(match finish(self.spawn(&mut command, place)?, CHECK_SECONDS) {
            Some(status) if status.success() => None,
            Some(_) => Some(problem(place).unwrap_or_else(|| place.all_words())),
            None => Some(format!("it took longer than {CHECK_SECONDS} s")),
        })
    }
}

/// The problem that the command found; `None` if it could not check the answer.
fn problem(place: &AttemptPlace) -> Option<String> {
    let output: Value = serde_json::from_slice(&fs::read(place.output()).ok()?).ok()?;
    output["problems"][0].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
