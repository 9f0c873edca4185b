//! A git worktree for every child: children edit the same files at the same time, and each touches
//! only its own tree.

mod changes;
mod git;
mod worktrees;

#[cfg(test)]
mod tests;

pub use worktrees::{Afterwards, WorktreeError, Worktrees};
