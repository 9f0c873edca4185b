//! The table of a module's open files, by descriptor number.
//!
//! It keeps handles with their leases (`lease.rs`) and opens nothing; `p1/path.rs` puts files in.
//! Numbers are reused and bounded. Components have wasmtime's table instead (`p2/files.rs`).

use std::fs::File;
use std::sync::Arc;

use super::abi::WasiErrno;
use crate::files::{GuestFiles, GuestPath, NodeKind, OpenedNode};
use crate::lease::HandleLease;

/// The open things of a module, by number.
#[derive(Debug)]
pub(crate) struct DescriptorTable {
    slots: Vec<Option<Descriptor>>,
}

#[derive(Debug)]
pub(super) enum Descriptor {
    /// Standard input, with how far it was read.
    Stdin {
        read: usize,
    },
    Stdout,
    Stderr,
    File(OpenFile),
    Directory(OpenDirectory),
}

#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) _lease: HandleLease,
    pub(super) readable: bool,
    pub(super) writable: bool,
    pub(super) append: bool,
}

#[derive(Debug)]
pub(super) struct OpenDirectory {
    pub(super) dir: Arc<File>,
    /// None for those that were there from the start.
    pub(super) _lease: Option<HandleLease>,
    pub(super) guest_path: GuestPath,
    /// The guest's name for it, if it was open from the start.
    pub(super) name: Option<String>,
}

impl DescriptorTable {
    /// The initial descriptors of a module: its standard streams, and the directories of the call.
    pub(crate) fn new(files: &GuestFiles) -> Self {
        let mut slots =
            vec![Some(Descriptor::Stdin { read: 0 }), Some(Descriptor::Stdout), Some(Descriptor::Stderr)];
        for (index, name) in files.access.names().enumerate() {
            if let Some((dir, guest_path)) = files.preopened(index) {
                let name = Some(name.to_owned());
                slots.push(Some(Descriptor::Directory(OpenDirectory {
                    dir,
                    _lease: None,
                    guest_path,
                    name,
                })));
            }
        }
        Self { slots }
    }

    /// The thing of this number.
    pub(super) fn get(&self, fd: i32) -> Result<&Descriptor, WasiErrno> {
        let index = usize::try_from(fd).map_err(|_| WasiErrno::BADF)?;
        self.slots.get(index).and_then(Option::as_ref).ok_or(WasiErrno::BADF)
    }

    /// The thing of this number, to be changed.
    pub(super) fn get_mut(&mut self, fd: i32) -> Result<&mut Descriptor, WasiErrno> {
        let index = usize::try_from(fd).map_err(|_| WasiErrno::BADF)?;
        self.slots.get_mut(index).and_then(Option::as_mut).ok_or(WasiErrno::BADF)
    }

    /// The file of this number.
    pub(super) fn file(&self, fd: i32) -> Result<&OpenFile, WasiErrno> {
        match self.get(fd)? {
            Descriptor::File(file) => Ok(file),
            Descriptor::Directory(_) => Err(WasiErrno::ISDIR),
            Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => Err(WasiErrno::SPIPE),
        }
    }

    /// The directory of this number.
    pub(super) fn dir(&self, fd: i32) -> Result<&OpenDirectory, WasiErrno> {
        match self.get(fd)? {
            Descriptor::Directory(dir) => Ok(dir),
            Descriptor::File(_) | Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => {
                Err(WasiErrno::NOTDIR)
            }
        }
    }

    /// The path of the directory with this number.
    pub(super) fn guest_path(&self, fd: i32) -> Result<GuestPath, WasiErrno> {
        self.dir(fd).map(|dir| dir.guest_path.clone())
    }

    /// Adds a descriptor at the lowest free number.
    pub(super) fn push(&mut self, descriptor: Descriptor, max: u32) -> Result<u32, WasiErrno> {
        let index = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        let fd = u32::try_from(index).ok().filter(|fd| *fd < max).ok_or(WasiErrno::MFILE)?;
        match self.slots.get_mut(index) {
            Some(slot) => *slot = Some(descriptor),
            None => self.slots.push(Some(descriptor)),
        }
        Ok(fd)
    }

    pub(super) fn close(&mut self, fd: i32) -> Result<(), WasiErrno> {
        self.take(fd).map(|_| ())
    }

    /// Moves a descriptor to a number that is in use; the old descriptor there is closed.
    pub(super) fn renumber(&mut self, from: i32, to: i32) -> Result<(), WasiErrno> {
        self.get(to)?;
        let moved = self.take(from)?;
        let index = usize::try_from(to).map_err(|_| WasiErrno::BADF)?;
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(moved);
        }
        Ok(())
    }

    fn take(&mut self, fd: i32) -> Result<Descriptor, WasiErrno> {
        let index = usize::try_from(fd).map_err(|_| WasiErrno::BADF)?;
        self.slots.get_mut(index).and_then(Option::take).ok_or(WasiErrno::BADF)
    }
}

impl Descriptor {
    /// The descriptor of a file that was just opened.
    pub(super) fn opened(opened: OpenedNode, readable: bool, writable: bool, append: bool) -> Self {
        let OpenedNode { file, node, guest_path, lease, size: _ } = opened;
        match node {
            NodeKind::Directory => Self::Directory(OpenDirectory {
                dir: Arc::new(file),
                _lease: Some(lease),
                guest_path,
                name: None,
            }),
            NodeKind::File | NodeKind::Link | NodeKind::Other => {
                Self::File(OpenFile { file, _lease: lease, readable, writable, append })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::GuestAccess;

    fn empty() -> DescriptorTable {
        DescriptorTable::new(&GuestFiles::for_tests(GuestAccess::none(), 0))
    }

    #[test]
    fn numbers_are_reused_and_bounded() {
        let mut table = empty();
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(3));
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(4));
        assert_eq!(table.push(Descriptor::Stdout, 5), Err(WasiErrno::MFILE));
        table.close(3).unwrap();
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(3));
        assert_eq!(table.close(-1), Err(WasiErrno::BADF));
        assert_eq!(table.close(99), Err(WasiErrno::BADF));
    }

    #[test]
    fn renumbering_needs_both_and_leaves_one() {
        let mut table = empty();
        assert_eq!(table.renumber(1, 99), Err(WasiErrno::BADF));
        assert!(table.get(1).is_ok());
        table.renumber(1, 0).unwrap();
        assert!(matches!(table.get(0), Ok(Descriptor::Stdout)));
        assert_eq!(table.get(1).err(), Some(WasiErrno::BADF));
        table.renumber(0, 0).unwrap();
        assert!(table.get(0).is_ok());
    }
}
