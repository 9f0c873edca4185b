//! Says what the undo of some calls would do, path by path: combines their records and compares the
//! result with the files. It changes nothing: `restore.rs` does.
//!
//! A plan that leaves out paths that changed since is made in `partial_plan.rs`. Records are found
//! in `store.rs`.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use crate::{
    CoverageLimits, PathChange, PathState, RecordSource, TreePath, UndoArchive, UndoError, UndoRecord,
    operation::OperationChange, tree::Tree,
};

/// The paths of some calls, and what undoing them would do to each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndoPlan {
    /// One step for each path, by folder and path.
    pub steps: Vec<UndoStep>,
    /// The records, which count as undone afterwards.
    pub(crate) records: BTreeSet<String>,
    /// Names that were one file before, by folder.
    pub(crate) hard_links: Vec<(PathBuf, Vec<TreePath>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep {
    /// The folder in which the calls worked.
    pub root: PathBuf,
    /// The path, from there.
    pub path: TreePath,
    /// Its state before the calls.
    pub target: PathState,
    /// Its state after the calls.
    pub left: PathState,
    /// Its state after the calls if the last change was recorded but not made, because
    /// its process died in between.
    unmade: PathState,
    /// Whether it can be put back.
    pub verdict: UndoVerdict,
    /// Whether a file tool changed it, and not only commands.
    pub is_of_file_tool: bool,
    /// The record that has the content, for messages.
    pub(crate) name: String,
}

/// Whether a path can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoVerdict {
    /// It is as the calls left it.
    Ready,
    /// It is as it was before the calls.
    Already,
    /// It was changed after the calls, or between two of them.
    Changed,
}

/// A change with the name and the time of its record.
struct DatedChange {
    name: String,
    at: u64,
    source: RecordSource,
    change: PathChange,
}

impl UndoArchive {
    /// Says what undoing these calls would do. Nothing is changed.
    ///
    /// # Errors
    /// [`UndoError`] if a record or a file cannot be read.
    pub fn plan<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Result<UndoPlan, UndoError> {
        let names = self.names()?;
        let mut records = Vec::new();
        // A call that ran again after a crash is one call.
        for key in keys.into_iter().collect::<BTreeSet<_>>() {
            records.extend(self.of_call(&names, key)?);
        }
        records.sort_by_key(|(_, record)| record.at);
        let mut plan = UndoPlan { hard_links: hard_links(&records), ..UndoPlan::default() };
        let mut paths: BTreeMap<(PathBuf, TreePath), Vec<DatedChange>> = BTreeMap::new();
        for (name, UndoRecord { at, root, source, changes, .. }) in records {
            for change in changes {
                let key = (root.clone(), change.path.clone());
                paths.entry(key).or_default().push(DatedChange { name: name.clone(), at, source, change });
            }
            plan.records.insert(name);
        }
        let steps = paths.into_iter().filter_map(|((root, path), changes)| step(root, path, changes));
        plan.steps = steps.collect();
        judge(&mut plan.steps)?;
        Ok(plan)
    }
}

impl UndoStep {
    /// The step that takes the change of an undo back.
    pub(crate) fn revert(change: &OperationChange, name: String) -> Self {
        let OperationChange { root, path, before, after } = change.clone();
        let verdict = UndoVerdict::Ready;
        let (unmade, is_of_file_tool) = (after.clone(), false);
        Self { root, path, target: before, unmade, left: after, verdict, is_of_file_tool, name }
    }

    /// Whether a path in this state can be put back without losing what somebody else did.
    pub(crate) fn admits(&self, found: &PathState) -> bool {
        if found.is_same(&self.left) || found.is_same(&self.unmade) {
            return true;
        }
        match (&self.target, &self.left, found) {
            // It is there again, by a later change: only its mode may differ.
            (PathState::Folder { .. }, PathState::Absent, PathState::Folder { .. }) => true,
            // A folder is removed only if it is empty, so its mode does not matter.
            (PathState::Absent, PathState::Folder { .. }, PathState::Folder { .. }) => true,
            _ => false,
        }
    }
}

/// The names that were one file, before the first record that says something about them.
fn hard_links(records: &[(String, UndoRecord)]) -> Vec<(PathBuf, Vec<TreePath>)> {
    let mut seen: BTreeSet<(&Path, &TreePath)> = BTreeSet::new();
    let mut links = Vec::new();
    for (_, record) in records {
        for names in &record.hard_links {
            if names.iter().all(|name| !seen.contains(&(record.root.as_path(), name))) {
                links.push((record.root.clone(), names.clone()));
            }
        }
        seen.extend(record.hard_links.iter().flatten().map(|name| (record.root.as_path(), name)));
    }
    links
}

/// Combines one path's changes in their order: its state before the first, and after the last.
fn step(root: PathBuf, path: TreePath, mut changes: Vec<DatedChange>) -> Option<UndoStep> {
    changes.sort_by_key(|change| change.at);
    let (first, last) = (changes.first()?, changes.last()?);
    let (target, left) = (first.change.before.clone(), last.change.after.clone());
    let (unmade, name) = (last.change.before.clone(), first.name.clone());
    let follows = |pair: &[DatedChange]| match pair {
        // The second follows the first, or the first was recorded and never made, or both saw it, or
        // an undo that left other paths restored this one in between.
        [one, next] => {
            let next = &next.change.before;
            one.change.after.is_same(next) || one.change.before.is_same(next) || target.is_same(next)
        }
        _ => true,
    };
    let verdict = if changes.windows(2).all(follows) { UndoVerdict::Ready } else { UndoVerdict::Changed };
    let is_of_file_tool = changes.iter().any(|change| change.source == RecordSource::FileTool);
    Some(UndoStep { root, path, target, left, unmade, verdict, is_of_file_tool, name })
}

/// Looks at each path, and drops those that were made and removed again.
fn judge(steps: &mut Vec<UndoStep>) -> Result<(), UndoError> {
    let mut trees = Trees::default();
    let mut found = Vec::new();
    for step in &mut *steps {
        let state = trees.at(&step.root)?.look(&step.path, largest());
        let (state, _) = state.map_err(|error| UndoError::workspace(&step.path, error))?;
        step.verdict = match step.verdict {
            _ if state.is_same(&step.target) => UndoVerdict::Already,
            UndoVerdict::Ready if step.admits(&state) => UndoVerdict::Ready,
            UndoVerdict::Ready | UndoVerdict::Already | UndoVerdict::Changed => UndoVerdict::Changed,
        };
        found.push(state);
    }
    let blocked = blocked(&mut trees, steps, &found)?;
    for step in steps.iter_mut().filter(|step| blocked.contains(&(step.root.clone(), step.path.clone()))) {
        step.verdict = UndoVerdict::Changed;
    }
    let is_nothing = |step: &UndoStep| {
        step.verdict == UndoVerdict::Already
            && step.target == PathState::Absent
            && step.left == PathState::Absent
    };
    steps.retain(|step| !is_nothing(step));
    Ok(())
}

/// Folders in the place of a file that have something in them which the undo does not remove.
pub(crate) fn blocked(
    trees: &mut Trees,
    steps: &[UndoStep],
    found: &[PathState],
) -> Result<BTreeSet<(PathBuf, TreePath)>, UndoError> {
    let goes = |step: &&UndoStep| step.target == PathState::Absent && step.verdict != UndoVerdict::Changed;
    let going: BTreeSet<(&Path, &TreePath)> =
        steps.iter().filter(goes).map(|step| (step.root.as_path(), &step.path)).collect();
    let mut blocked = BTreeSet::new();
    for (step, found) in steps.iter().zip(found) {
        let is_in_place = found.is_folder() && !step.target.is_folder() && step.target != PathState::Absent;
        if !is_in_place {
            continue;
        }
        let names = trees.at(&step.root)?.names(&step.path);
        let names = names.map_err(|error| UndoError::workspace(&step.path, error))?;
        let goes =
            |name: &Vec<u8>| going.contains(&(step.root.as_path(), &TreePath::child(Some(&step.path), name)));
        if !names.iter().all(goes) {
            blocked.insert((step.root.clone(), step.path.clone()));
        }
    }
    Ok(blocked)
}

/// The largest file that is looked at: larger ones are never stored.
pub(crate) fn largest() -> u64 {
    CoverageLimits::default().file_bytes
}

/// Handles of folders, each opened once.
#[derive(Debug, Default)]
pub(crate) struct Trees(HashMap<PathBuf, Tree>);

impl Trees {
    pub(crate) fn at(&mut self, root: &Path) -> Result<&Tree, UndoError> {
        if !self.0.contains_key(root) {
            let tree = Tree::open(root).map_err(|error| UndoError::workspace(root.display(), error))?;
            self.0.insert(root.to_owned(), tree);
        }
        self.0.get(root).ok_or_else(|| UndoError::workspace(root.display(), std::io::ErrorKind::NotFound))
    }
}
