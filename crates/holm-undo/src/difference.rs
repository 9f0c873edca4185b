//! Compares two images of one workspace: which paths changed, which hard links are gone, and which
//! changes an undo could not restore.
//!
//! It reads no file: images are taken in `image_taker.rs`. The result becomes a record in
//! `command_undo.rs`. A path that one of the images did not cover counts as unchanged, because
//! nothing is known about it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    PathChange, PathState, TreePath, UncoveredPath, UncoveredReason,
    image::{Entry, EntryKind, Image},
};

/// What is different between two images.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ImageDifference {
    pub(crate) changes: Vec<PathChange>,
    /// Hard links of the first image that are not in the second, with all names of each file.
    pub(crate) hard_links: Vec<Vec<TreePath>>,
    /// What changed or was deleted and cannot be restored.
    pub(crate) lost: Vec<UncoveredPath>,
    /// What was created and is not removed.
    pub(crate) left: Vec<UncoveredPath>,
}

impl ImageDifference {
    pub(crate) fn between(before: &Image, after: &Image) -> Self {
        let mut difference = Self::default();
        let (mut olds, mut news) = (before.entries.iter().peekable(), after.entries.iter().peekable());
        loop {
            let order = match (olds.peek(), news.peek()) {
                (Some(old), Some(new)) => old.path.cmp(&new.path),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (old, new) = match order {
                Ordering::Less => (olds.next(), None),
                Ordering::Greater => (None, news.next()),
                Ordering::Equal => (olds.next(), news.next()),
            };
            difference.compare((before, old), (after, new));
        }
        difference.lost_folders(before, after);
        difference.hard_links = difference.changed_hard_links(before, after);
        difference
    }

    fn compare(&mut self, (before, old): (&Image, Option<&Entry>), (after, new): (&Image, Option<&Entry>)) {
        if let (Some(old), Some(new)) = (old, new)
            && old.is_same(new)
        {
            return;
        }
        let Some(path) = old.or(new).map(|entry| &entry.path) else { return };
        // What one of the images could not see did not change as far as is known.
        let is_hidden = |image: &Image| path.ancestors().any(|above| image.leaves_out(&above));
        if is_hidden(before) || is_hidden(after) || (old.is_none() && before.leaves_out(path)) {
            return;
        }
        if let Some(Entry { kind: EntryKind::Unkept(reason), .. }) = old {
            self.lost.push(UncoveredPath { path: path.clone(), reason: *reason });
            return;
        }
        if is_half_a_repository(path, before, after) {
            return;
        }
        let state = |entry: Option<&Entry>| entry.map_or(PathState::Absent, Entry::state);
        let (before, after) = (state(old), state(new));
        if let (None, Some(Entry { kind: EntryKind::Unkept(reason), .. })) = (old, new)
            && *reason != UncoveredReason::Special
        {
            // Its content is not stored, so an undo that removes it could not be undone.
            self.left.push(UncoveredPath { path: path.clone(), reason: *reason });
            return;
        }
        self.changes.push(PathChange { path: path.clone(), before, after });
    }

    /// Files with several names that are not the same names now, or that changed: restoring each name
    /// alone would make several files of one.
    fn changed_hard_links(&self, before: &Image, after: &Image) -> Vec<Vec<TreePath>> {
        let (old, new) = (names(before), names(after));
        let is_changed =
            |path: &TreePath| self.changes.binary_search_by(|change| change.path.cmp(path)).is_ok();
        let mut changed = BTreeSet::new();
        for path in old.keys().chain(new.keys()) {
            let Some(Entry { kind: EntryKind::File { .. }, .. }) = before.entry(path) else { continue };
            let alone = BTreeSet::from([*path]);
            let (was, is) = (old.get(path).unwrap_or(&alone), new.get(path).unwrap_or(&alone));
            if was != is || (was.len() > 1 && was.iter().any(|path| is_changed(path))) {
                changed.insert(was.iter().map(|path| (*path).clone()).collect::<Vec<_>>());
            }
        }
        changed.into_iter().collect()
    }

    /// Folders that were left out and are gone or new.
    fn lost_folders(&mut self, before: &Image, after: &Image) {
        let is_gone = |left: &&UncoveredPath| !after.hides(&left.path) && after.entry(&left.path).is_none();
        let is_new = |left: &&UncoveredPath| !before.hides(&left.path) && before.entry(&left.path).is_none();
        self.lost.extend(before.left_out.iter().filter(is_gone).cloned());
        self.left.extend(after.left_out.iter().filter(is_new).cloned());
        self.lost.extend(removed_repositories(before, after));
    }
}

/// The git folder above a path, if any.
fn repository(path: &TreePath) -> Option<TreePath> {
    std::iter::once(path.clone()).chain(path.ancestors()).find(|path| path.name() == b".git")
}

/// Whether a path is in a git folder that the command has made, removed or replaced. Its objects are
/// not covered, so its branches alone would be a broken repository.
fn is_half_a_repository(path: &TreePath, before: &Image, after: &Image) -> bool {
    let Some(git) = repository(path) else { return false };
    let inode = |image: &Image| image.entry(&git).map(|entry| (entry.stamp.device, entry.stamp.inode));
    inode(before) != inode(after)
}

fn removed_repositories(before: &Image, after: &Image) -> Vec<UncoveredPath> {
    let tops = before.entries.iter().filter(|entry| entry.path.name() == b".git");
    let gone =
        tops.filter(|entry| !after.hides(&entry.path) && is_half_a_repository(&entry.path, before, after));
    let reason = UncoveredReason::Repository;
    gone.map(|entry| UncoveredPath { path: entry.path.clone(), reason }).collect()
}

/// The names of each file that has several, by one of them.
fn names(image: &Image) -> BTreeMap<&TreePath, BTreeSet<&TreePath>> {
    let mut files: BTreeMap<(u64, u64), BTreeSet<&TreePath>> = BTreeMap::new();
    for entry in image.entries.iter().filter(|entry| entry.stamp.links > 1) {
        if matches!(entry.kind, EntryKind::File { .. }) {
            files.entry((entry.stamp.device, entry.stamp.inode)).or_default().insert(&entry.path);
        }
    }
    let mut names = BTreeMap::new();
    for of_file in files.into_values().filter(|names| names.len() > 1) {
        names.extend(of_file.iter().map(|name| (*name, of_file.clone())));
    }
    names
}
