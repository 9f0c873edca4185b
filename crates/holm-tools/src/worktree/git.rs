//! Calls git so that it runs nothing but git. A repository is untrusted, and what a child left in
//! its folder comes from a model. Hooks, monitors, filters, drivers and other repositories that are
//! named there are never started.
//!
//! What is asked of git is decided in `worktrees.rs` and `changes.rs`; no other file of this folder
//! may start git. `root/git/mod.rs` finds what git would run without git. Time and output of a call
//! are bounded, because a child controls the content.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::Command,
};

use super::WorktreeError;

/// Settings that override those of a repository.
pub(crate) const SETTINGS: [(&str, &str); 9] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.alternateRefsCommand", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("diff.ignoreSubmodules", "all"),
];

/// Variables of every call; apart from [`PASSED_ON`] there are no others.
pub(crate) const VARIABLES: [(&str, &str); 7] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LC_ALL", "C.UTF-8"),
];

/// Variables that git needs from the environment of this process, beside a safe `PATH`.
const PASSED_ON: [&str; 1] = ["TMPDIR"];

/// Limits of one call. A child controls the content of its worktree, so git must not be able
/// to run for ever.
#[derive(Debug, Clone, Copy)]
struct GitCallLimits {
    time: Duration,
    output: usize,
}

/// Enough for the checkout of a large repository, and for a patch that a person could
/// still do something with.
const BOUNDS: GitCallLimits = GitCallLimits { time: Duration::from_secs(300), output: 64 << 20 };

/// Runs git in one repository.
#[derive(Debug, Clone)]
pub(super) struct GitRepository {
    /// The folder that all worktrees of the repository share.
    common: PathBuf,
    /// Settings of the repository that would start a program, each overridden with an empty value.
    silenced: Vec<(String, &'static str)>,
}

/// Where a call of git works.
#[derive(Debug, Clone, Copy)]
pub(super) enum GitLocation<'a> {
    /// In the repository itself.
    Repository,
    /// In a worktree, with the path of its git folder. The pointer file in the worktree is not
    /// used, because a child may have changed it. The index is a file of ours.
    Worktree { place: &'a Path, own: &'a Path, index: &'a Path },
}

impl GitRepository {
    /// Git in the repository of a folder, with all that it would start silenced.
    pub(super) async fn of(folder: &Path) -> Result<Self, WorktreeError> {
        let mut command = quiet(&[], &[folder]);
        command.arg("-C").arg(folder).args(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        let common = run(command, "rev-parse", b"").await?;
        let common = PathBuf::from(String::from_utf8_lossy(&common).trim_end_matches('\n'));
        let mut this = Self { common, silenced: Vec::new() };
        this.silence(GitLocation::Repository).await?;
        Ok(this)
    }

    /// Also silences what the repository would start only in a worktree: settings may apply to some
    /// git folders and not to others.
    pub(super) async fn silence(&mut self, at: GitLocation<'_>) -> Result<(), WorktreeError> {
        let names = self.run(at, &["config", "--list", "--name-only", "-z"], b"").await?;
        self.silenced.extend(silenced(&String::from_utf8_lossy(&names)));
        Ok(())
    }

    /// Runs git with this `input` and returns its output.
    pub(super) async fn run(
        &self,
        at: GitLocation<'_>,
        args: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, WorktreeError> {
        let place = match at {
            GitLocation::Repository => &self.common,
            GitLocation::Worktree { place, .. } => place,
        };
        let mut command = quiet(&self.silenced, &[self.folder(), place]);
        match at {
            GitLocation::Repository => command.env("GIT_DIR", &self.common).current_dir(&self.common),
            GitLocation::Worktree { place, own, index } => {
                command.env("GIT_DIR", own).env("GIT_COMMON_DIR", &self.common);
                command.env("GIT_WORK_TREE", place).env("GIT_INDEX_FILE", index).current_dir(place)
            }
        };
        run_with(command, args, input).await
    }

    /// The files of the repository's own tree that differ from the last commit, one entry each,
    /// with a zero byte behind it.
    pub(super) async fn status(&self, folder: &Path) -> Result<Vec<u8>, WorktreeError> {
        let mut command = quiet(&self.silenced, &[self.folder(), folder]);
        command.env("GIT_DIR", &self.common).env("GIT_WORK_TREE", folder).current_dir(folder);
        let args = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"];
        run_with(command, &args, b"").await
    }

    /// The folder of the repository, in which a model may have written programs.
    fn folder(&self) -> &Path {
        let around = self.common.parent().filter(|_| self.common.ends_with(".git"));
        around.unwrap_or(&self.common)
    }

    /// Forgets a worktree. Not by pruning, which would forget also those of people whose disks
    /// are not there now.
    pub(super) fn forget(&self, place: &Path) -> Result<(), WorktreeError> {
        if let Some(own) = self.own_folder(place) {
            std::fs::remove_dir_all(own)?;
        }
        Ok(())
    }

    /// Git's own folder of a worktree, found where no child can write.
    pub(super) fn own_folder(&self, place: &Path) -> Option<PathBuf> {
        let pointer = place.join(".git");
        let folders = std::fs::read_dir(self.common.join("worktrees")).ok()?;
        let mut folders = folders.filter_map(Result::ok).map(|entry| entry.path());
        folders.find(|folder| {
            let text = std::fs::read_to_string(folder.join("gitdir")).unwrap_or_default();
            Path::new(text.trim_end_matches('\n')) == pointer
        })
    }
}

async fn run_with(mut command: Command, args: &[&str], input: &[u8]) -> Result<Vec<u8>, WorktreeError> {
    command.args(args);
    run(command, args.first().copied().unwrap_or_default(), input).await
}

/// A call that starts nothing: an empty environment, and settings that no file can override. Git
/// itself is not looked for in these folders.
fn quiet(silenced: &[(String, &'static str)], untrusted: &[&Path]) -> Command {
    let mut command = Command::new("git");
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().envs(VARIABLES).env("PATH", without(&path, untrusted));
    command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let fixed = SETTINGS.iter().map(|(key, value)| (*key, *value));
    let all = fixed.chain(silenced.iter().map(|(key, value)| (&**key, *value)));
    // Not as arguments, where a name with `=` in it would be misread.
    let mut count = 0;
    for (key, value) in all {
        command.env(format!("GIT_CONFIG_KEY_{count}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
    command
}

/// A search path without folders in these places, and without relative ones.
fn without(path: &OsStr, untrusted: &[&Path]) -> OsString {
    let is_trusted =
        |folder: &PathBuf| folder.is_absolute() && !untrusted.iter().any(|place| folder.starts_with(place));
    std::env::join_paths(std::env::split_paths(path).filter(is_trusted)).unwrap_or_default()
}

/// The settings among these names that would start a program, and what silences them.
fn silenced(names: &str) -> Vec<(String, &'static str)> {
    let value = |name: &str| {
        let (section, rest) = name.split_once('.')?;
        let (_, key) = rest.rsplit_once('.')?;
        match (&*section.to_lowercase(), &*key.to_lowercase()) {
            ("filter", "clean" | "smudge" | "process") => Some(""),
            ("filter", "required") => Some("false"),
            ("diff", "command" | "textconv") | ("merge", "driver") => Some(""),
            _ => None,
        }
    };
    names.split('\0').filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

async fn run(command: Command, name: &str, input: &[u8]) -> Result<Vec<u8>, WorktreeError> {
    within(BOUNDS, command, name, input).await
}

async fn within(
    bounds: GitCallLimits,
    mut command: Command,
    name: &str,
    input: &[u8],
) -> Result<Vec<u8>, WorktreeError> {
    let failed = |reason: String| WorktreeError::Git { command: name.to_owned(), reason };
    // If the caller stops waiting, git is killed.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| failed(format!("{error}; is git installed?")))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A git that does not read its input says why when it ends.
            let _ = stdin.write_all(input).await;
        }
        Ok(())
    };
    let work = async {
        let ((), stdout, stderr) =
            tokio::try_join!(feed, all_of(stdout, bounds.output), all_of(stderr, bounds.output))?;
        Ok::<_, io::Error>((child.wait().await?, stdout, stderr))
    };
    let late = |_| failed(format!("it took longer than {} s", bounds.time.as_secs()));
    let done = tokio::time::timeout(bounds.time, work).await.map_err(late)?;
    let (status, stdout, stderr) = done.map_err(|error| failed(error.to_string()))?;
    if status.success() {
        return Ok(stdout);
    }
    Err(failed(String::from_utf8_lossy(&stderr).trim().to_owned()))
}

/// The whole output, if it is not larger than this.
async fn all_of(from: Option<impl AsyncRead + Unpin>, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(from) = from else { return Ok(bytes) };
    from.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1)).read_to_end(&mut bytes).await?;
    if bytes.len() > most {
        return Err(io::Error::other(format!("it printed more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, path::Path, time::Duration};

    use super::{Command, GitCallLimits, silenced, within, without};

    #[test]
    fn git_is_looked_for_neither_in_the_repository_nor_in_relative_folders() {
        let path = OsStr::new("bin:/repo/bin:/usr/bin:.:/repository");
        assert_eq!(without(path, &[Path::new("/repo")]), OsStr::new("/usr/bin:/repository"));
    }

    #[tokio::test]
    async fn a_call_that_hangs_or_floods_is_ended() {
        let bounds = GitCallLimits { time: Duration::from_millis(300), output: 1_000 };
        for (line, says) in
            [("sleep 60", "took longer"), ("yes", "printed more than"), ("yes >&2", "printed more")]
        {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec {line}")]);
            let error = within(bounds, command, "add", b"").await.unwrap_err();
            assert!(error.to_string().contains(says), "{line}: {error}");
        }
    }

    #[test]
    fn whatever_names_a_program_is_silenced() {
        let names = "filter.lfs.clean\0filter.a=b.c.process\0FILTER.x.Required\0core.bare\0diff.d.textconv\0user.name\0diff.external\0";
        let found: Vec<_> = silenced(names).into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            found,
            ["filter.lfs.clean", "filter.a=b.c.process", "FILTER.x.Required", "diff.d.textconv"]
        );
    }
}
