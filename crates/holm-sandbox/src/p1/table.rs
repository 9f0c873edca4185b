//! The table of a module's open files, by descriptor number.

use std::fs::File;
use std::sync::Arc;

use super::abi::Errno;
use crate::files::{Files, Node, Opened, Place};
use crate::lease::Lease;

/// The open things of a module, by number.
#[derive(Debug)]
pub(crate) struct Descriptors {
    slots: Vec<Option<Descriptor>>,
}

#[derive(Debug)]
pub(super) enum Descriptor {
    /// Standard input, with how far it was read.
    Stdin { read: usize },
    Stdout,
    Stderr,
    File(OpenFile),
    Directory(OpenDirectory),
}

#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) _lease: Lease,
    pub(super) readable: bool,
    pub(super) writable: bool,
    pub(super) append: bool,
}

#[derive(Debug)]
pub(super) struct OpenDirectory {
    pub(super) dir: Arc<File>,
    /// None for those that were there from the start.
    pub(super) _lease: Option<Lease>,
    pub(super) place: Place,
    /// The guest's name for it, if it was open from the start.
    pub(super) name: Option<String>,
}

impl Descriptors {
    /// The initial descriptors of a module: its standard streams, and the directories of the call.
    pub(crate) fn new(files: &Files) -> Self {
        let mut slots =
            vec![Some(Descriptor::Stdin { read: 0 }), Some(Descriptor::Stdout), Some(Descriptor::Stderr)];
        for (index, name) in files.access.names().enumerate() {
            if let Some((dir, place)) = files.preopened(index) {
                let name = Some(name.to_owned());
                slots.push(Some(Descriptor::Directory(OpenDirectory { dir, _lease: None, place, name })));
            }
        }
        Self { slots }
    }

    /// The thing of this number.
    pub(super) fn get(&self, fd: i32) -> Result<&Descriptor, Errno> {
        let index = usize::try_from(fd).map_err(|_| Errno::BADF)?;
        self.slots.get(index).and_then(Option::as_ref).ok_or(Errno::BADF)
    }

    /// The thing of this number, to be changed.
    pub(super) fn get_mut(&mut self, fd: i32) -> Result<&mut Descriptor, Errno> {
        let index = usize::try_from(fd).map_err(|_| Errno::BADF)?;
        self.slots.get_mut(index).and_then(Option::as_mut).ok_or(Errno::BADF)
    }

    /// The file of this number.
    pub(super) fn file(&self, fd: i32) -> Result<&OpenFile, Errno> {
        match self.get(fd)? {
            Descriptor::File(file) => Ok(file),
            Descriptor::Directory(_) => Err(Errno::ISDIR),
            Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => Err(Errno::SPIPE),
        }
    }

    /// The directory of this number.
    pub(super) fn dir(&self, fd: i32) -> Result<&OpenDirectory, Errno> {
        match self.get(fd)? {
            Descriptor::Directory(dir) => Ok(dir),
            Descriptor::File(_) | Descriptor::Stdin { .. } | Descriptor::Stdout | Descriptor::Stderr => {
                Err(Errno::NOTDIR)
            }
        }
    }

    /// The place of the directory with this number.
    pub(super) fn place(&self, fd: i32) -> Result<Place, Errno> {
        self.dir(fd).map(|dir| dir.place.clone())
    }

    /// Adds a descriptor at the lowest free number.
    pub(super) fn push(&mut self, descriptor: Descriptor, max: u32) -> Result<u32, Errno> {
        let index = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        let fd = u32::try_from(index).ok().filter(|fd| *fd < max).ok_or(Errno::MFILE)?;
        match self.slots.get_mut(index) {
            Some(slot) => *slot = Some(descriptor),
            None => self.slots.push(Some(descriptor)),
        }
        Ok(fd)
    }

    pub(super) fn close(&mut self, fd: i32) -> Result<(), Errno> {
        self.take(fd).map(|_| ())
    }

    /// Moves a descriptor to a number that is in use; the old descriptor there is closed.
    pub(super) fn renumber(&mut self, from: i32, to: i32) -> Result<(), Errno> {
        self.get(to)?;
        let moved = self.take(from)?;
        let index = usize::try_from(to).map_err(|_| Errno::BADF)?;
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(moved);
        }
        Ok(())
    }

    fn take(&mut self, fd: i32) -> Result<Descriptor, Errno> {
        let index = usize::try_from(fd).map_err(|_| Errno::BADF)?;
        self.slots.get_mut(index).and_then(Option::take).ok_or(Errno::BADF)
    }
}

impl Descriptor {
    /// The descriptor of a file that was just opened.
    pub(super) fn opened(opened: Opened, readable: bool, writable: bool, append: bool) -> Self {
        let Opened { file, node, place, lease, size: _ } = opened;
        match node {
            Node::Directory => {
                Self::Directory(OpenDirectory { dir: Arc::new(file), _lease: Some(lease), place, name: None })
            }
            Node::File | Node::Link | Node::Other => {
                Self::File(OpenFile { file, _lease: lease, readable, writable, append })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Access;

    fn empty() -> Descriptors {
        Descriptors::new(&Files::for_tests(Access::none(), 0))
    }

    #[test]
    fn numbers_are_reused_and_bounded() {
        let mut table = empty();
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(3));
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(4));
        assert_eq!(table.push(Descriptor::Stdout, 5), Err(Errno::MFILE));
        table.close(3).unwrap();
        assert_eq!(table.push(Descriptor::Stdout, 5), Ok(3));
        assert_eq!(table.close(-1), Err(Errno::BADF));
        assert_eq!(table.close(99), Err(Errno::BADF));
    }

    #[test]
    fn renumbering_needs_both_and_leaves_one() {
        let mut table = empty();
        assert_eq!(table.renumber(1, 99), Err(Errno::BADF));
        assert!(table.get(1).is_ok());
        table.renumber(1, 0).unwrap();
        assert!(matches!(table.get(0), Ok(Descriptor::Stdout)));
        assert_eq!(table.get(1).err(), Some(Errno::BADF));
        table.renumber(0, 0).unwrap();
        assert!(table.get(0).is_ok());
    }
}
