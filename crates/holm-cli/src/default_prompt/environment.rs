//! The block about the place and the circumstances of a session: folder, system, date and git. The
//! lines about the mode and grants are in `permissions.rs`. No program that the repository
//! names is run, and names of folders and branches are cut to one line, because they may contain
//! anything.

use std::path::{Path, PathBuf};

use super::CallPermissions;
use crate::prompt::{git_branch, repository_outside};

/// The first line of the block.
pub(super) const ENVIRONMENT_HEAD: &str = "# Environment at the start of this session";

/// Letters of a path or a branch that are shown.
const LONGEST: usize = 300;

/// Where a session works and under which circumstances, as it is when the session begins.
#[derive(Debug, Clone)]
pub(crate) struct SessionEnvironment {
    pub(crate) workspace: PathBuf,
    /// The date of today, as `2026-11-17`.
    pub(crate) date: String,
    pub(crate) git: GitState,
    pub(crate) permissions: CallPermissions,
}

/// What git knows of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitState {
    /// It is not in a repository.
    None,
    /// It is on this branch, or at this commit where there is no branch.
    Branch {
        name: String,
        /// Files that differ from the last commit; none if they were not counted.
        changed: Option<usize>,
        /// The repository, if it is outside the workspace, so that commands in the jail do not see it.
        outside: Option<PathBuf>,
    },
}

impl GitState {
    /// Looks at the repository. Nothing that the repository names is run.
    pub(crate) async fn of(workspace: &Path) -> Self {
        match git_branch(workspace) {
            None => Self::None,
            Some(name) => Self::Branch {
                name,
                changed: holm_tools::worktree::changed_files(workspace).await,
                outside: repository_outside(workspace),
            },
        }
    }

    /// Looks only at the name of the branch.
    pub(crate) fn branch_of(workspace: &Path) -> Self {
        let outside = repository_outside(workspace);
        git_branch(workspace).map_or(Self::None, |name| Self::Branch { name, changed: None, outside })
    }

    fn words(&self) -> String {
        match self {
            Self::None => "no repository".into(),
            Self::Branch { name, changed, outside } => {
                let name = plain(name);
                let mut words = match changed {
                    None => format!("branch {name}"),
                    Some(0) => format!("branch {name}, no changed files"),
                    Some(1) => format!("branch {name}, 1 changed file"),
                    Some(count) => format!("branch {name}, {count} changed files"),
                };
                if let Some(outside) = outside {
                    words.push_str(&format!(
                        "; the repository is outside the workspace, in {}",
                        plain(&outside.to_string_lossy())
                    ));
                }
                words
            }
        }
    }
}

impl SessionEnvironment {
    /// The environment of a session that begins today.
    pub(crate) fn now(workspace: PathBuf, git: GitState, permissions: CallPermissions) -> Self {
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        Self { workspace, date, git, permissions }
    }

    /// The block as the model reads it.
    pub(crate) fn block(&self) -> String {
        let mut lines = vec![
            ENVIRONMENT_HEAD.to_owned(),
            format!("Workspace: {}", plain(&self.workspace.to_string_lossy())),
            format!("System: {} {}, shell {}", std::env::consts::OS, std::env::consts::ARCH, shell()),
            format!("Date: {}", self.date),
            format!("Git: {}", self.git.words()),
        ];
        lines.extend(self.permissions.lines());
        lines.join("\n")
    }
}

/// The shell that runs scripts here.
fn shell() -> &'static str {
    let is_there = |path: &&str| Path::new(path).exists();
    if ["/usr/bin/bash", "/bin/bash"].iter().any(is_there) { "bash" } else { "sh" }
}

/// A name on one line: a folder or a branch may be called anything.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST).collect()
}
