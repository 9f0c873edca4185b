//! How many files this process, and what it starts, may open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the bound to what is needed, or says how somebody can.
pub(crate) fn raise(needed: u64) {
    let now = getrlimit(Resource::Nofile);
    if now.current.is_none_or(|current| current >= needed) {
        return;
    }
    if now.maximum.is_some_and(|maximum| maximum < needed) {
        panic!("{needed} files must be open at once, and {:?} may; raise `ulimit -Hn`", now.maximum);
    }
    let wanted = Rlimit { current: now.maximum.or(Some(needed)), maximum: now.maximum };
    setrlimit(Resource::Nofile, wanted).expect("the bound on open files can be raised to its maximum");
}
