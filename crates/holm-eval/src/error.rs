//! The errors of evaluations: a case that cannot be used, or an attempt that could not be made. A
//! failed check is not an error but a result.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why a case cannot be used or an evaluation cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    /// A case file is wrong.
    #[error("{path}: {why}")]
    Case { path: PathBuf, why: String },
    /// There is no case where one was expected.
    #[error("there is no case in {0}; a case is a folder with a case.toml")]
    NoCase(PathBuf),
    /// The workspace of a case is too large or has too many files.
    #[error("{path}: the workspace is too large: {why}")]
    Workspace { path: PathBuf, why: String },
    /// The command could not be started.
    #[error("{program} could not be started: {source}")]
    Command { program: PathBuf, source: io::Error },
    /// The session of an attempt cannot be read.
    #[error("the session of {case} cannot be read: {why}")]
    Session { case: String, why: String },
    /// The results of an evaluation are wrong.
    #[error("{path}: line {line}: {why}")]
    Results { path: PathBuf, line: usize, why: String },
    /// A case wants more than its workspace, and the user has not granted that.
    #[error(
        "{case} needs `{grant}`, which reaches outside of its workspace; add --grant '{grant}' if you want \
         to allow that"
    )]
    NotGranted { case: String, grant: String },
    /// A case has changed since an evaluation that is to go on.
    #[error("{case} has changed since this evaluation began; use another name, or remove its results")]
    Changed { case: String },
}

impl EvalError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    pub(crate) fn case(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self::Case { path: path.into(), why: why.into() }
    }
}
