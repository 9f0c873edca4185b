//! Reads the results of an evaluation that may still be running. Unlike [`Evaluation`](crate::Evaluation)
//! it writes nothing: another process may be appending to them.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::evaluation::RESULTS;
use crate::{AttemptResult, EvalError};

/// The largest file of results that is read, in bytes: about 50,000 attempts.
const MAX_RESULTS_BYTES: u64 = 64 << 20;

/// The results of an evaluation so far.
#[derive(Debug, Clone)]
pub struct StoredEvaluation {
    results: Vec<AttemptResult>,
    modified: SystemTime,
}

impl StoredEvaluation {
    /// Reads the evaluation in this folder. A last line that is not complete belongs to an attempt
    /// that is being written, and is left out.
    ///
    /// # Errors
    /// If there are no results, they are too large, or a line of them is wrong.
    pub fn read(folder: &Path) -> Result<Self, EvalError> {
        let path = folder.join(RESULTS);
        // A link could lead to another file.
        let data = fs::symlink_metadata(&path).map_err(EvalError::file(&path))?;
        if !data.is_file() {
            return Err(EvalError::case(&path, "it is not a file"));
        }
        let mut text = Vec::new();
        let file = File::open(&path).map_err(EvalError::file(&path))?;
        file.take(MAX_RESULTS_BYTES + 1).read_to_end(&mut text).map_err(EvalError::file(&path))?;
        if text.len() as u64 > MAX_RESULTS_BYTES {
            return Err(EvalError::case(
                &path,
                format!("its results are larger than {} MiB", MAX_RESULTS_BYTES >> 20),
            ));
        }
        let modified = data.modified().map_err(EvalError::file(&path))?;
        Ok(Self { results: results_of(&path, &text)?, modified })
    }

    /// The results in the order of cases, models and attempts.
    #[must_use]
    pub fn results(&self) -> Vec<&AttemptResult> {
        self.results.iter().collect()
    }

    /// When the last result was written.
    #[must_use]
    pub const fn modified(&self) -> SystemTime {
        self.modified
    }
}

fn results_of(path: &Path, text: &[u8]) -> Result<Vec<AttemptResult>, EvalError> {
    let mut results: Vec<AttemptResult> = Vec::new();
    let whole = text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    for (index, line) in whole.enumerate() {
        let wrong = |error: serde_json::Error| EvalError::Results {
            path: PathBuf::from(path),
            line: index + 1,
            why: error.to_string(),
        };
        results.push(serde_json::from_slice(line).map_err(wrong)?);
    }
    results
        .sort_by(|one, two| (&one.case, &one.model, one.attempt).cmp(&(&two.case, &two.model, two.attempt)));
    Ok(results)
}

#[cfg(test)]
mod tests;
