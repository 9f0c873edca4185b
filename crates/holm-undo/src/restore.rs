//! Undoes calls, completes an undo after a crash, and takes the last undo back. The changes to files
//! are made in `apply.rs`.
//!
//! The order must stay: look at all paths, store what will be replaced, write the operation, change
//! files, mark the records. A crash before the operation is written changes nothing; after it,
//! [`UndoArchive::resume`] does the rest.
//!
//! What would happen is computed in `plan.rs`, contents are in `content_store.rs`, and the
//! operation on disk is `operation.rs`. Which calls are undone is decided by the caller.

use std::{
    collections::BTreeSet,
    fs::File,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    OperationLabel, PathState, TreePath, UndoArchive, UndoError, UndoPlan, UndoStep, UndoVerdict,
    apply::{Goal, apply, closed_mode},
    content_store::ContentFailure,
    operation::{OperationChange, OperationState, UndoOperation},
    plan::{Trees, blocked, largest},
    record::VERSION,
    store::now,
    tree::Stamp,
};

/// How often the lock of an undo is tried, and the pause between two tries. A process that this one
/// is just starting holds our locks too until its program runs, which is a few milliseconds.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What an undo did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndoOutcome {
    /// The paths that were put back or removed.
    pub restored: Vec<TreePath>,
    /// Folders that stay, because something else is in them.
    pub kept: Vec<TreePath>,
    /// Paths that could not be restored, because their content was not stored.
    pub lost: Vec<TreePath>,
}

/// An undo that was interrupted and is complete now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumedUndo {
    pub label: OperationLabel,
    /// Whether it took an undo back.
    pub is_revert: bool,
    pub outcome: UndoOutcome,
    /// Paths that somebody changed after the interruption; they were left.
    pub changed: Vec<TreePath>,
}

/// The state and the stamp of each path, as it was found.
type Found = Vec<(PathState, Option<Stamp>)>;

impl UndoArchive {
    /// Puts the paths back: all of them, or none if one has changed and is not among the `forced`.
    ///
    /// # Errors
    /// [`UndoError::Changed`] before anything is done; [`UndoError::Stopped`] if the system refuses
    /// one on the way.
    pub fn restore(
        &self,
        plan: &UndoPlan,
        forced: &[TreePath],
        label: OperationLabel,
    ) -> Result<UndoOutcome, UndoError> {
        let _undo = self.undo_lock()?;
        let _lock = self.shared_lock()?;
        let mut trees = Trees::default();
        let found = Self::check(&mut trees, &plan.steps, forced)?;
        let todo = plan.steps.iter().zip(&found).filter(|(step, (state, _))| !state.is_same(&step.target));
        let todo: Vec<_> = todo.collect();
        for (step, _) in &todo {
            if let Some(sha256) = step.target.sha256() {
                self.contents.open(&step.name, sha256)?;
            }
        }
        let change = |(step, (before, _)): &(&UndoStep, &(PathState, Option<Stamp>))| OperationChange {
            root: step.root.clone(),
            path: step.path.clone(),
            before: before.clone(),
            after: step.target.clone(),
        };
        let mut operation = UndoOperation {
            version: VERSION,
            at: now(),
            label,
            records: plan.records.iter().cloned().collect(),
            changes: todo.iter().map(change).collect(),
            hard_links: plan.hard_links.clone(),
        };
        let stamps: Vec<Option<Stamp>> = todo.iter().map(|(_, (_, stamp))| *stamp).collect();
        self.keep_replaced(&mut trees, &mut operation)?;
        // After those that have a stamp.
        let closed = closed_folders(&mut trees, &operation)?;
        operation.changes.extend(closed);
        self.keep_operation(&operation)?;
        let outcome = self.perform(&operation, OperationState::Applying, Some(&stamps))?;
        self.end(&operation, OperationState::Applying)?;
        Ok(outcome)
    }

    /// Whether an undo was interrupted.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn is_interrupted(&self) -> Result<bool, UndoError> {
        let states = [OperationState::Applying, OperationState::Reverting];
        let found: Result<Vec<_>, _> =
            states.into_iter().map(|state| self.operations_in(None, state)).collect();
        Ok(found?.iter().any(|found| !found.is_empty()))
    }

    /// Completes undos that were interrupted. Returns them; usually there are none.
    ///
    /// # Errors
    /// [`UndoError::Stopped`] if the system refuses a change.
    pub fn resume(&self) -> Result<Vec<ResumedUndo>, UndoError> {
        let mut resumed = Vec::new();
        for state in [OperationState::Applying, OperationState::Reverting] {
            if self.operations_in(None, state)?.is_empty() {
                continue;
            }
            let _undo = self.undo_lock()?;
            let _lock = self.shared_lock()?;
            // Listed again under the lock: another process may have completed it.
            for mut operation in self.operations_in(None, state)? {
                let changed = leave_changed(&mut operation, state)?;
                let outcome = self.perform(&operation, state, None)?;
                self.end(&operation, state)?;
                let is_revert = state == OperationState::Reverting;
                resumed.push(ResumedUndo { label: operation.label, is_revert, outcome, changed });
            }
        }
        Ok(resumed)
    }

    /// Says what taking back the last undo in this folder would do, and whose undo it was.
    ///
    /// # Errors
    /// [`UndoError::NothingToRevert`] if there is no undo to take back.
    pub fn plan_revert(&self, root: Option<&Path>) -> Result<(OperationLabel, UndoPlan), UndoError> {
        let operation = self.last_undo(root)?;
        let mut steps = revert_steps(&operation);
        let mut trees = Trees::default();
        for step in &mut steps {
            let found = trees.at(&step.root)?.look(&step.path, largest());
            let (found, _) = found.map_err(|error| UndoError::workspace(&step.path, error))?;
            step.verdict = match found {
                found if found.is_same(&step.target) => UndoVerdict::Already,
                found if step.admits(&found) => UndoVerdict::Ready,
                _ => UndoVerdict::Changed,
            };
        }
        Ok((operation.label, UndoPlan { steps, ..UndoPlan::default() }))
    }

    /// Takes back the last undo in this folder: the paths are again as they were before it, and the
    /// calls can be undone again.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), and [`UndoError::NothingToRevert`].
    pub fn revert(&self, root: Option<&Path>, forced: &[TreePath]) -> Result<UndoOutcome, UndoError> {
        let _undo = self.undo_lock()?;
        let _lock = self.shared_lock()?;
        let operation = self.last_undo(root)?;
        let steps = revert_steps(&operation);
        let found = Self::check(&mut Trees::default(), &steps, forced)?;
        for step in &steps {
            if let Some(sha256) = step.target.sha256() {
                self.contents.open(&step.name, sha256)?;
            }
        }
        let stamps: Vec<Option<Stamp>> = found.into_iter().map(|(_, stamp)| stamp).collect();
        self.move_operation(operation.at, OperationState::Done, OperationState::Reverting)?;
        let outcome = self.perform(&operation, OperationState::Reverting, Some(&stamps))?;
        self.end(&operation, OperationState::Reverting)?;
        Ok(outcome)
    }

    fn last_undo(&self, root: Option<&Path>) -> Result<UndoOperation, UndoError> {
        self.operations_in(root, OperationState::Done)?.pop().ok_or(UndoError::NothingToRevert)
    }

    /// Looks at all paths. One that changed and is not forced is an error.
    fn check(trees: &mut Trees, steps: &[UndoStep], forced: &[TreePath]) -> Result<Found, UndoError> {
        let mut found = Vec::new();
        for step in steps {
            let looked = trees.at(&step.root)?.look(&step.path, largest());
            found.push(looked.map_err(|error| UndoError::workspace(&step.path, error))?);
        }
        let states: Vec<PathState> = found.iter().map(|(state, _)| state.clone()).collect();
        let blocked = blocked(trees, steps, &states)?;
        let mut changed = Vec::new();
        for (step, state) in steps.iter().zip(&states) {
            let is_blocked = blocked.contains(&(step.root.clone(), step.path.clone()));
            let is_free = step.verdict != UndoVerdict::Changed && step.admits(state) && !is_blocked;
            let is_forced = forced.contains(&step.path) && !is_blocked;
            if !state.is_same(&step.target) && !is_free && !is_forced {
                changed.push(step.path.to_string());
            }
        }
        if changed.is_empty() { Ok(found) } else { Err(UndoError::Changed { paths: changed }) }
    }

    /// Stores the contents that the undo replaces, so that it can be taken back. What
    /// cannot be stored is marked.
    fn keep_replaced(&self, trees: &mut Trees, operation: &mut UndoOperation) -> Result<(), UndoError> {
        let mut batch = self.contents.batch()?;
        for change in &mut operation.changes {
            if change.before.sha256().is_none() {
                continue;
            }
            let tree = trees.at(&change.root)?;
            let read = tree.read(&change.path).map_err(|_| ContentFailure::Changing);
            let added = read.and_then(|(mut file, stamp)| {
                let digest = batch.add_file(&mut file, &stamp, None)?;
                Ok((digest, stamp))
            });
            match added {
                Ok((digest, _)) if change.before.sha256() == Some(&crate::tree_path::hex(&digest)) => {}
                Ok(_) | Err(ContentFailure::Changing | ContentFailure::Unreadable) => {
                    return Err(UndoError::Changed { paths: vec![change.path.to_string()] });
                }
                Err(ContentFailure::Store(error)) => return Err(error),
            }
        }
        batch.end().map(drop)
    }

    /// Makes the changes of an undo, or takes them back.
    fn perform(
        &self,
        operation: &UndoOperation,
        state: OperationState,
        stamps: Option<&[Option<Stamp>]>,
    ) -> Result<UndoOutcome, UndoError> {
        let mut outcome = UndoOutcome::default();
        let roots: BTreeSet<&PathBuf> = operation.changes.iter().map(|change| &change.root).collect();
        let all_links: &[(PathBuf, Vec<TreePath>)] =
            if state == OperationState::Reverting { &[] } else { &operation.hard_links };
        let linked = all_links.iter().map(|(root, _)| root);
        let mut trees = Trees::default();
        for root in roots.into_iter().chain(linked).collect::<BTreeSet<_>>() {
            let mut goals = Vec::new();
            for (at, change) in
                operation.changes.iter().enumerate().filter(|(_, change)| change.root == *root)
            {
                let target = if state == OperationState::Reverting { &change.before } else { &change.after };
                if matches!(target, PathState::Unkept { .. }) {
                    outcome.lost.push(change.path.clone());
                    continue;
                }
                let stamp = stamps.map(|stamps| stamps.get(at).copied().flatten());
                goals.push(Goal { path: &change.path, target, stamp });
            }
            goals.sort_by_key(|goal| goal.path);
            let links = all_links.iter().filter(|(of, _)| of == root).map(|(_, names)| names.as_slice());
            let links: Vec<&[TreePath]> = links.collect();
            apply(self, operation.at, trees.at(root)?, &goals, &links, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Marks the records, and the operation last.
    fn end(&self, operation: &UndoOperation, state: OperationState) -> Result<(), UndoError> {
        match state {
            OperationState::Applying => {
                operation.records.iter().try_for_each(|name| self.set_undone(name))?;
                crate::store::sync(&self.records())?;
                self.move_operation(operation.at, state, OperationState::Done)
            }
            OperationState::Reverting | OperationState::Done => {
                operation.records.iter().try_for_each(|name| self.set_done(name))?;
                crate::store::sync(&self.records())?;
                self.remove_operation(operation.at, state)
            }
        }
    }

    /// One undo at a time.
    fn undo_lock(&self) -> Result<File, UndoError> {
        let lock = self.lock_file("undo-lock")?;
        for _ in 0..LOCK_TRIES {
            if lock.try_lock().is_ok() {
                return Ok(lock);
            }
            thread::sleep(LOCK_PAUSE);
        }
        Err(UndoError::Busy)
    }
}

/// The folders that are opened for their owner while the undo works in them. They are part of the
/// operation, so that they get their modes back even after a crash.
fn closed_folders(trees: &mut Trees, operation: &UndoOperation) -> Result<Vec<OperationChange>, UndoError> {
    let known: BTreeSet<(&PathBuf, &TreePath)> =
        operation.changes.iter().map(|change| (&change.root, &change.path)).collect();
    let parents = operation.changes.iter().filter_map(|change| Some((&change.root, change.path.parent()?)));
    let mut closed = Vec::new();
    for (root, path) in parents.collect::<BTreeSet<_>>() {
        let Ok(Some(stamp)) = trees.at(root)?.stamp(&path) else { continue };
        if let Some(mode) = closed_mode(&stamp).filter(|_| !known.contains(&(root, &path))) {
            let state = PathState::Folder { mode };
            closed.push(OperationChange { root: root.clone(), path, before: state.clone(), after: state });
        }
    }
    Ok(closed)
}

/// The steps that take an undo back.
fn revert_steps(operation: &UndoOperation) -> Vec<UndoStep> {
    let name = format!("{}", operation.at);
    let step = |change: &OperationChange| UndoStep::revert(change, name.clone());
    operation.changes.iter().map(step).collect()
}

/// Takes out of an interrupted undo the paths that somebody changed since: those that are neither
/// as before it nor as after it, nor in between.
fn leave_changed(operation: &mut UndoOperation, state: OperationState) -> Result<Vec<TreePath>, UndoError> {
    let mut trees = Trees::default();
    let mut changed = Vec::new();
    for change in &operation.changes {
        let found = trees.at(&change.root)?.look(&change.path, largest());
        let (found, _) = found.map_err(|error| UndoError::workspace(&change.path, error))?;
        let (from, to) = match state {
            OperationState::Applying | OperationState::Done => (&change.before, &change.after),
            OperationState::Reverting => (&change.after, &change.before),
        };
        let is_content =
            |one: &PathState, two: &PathState| one.sha256().is_some() && one.sha256() == two.sha256();
        let is_between = match &found {
            // An entry of another kind is removed before the new one is there.
            PathState::Absent => from.is_folder() != to.is_folder(),
            // A folder gets its mode last.
            PathState::Folder { .. } => from.is_folder() || to.is_folder(),
            PathState::File { .. } => is_content(&found, from) || is_content(&found, to),
            PathState::Link { .. } | PathState::Unkept { .. } => false,
        };
        if !(found.is_same(from) || found.is_same(to) || is_between) {
            changed.push(change.path.clone());
        }
    }
    operation.changes.retain(|change| !changed.contains(&change.path));
    Ok(changed)
}
