//! Titles and tags of sessions: one visible line each, so that a list stays readable. The runtime
//! defines which names a run may have ([`check_run_name`]), for every kind of journal alike.
//!
//! Titles that come from a prompt are made in `derive/head.rs`. Titles and tags are stored in
//! `sessions/list.rs`.

use holm_runtime::{JournalStorageError, check_run_name};

use crate::StoreError;

/// The longest title that a user can give, in characters.
pub const MAX_TITLE: usize = 200;

/// Characters of a tag.
pub const MAX_TAG: usize = 64;

/// Checks that `run` can name a run.
pub(crate) fn check_run(run: &str) -> Result<(), StoreError> {
    check_run_name(run).map_err(|error| match error {
        JournalStorageError::BadName { run, reason } => StoreError::BadName { run, reason },
        other => StoreError::System { reason: other.to_string() },
    })
}

/// Checks a title or tag: some visible text of one line.
pub(crate) fn check_label(what: &str, text: &str, most: usize) -> Result<(), StoreError> {
    let bad = |reason: String| Err(StoreError::BadLabel { what: what.into(), reason });
    if text.trim().is_empty() {
        return bad("it is empty".into());
    }
    if text.chars().count() > most {
        return bad(format!("it is longer than {most} characters"));
    }
    if text.chars().any(char::is_control) {
        return bad("it has control characters".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
