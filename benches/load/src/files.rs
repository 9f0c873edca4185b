//! How many files this process, and what it starts, may open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the bound to what is needed, or says how somebody can. What is started afterwards has the same bound.
pub(crate) fn raise(needed: u64) -> Result<(), String> {
    let now = getrlimit(Resource::Nofile);
    if now.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if let Some(maximum) = now.maximum.filter(|maximum| *maximum < needed) {
        return Err(format!(
            "{needed} files must be open at once, and {maximum} may; raise `ulimit -Hn`, or choose a smaller LOAD_SESSIONS"
        ));
    }
    let wanted = Rlimit { current: now.maximum.or(Some(needed)), maximum: now.maximum };
    setrlimit(Resource::Nofile, wanted)
        .map_err(|error| format!("the bound on open files cannot be raised: {error}"))
}
