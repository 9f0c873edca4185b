//! The transports and permissions with which Holm reaches servers. The caller passes all of them;
//! nothing is read from the environment.
//!
//! It connects to nothing: `process.rs` and `http_client.rs` do. What is not passed in cannot be
//! reached.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holm_grants::{AccessRequest, FilePath, GrantSet};
use holm_jail::{JailEngine, JailLauncher, JailTask};
use holm_net::HttpClient;

use super::{ElicitationHandler, LoginSettings};
use crate::McpServerSpec;

/// The transports with which Holm reaches servers. With none, no server is reachable.
#[derive(Clone, Default)]
pub struct McpTransports {
    pub(crate) programs: Option<ProgramSettings>,
    pub(crate) net: Option<HttpClient>,
    pub(crate) asker: Option<Arc<dyn ElicitationHandler>>,
    pub(crate) login: Option<LoginSettings>,
}

impl McpTransports {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows servers that are programs.
    #[must_use]
    pub fn programs(mut self, programs: ProgramSettings) -> Self {
        self.programs = Some(programs);
        self
    }

    /// Allows servers that are reached over HTTP.
    #[must_use]
    pub fn net(mut self, client: HttpClient) -> Self {
        self.net = Some(client);
        self
    }

    /// Allows servers to ask the user questions.
    #[must_use]
    pub fn asker(mut self, asker: impl ElicitationHandler + 'static) -> Self {
        self.asker = Some(Arc::new(asker));
        self
    }

    /// Allows servers to ask for a login.
    #[must_use]
    pub fn login(mut self, login: LoginSettings) -> Self {
        self.login = Some(login);
        self
    }
}

impl std::fmt::Debug for McpTransports {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("McpTransports")
            .field("programs", &self.programs)
            .field("net", &self.net.is_some())
            .field("asker", &self.asker.is_some())
            .field("login", &self.login.is_some())
            .finish()
    }
}

/// How servers that are programs are started.
#[derive(Debug, Clone)]
pub struct ProgramSettings {
    pub(crate) launcher: JailLauncher,
    pub(crate) engine: JailEngine,
    pub(crate) workspace: PathBuf,
    pub(crate) search: Vec<PathBuf>,
    pub(crate) named: NamedFileAccess,
    /// Where each server has its home folder; none if servers have no home.
    pub(crate) homes: Option<PathBuf>,
    pub(crate) offline: bool,
    pub(crate) check: Option<StartCheck>,
}

/// Returns the reason why a server must not be started, if there is one.
type StartCheckFn = dyn Fn(&McpServerSpec) -> Result<(), String> + Send + Sync;

/// Checks whether a server may be started now.
#[derive(Clone)]
pub(crate) struct StartCheck(pub(crate) Arc<StartCheckFn>);

impl std::fmt::Debug for StartCheck {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Check")
    }
}

/// Which files a command line makes readable for its server by naming them, in addition to its
/// grants. Only plain files with absolute paths count, because the target of a link can change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NamedFileAccess {
    /// All named files, because the user wrote the command line.
    #[default]
    Anywhere,
    /// The named files inside a project, because someone other than the user may have written the
    /// command line. Files with names of secrets are excluded.
    Within {
        folder: PathBuf,
        /// A folder inside the project that stays closed: Holm's own data.
        except: PathBuf,
    },
}

impl ProgramSettings {
    /// Starts programs in this workspace, confined by this engine.
    #[must_use]
    pub fn new(launcher: JailLauncher, engine: JailEngine, workspace: impl Into<PathBuf>) -> Self {
        let search = ["/usr/local/bin", "/usr/bin", "/bin"].into_iter().map(PathBuf::from).collect();
        Self {
            launcher,
            engine,
            workspace: workspace.into(),
            search,
            named: NamedFileAccess::default(),
            homes: None,
            offline: false,
            check: None,
        }
    }

    /// Refuses to start a server that needs an open network.
    #[must_use]
    pub fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// Calls this check before each start, including restarts after a failure, because the program
    /// may have changed since.
    #[must_use]
    pub fn checked(
        mut self,
        check: impl Fn(&McpServerSpec) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.check = Some(StartCheck(Arc::new(check)));
        self
    }

    /// Sets which files a command line makes readable by naming them.
    #[must_use]
    pub fn named(mut self, named: NamedFileAccess) -> Self {
        self.named = named;
        self
    }

    /// Gives each server a home folder below this one. It keeps there what it downloads.
    #[must_use]
    pub fn homes(mut self, folder: impl Into<PathBuf>) -> Self {
        self.homes = Some(folder.into());
        self
    }

    /// Sets the folders in which a command without a path is searched.
    #[must_use]
    pub fn search(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.search = folders.into_iter().filter(|folder| folder.is_absolute()).collect();
        self
    }

    /// Finds the program of a command: its path as given, and the file it resolves to.
    pub(crate) fn find(&self, command: &str) -> Option<ProgramPath> {
        let found = if command.contains('/') {
            Some(self.workspace.join(command))
        } else {
            self.search.iter().map(|folder| folder.join(command)).find(|path| path.is_file())
        }?;
        let real = found.canonicalize().ok().filter(|path| path.is_file())?;
        let named = found.parent()?.canonicalize().ok()?.join(found.file_name()?);
        Some(ProgramPath { named, real })
    }
}

/// A program on this machine. A link can carry more meaning than its target: the interpreter of a
/// Python virtual environment is a link, and finds its packages through the link's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramPath {
    /// The path as given, in a folder without links.
    pub(crate) named: PathBuf,
    /// The file that the path resolves to.
    pub(crate) real: PathBuf,
}

impl ProgramPath {
    /// The virtual environment whose interpreter it is.
    pub(crate) fn virtual_environment(&self) -> Option<&Path> {
        let around = self.named.parent()?.parent()?;
        around.join("pyvenv.cfg").is_file().then_some(around)
    }

    /// The folder into which the interpreter of its virtual environment was installed.
    pub(crate) fn installation(&self) -> Option<&Path> {
        self.virtual_environment()?;
        let folder = self.real.parent()?;
        if folder.ends_with("bin") {
            folder.parent().filter(|top| *top != Path::new("/"))
        } else {
            Some(folder)
        }
    }

    /// The task that starts the program: by its own path if a jail with these grants shows that
    /// path, and by its target otherwise.
    pub(crate) fn task(&self, workspace: &Path, grants: &GrantSet) -> JailTask {
        let shell = Path::new("/bin/sh").canonicalize().ok();
        match shell.filter(|_| self.named != self.real && is_shown(&self.named, workspace, grants)) {
            // A jail does not start a link itself, so a shell starts it and is replaced by it.
            Some(shell) => JailTask::new(shell).args([
                OsString::from("-c"),
                "exec \"$0\" \"$@\"".into(),
                self.named.clone().into(),
            ]),
            None => JailTask::new(&self.real),
        }
    }
}

/// Whether a jail with these grants shows a path: system programs, and everything readable.
fn is_shown(path: &Path, workspace: &Path, grants: &GrantSet) -> bool {
    let admits = |path: &Path| {
        let path = path.to_str().and_then(|path| path.parse::<FilePath>().ok());
        path.is_some_and(|path| grants.admits(&AccessRequest::Read(path)))
    };
    ["/usr", "/bin", "/sbin"].iter().any(|system| path.starts_with(system))
        || admits(path)
        || path.strip_prefix(workspace).is_ok_and(admits)
}

#[cfg(test)]
mod tests {
    use super::{ProgramPath, ProgramSettings};
    use holm_grants::GrantSet;
    use holm_jail::{JailEngine, JailLauncher, JailTask};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_is_started_by_its_own_name_where_the_jail_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("venv/bin")).unwrap();
        std::fs::write(top.join("venv/pyvenv.cfg"), "").unwrap();
        std::fs::write(top.join("python"), "").unwrap();
        symlink(top.join("python"), top.join("venv/bin/python")).unwrap();
        let programs = ProgramSettings::new(JailLauncher::this_executable(), JailEngine::Unconfined, &top);
        let found = programs.find("venv/bin/python").unwrap();
        let expect = ProgramPath { named: top.join("venv/bin/python"), real: top.join("python") };
        assert_eq!(found, expect);
        assert_eq!(found.virtual_environment(), Some(top.join("venv").as_path()));
        assert_eq!(found.installation(), Some(&*top));
        let task = |grants: &[&str]| found.task(&top, &GrantSet::parse(grants.iter().copied()).unwrap());
        assert_eq!(task(&[]), JailTask::new(top.join("python")), "the name is not visible");
        assert_eq!(task(&["read:other/"]), JailTask::new(top.join("python")));
        let absolute = format!("read:{}/venv/**", top.display());
        for shown in [task(&["read:venv/"]), task(&[&absolute])] {
            assert!(format!("{shown:?}").contains("venv/bin/python"), "{shown:?}");
        }
        let plain = programs.find("./python").unwrap();
        assert_eq!(plain.task(&top, &GrantSet::default()), JailTask::new(top.join("python")));
        assert_eq!(plain.virtual_environment(), None);
    }
}
