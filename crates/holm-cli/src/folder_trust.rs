//! What the user lets agents do in a folder without asking, and where that is stored.
//!
//! There are three levels: look, edit and work in the jail. Each is a set of grants and a mode;
//! [`crate::settings`] merges them with the user's own settings. The levels of all folders are in
//! one file of the data folder. Nothing that belongs to a project can choose a level: only the user
//! does, by the first question (`first_contact.rs`), by `holm trust` or by `--trust`.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use holm::grants::{Grant, Mode};
use holm_config::{ConfigSettings, SettingOrigin, SettingValue};
use holm_tools::shell::{RUN_PROGRAM, SHELL};
use serde::{Deserialize, Serialize};

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, keep},
    screen::DisplayablePath as _,
};

/// The file with the levels of all folders, in the data folder.
const FILE: &str = "folders.toml";

/// What an agent may do in a folder without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrustLevel {
    /// Ask before everything, also before reading
    Ask,
    /// Read files; ask before every change and command
    Look,
    /// Read and write files; ask before every command
    Edit,
    /// Read and write files and run commands in the jail, without a network
    Jail,
}

impl TrustLevel {
    pub(crate) const ALL: [Self; 4] = [Self::Ask, Self::Look, Self::Edit, Self::Jail];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Look => "look",
            Self::Edit => "edit",
            Self::Jail => "jail",
        }
    }

    /// What it means, as one sentence.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Ask => "Holm asks before agents read, change or run anything here.",
            Self::Look => "Agents read files here. Holm asks before every change and every command.",
            Self::Edit => "Agents read and write files here. Holm asks before every command.",
            Self::Jail => {
                "Agents read and write files here and run commands in the jail. Holm asks before anything \
                 that reaches the network or leaves this folder."
            }
        }
    }

    /// The mode of runs in such a folder.
    pub(crate) const fn mode(self) -> Mode {
        match self {
            Self::Ask | Self::Look => Mode::Default,
            // Commands in the jail pass by the grants of their tools. In full mode the calls of MCP
            // servers would pass too.
            Self::Edit | Self::Jail => Mode::AcceptEdits,
        }
    }

    pub(crate) fn grants(self) -> Vec<Grant> {
        let patterns: &[&str] = match self {
            Self::Ask => &[],
            Self::Look => &["read:**"],
            // The mode asks about every command, so that one answer can cover commands that begin
            // alike.
            Self::Edit | Self::Jail => &["read:**", "write:**", "exec:*", "exec:./**"],
        };
        // All of them are valid; a test parses each.
        let patterns = patterns.iter().filter_map(|text| text.parse().ok());
        let tools = if self == Self::Jail { Self::command_tools() } else { Vec::new() };
        patterns.chain(tools).collect()
    }

    /// The grants that let commands run without a question, which is safe in the jail alone.
    pub(crate) fn command_tools() -> Vec<Grant> {
        [SHELL, RUN_PROGRAM].iter().filter_map(|name| format!("tool:{name}").parse().ok()).collect()
    }
}

/// What applies in a folder before flags and settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderAccess {
    /// Nothing: the folder is not the user's, or the session is not theirs alone.
    None,
    /// The user was not asked yet: reading is allowed.
    Reads,
    /// The user chose this level.
    Trusted(TrustLevel),
}

impl FolderAccess {
    /// What applies in the folder of these paths.
    ///
    /// # Errors
    /// If the file with the levels cannot be read.
    pub(crate) fn of(places: &HolmPaths) -> Result<Self, CommandError> {
        Ok(match FolderTrustFile::open(places)?.level_of(&places.work) {
            Some((_, level)) => Self::Trusted(level),
            None if is_own_project(&places.work, home().as_deref()) => Self::Reads,
            None => Self::None,
        })
    }

    /// The same for commands that run without a jail: then no level lets them run unasked.
    pub(crate) const fn unconfined(self) -> Self {
        match self {
            Self::Trusted(TrustLevel::Jail) => Self::Trusted(TrustLevel::Edit),
            other => other,
        }
    }

    /// The grants of sessions in the folder.
    pub(crate) fn grants(self) -> Vec<Grant> {
        match self {
            Self::None => Vec::new(),
            Self::Reads => TrustLevel::Look.grants(),
            Self::Trusted(level) => level.grants(),
        }
    }

    /// The same as settings of the user.
    pub(crate) fn settings(self) -> ConfigSettings {
        let grants = self.grants();
        let mode = match self {
            // The user's own settings decide the mode.
            Self::None | Self::Reads | Self::Trusted(TrustLevel::Ask) => None,
            Self::Trusted(level) => Some(level.mode()),
        };
        let value = |grant| SettingValue { value: grant, origin: SettingOrigin::FolderTrust };
        ConfigSettings {
            grants: (!grants.is_empty()).then(|| grants.into_iter().map(value).collect()),
            mode: mode.map(|mode| SettingValue { value: mode, origin: SettingOrigin::FolderTrust }),
            ..ConfigSettings::default()
        }
    }
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok())
}

/// Whether a folder belongs to the user and holds a project rather than everything they have: the
/// home folder and the folders above it do not count.
fn is_own_project(folder: &Path, home: Option<&Path>) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(folder) = folder.canonicalize() else { return false };
    let is_above_home = folder.parent().is_none() || home.is_some_and(|home| home.starts_with(&folder));
    let is_own = || folder.metadata().is_ok_and(|data| data.uid() == rustix::process::getuid().as_raw());
    !is_above_home && is_own()
}

/// The levels of all folders.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FolderTrustFile {
    #[serde(default)]
    folders: BTreeMap<PathBuf, TrustLevel>,
    #[serde(skip)]
    path: PathBuf,
}

impl FolderTrustFile {
    /// Reads the file; without one, no folder has a level.
    ///
    /// # Errors
    /// If it cannot be read, or is not what Holm wrote.
    pub(crate) fn open(places: &HolmPaths) -> Result<Self, CommandError> {
        let path = places.data.join(FILE);
        let refused = |why: String| {
            let message = format!("cannot read which folders are trusted: {}: {why}", path.shown());
            CommandError::new(CommandExit::Failed, message).hint("fix or remove the file")
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(refused(error.to_string())),
        };
        let read: Self = toml::from_str(&text).map_err(|error| refused(error.message().to_owned()))?;
        Ok(Self { path, ..read })
    }

    /// The level of a folder: its own, or that of the nearest folder above it, which is returned too.
    pub(crate) fn level_of(&self, folder: &Path) -> Option<(&Path, TrustLevel)> {
        let folder = folder.canonicalize().ok()?;
        let mut found = folder.ancestors().filter_map(|above| self.folders.get_key_value(above));
        found.next().map(|(path, level)| (path.as_path(), *level))
    }

    /// All folders with a level.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&Path, TrustLevel)> {
        self.folders.iter().map(|(path, level)| (path.as_path(), *level))
    }

    /// The file, as TOML. A string of JSON is a string of TOML too.
    fn text(&self) -> String {
        let line = |(path, level): (&PathBuf, &TrustLevel)| {
            format!("{} = \"{}\"\n", serde_json::Value::from(path.to_string_lossy()), level.name())
        };
        format!("[folders]\n{}", self.folders.iter().map(line).collect::<String>())
    }

    /// Stores the level of a folder; `None` forgets it. Says whether that changed anything.
    ///
    /// # Errors
    /// If the folder does not exist, or the file cannot be written.
    pub(crate) fn set(&mut self, folder: &Path, level: Option<TrustLevel>) -> Result<bool, CommandError> {
        let failed = |what: &Path, error: std::io::Error| {
            CommandError::new(CommandExit::Failed, format!("cannot use {}: {error}", what.shown()))
        };
        let folder = match folder.canonicalize() {
            Ok(folder) => folder,
            // A folder that is gone can still be forgotten.
            Err(_) if level.is_none() => folder.to_owned(),
            Err(error) => return Err(failed(folder, error)),
        };
        if folder.to_str().is_none() {
            let message = format!("{} has a name that is not text", folder.shown());
            return Err(CommandError::new(CommandExit::Usage, message).hint("use --trust for each run"));
        }
        let before = match level {
            Some(level) => self.folders.insert(folder, level),
            None => self.folders.remove(&folder),
        };
        if before == level {
            return Ok(false);
        }
        let text = self.text();
        keep(&self.path, &text).map_err(|error| failed(&self.path, error))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
