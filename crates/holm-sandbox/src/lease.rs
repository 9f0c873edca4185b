//! Handles of the operating system that guests hold: files, listings, sockets, connections.
//!
//! A process has few handles, often a thousand, and every part of it needs some. A guest that took
//! them all would stop journals and listeners as well. So each handle is leased: a call has few,
//! and all calls together have half of what the process may have.
//!
//! It counts and opens nothing. Every handle that a guest causes needs a lease: files
//! (`files/guest_files.rs`), listings (`p2/files.rs`), sockets, lookups and connections (`net.rs`,
//! `p2/sockets.rs`).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The handles that one call may still take. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct HandleLeases {
    held: Arc<AtomicU32>,
    most: u32,
}

/// One handle; free again when this is dropped.
#[derive(Debug)]
pub(crate) struct HandleLease {
    held: Arc<AtomicU32>,
}

/// The handles that all calls of this process hold.
static ALL: AtomicU32 = AtomicU32::new(0);

/// The limit if the system does not report how many handles a process may have: half of
/// the lowest common limit.
const UNKNOWN: u32 = 128;

impl HandleLeases {
    pub(crate) fn new(most: u32) -> Self {
        Self { held: Arc::default(), most }
    }

    /// Takes one more handle; `None` if the call or the process has reached its limit.
    pub(crate) fn take(&self) -> Option<HandleLease> {
        if !add(&self.held, self.most) {
            return None;
        }
        if !add(&ALL, most_of_all()) {
            self.held.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(HandleLease { held: Arc::clone(&self.held) })
    }
}

impl Drop for HandleLease {
    fn drop(&mut self) {
        self.held.fetch_sub(1, Ordering::Relaxed);
        ALL.fetch_sub(1, Ordering::Relaxed);
    }
}

fn add(held: &AtomicU32, most: u32) -> bool {
    let more = |held: u32| held.checked_add(1).filter(|held| *held <= most);
    held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

/// Half of what the process may have, measured when the first guest asked.
fn most_of_all() -> u32 {
    static MOST: OnceLock<u32> = OnceLock::new();
    *MOST.get_or_init(|| {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        limit.current.map_or(UNKNOWN, |most| u32::try_from(most / 2).unwrap_or(u32::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_as_many_as_it_may_and_gets_them_back() {
        let leases = HandleLeases::new(2);
        let first = leases.take();
        let second = leases.clone().take();
        assert!(first.is_some() && second.is_some() && leases.take().is_none());
        drop(first);
        assert!(leases.take().is_some());
        assert!(HandleLeases::new(0).take().is_none());
    }
}
