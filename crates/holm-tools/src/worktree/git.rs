//! Calls of git that run nothing but git. A repository may come from anybody, and what a child left in its folder comes
//! from a model: hooks, monitors, filters, drivers and other repositories that are named there are never started.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use tokio::{io::AsyncWriteExt as _, process::Command};

use super::WorktreeError;

/// Settings that hold whatever a repository says.
const SETTINGS: [(&str, &str); 9] = [
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

/// Variables that hold for every call; no others are there but [`PASSED_ON`].
const VARIABLES: [(&str, &str); 7] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LC_ALL", "C.UTF-8"),
];

/// What git needs of the environment of this process.
const PASSED_ON: [&str; 2] = ["PATH", "TMPDIR"];

/// Git in one repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    /// The folder that all worktrees of the repository share.
    common: PathBuf,
    /// Settings of the repository that would start a program, each set to nothing.
    silenced: Vec<(String, &'static str)>,
}

/// Where a call works.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    /// In the repository itself.
    Repository,
    /// In a worktree, whose own folder of git is given: the pointer that lies in the worktree is whatever a child made
    /// of it. The index is a file of ours.
    Worktree { place: &'a Path, own: &'a Path, index: &'a Path },
}

impl Git {
    /// Git in the repository of a folder, with all that it would start silenced.
    pub(super) async fn of(folder: &Path) -> Result<Self, WorktreeError> {
        let mut command = quiet(&[]);
        command.arg("-C").arg(folder).args(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        let common = run(command, "rev-parse", b"").await?;
        let common = PathBuf::from(String::from_utf8_lossy(&common).trim_end_matches('\n'));
        let mut this = Self { common, silenced: Vec::new() };
        let names = this.run(At::Repository, &["config", "--list", "--name-only", "-z"], b"").await?;
        this.silenced = silenced(&String::from_utf8_lossy(&names));
        Ok(this)
    }

    /// Runs git and gives what it printed. `input` is what it reads.
    pub(super) async fn run(
        &self,
        at: At<'_>,
        args: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, WorktreeError> {
        let mut command = quiet(&self.silenced);
        match at {
            At::Repository => command.env("GIT_DIR", &self.common).current_dir(&self.common),
            At::Worktree { place, own, index } => {
                command.env("GIT_DIR", own).env("GIT_COMMON_DIR", &self.common);
                command.env("GIT_WORK_TREE", place).env("GIT_INDEX_FILE", index).current_dir(place)
            }
        };
        run_with(command, args, input).await
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

/// A call that starts nothing: an empty environment, and settings that no file can override.
fn quiet(silenced: &[(String, &'static str)]) -> Command {
    let mut command = Command::new("git");
    command.env_clear().envs(VARIABLES);
    command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let fixed = SETTINGS.iter().map(|(key, value)| (*key, *value));
    let all = fixed.chain(silenced.iter().map(|(key, value)| (&**key, *value)));
    // Not as arguments, where a name with `=` in it would be read as another.
    let mut count = 0;
    for (key, value) in all {
        command.env(format!("GIT_CONFIG_KEY_{count}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
    command
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

async fn run(mut command: Command, name: &str, input: &[u8]) -> Result<Vec<u8>, WorktreeError> {
    let failed = |reason: String| WorktreeError::Git { command: name.to_owned(), reason };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| failed(format!("{error}; is git installed?")))?;
    let stdin = child.stdin.take();
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A git that does not read its input says why when it ends.
            let _ = stdin.write_all(input).await;
        }
    };
    let ((), output) = tokio::join!(feed, child.wait_with_output());
    let output = output.map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::silenced;

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
