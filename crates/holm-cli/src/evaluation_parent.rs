//! Ends an attempt with the evaluation that started it. A killed process cannot stop
//! its children, so the kernel signals them.
//!
//! Only a process that an evaluation started itself has the variable [`EVAL_PARENT`]: the jail and
//! the shell of prompts do not pass it on.

use holm_eval::EVAL_PARENT;
use rustix::process::{Pid, getppid};

/// Makes this process end with the evaluation that started it, if one did.
///
/// # Errors
/// If that evaluation has already ended.
pub(crate) fn end_with_evaluation() -> Result<(), String> {
    let given: Option<i32> = std::env::var(EVAL_PARENT).ok().and_then(|text| text.parse().ok());
    let Some(parent) = given.and_then(Pid::from_raw) else { return Ok(()) };
    // A kernel that refuses leaves the attempt to its own time limit.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
    // The evaluation may have ended before the signal was set.
    if getppid() == Some(parent) {
        return Ok(());
    }
    let parent = parent.as_raw_nonzero();
    Err(format!("the evaluation that started this command has ended ({EVAL_PARENT}={parent})"))
}
