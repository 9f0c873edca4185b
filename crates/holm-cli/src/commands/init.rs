//! `holm init`: creates a settings file. It needs no key and overwrites nothing. The text must be
//! one that `holm-config` reads, which is checked before it is written. It stores no key (`keys.rs`
//! does) and trusts nothing: a new project file needs `holm config trust`.

use std::{fs, io::Write as _, path::Path};

use holm::wire::services::{KeyRequirement, ServiceTable};
use holm_config::{ConfigLayer, ConfigSettings};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    model,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::{FolderSettings, refused},
};

/// Arguments of `holm init`.
#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Model to use, as provider/model [default: ask at a terminal, else leave it unset]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    /// Write this project's holm.toml instead of your own settings
    #[arg(long)]
    project: bool,
}

pub(crate) fn execute(args: &InitArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (places, screen) = (HolmPaths::find(data)?, TerminalOutput::default());
    let (path, layer) = if args.project {
        (Some(places.work.join(holm_config::PROJECT_FILE)), ConfigLayer::Project)
    } else {
        (places.found().user, ConfigLayer::User)
    };
    let path = path.ok_or_else(|| {
        CommandError::new(CommandExit::Usage, "no folder for your settings: HOME is not set")
            .hint("set HOLM_CONFIG")
    })?;
    if path.exists() {
        let message = format!("{} already exists", path.shown());
        let hint = "show it with `holm config show --origin`, and edit it with an editor";
        return Err(CommandError::new(CommandExit::Usage, message).hint(hint).into());
    }
    let model = match &args.model {
        Some(model) => Some(model.clone()),
        None if TerminalOutput::can_ask() => ask(&places, &screen)?,
        None => None,
    };
    if let Some(model) = &model {
        // The user's file is not there yet, so only other files can name providers.
        let settings = FolderSettings::find(&places).ok();
        let settings = settings.map(|here| here.loaded.layers.settle(ConfigSettings::default()));
        model::check_name(model, &settings.unwrap_or_default().providers)?;
    }
    let text = template(model.as_deref(), layer);
    // What is written must be what is read.
    ConfigSettings::read(&text, &path, layer).map_err(|error| refused(&error))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    holm_paths::readable_file(&path)?.write_all(text.as_bytes())?;
    screen.answer(&format!("created {}", path.shown()));
    if let Some(lacking) = model.as_deref().and_then(|model| lacking_key(model, &places)) {
        screen.note(&format!("holm: {lacking}"));
    }
    let next = if layer == ConfigLayer::Project {
        "holm config trust"
    } else {
        "holm run -p \"What is in this folder?\""
    };
    screen.answer(&format!("next: {next}"));
    Ok(CommandExit::Done)
}

/// Which model a person wants; an empty answer leaves it open.
fn ask(places: &HolmPaths, screen: &TerminalOutput) -> Result<Option<String>, CommandError> {
    let reach = ProviderAccess::here(&ConfigSettings::default(), places)?;
    let services = ServiceTable::stock();
    let keyed: Vec<&str> =
        services.iter().filter(|service| reach.has_key(&service.id)).map(|service| &*service.id).collect();
    match keyed.as_slice() {
        [] => screen.note("No provider key yet; store one with `holm keys add PROVIDER`."),
        keyed => screen.note(&format!("Keys for {}.", keyed.join(", "))),
    }
    let answer =
        screen.question("Which model, as provider/model (Enter: decide later)? ").unwrap_or_default();
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}

/// What to say of a model whose provider wants a key that is not there.
fn lacking_key(model: &str, places: &HolmPaths) -> Option<String> {
    let services = ServiceTable::stock();
    let (_, service) = services.resolve(model).ok()?;
    let wants = service.key == KeyRequirement::Needed && !service.keys.is_empty();
    let reach = ProviderAccess::here(&ConfigSettings::default(), places).ok()?;
    let (provider, variables) = (&service.id, service.keys.join(" or "));
    (wants && !reach.has_key(provider)).then(|| {
        format!("no key for {provider} yet: store one with `holm keys add {provider}`, or set {variables}")
    })
}

fn template(model: Option<&str>, layer: ConfigLayer) -> String {
    let quoted = model.map(|model| serde_json::Value::from(model).to_string());
    let model = quoted.map_or_else(
        || "# model = \"anthropic/claude-sonnet-4-5\"".to_owned(),
        |text| format!("model = {text}"),
    );
    let (whose, own) = if layer == ConfigLayer::Project {
        ("this project's settings; they select from each user's own settings and narrow them", "")
    } else {
        ("your settings", "# mode = \"default\"              # plan, default, accept-edits or full\n")
    };
    format!(
        "# {whose}; `holm config schema` lists all keys\n{model}\n{own}\
         # grants = [\"read:**\"]           # what agents may do\n\n\
         [limits]\n# turns = 20                    # for each prompt\n# budget = \"0.50usd\"            # for a session\n\n\
         [commands]\n# deny = [\"git push\"]           # never run\n"
    )
}
