//! A shell for one workspace: its limits, its environment, the files that are hidden from it, and
//! the programs that it finds. It makes the jail of each call from the call's needs and the
//! standing grants. Calls are read and run in `tool.rs` and `child_run.rs`; denied files are found
//! in `denied_paths.rs`, and the user's toolchains in `toolchain.rs`. A folder in the workspace
//! never comes into `PATH`, and `.git` is opened only by a grant that names it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::{CallNeed, DenialSet, Grant, GrantSet, ProgramPattern};
use holm_jail::{Jail, JailEngine, JailError, JailLauncher, JailLimits};
use holm_kernel::CallAccess;
use holm_net::Connector;

use super::changes::WorkspaceRecord;
use super::closed_places::ClosedPlaces;
use super::denied_paths;
use super::home::{FoundFolders, ShellHome};
use super::kept_home::SessionFolderKey;
use super::output::OutputFolder;
use super::rules::CommandRules;
use super::temporary_files::TemporaryFiles;
use super::tool::{ArgvTool, ScriptTool};
use super::toolchain::{SYSTEM_PATH, UserToolchains};
use crate::authority;
use crate::undo::UndoStore;

/// Holm's own folder in a project: tools, agents, hooks and configuration.
const OWN_FOLDER: &str = ".holm";
/// The name of the folder of Rust's toolchains: in a home, and where all users of
/// a machine share it.
const TOOLCHAINS: [&str; 2] = [".rustup", "rustup"];
/// The editor that programs call: no user is there to type, so it fails at once and says so.
const NO_EDITOR: &str = "sh -c 'echo \"There is no editor here. Give the text in the command, such as git commit -m.\" >&2; exit 1'";
/// What vim runs when it starts. Without a terminal it would wait until the call's time is up: at the
/// end of its input it reads from standard error instead, which is how this finds out. A vim that
/// gets its commands by arguments or by standard input is left alone. `$PPID` is vim, which
/// ignores milder signals while it runs a command. Without `/proc` it waits as before.
const NO_VIM: &str = "set noswapfile | autocmd VimEnter * silent !test /proc/$PPID/fd/0 -ef /proc/$PPID/fd/2 \
                      && { echo \"There is no terminal here. Change files with a tool or a script.\" >&2; \
                      kill -9 $PPID; }";
/// Variables by which programs find an editor.
const EDITORS: [&str; 3] = ["GIT_EDITOR", "EDITOR", "VISUAL"];

/// Runs commands in one workspace. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WorkspaceShell(Arc<ShellSetup>);

/// The folders of a shell: the home of commands, their temporary files, their long outputs. Without
/// [`keep_for`](Self::keep_for) they go with the shell.
#[derive(Debug, Clone)]
pub struct SessionFolders(Arc<ShellSetup>);

impl SessionFolders {
    /// Keeps them for the next process that resumes this session.
    pub fn keep_for(&self, session: &SessionFolderKey) {
        self.0.own.keep_for(session);
    }

    /// What an earlier process of the session left in them.
    #[must_use]
    pub fn found(&self) -> FoundFolders {
        self.0.own.found
    }
}

#[derive(Debug)]
pub(super) struct ShellSetup {
    pub(super) launcher: JailLauncher,
    pub(super) engine: JailEngine,
    pub(super) workspace: PathBuf,
    pub(super) rules: CommandRules,
    pub(super) limits: JailLimits,
    pub(super) denials: DenialSet,
    /// The connector to granted hosts; without it there is no network.
    pub(super) connector: Option<Connector>,
    protected: BTreeSet<PathBuf>,
    hidden: BTreeSet<PathBuf>,
    env: Vec<(OsString, OsString)>,
    search: Vec<PathBuf>,
    toolchains: UserToolchains,
    /// Folders that go with the shell.
    own: ShellHome,
    pub(super) temporary: TemporaryFiles,
    /// Where images of the workspace are kept, so that commands can be undone.
    pub(super) undo: Option<UndoStore>,
    /// The home of commands, where it is not the shell's own.
    home: Option<PathBuf>,
    /// All variables of the user, where nothing confines commands.
    user: Option<Vec<(OsString, OsString)>>,
    /// Where long outputs are; none if the home belongs to another user.
    pub(super) outputs: Option<Arc<OutputFolder>>,
    /// Where no user can be asked: the grants that are agreed to without a question.
    pub(super) unattended: Option<GrantSet>,
    /// What was offered already, so that a refusal is not repeated for ever.
    offered: Mutex<BTreeSet<String>>,
}

/// Why there is no shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellSetupError {
    /// The workspace cannot be used.
    #[error("the workspace {}: {why}", .path.display())]
    Workspace {
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// There is no folder for the files that commands leave behind.
    #[error("no folder for temporary files: {0}; set TMPDIR to a writable one")]
    Home(String),
}

impl WorkspaceShell {
    /// A shell in this workspace. With [`JailEngine::Unconfined`] there is no jail. That engine is
    /// never detected automatically: the caller must choose it by name.
    ///
    /// # Errors
    ///
    /// If the workspace does not exist, or no folder for temporary files can be made.
    pub fn new(
        launcher: JailLauncher,
        engine: JailEngine,
        workspace: &Path,
    ) -> Result<Self, ShellSetupError> {
        Self::resumed(launcher, engine, workspace, None)
    }

    /// As [`new`](Self::new), with the folders that were kept for a session,
    /// if they are still there.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn resumed(
        launcher: JailLauncher,
        engine: JailEngine,
        workspace: &Path,
        session: Option<&SessionFolderKey>,
    ) -> Result<Self, ShellSetupError> {
        let lost = |error: std::io::Error| ShellSetupError::Workspace {
            path: workspace.to_owned(),
            why: error.to_string(),
        };
        let workspace = workspace.canonicalize().map_err(lost)?;
        let no_home = |error: std::io::Error| ShellSetupError::Home(error.to_string());
        let own = ShellHome::make(session).map_err(no_home)?;
        let temporary = TemporaryFiles::new(own.temporary(), &[&workspace, &own.home()]).map_err(no_home)?;
        Ok(Self(Arc::new(ShellSetup {
            launcher,
            engine,
            rules: CommandRules::default(),
            limits: JailLimits::default(),
            denials: DenialSet::default(),
            connector: None,
            protected: BTreeSet::from([workspace.join(OWN_FOLDER)]),
            hidden: BTreeSet::new(),
            env: Vec::new(),
            search: Vec::new(),
            toolchains: UserToolchains::find([], None, &workspace),
            outputs: Some(Arc::new(OutputFolder::new(own.outputs()))),
            own,
            temporary,
            undo: None,
            home: None,
            user: None,
            unattended: None,
            offered: Mutex::default(),
            workspace,
        })))
    }

    /// With rules about commands; its deny rules hold in every mode.
    #[must_use]
    pub fn rules(self, rules: CommandRules) -> Self {
        self.with(|setup| setup.rules = rules)
    }

    /// With files that are never seen or never written, as the run's deny list has them.
    #[must_use]
    pub fn denials(self, denials: DenialSet) -> Self {
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

    /// Keeps what commands change in the workspace, so that it can be undone.
    /// Without this, nothing is kept.
    #[must_use]
    pub fn undo(self, undo: UndoStore) -> Self {
        self.with(|setup| setup.undo = Some(undo))
    }

    /// Lets commands see a variable. Apart from these, they only see the variables
    /// that every command needs.
    #[must_use]
    pub fn env(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.with(|setup| setup.env.push((name.into(), value.into())))
    }

    /// With the `PATH` of a user who has this home: commands that may start any program have it
    /// too, and see of its folders and of known toolchains there what programs need, read-only.
    /// Folders in the workspace are left out.
    #[must_use]
    pub fn path(self, folders: impl IntoIterator<Item = PathBuf>, home: Option<&Path>) -> Self {
        self.with(|setup| setup.toolchains = UserToolchains::find(folders, home, &setup.workspace))
    }

    /// With folders where programs may lie that are not on the `PATH`. Nothing is granted by this:
    /// it is how a missing grant for such a program is found.
    #[must_use]
    pub fn search(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.with(|setup| {
            let outside = |folder: &PathBuf| folder.is_absolute() && !folder.starts_with(&setup.workspace);
            setup.search = folders.into_iter().filter(outside).collect();
        })
    }

    /// With other bounds for each command.
    #[must_use]
    pub fn limits(self, limits: JailLimits) -> Self {
        self.with(|setup| setup.limits = limits)
    }

    /// With this folder, which must exist, as the home of commands; it outlives the shell. Long
    /// outputs are cut then, unless [`outputs`](Self::outputs) says where they are kept.
    #[must_use]
    pub fn home(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|setup| {
            setup.home = Some(folder.into());
            setup.outputs = None;
        })
    }

    /// Gives commands that nothing confines all of these variables: the user's, with `HOME`, `PATH`
    /// and `TMPDIR`. Where something confines them this does nothing.
    #[must_use]
    pub fn user_environment(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.with(|setup| {
            if setup.engine == JailEngine::Unconfined {
                setup.user = Some(variables.into_iter().collect());
                let outputs = OutputFolder::new(setup.own.outputs()).outside_home();
                setup.outputs = Some(Arc::new(outputs));
            }
        })
    }

    /// For runs in which no user can be asked, and only these grants are
    /// agreed to: results then advise no question.
    #[must_use]
    pub fn unattended(self, agreed: GrantSet) -> Self {
        self.with(|setup| setup.unattended = Some(agreed))
    }

    /// Keeps long outputs in this folder, which must exist and which no command may write;
    /// it outlives the shell.
    #[must_use]
    pub fn outputs(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|setup| setup.outputs = Some(Arc::new(OutputFolder::new(folder.into()))))
    }

    /// Where long outputs are kept, for tools that read them: see
    /// [`FileToolContext::outputs`](crate::files::FileToolContext::outputs).
    #[must_use]
    pub fn output_folder(&self) -> Option<&Path> {
        self.0.outputs.as_ref().map(|outputs| outputs.path())
    }

    /// The folders that commands have, to be kept for a session.
    #[must_use]
    pub fn folders(&self) -> SessionFolders {
        SessionFolders(Arc::clone(&self.0))
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

    #[cfg(test)]
    pub(super) fn setup(&self) -> &ShellSetup {
        &self.0
    }

    /// Only while it is being built; a shell whose tools are in use stays as it is.
    fn with(mut self, change: impl FnOnce(&mut ShellSetup)) -> Self {
        if let Some(setup) = Arc::get_mut(&mut self.0) {
            change(setup);
        }
        self
    }
}

impl ShellSetup {
    /// What is hidden from commands; `None` if nothing confines them.
    pub(super) fn closed_places(&self, more: &DenialSet) -> Option<ClosedPlaces> {
        let is_confined = self.engine != JailEngine::Unconfined;
        is_confined.then(|| ClosedPlaces::new(&self.workspace, &self.denials.join(more)))
    }

    /// The jail for what a call was allowed to use, and what lies where it may write. Looks at the
    /// file system, so it blocks.
    ///
    /// A call that only looks must not bring needs or grants to write or to reach hosts; those that
    /// it brings are left out.
    pub(super) fn jail(
        &self,
        needs: &[CallNeed],
        standing: &GrantSet,
        access: CallAccess,
    ) -> Result<(Jail, WorkspaceRecord), JailError> {
        let mut grants = GrantSet::default();
        let mut programs = Vec::new();
        for need in needs {
            match authority::grant(need) {
                Some(Grant::Exec(ProgramPattern::Name(name))) => programs.push(name.to_string()),
                Some(grant) => drop(grants.insert(grant)),
                None => {}
            }
        }
        self.add_standing(&mut grants, standing);
        if access == CallAccess::ReadOnly {
            let looks = |grant: &&Grant| matches!(grant, Grant::Read(_) | Grant::Exec(_));
            grants = grants.iter().filter(looks).cloned().collect();
        }
        let mut path: Vec<PathBuf> = self.toolchains.path().to_vec();
        path.extend(self.folders(&grants));
        let mut jail = Jail::from_grants(&self.workspace, &grants, [])?;
        for name in programs {
            jail = if name == "*" {
                self.toolchains.add_to(jail.exec_system())
            } else {
                self.open_program(jail, &name)?
            };
        }
        let (mut jail, record) = denied_paths::hold(jail, &self.workspace, &grants, &self.denials);
        jail = self.protected.iter().fold(jail, Jail::protect);
        jail = self.hidden.iter().fold(jail, Jail::hide);
        Ok((self.environment(jail, &path, &grants, access), record))
    }

    /// What a call needs that records something in the repository. A run that was granted the whole
    /// workspace may name its `.git`, and a plain `git commit` counts as if it did.
    pub(super) fn with_repository(&self, needs: &Arc<[CallNeed]>, standing: &GrantSet) -> Arc<[CallNeed]> {
        let git = self.workspace.join(".git");
        // One that is a file or a link stays closed.
        if !git.is_dir() || git.canonicalize().is_ok_and(|real| real != git) {
            return Arc::clone(needs);
        }
        let named = ["read:.git/**", "write:.git/**"].map(str::parse::<Grant>);
        let named: Vec<Grant> = named.into_iter().flatten().collect();
        if !named.iter().all(|grant| standing.contains(grant)) {
            return Arc::clone(needs);
        }
        needs.iter().cloned().chain(named.into_iter().map(CallNeed::Grant)).collect()
    }

    /// Adds what the run was granted outside the workspace, so that no call has to name it. Left
    /// out is what a jail cannot hold, and what lies around the workspace or is not there: a call
    /// that names it is told why.
    fn add_standing(&self, grants: &mut GrantSet, standing: &GrantSet) {
        for grant in standing.iter() {
            let (Grant::Read(pattern) | Grant::Write(pattern) | Grant::Exec(ProgramPattern::Path(pattern))) =
                grant
            else {
                if matches!(grant, Grant::Fetch(_)) {
                    grants.insert(grant.clone());
                }
                continue;
            };
            let place = denied_paths::root_of(&self.workspace, pattern);
            let is_readable =
                !matches!(grant, Grant::Write(_)) || standing.contains(&Grant::Read(pattern.clone()));
            let is_outside = !self.workspace.starts_with(&place) && !place.starts_with(&self.workspace);
            // A grant for the whole workspace does not open `.git`: git obeys far more files in
            // there than those that are held. A grant that names it does, and a `.git` that is a
            // file or a link stays closed.
            let is_git =
                matches!(grant, Grant::Write(_)) && place == self.workspace.join(".git") && place.is_dir();
            let is_real = place.canonicalize().is_ok_and(|real| real == place);
            if is_readable
                && (is_outside || is_git)
                && is_real
                && !pattern.to_string().trim_end_matches("/**").contains('*')
            {
                grants.insert(grant.clone());
            }
        }
    }

    /// Lets a command start the program of this name: of the system's alone, of a toolchain's with
    /// what it needs of that toolchain.
    fn open_program(&self, jail: Jail, name: &str) -> Result<Jail, JailError> {
        let program = self.program(name)?;
        let real = program.canonicalize().map_err(|_| JailError::NoProgram(name.into()))?;
        let is_system = SYSTEM_PATH.iter().any(|folder| real.starts_with(folder));
        if is_system {
            return Ok(jail.exec(real));
        }
        // One of a toolchain's is often a script, or starts a compiler and a linker of the system.
        Ok(self.toolchains.add_program(jail.exec_system(), &program, &real).exec(real))
    }

    /// The file of a program's name, on the `PATH` of commands and then where else one may lie. It
    /// may be a link.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, JailError> {
        let elsewhere = || {
            let found = self.search.iter().map(|folder| folder.join(name));
            found.into_iter().find(|path| !name.contains('/') && path.is_file())
        };
        let found = self.toolchains.program(name).or_else(elsewhere);
        found.ok_or_else(|| JailError::NoProgram(name.into()))
    }

    /// The folders that must be executable for a program that exists only in the person's folders.
    /// Empty if the system has the program, or if it is not found.
    pub(super) fn missing_program(&self, name: &str) -> Vec<PathBuf> {
        let is_there = |folder: &Path| folder.join(name).is_file();
        if name.contains('/') || self.toolchains.program(name).is_some() {
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

    /// The folder that must be executable for the interpreter of a virtual environment, which is a
    /// link to one installed elsewhere. None for other programs, and if commands have that folder.
    pub(super) fn missing_interpreter(&self, program: &Path) -> Option<PathBuf> {
        let environment = program.ancestors().nth(2)?;
        let is_link = program.symlink_metadata().is_ok_and(|data| data.is_symlink());
        if !is_link || !environment.join("pyvenv.cfg").is_file() {
            return None;
        }
        let real = program.canonicalize().ok()?;
        let is_python = real.file_name()?.to_string_lossy().starts_with("python");
        let home = home_of(real.parent()?);
        let is_apart = !self.workspace.starts_with(&home) && !home.starts_with(&self.workspace);
        (is_python && is_apart && !self.toolchains.opens(&real)).then_some(home)
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

    fn environment(&self, jail: Jail, path: &[PathBuf], grants: &GrantSet, access: CallAccess) -> Jail {
        let mut jail = match &self.user {
            Some(variables) => variables.iter().fold(jail, |jail, (name, value)| jail.env(name, value)),
            None => self.own_environment(jail, path, grants, access),
        };
        // No user is there to use a pager, to type a password or to write in an editor.
        for (name, value) in [("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")] {
            jail = jail.env(name, value);
        }
        jail = EDITORS.iter().fold(jail, |jail, name| jail.env(name, NO_EDITOR));
        jail = jail.env("VIMINIT", NO_VIM).env("TERM", "dumb");
        if let Some(outputs) = &self.outputs {
            // The temporary folder may lie in a place that commands can write, and Holm writes
            // there by name.
            jail = jail.read(outputs.path()).protect(outputs.path());
        }
        self.env.iter().fold(jail.limits(self.limits), |jail, (name, value)| jail.env(name, value))
    }

    /// The few variables that every command needs, and folders of the shell's own.
    fn own_environment(&self, jail: Jail, path: &[PathBuf], grants: &GrantSet, access: CallAccess) -> Jail {
        let home = self.home.clone().unwrap_or_else(|| self.own.home());
        let jail = match access {
            CallAccess::Full => jail.write(&home),
            // What a command leaves in its home would be settings of commands that change things.
            CallAccess::ReadOnly => jail.read(&home),
        };
        let jail = match (&self.home, access) {
            (Some(folder), CallAccess::Full) => jail.env("TMPDIR", folder),
            (Some(_), CallAccess::ReadOnly) | (None, _) => self.temporary.give_to(jail),
        };
        let joined = std::env::join_paths(path).unwrap_or_else(|_| SYSTEM_PATH.join(":").into());
        let mut jail = jail.env("HOME", home);
        jail = jail.env("PATH", joined).env("LANG", "C.UTF-8");
        let called =
            |name: &str| path.iter().find(|folder| folder.file_name().is_some_and(|own| own == name));
        if let Some(toolchains) = TOOLCHAINS.into_iter().find_map(called) {
            jail = jail.env("RUSTUP_HOME", toolchains);
        }
        // Without a network cargo builds from what the user has downloaded; with one it needs a
        // folder that it can write.
        let has_network = grants.iter().any(|grant| matches!(grant, Grant::Fetch(_)));
        match self.toolchains.cargo() {
            Some(cargo) if !has_network => jail.env("CARGO_HOME", cargo),
            Some(_) | None => jail,
        }
    }
}

/// The parent folder of `bin`, which also holds what a program needs.
fn home_of(folder: &Path) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(parent)) if name == "bin" && parent != Path::new("/") => parent.to_owned(),
        _ => folder.to_owned(),
    }
}
