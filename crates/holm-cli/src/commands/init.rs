//! `holm init`: creates a settings file. It needs no key and overwrites nothing.

use std::{fs, io::Write as _, path::Path};

use holm::wire::services::{KeyNeed, Services};
use holm_config::{Layer, Settings};

use crate::screen::ShownPath as _;
use crate::{
    exit::{Exit, Trouble},
    places::{self, Places},
    reach::Reach,
    screen::Screen,
    settings::refused,
};

/// Arguments of `holm init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Model to use, as provider/model [default: ask at a terminal, else leave it unset]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    /// Write this project's holm.toml instead of your own settings
    #[arg(long)]
    project: bool,
}

pub(crate) fn execute(args: &Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    let (path, layer) = if args.project {
        (Some(places.work.join(holm_config::PROJECT_FILE)), Layer::Project)
    } else {
        (places.found().user, Layer::User)
    };
    let path = path.ok_or_else(|| {
        Trouble::new(Exit::Usage, "no folder for your settings: HOME is not set").hint("set HOLM_CONFIG")
    })?;
    if path.exists() {
        let message = format!("{} already exists", path.shown());
        let hint = "show it with `holm config show --origin`, and edit it with an editor";
        return Err(Trouble::new(Exit::Usage, message).hint(hint).into());
    }
    let model = match &args.model {
        Some(model) => Some(model.clone()),
        None if Screen::can_ask() => ask(&places, &screen)?,
        None => None,
    };
    let text = template(model.as_deref(), layer);
    // What is written must be what is read.
    Settings::read(&text, &path, layer).map_err(|error| refused(&error))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    places::readable_file(&path)?.write_all(text.as_bytes())?;
    screen.answer(&format!("{} is there", path.shown()));
    if let Some(lacking) = model.as_deref().and_then(|model| lacking_key(model, &places)) {
        screen.note(&format!("holm: {lacking}"));
    }
    let next =
        if layer == Layer::Project { "holm config trust" } else { "holm run -p \"What is in this folder?\"" };
    screen.answer(&format!("next: {next}"));
    Ok(Exit::Done)
}

/// Which model a person wants; an empty answer leaves it open.
fn ask(places: &Places, screen: &Screen) -> Result<Option<String>, Trouble> {
    let reach = Reach::here(&Settings::default(), places)?;
    let services = Services::stock();
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
fn lacking_key(model: &str, places: &Places) -> Option<String> {
    let services = Services::stock();
    let (_, service) = services.resolve(model).ok()?;
    let wants = service.key == KeyNeed::Needed && !service.keys.is_empty();
    let reach = Reach::here(&Settings::default(), places).ok()?;
    let (provider, variables) = (&service.id, service.keys.join(" or "));
    (wants && !reach.has_key(provider)).then(|| {
        format!("no key for {provider} yet: store one with `holm keys add {provider}`, or set {variables}")
    })
}

fn template(model: Option<&str>, layer: Layer) -> String {
    let quoted = model.map(|model| serde_json::Value::from(model).to_string());
    let model = quoted.map_or_else(
        || "# model = \"anthropic/claude-sonnet-4-5\"".to_owned(),
        |text| format!("model = {text}"),
    );
    let (whose, own) = if layer == Layer::Project {
        ("this project's settings; they choose and narrow what a person's own settings give", "")
    } else {
        ("your settings", "# mode = \"default\"              # plan, default, accept-edits or full\n")
    };
    format!(
        "# {whose}; `holm config schema` says all that can be said\n{model}\n{own}\
         # grants = [\"read:**\"]           # what agents may do without being asked\n\n\
         [limits]\n# turns = 20                    # for each prompt\n# budget = \"0.50usd\"            # for a session\n\n\
         [commands]\n# deny = [\"git push\"]           # never run\n"
    )
}
