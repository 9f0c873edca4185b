//! A git worktree for every child: children edit the same files at the same time, and each touches
//! only its own tree.

mod changes;
mod git;
mod state;
mod worktrees;

#[cfg(test)]
mod tests;

pub use state::changed_files;
pub use worktrees::{WorktreeCleanup, WorktreeError, WorktreeManager};
