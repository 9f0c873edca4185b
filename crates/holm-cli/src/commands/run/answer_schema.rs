//! `holm run --schema`: a structured answer for programs. The model is given the schema, the answer
//! is validated before it is shown, and an invalid answer is requested again.

use std::{fs, path::Path};

use holm::{
    guards::{
        json::Json,
        schema::{Gap, Schema, Violation},
    },
    kernel::{Block, Ending, Prompt},
    runtime::{Report, Session},
};

use crate::{
    exit::{Exit, Trouble},
    screen::ShownPath as _,
};

/// How often an invalid answer is requested again: a model that is told the problem fixes it at
/// once or hardly ever.
const MOST_AGAIN: u32 = 2;
/// So many violations are told; the first says most.
const MOST_TOLD: usize = 8;
/// The largest schema: the model reads all of it.
const MOST_BYTES: u64 = 128 << 10;

/// The schema of an answer.
#[derive(Debug)]
pub(super) struct AnswerSchema {
    schema: Schema,
    text: String,
}

impl AnswerSchema {
    /// Reads a file with a JSON Schema.
    pub(super) fn read(path: &Path) -> Result<Self, Trouble> {
        let wrong = |why: String| {
            Trouble::new(Exit::Usage, format!("the schema {} cannot be used: {why}", path.shown()))
        };
        let data = fs::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                Trouble::new(Exit::Missing, format!("there is no file {}", path.shown()))
            }
            _ => wrong(error.to_string()),
        })?;
        if data.len() > MOST_BYTES {
            return Err(wrong(format!("it is larger than {MOST_BYTES} bytes")));
        }
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let json =
            Json::parse(text.trim()).map_err(|error| wrong(format!("it is not valid JSON: {error}")))?;
        let schema = Schema::compile(&json).map_err(|error| wrong(error.to_string()))?;
        // The caller would believe that the answer was validated, although this part of the
        // schema was not checked.
        if let Some(demand) = schema.unsupported().iter().find(|demand| demands(demand.gap)) {
            return Err(wrong(demand.to_string()));
        }
        Ok(Self { schema, text: json.canonical() })
    }

    /// The prompt, with what the answer must be behind it.
    pub(super) fn tell(&self, mut prompt: Prompt) -> Prompt {
        let told = format!(
            "\n\nA program reads your answer. It must be one JSON value that fits this JSON Schema, without any other words \
             and without a code fence.\n{}",
            self.text
        );
        prompt.blocks.push(Block::Text(told));
        prompt
    }

    /// Requests an invalid answer again, a few times, and returns the report with the valid one.
    pub(super) async fn hold(&self, session: &mut Session, mut report: Report) -> anyhow::Result<Report> {
        for asked in 0..=MOST_AGAIN {
            let Ending::Answered { text } = &report.ending else { return Ok(report) };
            let problem = match self.judge(text) {
                Ok(data) => return Ok(Report { ending: Ending::Answered { text: data }, ..report }),
                Err(problem) => problem,
            };
            if asked == MOST_AGAIN {
                let what = "the answer".to_owned();
                let reason = format!("it does not fit the schema: {problem}");
                return Ok(Report { ending: Ending::Rejected { what, reason }, ..report });
            }
            let again =
                format!("Your answer does not fit the schema: {problem}\nGive it again, as JSON alone.");
            report = session.prompt(Prompt::text(again)).await?;
        }
        Ok(report)
    }

    /// The answer as a program reads it, or what is wrong with it.
    fn judge(&self, answer: &str) -> Result<String, String> {
        let bare = without_fence(answer);
        let value = Json::parse(bare).map_err(|error| format!("it is not valid JSON: {error}"))?;
        let problems = |violations: Vec<Violation>| {
            let told: Vec<String> = violations.iter().take(MOST_TOLD).map(ToString::to_string).collect();
            told.join("; ")
        };
        self.schema.validate(&value).map_err(problems)?;
        Ok(bare.to_owned())
    }
}

/// Whether something in a schema that is not enforced demands anything of an answer.
fn demands(gap: Gap) -> bool {
    match gap {
        Gap::UnknownKeyword | Gap::UnknownDialect | Gap::UnknownFormat => false,
        Gap::RemoteReference
        | Gap::DynamicReference
        | Gap::LookAround
        | Gap::BackReference
        | Gap::UnicodeProperty
        | Gap::PatternFlags
        | Gap::PatternTooLarge
        | Gap::UnknownPattern
        | Gap::LongDivisor => true,
    }
}

/// Removes the code fence that models put around data even if they are told not to.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, data)| data.trim())
}
