//! Chooses and opens the model of a run, with its price and limits from the catalogue. It does not
//! know keys or addresses (`provider_access.rs`), files of local models (`local.rs`), or provider
//! formats (`holm-wire`). Which models a resumed session keeps is decided in
//! `commands/run/session_models.rs`; which files a model accepts, in `model/media_support.rs`.
//!
//! Without a choice, a free local model or a script answers and says so: no run may cost money that
//! the user did not choose to spend.

mod media_support;

use std::{collections::BTreeMap, fs, io, path::Path, sync::Arc};

use holm::{
    kernel::{Block, ModelResult, ModelSpec, Price, Reply, StopReason, ToolCall},
    models::{ModelClientError, ModelRouter, ScriptedModel},
    runtime::Model,
    wire::{
        catalogue,
        services::{ModelNameError, ServiceTable, UnknownServiceError},
    },
};
use holm_config::ProviderSettings;

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    network_scope::NetworkScope,
    provider_access::ProviderAccess,
    tools::BuiltinToolSet,
};

pub(crate) use media_support::ModelMediaSupport;

/// The name under which the demonstration runs.
pub(crate) const DEMO: &str = "scripted/demo";

/// The model of a session that a file answers.
pub(crate) const SCRIPT: &str = "scripted/file";

/// An opened model with its metadata, and a note about it.
pub(crate) struct ResolvedModel {
    pub(crate) card: ModelSpec,
    pub(crate) client: Arc<dyn Model>,
    /// How its provider and others are reached.
    pub(crate) reach: ProviderAccess,
    /// A note for the user before the run begins.
    pub(crate) note: Option<&'static str>,
    /// The tools that it can choose among, unless the user says otherwise.
    pub(crate) fits: BuiltinToolSet,
}

impl ResolvedModel {
    /// What it is shown of a prompt.
    pub(crate) fn takes(&self) -> ModelMediaSupport {
        ModelMediaSupport { name: self.card.name.clone(), reach: self.reach.clone() }
    }
}

/// Options for reaching and running a model.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ModelOptions {
    /// Small local model only: do not use the adapter that was trained to choose tools
    #[cfg(feature = "local")]
    #[arg(long, hide_short_help = true)]
    pub(crate) no_adapter: bool,
    /// Local models only: do not use the grammar that makes calls match the tools' schemas
    #[cfg(feature = "local")]
    #[arg(long, hide_short_help = true)]
    pub(crate) no_grammar: bool,
    /// Local models only: choose the tool whose name gains most in probability from the prompt,
    /// compared with an empty prompt; slower, and no better for the small default model
    #[cfg(feature = "local")]
    #[arg(long, conflicts_with = "no_grammar", hide_short_help = true)]
    pub(crate) calibrated: bool,
    /// Connect only to this machine
    #[arg(long, hide_short_help = true)]
    offline: bool,
    #[arg(skip)]
    pub(crate) cache: CacheLifetime,
}

/// How long a provider keeps the prompts of a new session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CacheLifetime {
    /// As the provider does by default: five minutes after the last use.
    #[default]
    Short,
    /// An hour, where the provider sells that: for sessions in which a person reads and
    /// thinks between two prompts.
    Hour,
}

impl CacheLifetime {
    /// Whether this provider keeps prompts for an hour at a price that is known.
    pub(crate) fn is_hour_at(self, provider: &str) -> bool {
        self == Self::Hour && provider == "anthropic"
    }

    /// The lifetime of a session that began with these models. Only one that lasts an hour has
    /// the price of [`Self::price`].
    pub(crate) fn of(models: &[ModelSpec]) -> Self {
        let price = models.first().and_then(|model| model.price);
        match price {
            Some(price) if price.cache_write == Some(price.input.saturating_mul(2)) => Self::Hour,
            Some(_) | None => Self::Short,
        }
    }

    /// The price of a model whose prompts are kept so long. Anthropic takes twice the price of
    /// input for what it writes to such a cache.
    fn price(self, model: &str, price: Price) -> Price {
        let provider = model.split('/').next().unwrap_or_default();
        if !self.is_hour_at(provider) {
            return price;
        }
        Price { cache_write: Some(price.input.saturating_mul(2)), ..price }
    }
}

impl ModelOptions {
    /// The words that give these options to another command.
    pub(crate) fn words(self) -> Vec<&'static str> {
        #[cfg(feature = "local")]
        let local = [
            ("--no-adapter", self.no_adapter),
            ("--no-grammar", self.no_grammar),
            ("--calibrated", self.calibrated),
        ];
        #[cfg(not(feature = "local"))]
        let local: [(&str, bool); 0] = [];
        let all = local.into_iter().chain([("--offline", self.offline)]);
        all.filter_map(|(word, is_set)| is_set.then_some(word)).collect()
    }

    /// How far connections may go.
    pub(crate) const fn bounds(self) -> NetworkScope {
        if self.offline { NetworkScope::ThisMachine } else { NetworkScope::Anywhere }
    }
}

/// Chooses the model that flags or settings name. The default is the small local model, if it is
/// installed, and else a script, which says so.
pub(crate) fn choose(
    name: Option<&str>,
    script: Option<&Path>,
    reach: &ProviderAccess,
    env: impl Fn(&str) -> Option<String>,
) -> Result<ResolvedModel, CommandError> {
    let chosen = choose_alone(name, script, reach, env)?;
    Ok(ResolvedModel { reach: reach.clone(), ..chosen })
}

#[cfg_attr(
    not(feature = "local"),
    expect(unused_variables, reason = "models on this machine are looked for there")
)]
fn choose_alone(
    named: Option<&str>,
    script: Option<&Path>,
    reach: &ProviderAccess,
    env: impl Fn(&str) -> Option<String>,
) -> Result<ResolvedModel, CommandError> {
    if let Some(path) = script {
        let client: Arc<dyn Model> = Arc::new(read_script(path)?);
        let reach = ProviderAccess::default();
        return Ok(ResolvedModel {
            card: ModelSpec::named(SCRIPT),
            client,
            reach,
            note: None,
            fits: BuiltinToolSet::All,
        });
    }
    #[cfg(feature = "local")]
    match named {
        Some(name) if crate::local::is_local(name) => {
            return crate::local::open(name, reach.ways(), &env, None);
        }
        None if crate::local::is_there(&env) => {
            return crate::local::open(crate::local::DEFAULT, reach.ways(), &env, Some(crate::local::NOTE));
        }
        Some(_) | None => {}
    }
    match named {
        None => Ok(demonstration(Some(
            "no model is configured, so a scripted stand-in answers; choose one with --model or `holm init --model NAME`",
        ))),
        Some(DEMO) => Ok(demonstration(None)),
        Some(name) => from_provider(name, reach),
    }
}

/// Adds the models that take over when the work of the one before is not good enough. One
/// client serves them all.
pub(crate) fn with_stronger(
    first: ResolvedModel,
    names: &[String],
) -> Result<(ResolvedModel, Vec<ModelSpec>), CommandError> {
    if names.is_empty() {
        return Ok((first, Vec::new()));
    }
    let mut router = ModelRouter::new().with(&first.card.name, Arc::clone(&first.client));
    let mut stronger = Vec::new();
    for name in names {
        let next = from_provider(name, &first.reach)?;
        router = router.with(&next.card.name, next.client);
        stronger.push(next.card);
    }
    Ok((ResolvedModel { client: Arc::new(router), ..first }, stronger))
}

/// The model of a name, as its provider has it, or this machine.
pub(crate) fn from_provider(name: &str, reach: &ProviderAccess) -> Result<ResolvedModel, CommandError> {
    #[cfg(feature = "local")]
    if crate::local::is_local(name) {
        return crate::local::open(name, reach.ways(), &|name: &str| std::env::var(name).ok(), None);
    }
    reach.admits(name)?;
    let client = reach.client(name).map_err(|error| refused(name, &error, reach))?;
    // The provider may have been named by an alias; prices and requests go by its own name.
    let full =
        ServiceTable::stock().resolve(name).map_or_else(|_| name.to_owned(), |(full, _)| full.to_string());
    let card = ModelSpec { price: own_price(&full, reach), ..reach.card(&known_card(&full)) };
    Ok(ResolvedModel {
        card,
        client: Arc::new(client),
        reach: reach.clone(),
        note: None,
        fits: BuiltinToolSet::All,
    })
}

/// The price of a model as this host knows it: from its settings, or else from the catalogue.
pub(crate) fn own_price(full: &str, reach: &ProviderAccess) -> Option<Price> {
    reach.card(&known_card(full)).price.map(|price| reach.ways().cache.price(full, price))
}

/// The catalogue entry of a model. The same models of `OpenAI` answer in both of its formats,
/// at the same price.
fn known_card(full: &str) -> ModelSpec {
    let catalogue = catalogue::ModelCatalogue::pinned();
    let twin = full.strip_prefix("openai-chat/").map(|model| format!("openai/{model}"));
    let entry = catalogue.model(full).or_else(|| catalogue.model(twin.as_deref()?));
    let card = entry.map(catalogue::to_kernel);
    card.map_or_else(|| ModelSpec::named(full), |card| ModelSpec { name: full.to_owned(), ..card })
}

fn refused(name: &str, error: &ModelClientError, reach: &ProviderAccess) -> CommandError {
    match error {
        ModelClientError::NoKey { .. } | ModelClientError::WrongKey { .. } => {
            let services = ServiceTable::stock();
            let known = services.resolve(name).map(|(_, service)| (service.keys.join(" or "), &service.id));
            let trouble = CommandError::new(CommandExit::Provider, error.to_string());
            if let Some(why) = reach.lost(name) {
                return trouble.hint(why);
            }
            match known {
                Ok((keys, provider)) if !keys.is_empty() => trouble.hint(format!(
                    "set {keys} in the environment, or store a key with `holm keys add {provider}`"
                )),
                Ok(_) | Err(_) => trouble,
            }
        }
        ModelClientError::Name(error) => unknown_name(name, error),
        ModelClientError::Variable(_)
        | ModelClientError::SecretInBase { .. }
        | ModelClientError::Transport(_) => CommandError::new(CommandExit::Usage, error.to_string()),
    }
}

/// Whether a model's name leads anywhere with these settings.
///
/// # Errors
/// What is wrong with the name, and what to write instead.
pub(crate) fn check_name(
    name: &str,
    providers: &BTreeMap<String, ProviderSettings>,
) -> Result<(), CommandError> {
    let provider = name.split('/').next().unwrap_or_default();
    let is_own = providers.get(provider).is_some_and(|own| own.base_url.is_some());
    if is_own && !name.contains('/') {
        return Err(without_model(name));
    }
    if is_own || matches!(provider, "local" | "scripted") {
        return Ok(());
    }
    ServiceTable::stock().resolve(name).map(|_| ()).map_err(|error| unknown_name(name, &error))
}

/// The name of a provider of one's own stands where the name of a model is expected.
pub(crate) fn without_model(provider: &str) -> CommandError {
    let message = format!("`{provider}` is a provider without a model");
    CommandError::new(CommandExit::Usage, message).hint(format!("write `{provider}/MODEL`"))
}

fn unknown_name(name: &str, error: &ModelNameError) -> CommandError {
    let wrong = |message: String| CommandError::new(CommandExit::Usage, message);
    match error {
        ModelNameError::Unknown(UnknownServiceError { name: provider, suggestion }) => {
            // What could stand there without quotes; a path, say, begins with no name at all.
            let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let is_name = !provider.is_empty() && provider.chars().all(is_key);
            let table = if is_name { provider } else { "NAME" };
            let near = suggestion.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            wrong(format!("unknown provider {provider:?}")).hint(format!(
                "{near}for a server of your own, add [providers.{table}] base_url = \"http://...\" to your \
                 holm.toml; docs/models.md lists the other providers"
            ))
        }
        ModelNameError::NotFull { .. } => wrong(format!("{name:?} is not a full model name"))
            .hint("write it as provider/model, such as openai/gpt-5-mini"),
        ModelNameError::BadCharacter | ModelNameError::TooLong { .. } => wrong(error.to_string()),
    }
}

/// An example of a script, for the hint when a script is invalid.
const LOOKS: &str = r#"a script looks like {"results":[{"replied":{"blocks":[{"text":"hello"}]}}]}; a call is a block like {"tool_call":{"id":"1","name":"read","arguments":"{\"path\":\"a.txt\"}"}} with "stop":"tool_use" beside the blocks"#;

fn read_script(path: &Path) -> Result<ScriptedModel, CommandError> {
    let wrong = |reason: String| {
        CommandError::new(CommandExit::Usage, format!("the script {} cannot be used: {reason}", path.shown()))
            .hint(LOOKS)
    };
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            CommandError::new(CommandExit::Missing, format!("there is no file {}", path.shown()))
        }
        _ => wrong(error.to_string()),
    })?;
    if !text.trim_start().starts_with('{') {
        // A list would be read as the members in order.
        return Err(wrong("it is not an object".into()));
    }
    let script: ScriptedModel = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    // A run that nothing answers would leave a session that holds nothing.
    let is_empty = serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|script| {
        script.get("results").and_then(serde_json::Value::as_array).is_none_or(Vec::is_empty)
    });
    if is_empty { Err(wrong("it has no results".into())) } else { Ok(script) }
}

/// Shows the loop without a model: one call, and then the truth.
fn demonstration(note: Option<&'static str>) -> ResolvedModel {
    let call = ToolCall {
        id: "demo-1".into(),
        name: "glob".into(),
        arguments: r#"{"pattern":"*"}"#.into(),
        replay: None,
    };
    let calls = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    let text = "I am a scripted stand-in, not a model. Whatever you ask, I call `glob` once and say this. \
                The loop, the tools, the grants and the journal are real.";
    let says = Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() };
    let results = [calls, says].map(ModelResult::Replied);
    ResolvedModel {
        card: ModelSpec::named(DEMO),
        client: Arc::new(ScriptedModel::new(results)),
        reach: ProviderAccess::default(),
        note,
        fits: BuiltinToolSet::All,
    }
}

#[cfg(test)]
mod tests;
