//! `holm run --schema`: reads the schema of the answer, and prompts the model again until an answer
//! fits, at most a few times. Answers are checked and the new prompt is worded in
//! `holm-runtime/src/answer_schema.rs`. The API of the server has its own schema
//! (`holm-server/src/routes/openai/answer_schema.rs`).

use std::{fs, io, path::Path};

use holm::{
    guards::json::Json,
    kernel::Ending,
    runtime::{AnswerSchema, RunReport, Session},
};

use crate::{
    exit::{CommandError, CommandExit},
    screen::DisplayablePath as _,
};

/// Reads a file with a JSON Schema.
pub(super) fn read(path: &Path) -> Result<AnswerSchema, CommandError> {
    let wrong = |why: String| {
        CommandError::new(CommandExit::Usage, format!("the schema {} cannot be used: {why}", path.shown()))
    };
    let data = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            CommandError::new(CommandExit::Missing, format!("there is no file {}", path.shown()))
        }
        _ => wrong(error.to_string()),
    })?;
    // Looked at before it is read: a canonical text is never longer.
    if data.len() > AnswerSchema::MOST_BYTES as u64 {
        return Err(wrong(format!("it is larger than {} bytes", AnswerSchema::MOST_BYTES)));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let json = Json::parse(text.trim()).map_err(|error| wrong(format!("it is not valid JSON: {error}")))?;
    AnswerSchema::new(&json).map_err(wrong)
}

/// Asks again, a few times, for an answer that does not fit, and returns the report with
/// the one that does.
pub(super) async fn until_it_fits(
    schema: &AnswerSchema,
    session: &mut Session,
    mut report: RunReport,
) -> anyhow::Result<RunReport> {
    for asked in 0..=AnswerSchema::MOST_AGAIN {
        let Ending::Answered { text } = &report.ending else { return Ok(report) };
        let problem = match schema.check(text) {
            Ok(data) => return Ok(RunReport { ending: Ending::Answered { text: data }, ..report }),
            Err(problem) => problem,
        };
        if asked == AnswerSchema::MOST_AGAIN {
            let what = "the answer".to_owned();
            let reason = format!("it does not fit the schema: {problem}");
            return Ok(RunReport { ending: Ending::Rejected { what, reason }, ..report });
        }
        report = session.prompt(AnswerSchema::ask_again(&problem)).await?;
    }
    Ok(report)
}
