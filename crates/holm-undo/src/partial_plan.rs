//! Undoes what can be undone and leaves the rest: the paths that changed after the calls,
//! and those that cannot be restored without them. Also what a caller shows of a plan before it is
//! carried out. Nothing here changes a file; `restore.rs` does.
//!
//! The full plan is made in `plan.rs`, records are read in `store.rs`, and
//! `holm-cli/src/session_rewind.rs` is the caller for several turns.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
    path::PathBuf,
};

use rustix::fs::FileType;

use crate::{
    PathState, RecordSource, TreePath, UndoArchive, UndoError, UndoPlan, UndoStep, UndoVerdict, plan::Trees,
    store::read,
};

/// A path in its folder.
pub type PlacedPath = (PathBuf, TreePath);

/// What a call changed and what is not undone yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallChanges {
    pub paths: BTreeSet<PlacedPath>,
    /// Whether a command made the changes, and not a file tool.
    pub is_command: bool,
}

/// The content of a file now, and as an undo would restore it. A missing file is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepContents {
    pub now: Vec<u8>,
    pub target: Vec<u8>,
}

impl UndoArchive {
    /// Removes from a plan the paths that changed after the calls and are not `forced`, and returns
    /// their steps. What lies in a folder that is missing because of that is removed too. A record
    /// with such a path still counts as not undone, so that the path can be undone later, and so do
    /// all that changed a path of it: the changes of one path count as undone together.
    ///
    /// # Errors
    /// [`UndoError`] if a record or a folder cannot be read.
    pub fn leave_changed(
        &self,
        plan: &mut UndoPlan,
        forced: &[TreePath],
    ) -> Result<Vec<UndoStep>, UndoError> {
        let left = left_paths(&plan.steps, forced)?;
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let is_left = |root: &PathBuf, path: &TreePath| left.contains(&(root.clone(), path.clone()));
        plan.records = self.finished(&plan.records, &left)?;
        plan.hard_links.retain(|(root, names)| !names.iter().any(|name| is_left(root, name)));
        let steps = std::mem::take(&mut plan.steps);
        let (gone, kept) = steps.into_iter().partition(|step| is_left(&step.root, &step.path));
        plan.steps = kept;
        Ok(gone)
    }

    /// The records that share no path with one that changed a path that is left.
    fn finished(
        &self,
        names: &BTreeSet<String>,
        left: &BTreeSet<PlacedPath>,
    ) -> Result<BTreeSet<String>, UndoError> {
        let mut open = BTreeMap::new();
        for name in names {
            let record = read(&self.records().join(name))?;
            let root = record.root;
            let paths: BTreeSet<PlacedPath> =
                record.changes.into_iter().map(|change| (root.clone(), change.path)).collect();
            open.insert(name.clone(), paths);
        }
        let mut unfinished = left.clone();
        loop {
            let shares = |_: &String, paths: &mut BTreeSet<PlacedPath>| !paths.is_disjoint(&unfinished);
            let found: Vec<BTreeSet<PlacedPath>> =
                open.extract_if(.., shares).map(|(_, paths)| paths).collect();
            if found.is_empty() {
                return Ok(open.into_keys().collect());
            }
            unfinished.extend(found.into_iter().flatten());
        }
    }

    /// What each of these calls changed, as far as it was not undone. Calls without records are left
    /// out. No file of the workspace is read.
    ///
    /// # Errors
    /// [`UndoError`] if a record cannot be read.
    pub fn changes_of<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k str>,
    ) -> Result<BTreeMap<String, CallChanges>, UndoError> {
        let names = self.names()?;
        let mut found: BTreeMap<String, CallChanges> = BTreeMap::new();
        for key in keys {
            let start = format!("{key}-");
            for name in names.range(start.clone()..).take_while(|name| name.starts_with(&start)) {
                let record = read(&self.records().join(name))?;
                let changes = found.entry(key.to_owned()).or_default();
                changes.is_command |= record.source == RecordSource::Command;
                let root = record.root;
                changes.paths.extend(record.changes.into_iter().map(|change| (root.clone(), change.path)));
            }
        }
        Ok(found)
    }

    /// The contents that a step replaces and restores, for a preview. `None` if one of them is not a
    /// file, has more than `most` bytes, or cannot be read.
    #[must_use]
    pub fn contents_of(&self, step: &UndoStep, most: u64) -> Option<StepContents> {
        let mut trees = Trees::default();
        let tree = trees.at(&step.root).ok()?;
        let now = match tree.stamp(&step.path).ok()? {
            None => Vec::new(),
            Some(stamp) if stamp.kind() == FileType::RegularFile && stamp.size <= most => {
                bounded(tree.read(&step.path).ok()?.0, most)?
            }
            Some(_) => return None,
        };
        let target = match &step.target {
            PathState::Absent => Vec::new(),
            PathState::File { sha256, bytes, .. } if *bytes <= most => {
                bounded(self.contents.open(&step.name, sha256).ok()?, most)?
            }
            PathState::File { .. }
            | PathState::Link { .. }
            | PathState::Folder { .. }
            | PathState::Unkept { .. } => return None,
        };
        Some(StepContents { now, target })
    }
}

/// The paths that stay as they are. Parents come before their children, because steps are sorted.
fn left_paths(steps: &[UndoStep], forced: &[TreePath]) -> Result<BTreeSet<PlacedPath>, UndoError> {
    let mut left: BTreeSet<PlacedPath> = BTreeSet::new();
    let mut trees = Trees::default();
    for step in steps {
        let is_changed = step.verdict == UndoVerdict::Changed && !forced.contains(&step.path);
        if is_changed || lacks_its_folder(&mut trees, step, &left)? {
            left.insert((step.root.clone(), step.path.clone()));
        }
    }
    Ok(left)
}

/// Whether a path cannot be restored because a folder above it stays something else.
fn lacks_its_folder(
    trees: &mut Trees,
    step: &UndoStep,
    left: &BTreeSet<PlacedPath>,
) -> Result<bool, UndoError> {
    if step.target == PathState::Absent || step.verdict == UndoVerdict::Already {
        return Ok(false);
    }
    for folder in step.path.ancestors() {
        if left.contains(&(step.root.clone(), folder.clone())) {
            let stamp = trees.at(&step.root)?.stamp(&folder);
            let stamp = stamp.map_err(|error| UndoError::workspace(&folder, error))?;
            if stamp.is_none_or(|stamp| stamp.kind() != FileType::Directory) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// All bytes of a file; `None` if it has more than that, or cannot be read.
fn bounded(file: std::fs::File, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

#[cfg(test)]
mod tests;
