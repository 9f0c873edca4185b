//! Ends an attempt with the evaluation that started it. A killed evaluation can tell nobody, so the
//! kernel does.
//!
//! Only a process that an evaluation started itself has the variable [`EVAL_PARENT`]: the jail and
//! the shell of prompts do not pass it on.

use holm_eval::EVAL_PARENT;
use rustix::process::{Pid, getppid};

/// Lets this process end with the evaluation that started it, if one did. Returns whether that
/// evaluation has already ended.
pub(crate) fn has_ended() -> bool {
    let given: Option<i32> = std::env::var(EVAL_PARENT).ok().and_then(|text| text.parse().ok());
    let Some(parent) = given.and_then(Pid::from_raw) else { return false };
    // A kernel that refuses leaves the attempt to its own time limit.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
    // It may have ended before the signal was asked for.
    getppid() != Some(parent)
}
