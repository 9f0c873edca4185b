//! Finds the settings files that apply to a working folder. It reads none of them: `layers.rs`
//! does, with `read.rs`. Whether a project's file is trusted is decided by the caller. Skills and
//! instructions are found in `skills/find.rs` and `guide.rs`.

use std::path::{Path, PathBuf};

/// The name of a project's settings file.
pub const PROJECT_FILE: &str = "holm.toml";

/// The path of the administrator's policy, which applies to all users of this machine.
pub const POLICY: &str = "/etc/holm/policy.toml";

/// The files that settings come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigFiles {
    /// The user's own file, which need not exist unless it was named explicitly.
    pub user: Option<PathBuf>,
    /// Whether `HOLM_CONFIG` named the file explicitly.
    pub named: ExplicitPath,
    /// The nearest project file above the working folder, if there is one.
    pub project: Option<PathBuf>,
    /// Project files further up, nearest first. If the user does not trust the nearer
    /// file, Holm uses the next one. Otherwise, adding an untrusted file in between would
    /// disable a trusted one.
    pub above: Vec<PathBuf>,
    /// The administrator's files, and whether each was named explicitly; the last one wins.
    pub policies: Vec<(PathBuf, ExplicitPath)>,
}

/// Whether a file was named explicitly, or has its default path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExplicitPath {
    /// It has its default path and may be missing.
    #[default]
    No,
    /// It was named explicitly, so it must exist.
    Yes,
}

impl ConfigFiles {
    /// Searches upward from the working folder for the project's file. The user's file is the one
    /// named by `HOLM_CONFIG`, else the one in the XDG configuration folder.
    ///
    /// Policies come from the administrator's own path and from `HOLM_POLICY`. A user who sets that
    /// variable can restrict only themselves.
    pub fn from(work: &Path, env: impl Fn(&str) -> Option<String>) -> Self {
        let path = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let (user, named) = match path("HOLM_CONFIG") {
            Some(file) => (Some(file), ExplicitPath::Yes),
            None => (config_folder(&env).map(|folder| folder.join(PROJECT_FILE)), ExplicitPath::No),
        };
        // Compared by canonical path: a home is often reached through a link, and the user's own
        // file is not a project's.
        let own = user.as_ref().and_then(|file| file.canonicalize().ok());
        let is_own = |file: &PathBuf| own.is_some() && file.canonicalize().ok() == own;
        let above = work.ancestors().map(|folder| folder.join(PROJECT_FILE));
        let mut projects = above.filter(|file| file.is_file() && !is_own(file));
        let (project, above) = (projects.next(), projects.collect());
        let bound = path("HOLM_POLICY").map(|file| (file, ExplicitPath::Yes));
        let policies = bound.into_iter().chain([(PathBuf::from(POLICY), ExplicitPath::No)]).collect();
        Self { user, named, project, above, policies }
    }

    /// The project files, nearest first.
    pub fn projects(&self) -> impl Iterator<Item = &PathBuf> {
        self.project.iter().chain(&self.above)
    }
}

/// Holm's folder in the XDG configuration folder.
pub(crate) fn config_folder(env: &impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let path = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The specification requires that a relative path is ignored.
    let base = path("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    let base = base.or_else(|| path("HOME").map(|home| home.join(".config")))?;
    Some(base.join("holm"))
}

#[cfg(test)]
mod tests;
