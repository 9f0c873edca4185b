//! A git worktree for every child: children edit the same files at the same time, and each touches
//! only its own tree.
//!
//! Where things are:
//! - `worktrees.rs`: makes, locks, keeps and sweeps worktrees.
//! - `changes.rs`: what a child changed, as a patch. `state.rs`: how many files differ.
//! - `git.rs`: calls git so that it starts nothing else.
//!
//! Nothing is merged here: the parent gets the patch and decides.

mod changes;
mod git;
mod state;
mod worktrees;

#[cfg(test)]
mod tests;

pub(crate) use git::{SETTINGS, VARIABLES};
pub use state::changed_files;
pub use worktrees::{WorktreeCleanup, WorktreeError, WorktreeManager};
