//! Attempts that copy values out of a text with `holm extract`. They have no session: the answer is
//! what the command prints.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::attempt::{AttemptPlace, finish};
use crate::{AttemptMode, CaseRunner, EvalCase, EvalError, SessionTranscript};

/// A text to copy values out of, as for `holm extract`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseExtraction {
    pub text: String,
    /// The kind of values: `email`, `url`, `date`, `entity` or `name`.
    pub target: String,
}

impl CaseRunner {
    /// Runs `holm extract` and returns what it did as a session without turns.
    pub(crate) fn extract(
        &self,
        extraction: &CaseExtraction,
        case: &EvalCase,
        mode: &AttemptMode,
        place: &AttemptPlace,
    ) -> Result<SessionTranscript, EvalError> {
        if let Some(agent) = mode.agent() {
            let why = format!("`holm extract` runs no agent, so it cannot run as `{agent}`");
            return Err(EvalError::case(&case.folder, why));
        }
        if place.budget.is_some() && !mode.name().starts_with("local/") {
            let why = "`holm extract` does not count its cost, so it cannot run under a budget";
            return Err(EvalError::case(&case.folder, why.to_owned()));
        }
        let mut command = self.holm(place, mode);
        command.arg("extract").arg(format!("--text={}", extraction.text));
        command.arg(format!("--target={}", extraction.target)).args(self.model_options());
        if let Some(model) = mode.model() {
            command.args(["--model", model]);
        }
        let (ending, answer) = match finish(self.spawn(&mut command, place)?, case.seconds) {
            None => (format!("it took longer than {} s", case.seconds), None),
            Some(status) if status.success() => {
                let output = fs::read(place.output()).map_err(EvalError::file(place.output()))?;
                ("answered".to_owned(), Some(String::from_utf8_lossy(&output).trim().to_owned()))
            }
            Some(_) => (place.last_words(), None),
        };
        Ok(SessionTranscript { answer, ending: Some(ending), ..SessionTranscript::default() })
    }
}
