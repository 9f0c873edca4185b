//! Tracks commands that run at the same time. Files that one of them has made are not checked
//! before it has ended. Another command that starts meanwhile must not take them for the user's.
//!
//! It checks no files: `changes.rs` does. The list covers this process alone; the files of
//! `command_marker.rs` name the commands of other processes, and outlive them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::command_marker::{self, CommandMarker};

/// Commands of all tools and sessions of this process: they can share a workspace.
static RUNNING: Mutex<Vec<Arc<RunningCommand>>> = Mutex::new(Vec::new());

/// Notified when a command has been removed from the list.
static ENDED: Condvar = Condvar::new();

/// Waits until every command has ended and its files are checked, at most this long. A process that
/// exits earlier leaves the check to the next start. Returns whether all have ended.
pub fn wait_for_commands(at_most: Duration) -> bool {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = ENDED.wait_timeout_while(running, at_most, |running| !running.is_empty());
    !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
}

/// The files that existed before a running command, so it cannot have made them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunningCommand {
    /// The workspace in which it runs.
    pub(super) workspace: PathBuf,
    /// The places where it may write.
    pub(super) roots: Vec<PathBuf>,
    /// Repositories that were there before it, and that no other command may have made.
    pub(super) known: HashSet<PathBuf>,
    /// Entries that it cannot write although they are in a root.
    pub(super) held: HashSet<PathBuf>,
}

impl RunningCommand {
    pub(super) fn may_have_made(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
            && !self.known.contains(path)
            && !path.ancestors().any(|part| self.held.contains(part))
    }
}

/// Keeps a command in the list of running commands until it is dropped.
#[derive(Debug)]
pub(super) struct RunningCommandGuard {
    command: Arc<RunningCommand>,
    /// Tells the next start that the command was not checked, in case this process is killed.
    marker: Option<CommandMarker>,
}

impl RunningCommandGuard {
    /// Adds a command to the running ones. Returns which of the repositories that it knows another
    /// command may have made.
    pub(super) fn begin(mut command: RunningCommand) -> (Self, HashSet<PathBuf>) {
        // Of this process too, if it leaves files; without a place for them only the list has those.
        let noted = command_marker::commands_of_all_processes();
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unsettled = |path: &PathBuf| {
            let mut others = running.iter().map(AsRef::as_ref).chain(&noted);
            others.any(|other: &RunningCommand| other.may_have_made(path))
        };
        let (unsettled, known) = command.known.drain().partition(is_unsettled);
        let command = Arc::new(RunningCommand { known, ..command });
        running.push(Arc::clone(&command));
        drop(running);
        let marker = CommandMarker::write(&command);
        (Self { command, marker }, unsettled)
    }

    /// Keeps what the check after a killed process needs, if this process leaves files at all.
    pub(super) fn keep(&self, record: impl FnOnce() -> Vec<u8>) {
        if let Some(marker) = &self.marker {
            marker.keep(&record());
        }
    }
}

impl Drop for RunningCommandGuard {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|other| !Arc::ptr_eq(other, &self.command));
        ENDED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(known: &[&str], held: &[&str]) -> RunningCommand {
        let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        let (workspace, roots) = (PathBuf::from("/running-test"), vec!["/running-test".into()]);
        RunningCommand { workspace, roots, known: set(known), held: set(held) }
    }

    #[test]
    fn what_a_running_command_may_have_made_is_unsettled_for_those_that_start_meanwhile() {
        let all = ["/running-test/old/.git", "/running-test/new/.git", "/running-test/shut/.git", "/x/.git"];
        let new = HashSet::from([PathBuf::from("/running-test/new/.git")]);
        let (first, unsettled) = RunningCommandGuard::begin(command(&[all[0]], &["/running-test/shut"]));
        assert_eq!(unsettled, HashSet::new());
        let (second, unsettled) = RunningCommandGuard::begin(command(&all, &[]));
        assert_eq!(unsettled, new);
        drop(first);
        let (third, unsettled) = RunningCommandGuard::begin(command(&all, &[]));
        assert_eq!(unsettled, new, "the second has not ended");
        drop((second, third));
        assert_eq!(RunningCommandGuard::begin(command(&all, &[])).1, HashSet::new());
    }
}
