//! `holm skill validate FOLDER --answer FILE`: checks an answer against the contract of a skill. No model
//! is asked: a contract is one JSON object with a schema, values that must occur in the source text, and
//! formats. `holm eval` checks the answers of its cases with it.

use std::path::Path;

use holm::guards::json::Json;
use holm_config::{read_plain_text, skills::SkillDocument};
use serde_json::json;

use super::{beside, contract_skills, skill_text};
use crate::{
    exit::{CommandError, CommandExit},
    screen::{DisplayablePath as _, TerminalOutput},
};

pub(super) fn execute(
    folder: &Path,
    answer: &Path,
    input: Option<&Path>,
    screen: &TerminalOutput,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let (path, text) = skill_text(folder)?;
    let wrong = |why: String| CommandError::new(CommandExit::Usage, format!("{}: {why}", path.shown()));
    let skill = SkillDocument::parse(&text).map_err(|error| wrong(error.to_string()))?;
    let compiled = contract_skills::compiled(&skill, |file| beside(&path, file)).map_err(wrong)?;
    let compiled = compiled.ok_or_else(|| {
        wrong("the skill defines no result".into()).hint("name the schema of its result as `output`")
    })?;
    let arguments = match input {
        Some(file) => Json::parse(read(file)?.trim()).map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("{}: it is not JSON: {error}", file.shown()))
        })?,
        None => Json::object(Vec::<(String, Json)>::new()),
    };
    let arguments = compiled.check_input(&arguments).map_err(|error| {
        CommandError::new(CommandExit::Usage, format!("the arguments do not fit the skill: {error}"))
            .hint("give them with --input, as a JSON object in a file")
    })?;
    let problem = compiled.check_output(&arguments, &read(answer)?).err().map(|error| error.to_string());
    if as_json {
        let (path, usable) = (path.to_string_lossy(), problem.is_none());
        screen.line(
            &json!({ "path": path, "usable": usable, "problems": Vec::from_iter(&problem) }).to_string(),
        );
    } else {
        screen.answer(&match &problem {
            None => format!("{}: the answer keeps the contract", answer.shown()),
            Some(why) => format!("{}: {why}", answer.shown()),
        });
    }
    Ok(if problem.is_none() { CommandExit::Done } else { CommandExit::NoAnswer })
}

fn read(path: &Path) -> Result<String, CommandError> {
    read_plain_text(path)
        .map_err(|error| CommandError::new(CommandExit::Missing, format!("{}: {error}", path.shown())))
}
