//! Takes an image of a workspace: walks it without following links, and reads the files that
//! changed since the last image.
//!
//! The tree is hostile. A FIFO is never opened to be waited for, a link is never followed, another
//! file system is not entered, and a file that is written meanwhile is read again a few times.
//!
//! What is left out is decided in `coverage.rs`. Contents are stored in `content_store.rs`, folders
//! are opened in `tree.rs`, and images are compared in `difference.rs`. When an image is taken is
//! decided in `command_undo.rs`.

use std::{
    collections::HashMap,
    ffi::OsStr,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{FileType, Mode, openat, readlinkat},
    io::Errno,
};

use crate::{
    Coverage, TreePath, UncoveredPath, UncoveredReason, UndoError,
    content_store::{ContentBatch, ContentFailure, ContentStore},
    coverage::{BuildFolders, CoverageLimits, GitPlace, is_bare_repository, is_other_version_control},
    image::{Entry, EntryKind, Image},
    path_state::LinkTarget,
    tree::{FOLDER, Stamp, Tree, list, stamp_at},
};

/// A file that changed so shortly before it was read may change again under the same time: some
/// file systems count in steps of two seconds.
const COARSEST_CLOCK: i64 = 2_000_000_000;
/// How often a file is read that changes meanwhile.
const MAX_READS: usize = 3;

pub(crate) struct ImageTaker<'a> {
    tree: &'a Tree,
    coverage: &'a Coverage,
    limits: CoverageLimits,
    /// Decides what is covered, if it was taken before a command: a folder does not become build
    /// output because a command changed the rules.
    before: Option<&'a Image>,
    builds: BuildFolders<'a>,
    image: Image,
}

/// A folder that is to be read.
struct OpenFolder<'a> {
    path: Option<&'a TreePath>,
    handle: OwnedFd,
    place: GitPlace,
    device: u64,
    depth: usize,
}

impl<'a> ImageTaker<'a> {
    pub(crate) fn new(tree: &'a Tree, coverage: &'a Coverage, before: Option<&'a Image>) -> Self {
        let (limits, builds) = (coverage.bounds(), BuildFolders::new(tree.at()));
        Self { tree, coverage, limits, before, builds, image: Image::default() }
    }

    /// Walks the workspace and stores the contents that are new; returns the image, and how many
    /// bytes were stored. `known` is the last image.
    pub(crate) fn take(mut self, known: &Image, contents: &ContentStore) -> Result<(Image, u64), UndoError> {
        let failed = |errno: Errno| UndoError::workspace(self.tree.at().display(), errno);
        let handle = openat(self.tree.root(), c".", FOLDER, Mode::empty()).map_err(failed)?;
        let device = Stamp::of(&rustix::fs::fstat(&handle).map_err(failed)?).device;
        let top = OpenFolder { path: None, handle, place: GitPlace::Outside, device, depth: 0 };
        self.walk(top)?;
        self.image.entries.sort_unstable_by(|one, two| one.path.cmp(&two.path));
        self.image.left_out.sort_unstable_by(|one, two| one.path.cmp(&two.path));
        let mut batch = contents.batch()?;
        read_new(self.tree, self.limits, &mut self.image, known, &mut batch)?;
        let bytes = batch.end()?;
        Ok((self.image, bytes))
    }

    fn walk(&mut self, folder: OpenFolder<'_>) -> Result<(), UndoError> {
        let OpenFolder { path, handle, place, device, depth } = folder;
        let Ok((dir, names)) = list(handle) else {
            self.leave_out(path, UncoveredReason::Unreadable);
            return Ok(());
        };
        let Ok(handle) = dir.fd() else {
            self.leave_out(path, UncoveredReason::Unreadable);
            return Ok(());
        };
        let has = |name: &[u8]| names.iter().any(|found| found == name);
        // A covered folder stays covered, whatever a command puts into it.
        let was_covered = || path.zip(self.before).is_some_and(|(path, before)| was_covered(before, path));
        if place == GitPlace::Outside && is_bare_repository(has) && !was_covered() {
            self.leave_out(path, UncoveredReason::Repository);
            return Ok(());
        }
        for name in &names {
            // One that is gone meanwhile was never there.
            let Ok(stamp) = stamp_at(handle, name) else { continue };
            let path = TreePath::child(path, name);
            self.visit(handle, &path, stamp, (place, device, depth))?;
        }
        Ok(())
    }

    fn visit(
        &mut self,
        handle: BorrowedFd<'_>,
        path: &TreePath,
        stamp: Stamp,
        (place, device, depth): (GitPlace, u64, usize),
    ) -> Result<(), UndoError> {
        let kind = stamp.kind();
        let (is_folder, is_file) = (kind == FileType::Directory, kind == FileType::RegularFile);
        let Some(place) = place.admits(path.name(), is_folder, is_file) else {
            return Ok(());
        };
        if let Some(reason) = self.left_out_because(path, &stamp, (device, depth)) {
            self.leave_out(Some(path), reason);
            return Ok(());
        }
        let kind = match kind {
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => match readlinkat(handle, OsStr::from_bytes(path.name()), Vec::new()) {
                Ok(target) => EntryKind::Link(LinkTarget(target.into_bytes())),
                Err(_) => return Ok(()),
            },
            FileType::RegularFile if stamp.size > self.limits.file_bytes => {
                EntryKind::Unkept(UncoveredReason::TooLarge)
            }
            FileType::RegularFile => EntryKind::File { digest: [0; 32], is_settled: false },
            _ => EntryKind::Unkept(UncoveredReason::Special),
        };
        if self.image.entries.len() >= self.limits.entries {
            return Err(UndoError::TooLarge { most: self.limits.entries });
        }
        self.image.entries.push(Entry { path: path.clone(), stamp, kind });
        if !is_folder {
            return Ok(());
        }
        match openat(handle, OsStr::from_bytes(path.name()), FOLDER, Mode::empty()) {
            Ok(handle) => self.walk(OpenFolder { path: Some(path), handle, place, device, depth: depth + 1 }),
            // Gone, or another kind of entry by now: the next image sees it.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(_) => {
                // Its own mode is known, and can be restored; what is in it is not.
                self.leave_out(Some(path), UncoveredReason::Unreadable);
                Ok(())
            }
        }
    }

    fn left_out_because(
        &mut self,
        path: &TreePath,
        stamp: &Stamp,
        (device, depth): (u64, usize),
    ) -> Option<UncoveredReason> {
        let name = path.name();
        let is_folder = stamp.kind() == FileType::Directory;
        if self.coverage.excludes(self.tree.at(), path, is_folder) {
            return Some(UncoveredReason::Excluded);
        }
        if !is_folder {
            // A file of this name says where the repository is, so git would obey it.
            return (name == b".git").then_some(UncoveredReason::Repository);
        }
        if stamp.device != device {
            return Some(UncoveredReason::Mount);
        }
        if depth >= self.limits.depth {
            return Some(UncoveredReason::TooDeep);
        }
        if is_other_version_control(name) {
            return Some(UncoveredReason::Repository);
        }
        if let Some(before) = self.before {
            if let Some(reason) = before.reason(path).filter(|reason| *reason != UncoveredReason::Unreadable)
            {
                return Some(reason);
            }
            if was_covered(before, path) {
                return None;
            }
            // A repository that a command made has more in it than an undo could remove.
            if name == b".git" {
                return Some(UncoveredReason::Repository);
            }
        }
        self.builds.has(path).then_some(UncoveredReason::BuildOutput)
    }

    fn leave_out(&mut self, path: Option<&TreePath>, reason: UncoveredReason) {
        self.image.left_out.extend(path.map(|path| UncoveredPath { path: path.clone(), reason }));
    }
}

/// Whether an image has this folder, with what is in it.
fn was_covered(before: &Image, path: &TreePath) -> bool {
    before.entry(path).is_some_and(|entry| entry.kind == EntryKind::Folder) && !before.leaves_out(path)
}

/// Fills in the digests: from the last image where the stamp is the same, else by reading. Small
/// files are read first, so that a bound leaves out as few files as possible.
fn read_new(
    tree: &Tree,
    limits: CoverageLimits,
    image: &mut Image,
    known: &Image,
    batch: &mut ContentBatch<'_>,
) -> Result<(), UndoError> {
    let known: HashMap<&TreePath, &Entry> = known.entries.iter().map(|entry| (&entry.path, entry)).collect();
    let mut bytes = 0_u64;
    let mut unread = Vec::new();
    for (at, entry) in image.entries.iter_mut().enumerate() {
        let EntryKind::File { digest, is_settled } = &mut entry.kind else { continue };
        let likely = known.get(&entry.path).and_then(|known| match &known.kind {
            EntryKind::File { digest, is_settled } => Some((digest, *is_settled, &known.stamp)),
            EntryKind::Link(_) | EntryKind::Folder | EntryKind::Unkept(_) => None,
        });
        match likely {
            Some((found, true, stamp)) if entry.stamp.has_same_bytes(stamp) && batch.has(found) => {
                (*digest, *is_settled) = (*found, true);
                bytes = bytes.saturating_add(entry.stamp.size);
            }
            Some((found, ..)) => unread.push((entry.stamp.size, at, Some(*found))),
            None => unread.push((entry.stamp.size, at, None)),
        }
    }
    unread.sort_unstable();
    for (size, at, likely) in unread {
        let Some(entry) = image.entries.get_mut(at) else { continue };
        bytes = bytes.saturating_add(size);
        if bytes > limits.total_bytes {
            entry.kind = EntryKind::Unkept(UncoveredReason::TooLarge);
            continue;
        }
        entry.kind = match read_one(tree, entry, likely.as_ref(), batch) {
            Ok(kind) => kind,
            Err(ContentFailure::Changing) => EntryKind::Unkept(UncoveredReason::Changing),
            Err(ContentFailure::Unreadable) => EntryKind::Unkept(UncoveredReason::Unreadable),
            Err(ContentFailure::Store(error)) => return Err(error),
        };
    }
    Ok(())
}

/// Reads one file, and sets the stamp of what was read.
fn read_one(
    tree: &Tree,
    entry: &mut Entry,
    likely: Option<&crate::image::Digest>,
    batch: &mut ContentBatch<'_>,
) -> Result<EntryKind, ContentFailure> {
    for _ in 0..MAX_READS {
        let (mut file, stamp) = tree.read(&entry.path).map_err(|_| ContentFailure::Unreadable)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        match batch.add_file(&mut file, &stamp, likely) {
            Ok(digest) => {
                entry.stamp = stamp;
                let is_settled = stamp.changed.max(stamp.modified) < now.saturating_sub(COARSEST_CLOCK);
                return Ok(EntryKind::File { digest, is_settled });
            }
            Err(ContentFailure::Changing) => {}
            Err(other) => return Err(other),
        }
    }
    Err(ContentFailure::Changing)
}
