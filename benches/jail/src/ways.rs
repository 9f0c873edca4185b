//! The ways to start a child, each from the order to the reaped end.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use holm_jail::{Capture, Ending, Engine, Jail, Launcher, Task};

/// One way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The standard library, without any confinement: the floor.
    Bare,
    /// The standard library with a function between fork and exec, which copies the page tables.
    Forked,
    /// Bubblewrap called directly, with a view that is good for nothing but this.
    PlainBubblewrap,
    /// Holm's launcher without confinement.
    Unconfined,
    /// Holm's launcher with bubblewrap and seccomp.
    Bubblewrap,
    /// Holm's launcher with Landlock, mounts and seccomp, and nothing to write.
    Landlock,
    /// The same with a folder to write and what is protected in it.
    LandlockWriting,
    /// Bubblewrap with the same folder.
    BubblewrapWriting,
}

impl Way {
    /// Every way, the floor first.
    pub const ALL: [Self; 8] = [
        Self::Bare,
        Self::Forked,
        Self::PlainBubblewrap,
        Self::Unconfined,
        Self::Landlock,
        Self::Bubblewrap,
        Self::LandlockWriting,
        Self::BubblewrapWriting,
    ];

    /// As the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Forked => "fork with a hook",
            Self::PlainBubblewrap => "bwrap by hand",
            Self::Unconfined => "launcher, unconfined",
            Self::Landlock => "launcher, Landlock",
            Self::Bubblewrap => "launcher, bubblewrap",
            Self::LandlockWriting => "launcher, Landlock, writing",
            Self::BubblewrapWriting => "launcher, bubblewrap, writing",
        }
    }
}

/// What is needed to start one child after the other.
pub struct Starter {
    way: Way,
    launcher: Launcher,
    engine: Option<Engine>,
    jail: Jail,
    program: PathBuf,
}

impl Starter {
    /// Finds the programs and engines.
    pub fn new(way: Way) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let engine = match way {
            Way::Bare | Way::Forked | Way::PlainBubblewrap => None,
            Way::Unconfined => Some(Engine::Unconfined),
            Way::Landlock | Way::LandlockWriting => Some(Engine::landlock()?),
            Way::Bubblewrap | Way::BubblewrapWriting => Some(Engine::bubblewrap()?),
        };
        let mut jail = Jail::new();
        if matches!(way, Way::LandlockWriting | Way::BubblewrapWriting) {
            let folder = std::env::temp_dir()
                .canonicalize()
                .map_err(text)?
                .join(format!("holm-bench-{}", std::process::id()));
            std::fs::create_dir_all(folder.join(".git/hooks")).map_err(text)?;
            std::fs::write(folder.join(".git/config"), "").map_err(text)?;
            jail = jail.write(&folder).write(folder.join(".git")).cwd(folder);
        }
        let program = std::fs::canonicalize("/bin/true").map_err(text)?;
        Ok(Self { way, launcher: Launcher::this_executable(), engine, jail, program })
    }

    /// Starts one child and waits for its end.
    pub async fn start(&self) -> Result<(), String> {
        if let Some(engine) = &self.engine {
            let job = self.launcher.spawn(engine, &self.jail, &Task::new(&self.program)).await;
            let ending = job.map_err(|error| error.to_string())?.finish(Capture::default()).await.ending;
            return if ending == Ending::Exited(0) { Ok(()) } else { Err(format!("{ending:?}")) };
        }
        let mut command = match self.way {
            Way::PlainBubblewrap => by_hand(&self.program),
            _ => Command::new(&self.program),
        };
        // Setting a user is what the standard library cannot do without a fork; this is the user that it is.
        if self.way == Way::Forked {
            command.uid(user());
        }
        // Pipes as the others have them, so that the same work is compared.
        let output = command.env_clear().stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(output.status.to_string()) }
    }
}

fn by_hand(program: &std::path::Path) -> Command {
    let mut command = Command::new("/usr/bin/bwrap");
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr"]);
    command.args([
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--symlink",
        "usr/bin",
        "/bin",
    ]);
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--"]).arg(program);
    command
}

impl Drop for Starter {
    fn drop(&mut self) {
        let folder = std::env::temp_dir().join(format!("holm-bench-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// The user of this process.
fn user() -> u32 {
    std::fs::metadata("/proc/self").map_or(0, |own| std::os::unix::fs::MetadataExt::uid(&own))
}
