//! Raises the limit of open files. Each watcher of a session needs one, and systems allow about a
//! thousand unless a program asks for more.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than connections, stores and sessions at work need together.
const MOST: u64 = 65_536;

/// Requests as many as the system allows. With fewer, fewer clients can watch, and their
/// own systems report it.
pub(super) fn raise() {
    let now = getrlimit(Resource::Nofile);
    let wanted = now.maximum.map_or(MOST, |maximum| maximum.min(MOST));
    if now.current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: now.maximum });
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
