//! The evaluations that `holm eval` has stored on this machine. They are read and never changed:
//! `holm eval` may be writing to them. The routes are in `routes/evaluations.rs`.
//!
//! Names are checked before they become part of a path, and links are not followed.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    str::FromStr,
    time::{SystemTime, UNIX_EPOCH},
};

use holm_eval::{EvalError, StoredEvaluation};
use holm_store::{Store, StoreError};

use crate::ApiError;

/// The file with the results of an evaluation.
const RESULTS: &str = "results.jsonl";
/// The database with the sessions of its attempts, below its folder.
const SESSIONS: [&str; 2] = ["data", "holm.db"];
/// The longest name: what a file may be called nearly everywhere.
const LONGEST: usize = 128;

/// The name of an evaluation. It names a folder and cannot lead to another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EvaluationName(String);

impl EvaluationName {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EvaluationName {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if text.is_empty() || text.len() > LONGEST || text.starts_with('.') || !text.bytes().all(is_plain) {
            let message = "the name of an evaluation has only letters, digits, `-`, `_` and `.`";
            return Err(ApiError::bad("bad_name", message));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for EvaluationName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The folder with all evaluations.
#[derive(Debug, Clone)]
pub(crate) struct EvaluationFolder(PathBuf);

impl EvaluationFolder {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The names of all evaluations with results, the latest first; none
    /// if the folder is missing.
    pub(crate) fn names(&self) -> Result<Vec<EvaluationName>, ApiError> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(_) => return Err(ApiError::failed("the folder with the evaluations cannot be read")),
        };
        let mut found: Vec<(SystemTime, EvaluationName)> = Vec::new();
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let results = fs::symlink_metadata(entry.path().join(RESULTS));
            if let (true, Ok(data)) = (is_folder, results) {
                found.push((data.modified().unwrap_or(UNIX_EPOCH), name));
            }
        }
        found.sort_by(|one, two| two.cmp(one));
        Ok(found.into_iter().map(|(_, name)| name).collect())
    }

    /// The results of an evaluation so far.
    pub(crate) fn read(&self, name: &EvaluationName) -> Result<StoredEvaluation, ApiError> {
        StoredEvaluation::read(&self.place(name)?).map_err(unreadable)
    }

    /// The store with the sessions of its attempts.
    pub(crate) async fn sessions(&self, name: &EvaluationName) -> Result<Store, ApiError> {
        let [data, database] = SESSIONS;
        let data = self.place(name)?.join(data);
        let path = data.join(database);
        if !is_folder(&data) || !fs::symlink_metadata(&path).is_ok_and(|data| data.is_file()) {
            return Err(ApiError::missing("session"));
        }
        match Store::open(&path).await {
            Err(StoreError::Full | StoreError::ReadOnly { .. }) => Ok(Store::memory_copy(&path).await?),
            opened => Ok(opened?),
        }
    }

    fn place(&self, name: &EvaluationName) -> Result<PathBuf, ApiError> {
        let folder = self.0.join(name.as_str());
        if is_folder(&folder) { Ok(folder) } else { Err(ApiError::missing("evaluation")) }
    }
}

/// Whether this is a folder and not a link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

/// The error without paths of the machine.
fn unreadable(error: EvalError) -> ApiError {
    let why = match error {
        EvalError::File { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            return ApiError::missing("evaluation");
        }
        EvalError::Results { line, why, .. } => format!("line {line}: {why}"),
        EvalError::Case { why, .. } => why,
        _ => return ApiError::failed("the results of the evaluation cannot be read"),
    };
    ApiError::conflict("bad_results", format!("the results of the evaluation cannot be read: {why}"))
}

#[cfg(test)]
mod tests;
