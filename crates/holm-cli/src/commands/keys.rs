//! `holm keys`: manages provider keys. Keys are never printed, and never taken from arguments,
//! which other users could see. The file of keys is in `holm-config/src/keys.rs`, the keyrings are
//! in `keyring.rs` beside this folder, and which key a model gets is decided in
//! `provider_access.rs`. A key is in the file or in a keyring, not in both.

use std::{
    io::{self, Read as _},
    path::Path,
};

use clap::Subcommand;
use holm::{
    models::{CredentialCheck, ModelListError, SecretString},
    wire::services::ServiceTable,
};
use holm_config::{ConfigError, ConfigProblem, ConfigSettings, KeyFile, KeyringError};
use holm_tools::openapi::host_key_name;
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    folder_state::FolderState,
    holm_paths::HolmPaths,
    keyring::SystemKeyrings,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::{FolderSettings, refused},
};

/// The longest text that is read for a key.
const MOST_BYTES: u64 = 64 << 10;

/// Subcommands of `holm keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Store the API key of a provider or of a host, from standard input or a hidden prompt
    Add {
        /// Provider name, such as anthropic; or the host of an API, such as api.example.com
        provider: String,
        /// Store it in the system keyring instead of a file: the desktop's, or else the kernel's,
        /// which is cleared when the machine restarts
        #[arg(long)]
        keyring: bool,
    },
    /// List the providers with a key and where it comes from
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Delete a stored key
    Remove {
        /// Provider name, or the host of an API
        provider: String,
    },
    /// Ask a provider whether it accepts the key; costs nothing
    Test {
        /// Provider name
        provider: String,
    },
}

pub(crate) async fn execute(command: KeysCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let is_looking = matches!(command, KeysCommand::List { .. } | KeysCommand::Test { .. });
    let places = if is_looking { HolmPaths::look(data)? } else { HolmPaths::find(data)? };
    let screen = TerminalOutput::default();
    let mut keys = KeyFile::load(&places.keys()).map_err(|error| refused(&error))?;
    match command {
        KeysCommand::Add { provider, keyring } => {
            let place = if keyring { KeyStorage::Keyring } else { KeyStorage::File };
            add(&known(&provider, &places, &screen)?, place, &mut keys, &places, &screen)
        }
        KeysCommand::List { json } => list(&places, &keys, &screen, json),
        KeysCommand::Remove { provider } => {
            let name = ServiceTable::stock().find(&provider).map_or_else(
                |_| host_key_name(&provider).unwrap_or_else(|| provider.clone()),
                |service| service.id.clone(),
            );
            if keys.in_keyring().any(|kept| kept == name) {
                SystemKeyrings::here(&places.data).remove(&name).map_err(|error| ring_trouble(&error))?;
            }
            if !keys.remove(&name).map_err(|error| unsaved(&error))? {
                let message = format!("no stored key for `{name}`");
                return Err(CommandError::new(CommandExit::Missing, message)
                    .hint("`holm keys list` shows the stored keys")
                    .into());
            }
            screen.note(&format!("holm: removed the key of {name}"));
            Ok(CommandExit::Done)
        }
        KeysCommand::Test { provider } => test(&known(&provider, &places, &screen)?, &places, &screen).await,
    }
}

/// A provider's own name: of the catalogue, or of the settings.
fn known(provider: &str, places: &HolmPaths, screen: &TerminalOutput) -> Result<String, CommandError> {
    let services = ServiceTable::stock();
    let error = match services.find(provider) {
        Ok(service) => return Ok(service.id.clone()),
        Err(error) => error,
    };
    let settings = FolderSettings::find(places)?.settle(ConfigSettings::default(), screen);
    if settings.providers.contains_key(provider) {
        return Ok(provider.to_owned());
    }
    if let Some(host) = host_key_name(provider) {
        return Ok(host);
    }
    let message = match error.suggestion {
        Some(_) => error.to_string(),
        None => format!("unknown provider {provider:?}"),
    };
    let hint = "for a server of your own, first add [providers.NAME] with base_url to your holm.toml";
    Err(CommandError::new(CommandExit::Missing, message).hint(hint))
}

/// Where a key is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyStorage {
    /// In a file of the data folder.
    File,
    /// In the keyring of the system.
    Keyring,
}

fn ring_trouble(error: &KeyringError) -> CommandError {
    CommandError::new(CommandExit::Failed, error.to_string())
}

/// A text that was given and is no key. The file in which keys are kept is not to blame for it.
fn no_key(provider: &str, why: &str) -> CommandError {
    CommandError::new(CommandExit::Usage, format!("not a valid key for {provider}: {why}"))
        .hint(format!("give the key alone: holm keys add {provider} < FILE"))
}

fn not_kept(provider: &str, error: &ConfigError) -> CommandError {
    match &error.problem {
        ConfigProblem::WrongValue(why) => no_key(provider, why),
        _ => unsaved(error),
    }
}

/// A file of keys that cannot be saved. If the disk is full or read-only, the
/// command says what to do about it.
fn unsaved(error: &ConfigError) -> CommandError {
    let folder = error.path.parent().unwrap_or(&error.path);
    match (&error.problem, FolderState::of(folder)) {
        (ConfigProblem::Unwritable(_), FolderState::Full { .. } | FolderState::ReadOnly { .. }) => {
            CommandError::new(CommandExit::Failed, error.to_string())
        }
        _ => refused(error),
    }
}

fn add(
    provider: &str,
    place: KeyStorage,
    keys: &mut KeyFile,
    places: &HolmPaths,
    screen: &TerminalOutput,
) -> anyhow::Result<CommandExit> {
    let key = if TerminalOutput::can_ask() {
        let question = format!("The key of {provider} (it is not shown): ");
        let typed = unseen(|| screen.question(&question)).unwrap_or_default();
        screen.note("");
        typed
    } else {
        let mut text = String::new();
        io::stdin().lock().take(MOST_BYTES).read_to_string(&mut text)?;
        text
    };
    if key.trim().is_empty() {
        let hint = format!(
            "type it when you are asked, or give it on standard input: holm keys add {provider} < FILE"
        );
        return Err(CommandError::new(CommandExit::Usage, format!("no key for {provider} was given"))
            .hint(hint)
            .into());
    }
    let (key, ring) = (SecretString::from(key), SystemKeyrings::here(&places.data));
    let where_to = match place {
        KeyStorage::Keyring => {
            ring.set(provider, &key).map_err(|error| match error {
                KeyringError::NoKey => no_key(provider, &error.to_string()),
                KeyringError::NotHere | KeyringError::Refused(_) => ring_trouble(&error),
            })?;
            keys.set_in_keyring(provider).map_err(|error| unsaved(&error))?;
            " in the keyring"
        }
        KeyStorage::File => {
            let was_there = keys.in_keyring().any(|kept| kept == provider);
            keys.set(provider, &key).map_err(|error| not_kept(provider, &error))?;
            if was_there {
                // The file's counts from now on; one that the keyring cannot forget is never asked for.
                let _ = ring.remove(provider);
            }
            ""
        }
    };
    let next = if host_key_name(provider).is_some() {
        "only this host gets it".to_owned()
    } else {
        format!("test it with `holm keys test {provider}`")
    };
    screen.note(&format!("holm: stored the key of {provider}{where_to}; {next}"));
    Ok(CommandExit::Done)
}

/// Does something while what is typed is not shown.
fn unseen<T>(work: impl FnOnce() -> T) -> T {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let stdin = io::stdin();
    let Ok(before) = tcgetattr(&stdin) else { return work() };
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    // Where the terminal does not do it, the person sees so.
    let _ = tcsetattr(&stdin, OptionalActions::Now, &quiet);
    let done = work();
    let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
    done
}

fn list(
    places: &HolmPaths,
    keys: &KeyFile,
    screen: &TerminalOutput,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let settings = FolderSettings::find(places)?.settle(ConfigSettings::default(), screen);
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let mut rows: Vec<(String, String)> = Vec::new();
    for service in ServiceTable::stock().iter() {
        let variable = service.keys.iter().find(|name| env(name).is_some());
        rows.extend(variable.map(|name| (service.id.clone(), format!("${name}"))));
    }
    for (name, provider) in &settings.providers {
        let variable = provider.key_env.as_ref().filter(|variable| env(&variable.value).is_some());
        rows.extend(variable.map(|variable| (name.clone(), format!("${}", variable.value))));
    }
    let kept = places.keys().shown();
    rows.extend(keys.names().map(|name| (name.to_owned(), kept.clone())));
    let ring = SystemKeyrings::here(&places.data);
    rows.extend(keys.in_keyring().map(|name| {
        let is_there = ring.get(name).is_ok_and(|key| key.is_some());
        (name.to_owned(), if is_there { "keyring" } else { "keyring (lost; add it again)" }.to_owned())
    }));
    rows.sort();
    if rows.is_empty() {
        screen.note("holm: no keys yet; store one with `holm keys add PROVIDER`");
    }
    for (provider, from) in rows {
        if as_json {
            screen.line(&json!({ "provider": provider, "from": from }).to_string());
        } else {
            screen.answer(&format!("{provider}  {from}"));
        }
    }
    Ok(CommandExit::Done)
}

async fn test(provider: &str, places: &HolmPaths, screen: &TerminalOutput) -> anyhow::Result<CommandExit> {
    if host_key_name(provider).is_some() {
        let message = format!("{provider} is the host of an API, and Holm does not know how to test its key");
        return Err(CommandError::new(CommandExit::Usage, message).hint("call one of its tools").into());
    }
    let settings = FolderSettings::find(places)?.settle(ConfigSettings::default(), screen);
    let reach = ProviderAccess::here(&settings, places)?;
    let trouble = |exit: CommandExit, message: String| CommandError::new(exit, message);
    let client = reach.client(&format!("{provider}/any")).map_err(|error| {
        let hint =
            reach.lost(provider).unwrap_or_else(|| format!("store one with `holm keys add {provider}`"));
        trouble(CommandExit::Provider, error.to_string()).hint(hint)
    })?;
    match client.check_credentials(provider).await {
        Ok(CredentialCheck::Accepted) => {
            screen.answer(&format!("{provider} accepts the key"));
            Ok(CommandExit::Done)
        }
        Ok(CredentialCheck::Refused { reason }) => {
            let message = format!("{provider} rejects the key: {reason}");
            Err(trouble(CommandExit::Provider, message)
                .hint(format!("store another with `holm keys add {provider}`"))
                .into())
        }
        Err(error @ ModelListError::NoList(_)) => {
            Err(trouble(CommandExit::NoAnswer, error.to_string()).into())
        }
        Err(error @ (ModelListError::UnknownProvider(_) | ModelListError::Failed { .. })) => {
            Err(trouble(CommandExit::Provider, error.to_string()).into())
        }
    }
}
