//! What may name a run: names that are safe in paths, URLs and tables, so that nobody has to quote them.

use crate::StoreError;

/// Characters of a run's id; longer ones are no ids but texts.
pub const MAX_RUN_ID: usize = 128;

/// Characters of a title that a person gives.
pub const MAX_TITLE: usize = 200;

/// Characters of a tag.
pub const MAX_TAG: usize = 64;

/// Checks that `run` can name a run: `[A-Za-z0-9._-]`, 1 to 128 of them, and not only dots.
///
/// # Errors
/// [`StoreError::BadName`] says what is wrong.
///
/// ```
/// assert!(holm_store::check_run_id("2026-07-build.3").is_ok());
/// assert!(holm_store::check_run_id("../etc").is_err());
/// ```
pub fn check_run_id(run: &str) -> Result<(), StoreError> {
    let bad = |reason: &str| Err(StoreError::BadName { run: shown(run), reason: reason.into() });
    if run.is_empty() {
        return bad("it is empty");
    }
    if run.len() > MAX_RUN_ID {
        return bad("it is longer than 128 characters");
    }
    if !run.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')) {
        return bad("only letters, digits and . _ - may be in it");
    }
    if run.bytes().all(|byte| byte == b'.') {
        return bad("dots alone name a folder");
    }
    Ok(())
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

/// A hostile name must not flood the message that refuses it.
fn shown(run: &str) -> String {
    run.chars().take(MAX_RUN_ID).map(|char| if char.is_control() { '?' } else { char }).collect()
}

#[cfg(test)]
mod tests;
