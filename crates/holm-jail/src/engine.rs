//! Which of the machine's means confines a child.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

use crate::error::JailError;

/// Where bubblewrap is trusted to be: folders that only root writes to.
const BUBBLEWRAP: [&str; 3] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
/// The oldest Landlock that is enough: without truncation (kernel 6.2) a file that may not be written could be emptied.
const LANDLOCK_FLOOR: ABI = ABI::V3;

/// A way to confine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// Namespaces set up by this program, and seccomp.
    Bubblewrap(PathBuf),
    /// Landlock and seccomp, and a mount namespace where the kernel gives one to everybody.
    Landlock,
    /// No confinement: limits, environment and the sweeping of descendants only. For whoever says so by name.
    Unconfined,
}

/// What an engine holds on this machine beyond what every engine holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Names of files and processes outside are hidden as well.
    Hidden,
    /// Signals and abstract sockets stay inside; names can be seen.
    Scoped,
    /// Files, network and tracing alone: a child can signal other processes of the same user.
    Files,
    /// Nothing.
    None,
}

impl Engine {
    /// The strongest engine that works here, found by trying. Never [`Self::Unconfined`].
    ///
    /// # Errors
    ///
    /// [`JailError::NoEngine`] with what was tried.
    pub fn detect() -> Result<Self, JailError> {
        let bubblewrap = match Self::bubblewrap() {
            Ok(engine) => return Ok(engine),
            Err(why) => why,
        };
        Self::landlock().map_err(|landlock| JailError::NoEngine { bubblewrap, landlock })
    }

    /// Bubblewrap, if it is installed and may make namespaces.
    ///
    /// # Errors
    ///
    /// Why not, in words.
    pub fn bubblewrap() -> Result<Self, String> {
        let Some(program) = BUBBLEWRAP.iter().map(Path::new).find(|path| path.is_file()) else {
            return Err("is not installed".into());
        };
        let tried = Command::new(program)
            .args([
                "--unshare-all",
                "--die-with-parent",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
                "--",
                "/bin/sh",
                "-c",
                ":",
            ])
            .env_clear()
            .stdin(Stdio::null())
            .output();
        match tried {
            Ok(output) if output.status.success() => Ok(Self::Bubblewrap(program.to_owned())),
            Ok(output) => Err(format!("fails: {}", String::from_utf8_lossy(&output.stderr).trim())),
            Err(error) => Err(format!("fails: {error}")),
        }
    }

    /// Landlock, if the kernel has enough of it.
    ///
    /// # Errors
    ///
    /// Why not, in words.
    pub fn landlock() -> Result<Self, String> {
        let made = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(LANDLOCK_FLOOR))
            .and_then(Ruleset::create);
        made.map(|_| Self::Landlock).map_err(|error| format!("is missing or too old: {error}"))
    }

    /// What the engine holds on this machine.
    #[must_use]
    pub fn strength(&self) -> Strength {
        match self {
            Self::Bubblewrap(_) => Strength::Hidden,
            Self::Unconfined => Strength::None,
            Self::Landlock => {
                let scoped = Ruleset::default()
                    .set_compatibility(CompatLevel::HardRequirement)
                    .scope(Scope::from_all(ABI::V6))
                    .and_then(Ruleset::create);
                if scoped.is_ok() { Strength::Scoped } else { Strength::Files }
            }
        }
    }
}
