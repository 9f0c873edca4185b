//! What the user lets agents do in a folder without asking, and where that is stored.
//!
//! There are four levels: ask, look, edit and work in the jail. Each is a set of grants and a mode;
//! [`crate::settings`] merges them with the user's own settings. A level adds its grants to those
//! of the user's settings, and its mode replaces theirs. The levels of all folders are in one file
//! of the data folder. Nothing that belongs to a project can choose a level: only the user does, by
//! the first question (`first_contact.rs`), by `holm trust` or by `--trust`.
//!
//! Folders on the deny list and folders of Holm have no default reading and inherit no level
//! (`folder_trust/closed_folder.rs`). Levels are ignored if the data folder is inside the project,
//! because a project could bring it along.

mod closed_folder;

use std::{
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Read as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use clap::{ValueEnum, builder::PossibleValue};
use holm::grants::{Grant, Mode};
use holm_config::{ConfigSettings, ExplicitPath, SettingOrigin, SettingValue};
use holm_tools::shell::{RUN_PROGRAM, SHELL};
use serde::{Deserialize, Serialize};

use self::closed_folder::HolmFolder;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, home, keep, private_folder},
    screen::DisplayablePath as _,
};

pub(crate) use self::closed_folder::ClosedFolder;

/// The file with the levels of all folders, in the data folder.
const FILE: &str = "folders.toml";
/// The file that is locked while the levels change.
const LOCK: &str = "folders.lock";
/// The permission of group and others to write a file.
const OTHERS_WRITE: u32 = 0o022;

/// Why the level that runs commands in the jail is refused without one.
pub(crate) const NO_JAIL_UNCONFINED: &str =
    "--trust jail runs commands in the jail, and --unconfined runs them without it";

/// What an agent may do in a folder without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrustLevel {
    Ask,
    Look,
    Edit,
    Jail,
}

/// The values of `--trust` and `holm trust`, with their help.
impl ValueEnum for TrustLevel {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.short()))
    }
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

    /// What it means, in a few words for lists.
    pub(crate) const fn short(self) -> &'static str {
        match self {
            Self::Ask => "ask me before everything, even reading",
            Self::Look => "read files; ask me before every change and every command",
            Self::Edit => "read and write files; ask me before every command",
            Self::Jail => "also run commands, without a network and without your other files",
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
        let file = FolderTrustFile::open(places)?;
        Ok(match file.level_of(&places.work) {
            Some((_, level)) => Self::Trusted(level),
            None if file.closed(&places.work).is_some() => Self::None,
            None if is_own_project(&places.work, home().as_deref()) => Self::Reads,
            None => Self::None,
        })
    }

    /// What it means, as one sentence.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::None => TrustLevel::Ask.meaning(),
            Self::Reads => TrustLevel::Look.meaning(),
            Self::Trusted(level) => level.meaning(),
        }
    }

    /// What it means for files alone, where another mode decides when Holm asks.
    pub(crate) const fn files(self) -> &'static str {
        match self {
            Self::None | Self::Trusted(TrustLevel::Ask) => "Agents read files here only with a grant.",
            Self::Reads | Self::Trusted(TrustLevel::Look) => "Agents read files here.",
            Self::Trusted(TrustLevel::Edit) => "Agents read and write files here.",
            Self::Trusted(TrustLevel::Jail) => {
                "Agents read and write files and run commands here, in the jail."
            }
        }
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
            // Not chosen, so the user's own settings decide the mode.
            Self::None | Self::Reads => None,
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

/// Whether a folder holds everything that the user has: the home folder, and the folders above it.
fn is_above_home(folder: &Path, home: Option<&Path>) -> bool {
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

/// Whether a folder belongs to the user and holds a project rather than everything they have. If
/// the home folder is not known, no folder counts, because it could be the home folder.
fn is_own_project(folder: &Path, home: Option<&Path>) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let is_own = || folder.metadata().is_ok_and(|data| data.uid() == rustix::process::getuid().as_raw());
    home.is_some() && !is_above_home(&folder, home) && is_own()
}

/// The top folder of the git repository that a folder is in.
fn repository_top(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())
}

/// The folder of a level, without links. A folder that is gone can only be forgotten.
///
/// # Errors
/// If the folder does not exist.
pub(crate) fn place(folder: &Path, level: Option<TrustLevel>) -> Result<PathBuf, CommandError> {
    let real = folder.canonicalize().or_else(|error| match level {
        None => std::path::absolute(folder),
        Some(_) => Err(error),
    });
    real.map_err(|error| {
        let message = format!("cannot use {}: {error}", folder.shown());
        CommandError::new(CommandExit::Missing, message).hint("name an existing folder")
    })
}

/// Refuses a level for a folder that holds everything that the user has, unless they name the
/// folder: the level would apply to every folder in it.
///
/// # Errors
/// What the level would apply to, and what to do.
pub(crate) fn check_one_project(folder: &Path, level: TrustLevel) -> Result<(), CommandError> {
    if level == TrustLevel::Ask || !is_above_home(folder, home().as_deref()) {
        return Ok(());
    }
    let (level, folder) = (level.name(), folder.shown());
    let message = format!("the level `{level}` would apply to every folder in {folder}");
    let hint = format!("go to a project, or add --folder {folder} if you mean all of them");
    Err(CommandError::new(CommandExit::Usage, message).hint(hint))
}

/// Refuses a level for the folder of these paths, if no level can be chosen there.
///
/// # Errors
/// Why no level can be chosen, and what to do.
pub(crate) fn check_level(places: &HolmPaths, level: TrustLevel) -> Result<(), CommandError> {
    FolderTrustFile::at(places).check_level(&places.work, level)
}

/// Whether these paths are inside of Holm's own data or settings folder.
pub(crate) fn is_of_holm(places: &HolmPaths) -> bool {
    FolderTrustFile::at(places).closed(&places.work) == Some(ClosedFolder::OfHolm)
}

/// Where the answer to the first question counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerScope {
    /// In this folder and the folders in it, from now on.
    Folder(PathBuf),
    /// In this run only, for this reason.
    Run(&'static str),
    /// Nowhere: the user is not asked.
    Closed(ClosedFolder),
}

impl AnswerScope {
    /// Where an answer counts that the user gives in the folder of these paths. In a git repository
    /// of the user, that is its top folder.
    pub(crate) fn of(places: &HolmPaths) -> Self {
        let (file, home) = (FolderTrustFile::at(places), home());
        let folder = places.work.canonicalize().unwrap_or_else(|_| places.work.clone());
        if let Some(closed) = file.closed(&folder) {
            return Self::Closed(closed);
        }
        if home.is_none() {
            return Self::Run("Holm could not find your home folder");
        }
        if is_above_home(&folder, home.as_deref()) {
            return Self::Run("this folder holds more than one project");
        }
        if file.is_in_project_of(&folder) {
            return Self::Run("Holm's data folder is inside the project");
        }
        let is_usable = |top: &&Path| {
            let own = |folder: &Path| is_own_project(folder, home.as_deref());
            own(&folder) && own(top) && file.closed(top).is_none()
        };
        let top = repository_top(&folder).filter(is_usable).map(Path::to_owned);
        Self::Folder(top.unwrap_or(folder))
    }
}

/// The levels of all folders.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FolderTrustFile {
    #[serde(default)]
    folders: BTreeMap<PathBuf, TrustLevel>,
    #[serde(skip)]
    data: PathBuf,
    #[serde(skip)]
    of_holm: Vec<HolmFolder>,
}

impl FolderTrustFile {
    /// Reads the file; without one, no folder has a level.
    ///
    /// # Errors
    /// If it cannot be read, if others may write it, or if it is not what Holm wrote.
    pub(crate) fn open(places: &HolmPaths) -> Result<Self, CommandError> {
        let mut file = Self::at(places);
        file.read()?;
        Ok(file)
    }

    /// The file before it was read.
    fn at(places: &HolmPaths) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let data = real(&places.data);
        let mut of_holm = vec![HolmFolder { workspaces: Some(data.join("worktrees")), path: data.clone() }];
        let found = places.found();
        // A file that the user named may be anywhere, also in a project.
        let settings = found.user.filter(|_| found.named == ExplicitPath::No);
        let settings = settings.as_deref().and_then(Path::parent);
        of_holm.extend(settings.map(|path| HolmFolder { path: real(path), workspaces: None }));
        Self { folders: BTreeMap::new(), data, of_holm }
    }

    fn path(&self) -> PathBuf {
        self.data.join(FILE)
    }

    fn read(&mut self) -> Result<(), CommandError> {
        let path = self.path();
        let refused = |why: &str, kind: ErrorKind| {
            let message = format!("cannot read the trust levels in {}: {why}", path.shown());
            CommandError::new(CommandExit::Failed, message).hint(read_hint(kind))
        };
        let text = text_of(&path).map_err(|error| refused(&error.to_string(), error.kind()))?;
        let read: Self =
            toml::from_str(&text).map_err(|error| refused(error.message(), ErrorKind::InvalidData))?;
        self.folders = read.folders;
        Ok(())
    }

    /// Why nothing is allowed by default in a folder, if so.
    pub(crate) fn closed(&self, folder: &Path) -> Option<ClosedFolder> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        ClosedFolder::find(&folder, &self.of_holm)
    }

    /// Whether the data folder is inside the project of a folder: then the project could have
    /// brought the levels along. The home folder is not a project.
    fn is_in_project_of(&self, folder: &Path) -> bool {
        let project = repository_top(folder).unwrap_or(folder);
        self.data.starts_with(project) && !is_above_home(project, home().as_deref())
    }

    /// The level of a folder: its own, or that of the nearest folder above
    /// it, which is returned too.
    pub(crate) fn level_of(&self, folder: &Path) -> Option<(&Path, TrustLevel)> {
        let folder = folder.canonicalize().ok()?;
        if self.is_in_project_of(&folder) {
            return None;
        }
        let mut found = folder.ancestors().filter_map(|above| self.folders.get_key_value(above));
        let (chosen_for, level) = found.next().map(|(path, level)| (path.as_path(), *level))?;
        let counts = match ClosedFolder::find(&folder, &self.of_holm) {
            None => true,
            Some(closed) if closed.refuses_levels() => false,
            Some(_) => ClosedFolder::find(chosen_for, &self.of_holm).is_some(),
        };
        (counts || level == TrustLevel::Ask).then_some((chosen_for, level))
    }

    /// All folders with a level.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&Path, TrustLevel)> {
        self.folders.iter().map(|(path, level)| (path.as_path(), *level))
    }

    fn check_level(&self, folder: &Path, level: TrustLevel) -> Result<(), CommandError> {
        match self.closed(folder).filter(ClosedFolder::refuses_levels) {
            Some(closed) if level != TrustLevel::Ask => {
                let message = format!(
                    "cannot use the level `{}` in {}: {}",
                    level.name(),
                    folder.shown(),
                    closed.reason()
                );
                Err(CommandError::new(CommandExit::Usage, message)
                    .hint("work in another folder, or grant single files with --grant"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Stores the level of a folder; `None` forgets it. Says whether that changed anything. Changes
    /// of other processes since the file was read are kept.
    ///
    /// # Errors
    /// If the folder does not exist, if no level can be chosen for it, or if
    /// the file cannot be written.
    pub(crate) fn set(&mut self, folder: &Path, level: Option<TrustLevel>) -> Result<bool, CommandError> {
        let folder = place(folder, level)?;
        if folder.to_str().is_none() {
            let message = format!("{} has a name that is not text", folder.shown());
            return Err(CommandError::new(CommandExit::Usage, message).hint("use --trust for each run"));
        }
        if let Some(level) = level {
            self.check_level(&folder, level)?;
            self.check_place(&folder)?;
        }
        let path = self.path();
        let failed = |error: std::io::Error| {
            let message = format!("cannot store the level: {}: {error}", path.shown());
            CommandError::new(CommandExit::Failed, message)
        };
        let _lock = self.lock().map_err(failed)?;
        self.read()?;
        let before = match level {
            Some(level) => self.folders.insert(folder, level),
            None => self.folders.remove(&folder),
        };
        if before == level {
            return Ok(false);
        }
        let text = toml::to_string(&*self).map_err(std::io::Error::other).map_err(failed)?;
        keep(&path, &text).map_err(failed)?;
        Ok(true)
    }

    /// Refuses to store a level that would be ignored.
    fn check_place(&self, folder: &Path) -> Result<(), CommandError> {
        if !self.is_in_project_of(folder) {
            return Ok(());
        }
        let message = format!(
            "cannot store a level for {}: Holm's data folder {} is inside this project",
            folder.shown(),
            self.data.shown()
        );
        Err(CommandError::new(CommandExit::Usage, message)
            .hint("choose a data folder outside of the project, or use --trust for each run"))
    }

    /// Waits until no other process changes the file. The lock ends when the result is dropped.
    fn lock(&self) -> std::io::Result<fs::File> {
        private_folder(&self.data)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(self.data.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }
}

/// What to do if the levels cannot be read.
const fn read_hint(kind: ErrorKind) -> &'static str {
    if matches!(kind, ErrorKind::PermissionDenied) {
        // The file may not even exist.
        "change the permissions of the data folder, or name another folder with --data or HOLM_DATA"
    } else {
        "fix or remove the file"
    }
}

/// The text of the file; empty if there is none. Others must not be able to write it.
fn text_of(path: &Path) -> std::io::Result<String> {
    let refused = |why: &str| Err(std::io::Error::other(why));
    match path.metadata() {
        Ok(data) if !data.is_file() => return refused("it is not a regular file"),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    }
    let mut file = fs::File::open(path)?;
    let data = file.metadata()?;
    if data.mode() & OTHERS_WRITE != 0 {
        return refused("other users may write it; `chmod go-w` changes that");
    }
    if data.uid() != 0 && data.uid() != rustix::process::geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests;
