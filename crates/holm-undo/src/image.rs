//! An image: the state of every covered path of a workspace at one moment. It only holds and looks
//! up entries.
//!
//! It is made in `image_taker.rs`, compared in `difference.rs`, and written to disk in
//! `image_codec.rs`. The contents of files are not in it, only their digests (`content_store.rs`).

use crate::{
    PathState, TreePath, UncoveredPath, UncoveredReason,
    path_state::{FILE_MODE, FOLDER_MODE, LinkTarget},
    tree::Stamp,
    tree_path::hex,
};

/// The state of a workspace at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Image {
    pub(crate) entries: Vec<Entry>,
    /// What is not covered, by path: folders with all that is beneath them.
    pub(crate) left_out: Vec<UncoveredPath>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: TreePath,
    pub(crate) stamp: Stamp,
    pub(crate) kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File {
        digest: Digest,
        /// Whether the stamp was old enough when the file was read that every later change shows.
        is_settled: bool,
    },
    Link(LinkTarget),
    Folder,
    /// A file without a stored content, or a special file.
    Unkept(UncoveredReason),
}

pub(crate) type Digest = [u8; 32];

impl Image {
    /// The entry of a path.
    pub(crate) fn entry(&self, path: &TreePath) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Whether exactly this path is left out.
    pub(crate) fn leaves_out(&self, path: &TreePath) -> bool {
        self.reason(path).is_some()
    }

    /// Why exactly this path is left out.
    pub(crate) fn reason(&self, path: &TreePath) -> Option<UncoveredReason> {
        let at = self.left_out.binary_search_by(|left| left.path.cmp(path)).ok()?;
        self.left_out.get(at).map(|left| left.reason)
    }

    /// Whether this path or a folder above it is left out.
    pub(crate) fn hides(&self, path: &TreePath) -> bool {
        if self.left_out.is_empty() {
            return false;
        }
        self.leaves_out(path) || path.ancestors().any(|above| self.leaves_out(&above))
    }

    /// The digests of all contents.
    pub(crate) fn digests(&self) -> impl Iterator<Item = &Digest> {
        self.entries.iter().filter_map(|entry| match &entry.kind {
            EntryKind::File { digest, .. } => Some(digest),
            EntryKind::Link(_) | EntryKind::Folder | EntryKind::Unkept(_) => None,
        })
    }
}

impl Entry {
    pub(crate) fn state(&self) -> PathState {
        match &self.kind {
            EntryKind::File { digest, .. } => PathState::File {
                sha256: hex(digest),
                bytes: self.stamp.size,
                mode: Some(self.stamp.mode & FILE_MODE),
            },
            EntryKind::Link(target) => PathState::Link { target: target.clone() },
            EntryKind::Folder => PathState::Folder { mode: self.stamp.mode & FOLDER_MODE },
            EntryKind::Unkept(_) => self.stamp.unkept(),
        }
    }

    /// Whether an undo has nothing to do between two states. This does not make texts of digests, so
    /// it is quick for the many paths that did not change.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (EntryKind::File { digest: one, .. }, EntryKind::File { digest: two, .. }) => {
                one == two && self.stamp.mode & FILE_MODE == other.stamp.mode & FILE_MODE
            }
            (EntryKind::Link(one), EntryKind::Link(two)) => one == two,
            (EntryKind::Folder, EntryKind::Folder) => {
                self.stamp.mode & FOLDER_MODE == other.stamp.mode & FOLDER_MODE
            }
            (EntryKind::Unkept(_), EntryKind::Unkept(_)) => self.stamp.unkept() == other.stamp.unkept(),
            _ => false,
        }
    }
}
