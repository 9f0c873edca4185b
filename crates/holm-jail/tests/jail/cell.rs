//! A place with something to steal, and launchers that run as an ordinary user in it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use holm_jail::{CaptureOptions, Jail, JailEngine, JailJob, JailLauncher, JailLimits, JailOutcome, JailTask};

/// The user id of `nobody`. Tests that run as root give up their rights to it.
pub(crate) const NOBODY: u32 = 65_534;
/// What must never be seen.
pub(crate) const CANARY: &str = "canary-7c1f";

/// The ways to confine, each of which must hold every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Bubblewrap,
    Landlock,
    /// Landlock on a kernel that gives no namespaces to users.
    LandlockAlone,
}

pub(crate) const WAYS: [Way; 3] = [Way::Bubblewrap, Way::Landlock, Way::LandlockAlone];

/// A folder that belongs to the user: `in` to read, `work` to write, `out` closed.
pub(crate) struct Cell {
    folder: tempfile::TempDir,
    launcher: JailLauncher,
    engine: JailEngine,
}

impl Cell {
    pub(crate) fn new(way: Way) -> Self {
        let folder = tempfile::Builder::new().prefix("holm-jail-").tempdir_in("/tmp").unwrap();
        let open = |path: &Path| {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            if is_root() {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        };
        open(folder.path());
        for name in ["in", "work", "out"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            open(&folder.path().join(name));
        }
        for (name, text) in [("in/data", "public"), ("out/secret", CANARY), ("work/old", "old")] {
            fs::write(folder.path().join(name), text).unwrap();
            open(&folder.path().join(name));
        }
        // A copy, because the folder of the build may be closed to others.
        let program = folder.path().join("launcher");
        fs::copy(env!("CARGO_BIN_EXE_holm-jail"), &program).unwrap();
        open(&program);
        let engine = match way {
            Way::Bubblewrap => {
                JailEngine::bubblewrap().expect("run scripts/setup test: bubblewrap must work here")
            }
            Way::Landlock | Way::LandlockAlone => {
                JailEngine::landlock().expect("this kernel must have Landlock")
            }
        };
        Self { launcher: launcher(way, &program), folder, engine }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names in a folder, as the user sees them.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Makes a file of the user's, and the folders to it.
    pub(crate) fn make(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if is_root() {
            for place in path.ancestors().take_while(|place| *place != self.folder.path()) {
                chown(place, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
    }

    /// What a script gets that is to work in `work`.
    pub(crate) fn jail(&self) -> Jail {
        Jail::new()
            .read(self.path("in"))
            .write(self.path("work"))
            .exec_system()
            .cwd(self.path("work"))
            .env("PATH", "/usr/bin:/bin")
            .env("CELL", self.folder.path())
            .limits(JailLimits { wall: Duration::from_secs(20), ..JailLimits::default() })
    }

    pub(crate) async fn spawn(&self, jail: &Jail, task: &JailTask) -> JailJob {
        self.launcher.spawn(&self.engine, jail, task).await.unwrap()
    }

    pub(crate) async fn try_spawn(
        &self,
        jail: &Jail,
        task: &JailTask,
    ) -> Result<JailJob, holm_jail::JailError> {
        self.launcher.spawn(&self.engine, jail, task).await
    }

    pub(crate) async fn run(&self, jail: &Jail, task: &JailTask) -> JailOutcome {
        self.spawn(jail, task).await.finish(CaptureOptions::default()).await
    }

    /// Runs a script with `$CELL` set, and gives what it wrote.
    pub(crate) async fn sh(&self, script: &str) -> (JailOutcome, String) {
        let outcome = self.run(&self.jail(), &shell(script)).await;
        let text = format!("{}{}", text(&outcome.stdout.bytes), text(&outcome.stderr.bytes));
        (outcome, text)
    }

    pub(crate) async fn python(&self, script: &str) -> String {
        let outcome = self.run(&self.jail(), &python(script)).await;
        format!("{}{}", text(&outcome.stdout.bytes), text(&outcome.stderr.bytes))
    }
}

pub(crate) fn shell(script: &str) -> JailTask {
    JailTask::new(real("/bin/sh")).args(["-c", script])
}

pub(crate) fn python(script: &str) -> JailTask {
    JailTask::new(real("/usr/bin/python3")).args(["-c", script])
}

/// A system program without links in its path.
pub(crate) fn real(program: &str) -> PathBuf {
    fs::canonicalize(program).unwrap_or_else(|_| panic!("{program} is missing; run scripts/setup test"))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command that runs as the ordinary user.
pub(crate) fn as_user(program: &str) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/setpriv");
    command.args(drop_rights()).arg(program);
    command
}

fn drop_rights() -> [OsString; 4] {
    [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into(), "--".into()]
        .map(Into::into)
}

fn launcher(way: Way, program: &Path) -> JailLauncher {
    let mut words: Vec<OsString> = Vec::new();
    if is_root() {
        words.push("/usr/bin/setpriv".into());
        words.extend(drop_rights());
    }
    if way == Way::LandlockAlone {
        words.extend(
            ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--"]
                .map(Into::into),
        );
    }
    words.push(program.into());
    let first = words.remove(0);
    JailLauncher::with_args(first, words)
}

/// Whether some process has this text among its arguments.
pub(crate) fn is_running(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|word| word == marker.as_bytes()))
}

/// Waits a little for something that another process does.
pub(crate) async fn soon(mut what: impl FnMut() -> bool) -> bool {
    for _ in 0..200 {
        if what() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}
