//! Rules for the names of runs. A name becomes a file name and a database key, so it is
//! plain and short everywhere.

use super::JournalStorageError;

/// The longest name in bytes: with an extension it is still a valid file name on every system.
pub const MOST_NAME_BYTES: usize = 128;

/// Checks that a run may have this name: letters, digits, `.`, `_` and `-`, not
/// beginning with a dot.
///
/// # Errors
/// [`JournalStorageError::BadName`], saying what is wrong.
///
/// ```
/// use holm_runtime::check_run_name;
///
/// assert!(check_run_name("chat-2026.01_a").is_ok());
/// assert!(check_run_name("../etc/passwd").is_err());
/// ```
pub fn check_run_name(run: &str) -> Result<(), JournalStorageError> {
    let reason = if run.is_empty() {
        "it is empty"
    } else if run.len() > MOST_NAME_BYTES {
        "it is longer than 128 bytes"
    } else if run.starts_with('.') {
        "it begins with a dot"
    } else if !run.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')) {
        "it may contain only letters, digits, `.`, `_` and `-`"
    } else {
        return Ok(());
    };
    let shown = run.chars().filter(|character| !character.is_control()).take(MOST_NAME_BYTES).collect();
    Err(JournalStorageError::BadName { run: shown, reason: reason.into() })
}
