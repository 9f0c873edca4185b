//! The file descriptors of a command.

use std::collections::BTreeMap;

use super::handle::Handle;

/// Which handle each number is.
#[derive(Clone, Default)]
pub(crate) struct Fds(BTreeMap<i32, Handle>);

impl Fds {
    pub(crate) fn new(input: Handle, output: Handle, error: Handle) -> Self {
        Self(BTreeMap::from([(0, input), (1, output), (2, error)]))
    }

    /// The handle of a number; nothing comes out of one that is closed.
    pub(crate) fn get(&self, fd: i32) -> Handle {
        self.0.get(&fd).cloned().unwrap_or(Handle::Null)
    }

    pub(crate) fn find(&self, fd: i32) -> Option<&Handle> {
        self.0.get(&fd)
    }

    pub(crate) fn set(&mut self, fd: i32, handle: Handle) {
        self.0.insert(fd, handle);
    }

    pub(crate) fn close(&mut self, fd: i32) {
        self.0.remove(&fd);
    }
}
