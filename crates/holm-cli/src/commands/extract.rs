//! `holm extract`: copies values out of a text. The model can only copy: a grammar restricts it to
//! the text, and the guards check the copies. Asking the model is done in `contract.rs`, checking
//! in `holm-guards`, and the grammar is built in `holm-local/src/grammar/`. There are no tools and
//! no session. If the checks fail, there is no answer; a guess never takes its place.

use std::path::Path;

use anyhow::anyhow;
use holm::guards::{
    json::Json,
    skill::{Cases, CheckedSkillInput, CompiledSkill, SkillError, SkillFormat, extract},
};
use holm_config::{ConfigSettings, SettingValue};

use crate::{
    contract::carried_out,
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    model::{self, ResolvedModel},
    prompt,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::FolderSettings,
};

/// What comes to be cut off a word before it may be an address.
const EDGES: &str = ".,;:!?()<>[]{}\"'`";

/// What to do where there is no text.
const HINT: &str = "give one with --text, or `--text -` and standard input";

/// Arguments of `holm extract`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExtractArgs {
    /// Text to search; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    text: String,
    /// What to extract: email, url, date, entity or name
    #[arg(long, value_name = "KIND")]
    target: String,
    /// Model, as for `holm run` [default: the small local model]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    ways: model::ModelOptions,
}

pub(crate) async fn execute(args: &ExtractArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let wish = ExtractionRequest::new(&prompt::text(&args.text)?, &args.target)?;
    let (env, screen) = (|name: &str| std::env::var(name).ok(), TerminalOutput::default());
    let model = args.model.clone().map(|model| SettingValue::flag("--model", model));
    let flags = ConfigSettings { model, ..ConfigSettings::default() };
    let places = HolmPaths::find(data)?;
    let here = FolderSettings::find(&places)?;
    here.check(&places)?;
    let settings = here.settle(flags, &screen);
    let reach = ProviderAccess::here(&settings, &places)?.by(args.ways);
    let chosen = model::choose(settings.model.as_ref().map(|model| &*model.value), None, &reach, env)
        .map_err(|trouble| trouble.at(settings.model.as_ref().map(|model| &model.origin)))?;
    if chosen.card.name == model::DEMO && settings.model.is_none() {
        let message = "no model was chosen, and the small one is not on this machine";
        let hint = "choose one with --model or HOLM_MODEL, or download the small one with `holm model pull \
                    smollm2`";
        return Err(CommandError::new(CommandExit::Missing, message).hint(hint).into());
    }
    match wish.copied(&chosen).await? {
        Ok(value) => {
            screen.line(&value.canonical());
            Ok(CommandExit::Done)
        }
        Err(error) => Err(CommandError::new(CommandExit::NoAnswer, error.to_string()).into()),
    }
}

/// A request to copy values out of a text.
pub(crate) struct ExtractionRequest {
    skill: CompiledSkill,
    input: CheckedSkillInput,
}

impl ExtractionRequest {
    /// A wish that can be asked for.
    pub(crate) fn new(text: &str, target: &str) -> anyhow::Result<Self> {
        let skill = CompiledSkill::compile(extract()).map_err(|error| anyhow!("{error}"))?;
        let wish = Json::object([("text", Json::from(text)), ("target", Json::from(target))]);
        let input = skill.check_input(&wish).map_err(|error| refused(&error, &skill))?;
        Ok(Self { skill, input })
    }

    /// Has a model copy it.
    pub(crate) async fn copied(&self, chosen: &ResolvedModel) -> anyhow::Result<Result<Json, SkillError>> {
        let copied = carried_out(chosen, &self.skill, &self.input, shape(&self.skill, &self.input)).await?;
        Ok(copied.map(|value| listed(value, self.input.case())))
    }
}

/// Turns a single text into a list of one, because a model may answer with either: readers of the
/// answer always get a list.
fn listed(value: Json, target: &str) -> Json {
    match value.get(target).and_then(Json::as_str) {
        Some(only) => Json::object([(target, Json::Array(vec![Json::from(only)]))]),
        None => value,
    }
}

/// What cannot be asked for, and what can.
fn refused(error: &SkillError, skill: &CompiledSkill) -> CommandError {
    match error {
        SkillError::EmptyInput => CommandError::new(CommandExit::Usage, "the text is empty").hint(HINT),
        SkillError::InvalidTarget(target) => {
            let trouble = CommandError::new(CommandExit::Usage, format!("unknown target `{target}`"));
            trouble.hint(format!("the targets are {}", targets(skill).join(", ")))
        }
        SkillError::SchemaViolation(_)
        | SkillError::MalformedOutput(_)
        | SkillError::HallucinationDetected(_)
        | SkillError::FormatViolation(_)
        | SkillError::UnknownSkill(_) => CommandError::new(CommandExit::Usage, error.to_string()),
    }
}

/// What can be copied, by name.
fn targets(skill: &CompiledSkill) -> Vec<String> {
    match &skill.contract().cases {
        Cases::By { cases, .. } => cases.keys().cloned().collect(),
        Cases::One(_) => Vec::new(),
    }
}

/// The schema of the answer. If the form of the values is known, only texts of that form can be
/// answered, so the model only has to choose.
fn shape(skill: &CompiledSkill, input: &CheckedSkillInput) -> Option<Json> {
    let Cases::By { cases, .. } = &skill.contract().cases else { return None };
    let case = cases.get(input.case())?;
    let [check] = case.formats.as_slice() else { return Some(case.output.clone()) };
    if check.format == SkillFormat::Date {
        return Some(case.output.clone());
    }
    let found = candidates(input, check.format);
    let count = Json::from(u64::try_from(found.len()).unwrap_or(u64::MAX));
    // All of them, each once: a user who asks for the addresses of a text wants every one.
    let mut list = vec![("type", Json::from("array")), ("minItems", count.clone()), ("maxItems", count)];
    if !found.is_empty() {
        let values = found.iter().map(|value| Json::from(value.as_str())).collect();
        list.push(("items", Json::object([("enum", Json::Array(values))])));
        list.push(("uniqueItems", Json::Bool(true)));
    }
    Some(Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object([(input.case(), Json::object(list))])),
        ("required", Json::Array(vec![Json::from(input.case())])),
    ]))
}

/// The words of the text that have a form, each once, in their order.
fn candidates(input: &CheckedSkillInput, format: SkillFormat) -> Vec<String> {
    let text = input.value().get("text").and_then(Json::as_str).unwrap_or_default();
    let mut out: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "<>()\"',;".contains(c)) {
        let word = word.trim_matches(|c| EDGES.contains(c));
        let stands = || input.source().is_some_and(|source| source.holds(word, format.reading()));
        if format.admits(word) && stands() && !out.iter().any(|known| known == word) {
            out.push(word.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests;
