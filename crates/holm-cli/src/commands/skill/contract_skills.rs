//! Skills with a contract: arguments are validated before the model is asked, and its answer before
//! it is accepted. Asking is done in `contract.rs`, validating in `holm-guards`; the contract is
//! read by `holm-config/src/skills/contract.rs`. There are no tools and no session, so flags about
//! these are refused. A script cannot answer in place of a model.

use std::{path::Path, sync::Arc};

use holm::guards::{
    json::Json,
    skill::{Cases, CompiledSkill},
};
use holm_config::skills::SkillDocument;

use crate::{
    commands::run,
    contract::carried_out,
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    model, prompt,
    screen::TerminalOutput,
};

/// The skill as it is checked; `read` gives the text of a file beside it.
///
/// # Errors
/// What keeps its promise from being one, in words.
pub(super) fn compiled(
    skill: &SkillDocument,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Option<CompiledSkill>, String> {
    let Some(contract) = skill.contract(read)? else { return Ok(None) };
    CompiledSkill::compile(contract).map(Some).map_err(|error| error.to_string())
}

/// Its inputs and outputs, for users of the skill.
pub(super) fn shown(compiled: &CompiledSkill) -> Vec<String> {
    let contract = compiled.contract();
    let mut lines = vec![String::new(), format!("takes  {}", contract.input.canonical())];
    if let Cases::One(case) = &contract.cases {
        lines.push(format!("gives  {}", case.output.canonical()));
    }
    lines
}

/// Has a model do it, and prints what came of it as one JSON object.
pub(super) async fn execute(
    compiled: &CompiledSkill,
    skill: &SkillDocument,
    arguments: &[String],
    run: run::RunArgs,
    data: Option<&Path>,
) -> anyhow::Result<CommandExit> {
    run.only_the_model()?;
    let wish = wish(&compiled.contract().input, skill, arguments)?;
    let input = compiled.check_input(&wish).map_err(|error| {
        let hint = format!("`holm skill show {}` shows its arguments", skill.name);
        CommandError::new(CommandExit::Usage, error.to_string()).hint(hint)
    })?;
    let screen = Arc::new(TerminalOutput::default());
    let (run, _) = run.settle(HolmPaths::find(data)?, &screen)?;
    let chosen = run.choose()?;
    if chosen.card.name == model::DEMO {
        let message = "no model was chosen, and a script cannot run a skill";
        return Err(CommandError::new(CommandExit::Missing, message)
            .hint("choose one with --model or HOLM_MODEL")
            .into());
    }
    chosen.note.iter().for_each(|note| screen.note(&format!("holm: {note}")));
    let shape = match &compiled.contract().cases {
        Cases::One(case) => Some(case.output.clone()),
        Cases::By { .. } => None,
    };
    match carried_out(&chosen, compiled, &input, shape).await? {
        Ok(value) => {
            screen.line(&value.canonical());
            Ok(CommandExit::Done)
        }
        Err(error) => {
            let message = format!("the answer was refused twice; the second time: {error}");
            Err(CommandError::new(CommandExit::NoAnswer, message).into())
        }
    }
}

/// The input from the arguments: one JSON object, or values by name (`name=value`) and by position.
/// The value `-` is standard input.
fn wish(schema: &Json, skill: &SkillDocument, arguments: &[String]) -> Result<Json, CommandError> {
    if let [whole] = arguments
        && whole.trim_start().starts_with('{')
    {
        return Json::parse(whole).map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("the arguments are not valid JSON: {error}"))
        });
    }
    let known = |name: &str| {
        let listed = schema.get("properties").and_then(|properties| properties.get(name)).is_some();
        listed || skill.args.iter().any(|known| known == name)
    };
    let mut values: Vec<(String, String)> = Vec::new();
    let mut left = Vec::new();
    for argument in arguments {
        match argument.split_once('=') {
            Some((name, value)) if known(name) => values.push((name.to_owned(), value.to_owned())),
            Some(_) | None => left.push(argument.clone()),
        }
    }
    let mut left = left.into_iter();
    for name in &skill.args {
        if values.iter().all(|(given, _)| given != name)
            && let Some(value) = left.next()
        {
            values.push((name.clone(), value));
        }
    }
    if let Some(more) = left.next() {
        let message = format!("the skill `{}` does not take the argument `{more}`", skill.name);
        let hint = "give each value as one argument, by position or as name=value";
        return Err(CommandError::new(CommandExit::Usage, message).hint(hint));
    }
    let values = values.into_iter().map(|(name, value)| {
        let value = if value == "-" { prompt::stdin()? } else { value };
        let value = typed(schema, &name, &value);
        Ok((name, value))
    });
    Ok(Json::object(values.collect::<Result<Vec<_>, CommandError>>()?))
}

/// Converts an argument to the type in the schema. A text stays a text, even if it
/// looks like another type.
fn typed(schema: &Json, name: &str, value: &str) -> Json {
    let kind = schema.get("properties").and_then(|properties| properties.get(name)?.get("type"));
    match kind.and_then(Json::as_str) {
        Some("string") | None => Json::from(value),
        Some(_) => Json::parse(value).unwrap_or_else(|_| Json::from(value)),
    }
}

#[cfg(test)]
mod tests;
