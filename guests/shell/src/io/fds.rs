//! The file descriptors of a command.

use std::collections::BTreeMap;

use super::handle::IoHandle;

/// Which handle each number is.
#[derive(Clone, Default)]
pub(crate) struct FdTable(BTreeMap<i32, IoHandle>);

impl FdTable {
    pub(crate) fn new(input: IoHandle, output: IoHandle, error: IoHandle) -> Self {
        Self(BTreeMap::from([(0, input), (1, output), (2, error)]))
    }

    /// The handle of a number; nothing comes out of one that is closed.
    pub(crate) fn get(&self, fd: i32) -> IoHandle {
        self.0.get(&fd).cloned().unwrap_or(IoHandle::Null)
    }

    pub(crate) fn find(&self, fd: i32) -> Option<&IoHandle> {
        self.0.get(&fd)
    }

    pub(crate) fn set(&mut self, fd: i32, handle: IoHandle) {
        self.0.insert(fd, handle);
    }

    pub(crate) fn close(&mut self, fd: i32) {
        self.0.remove(&fd);
    }
}
