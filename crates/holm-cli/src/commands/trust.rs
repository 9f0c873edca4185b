//! `holm trust`: shows and changes what agents may do in a folder without asking.
//!
//! `explain.rs` says what would happen to one call, and `suggest.rs` which grants would have spared
//! questions. The levels themselves are in `folder_trust.rs`.

mod explain;
mod suggest;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use holm::grants::Mode;
use holm_config::{ConfigLayers, ConfigSettings, SettingValue};
use serde_json::json;

use crate::{
    exit::{CommandError, CommandExit},
    folder_trust::{self, FolderAccess, FolderTrustFile, TrustLevel},
    holm_paths::HolmPaths,
    screen::{DisplayablePath as _, TerminalOutput},
    settings::FolderSettings,
};

/// Arguments of `holm trust`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    command: Option<TrustCommand>,
    /// New level for the folder; without it, `holm trust` shows the current one
    #[arg(value_enum)]
    level: Option<TrustLevel>,
    /// Folder; the level also applies to the folders in it [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Forget the folder's level; Holm asks again at the next start
    #[arg(long, conflicts_with = "level")]
    forget: bool,
    /// List all folders with a level
    #[arg(long, conflicts_with_all = ["level", "forget", "folder"])]
    list: bool,
    /// Say what would happen to a call here, and why, without running it. Write the tool and its
    /// arguments, such as 'write {"path": "a.txt", "content": ""}'
    #[arg(long, value_name = "CALL", conflicts_with_all = ["level", "forget", "list", "folder"])]
    explain: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Subcommands of `holm trust`.
#[derive(Debug, clap::Subcommand)]
enum TrustCommand {
    /// Suggest the narrowest flags that cover the calls approved in this folder's sessions
    Suggest {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) async fn execute(args: &TrustArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let (places, screen) = (HolmPaths::look(data)?, Arc::new(TerminalOutput::default()));
    if let Some(TrustCommand::Suggest { json }) = args.command {
        return suggest::execute(&places, &screen, json).await;
    }
    if let Some(call) = &args.explain {
        let tools = super::tool::known_tools(&places, &screen).await?;
        return explain::execute(call, &tools, &places, &screen, args.json).await;
    }
    let mut file = FolderTrustFile::open(&places)?;
    if args.list {
        list(&file, &screen, args.json);
        return Ok(CommandExit::Done);
    }
    let folder = args.folder.as_deref().unwrap_or(&places.work);
    let folder = folder_trust::place(folder, if args.forget { None } else { Some(TrustLevel::Ask) })?;
    if let Some(level) = args.level.filter(|_| args.folder.is_none()) {
        folder_trust::check_one_project(&folder, level)?;
    }
    if args.forget || args.level.is_some() {
        file.set(&folder, args.level)?;
    }
    show(&file, &HolmPaths { work: folder, ..places }, &screen, args.json)?;
    Ok(CommandExit::Done)
}

fn list(file: &FolderTrustFile, screen: &TerminalOutput, json: bool) {
    if json {
        let rows: Vec<_> =
            file.folders().map(|(path, level)| json!({ "folder": path, "level": level })).collect();
        return screen.line(&json!(rows).to_string());
    }
    if file.folders().next().is_none() {
        screen.note("holm: no folder has a level yet; `holm trust LEVEL` chooses one");
    }
    for (path, level) in file.folders() {
        screen.line(&format!("{:<5} {}", level.name(), path.shown()));
    }
}

/// Shows what applies in the folder of these paths, and why.
fn show(
    file: &FolderTrustFile,
    places: &HolmPaths,
    screen: &TerminalOutput,
    json: bool,
) -> Result<(), CommandError> {
    let chosen = file.level_of(&places.work);
    if json {
        let (from, level) = chosen.unzip();
        screen.line(&json!({ "folder": places.work, "level": level, "chosen_for": from }).to_string());
        return Ok(());
    }
    let folder = places.work.shown();
    let access = FolderAccess::of(places)?;
    match chosen {
        Some((from, level)) => {
            let from =
                if from == places.work { String::new() } else { format!(", chosen for {}", from.shown()) };
            screen.line(&format!("{folder}: {}{from}", level.name()));
        }
        None => screen.line(&format!("{folder}: no level chosen")),
    }
    let settings = FolderSettings::find(places)?.loaded.layers;
    let own = own_grants(&settings.user);
    match other_mode(settings, access) {
        None => screen.line(access.meaning()),
        Some(mode) => {
            screen.line(access.files());
            screen.line(&format!("Mode {} ({}): {}", mode.value, mode.origin, mode_meaning(mode.value)));
        }
    }
    if access == FolderAccess::None {
        let why = file.closed(&places.work).map(|closed| closed.reason());
        screen.line(&format!(
            "Reason: {}.",
            why.unwrap_or_else(|| "this folder is not a project of yours".into())
        ));
    }
    if let Some(grants) = own {
        screen.line(&format!("Your own settings also allow: {grants}"));
    }
    screen.note("Change it with `holm trust ask`, `look`, `edit` or `jail`.");
    Ok(())
}

/// The grants in the user's own settings, which apply at every level.
fn own_grants(user: &ConfigSettings) -> Option<String> {
    let grants: Vec<String> = user.grants.iter().flatten().map(|grant| grant.value.to_string()).collect();
    (!grants.is_empty()).then(|| grants.join(" "))
}

/// The mode of runs in the folder, if the settings give another one than the level.
fn other_mode(settings: ConfigLayers, access: FolderAccess) -> Option<SettingValue<Mode>> {
    let mode = settings.with_folder(access.settings()).settle(ConfigSettings::default()).mode?;
    let usual = match access {
        FolderAccess::None | FolderAccess::Reads => Mode::default(),
        FolderAccess::Trusted(level) => level.mode(),
    };
    (mode.value != usual).then_some(mode)
}

/// What a mode means for calls, as the end of a sentence.
const fn mode_meaning(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "agents look and make plans, and change nothing.",
        Mode::Default => "Holm asks before every change and every command.",
        Mode::AcceptEdits => "granted writes run without a question. Holm asks before every command.",
        Mode::Full => "what is granted runs without a question, and all else is refused.",
    }
}
