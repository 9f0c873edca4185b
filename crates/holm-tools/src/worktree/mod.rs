//! A git worktree for every child: they edit the same files at the same time, and nobody's tree is touched but their own.

mod changes;
mod git;
mod state;
mod worktrees;

#[cfg(test)]
mod tests;

pub use state::changed_files;
pub use worktrees::{Afterwards, WorktreeError, Worktrees};
