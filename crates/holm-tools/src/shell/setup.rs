//! A shell for one workspace: its limits, the files that are hidden from it, and the
//! programs that it finds.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::{Denials, Grant, GrantSet, Need, ProgramPattern};
use holm_jail::{Engine, Jail, JailError, Launcher, Limits};
use holm_net::Connector;

use super::changes::WorkspaceRecord;
use super::denied;
use super::home::OwnHome;
use super::rules::Rules;
use super::tool::{ArgvTool, ScriptTool};
use crate::authority;

/// Where the system keeps programs, first found first taken.
const SYSTEM_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Holm's own folder in a project: tools, agents, hooks and configuration.
const OWN_FOLDER: &str = ".holm";
/// The name of the folder of Rust's toolchains: in a home, and where all users of
/// a machine share it.
const TOOLCHAINS: [&str; 2] = [".rustup", "rustup"];

/// Runs commands in one workspace. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shell(Arc<Setup>);

#[derive(Debug)]
pub(super) struct Setup {
    pub(super) launcher: Launcher,
    pub(super) engine: Engine,
    pub(super) workspace: PathBuf,
    pub(super) rules: Rules,
    pub(super) limits: Limits,
    pub(super) denials: Denials,
    /// The connector to granted hosts; without it there is no network.
    pub(super) connector: Option<Connector>,
    protected: BTreeSet<PathBuf>,
    hidden: BTreeSet<PathBuf>,
    env: Vec<(OsString, OsString)>,
    search: Vec<PathBuf>,
    home: Home,
    /// The grants that were already offered, so that a refusal is not repeated for ever.
    offered: Mutex<BTreeSet<String>>,
}

/// The folder that commands use as the user's home.
#[derive(Debug)]
enum Home {
    Own(OwnHome),
    Given(PathBuf),
}

/// Why a shell cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    /// The workspace cannot be used.
    #[error("the workspace {}: {why}", .path.display())]
    Workspace {
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// There is no folder for the files that commands leave behind.
    #[error("no folder for temporary files: {0}; set TMPDIR to one that can be written")]
    Home(String),
}

impl Shell {
    /// A shell in this workspace. With [`Engine::Unconfined`] there is no jail. That engine is
    /// never detected automatically: the caller must choose it by name.
    ///
    /// # Errors
    ///
    /// If the workspace does not exist, or no folder for temporary files can be made.
    pub fn new(launcher: Launcher, engine: Engine, workspace: &Path) -> Result<Self, ShellError> {
        let lost = |error: std::io::Error| ShellError::Workspace {
            path: workspace.to_owned(),
            why: error.to_string(),
        };
        let workspace = workspace.canonicalize().map_err(lost)?;
        let home = OwnHome::make().map_err(|error| ShellError::Home(error.to_string()))?;
        Ok(Self(Arc::new(Setup {
            launcher,
            engine,
            rules: Rules::default(),
            limits: Limits::default(),
            denials: Denials::default(),
            connector: None,
            protected: BTreeSet::from([workspace.join(OWN_FOLDER)]),
            hidden: BTreeSet::new(),
            env: Vec::new(),
            search: Vec::new(),
            home: Home::Own(home),
            offered: Mutex::default(),
            workspace,
        })))
    }

    /// With rules about commands; its deny rules hold in every mode.
    #[must_use]
    pub fn rules(self, rules: Rules) -> Self {
        self.with(|setup| setup.rules = rules)
    }

    /// With files that are never seen or never written, as the run's deny list has them.
    #[must_use]
    pub fn denials(self, denials: Denials) -> Self {
        self.with(|setup| setup.denials = denials)
    }

    /// Allows access to the hosts that a call is granted, and to no others. Without this, a command
    /// cannot open a socket.
    #[must_use]
    pub fn network(self, connector: Connector) -> Self {
        self.with(|setup| setup.connector = Some(connector))
    }

    /// Keeps a path inside the workspace read-only, no matter what is granted.
    #[must_use]
    pub fn protect(self, path: impl Into<PathBuf>) -> Self {
        self.with(|setup| {
            setup.protected.insert(setup.workspace.join(path.into()));
        })
    }

    /// Hides an existing folder, such as Holm's own data, no matter what is granted. A workspace
    /// inside that folder would be hidden too. So in that case nothing is hidden, and only grants
    /// protect the workspace's neighbours.
    #[must_use]
    pub fn hide(self, path: &Path) -> Self {
        self.with(|setup| {
            let real = path.canonicalize().ok().filter(|real| !setup.workspace.starts_with(real));
            setup.hidden.extend(real);
        })
    }

    /// Lets commands see a variable. Apart from these, they only see the variables
    /// that every command needs.
    #[must_use]
    pub fn env(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.with(|setup| setup.env.push((name.into(), value.into())))
    }

    /// With folders where a person keeps programs beside the system's, as in `PATH`. Nothing is granted by this: it is how
    /// a missing grant for such a program is found.
    #[must_use]
    pub fn search(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.with(|setup| {
            let outside = |folder: &PathBuf| folder.is_absolute() && !folder.starts_with(&setup.workspace);
            setup.search = folders.into_iter().filter(outside).collect();
        })
    }

    /// With other bounds for each command.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.with(|setup| setup.limits = limits)
    }

    /// With this folder, which must exist, as the home of commands; it outlives the shell.
    #[must_use]
    pub fn home(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|setup| setup.home = Home::Given(folder.into()))
    }

    /// The tool that runs scripts.
    #[must_use]
    pub fn script_tool(&self) -> ScriptTool {
        ScriptTool::new(Arc::clone(&self.0))
    }

    /// The tool that runs one program.
    #[must_use]
    pub fn argv_tool(&self) -> ArgvTool {
        ArgvTool::new(Arc::clone(&self.0))
    }

    /// Only while it is being built; a shell whose tools are in use stays as it is.
    fn with(mut self, change: impl FnOnce(&mut Setup)) -> Self {
        if let Some(setup) = Arc::get_mut(&mut self.0) {
            change(setup);
        }
        self
    }
}

impl Setup {
    /// The jail for the needs of a call, and the record of the files where it may write. This reads
    /// the file system, so it blocks.
    pub(super) fn jail(&self, needs: &[Need]) -> Result<(Jail, WorkspaceRecord), JailError> {
        let mut grants = GrantSet::default();
        let mut programs = Vec::new();
        for need in needs {
            match authority::grant(need) {
                Some(Grant::Exec(ProgramPattern::Name(name))) => programs.push(name.to_string()),
                Some(grant) => drop(grants.insert(grant)),
                None => {}
            }
        }
        let mut path: Vec<PathBuf> = SYSTEM_PATH.iter().map(PathBuf::from).collect();
        path.extend(self.folders(&grants));
        let mut jail = Jail::from_grants(&self.workspace, &grants, [])?;
        for name in programs {
            jail = if name == "*" { jail.exec_system() } else { jail.exec(self.program(&name)?) };
        }
        let (mut jail, record) = denied::hold(jail, &self.workspace, &grants, &self.denials);
        jail = self.protected.iter().fold(jail, Jail::protect);
        jail = self.hidden.iter().fold(jail, Jail::hide);
        Ok((self.environment(jail, &path), record))
    }

    /// The program of a name, in the system's folders and then in the person's.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, JailError> {
        let system = SYSTEM_PATH.iter().map(PathBuf::from);
        let found = system.chain(self.search.iter().cloned()).map(|folder| folder.join(name));
        let mut found = found.filter(|path| !name.contains('/') && path.is_file());
        found
            .next()
            .and_then(|path| path.canonicalize().ok())
            .ok_or_else(|| JailError::NoProgram(name.into()))
    }

    /// The folders that must be executable for a program that exists only in the person's folders.
    /// Empty if the system has the program, or if it is not found.
    pub(super) fn missing_program(&self, name: &str) -> Vec<PathBuf> {
        let is_there = |folder: &Path| folder.join(name).is_file();
        if name.contains('/') || SYSTEM_PATH.iter().any(|folder| is_there(Path::new(folder))) {
            return Vec::new();
        }
        let Some(folder) = self.search.iter().find(|folder| is_there(folder)) else { return Vec::new() };
        let mut homes = vec![home_of(folder)];
        // A program that looks like a compiler may be a proxy for one that is installed elsewhere.
        if let Ok(real) = folder.join(name).canonicalize()
            && let Some(parent) = real.parent()
        {
            homes.push(home_of(parent));
            if real.file_name().is_some_and(|name| name == "rustup")
                && let Some(user) = parent.ancestors().nth(2)
            {
                homes.extend(
                    TOOLCHAINS.map(|name| user.join(name)).into_iter().find(|folder| folder.is_dir()),
                );
            }
        }
        homes.retain(|home| !self.workspace.starts_with(home));
        homes.dedup();
        homes
    }

    /// Whether this is the first time that a grant is offered.
    pub(super) fn offers(&self, grant: &str) -> bool {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner).insert(grant.to_owned())
    }

    /// The `PATH` folders among those that may be started. Folders of the workspace are left out: a
    /// program that a model writes there must not pass for one of the system or the person.
    fn folders(&self, grants: &GrantSet) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for grant in grants.iter() {
            if let Grant::Exec(ProgramPattern::Path(pattern)) = grant {
                let text = pattern.to_string();
                let place = PathBuf::from(text.trim_end_matches("/**").trim_end_matches('/'));
                let outside = |folder: &PathBuf| {
                    folder.is_absolute() && !folder.starts_with(&self.workspace) && folder.is_dir()
                };
                folders.extend([place.join("bin"), place].into_iter().filter(outside));
            }
        }
        folders
    }

    fn environment(&self, jail: Jail, path: &[PathBuf]) -> Jail {
        let home = match &self.home {
            Home::Own(folder) => folder.path(),
            Home::Given(folder) => folder,
        };
        let joined = std::env::join_paths(path).unwrap_or_else(|_| SYSTEM_PATH.join(":").into());
        let called =
            |name: &str| path.iter().find(|folder| folder.file_name().is_some_and(|own| own == name));
        let toolchains = TOOLCHAINS.into_iter().find_map(called);
        let mut jail = jail
            .write(home)
            .env("HOME", home)
            .env("TMPDIR", home)
            .env("PATH", joined)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            // There is no user to page through output or to type a password.
            .env("PAGER", "cat")
            .env("GIT_PAGER", "cat")
            .env("GIT_TERMINAL_PROMPT", "0")
            .limits(self.limits);
        if let Some(toolchains) = toolchains {
            jail = jail.env("RUSTUP_HOME", toolchains);
        }
        self.env.iter().fold(jail, |jail, (name, value)| jail.env(name, value))
    }
}

/// The parent folder of `bin`, which also holds what a program needs.
fn home_of(folder: &Path) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(parent)) if name == "bin" && parent != Path::new("/") => parent.to_owned(),
        _ => folder.to_owned(),
    }
}
