//! Errors in settings files: the problem, its line, and a fix. They are made where files are parsed
//! (`read.rs`, `settings.rs` and others). Text of a file is escaped to one line before it is shown,
//! and a key or password is never part of a message.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use holm_grants::escaped;

/// A file that cannot be used. The message names file and line; [`fix`](Self::fix) says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file; for an environment variable, its name with a dollar sign.
    pub path: PathBuf,
    /// The line, from 1, if the problem has one.
    pub line: Option<usize>,
    pub problem: ConfigProblem,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigProblem {
    /// It is not valid TOML or JSON.
    #[error("{}", escaped(.0))]
    Syntax(String),
    #[error("unknown key `{}`", escaped(.key))]
    UnknownKey {
        key: String,
        /// The most similar known key.
        near: Option<String>,
        known: Vec<String>,
    },
    /// A value that is not valid for its key.
    #[error("{}", escaped(.0))]
    WrongValue(String),
    /// A key that a project's file cannot set.
    #[error("a project cannot set `{}`", escaped(.key))]
    NotForProjects { key: String },
    /// The file was named explicitly and does not exist.
    #[error("there is no such file")]
    Missing,
    /// The system cannot read it.
    #[error("cannot be read: {}", escaped(.0))]
    Unreadable(String),
    /// It is larger than a file that a person writes.
    #[error("it is larger than {most} bytes")]
    TooLarge { most: u64 },
    /// Other users have write permission.
    #[error("other users can write it, so Holm does not trust it")]
    Exposed,
    /// Another user owns the file and can therefore write it, regardless of its mode.
    #[error("another user owns it, so Holm does not trust it")]
    Foreign,
    /// Other users have read permission.
    #[error("other users can read it, and it holds keys")]
    Shared,
    /// The system cannot write it.
    #[error("cannot be written: {}", escaped(.0))]
    Unwritable(String),
    /// No person has trusted the file with its current content.
    #[error("{}", escaped(.0))]
    Untrusted(String),
}

impl ConfigError {
    pub(crate) fn at(path: &Path, line: usize, problem: ConfigProblem) -> Self {
        Self { path: path.to_owned(), line: Some(line), problem }
    }

    pub(crate) fn whole(path: &Path, problem: ConfigProblem) -> Self {
        Self { path: path.to_owned(), line: None, problem }
    }

    /// How to fix the problem.
    #[must_use]
    pub fn fix(&self) -> String {
        let fix = match &self.problem {
            ConfigProblem::Syntax(_) => "fix or remove the line".into(),
            ConfigProblem::UnknownKey { near: Some(near), .. } => format!("did you mean `{near}`?"),
            ConfigProblem::UnknownKey { known, .. } => format!("known here: {}", known.join(", ")),
            ConfigProblem::WrongValue(_) if self.path.ends_with("holm.toml") => {
                "correct the value; `holm config schema` describes all keys".into()
            }
            ConfigProblem::WrongValue(_) => "correct the value".into(),
            ConfigProblem::NotForProjects { .. } => {
                "remove it; set it in your own file (`holm paths` shows where) or with a flag".into()
            }
            ConfigProblem::Missing => "create the file, or remove its name".into(),
            ConfigProblem::Unreadable(_) => "make sure that it is a file and that you can read it".into(),
            ConfigProblem::TooLarge { .. } => "make it smaller".into(),
            ConfigProblem::Untrusted(_) => {
                let folder = self.path.parent().unwrap_or(Path::new("."));
                format!(
                    "review it: `holm tool trust {}` shows the folder and asks whether you trust it",
                    folder.display()
                )
            }
            ConfigProblem::Shared => format!("chmod 600 {}", self.path.display()),
            ConfigProblem::Unwritable(_) => "change the owner of its folder to you".into(),
            ConfigProblem::Exposed => format!("chmod go-w {}", self.path.display()),
            ConfigProblem::Foreign => {
                format!("change its owner to you or root (chown), or copy it; {}", self.path.display())
            }
        };
        escaped(&fix)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&escaped(&self.path.to_string_lossy()))?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        write!(out, ": {}", self.problem)
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests;
