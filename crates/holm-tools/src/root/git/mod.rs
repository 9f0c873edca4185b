//! Finds what git takes for a repository, and what it would run because a repository or its
//! configuration says so. Git itself is never started here, because it would run the very programs
//! that this module looks for.

mod config;
mod executed_files;
mod index;
mod layout;
mod named_paths;

pub(crate) use config::{GitConfig, GitConfigEntry};
pub(crate) use index::{IndexSafety, MAX_INDEX_BYTES, ObjectFormat, check_index, gitlinks};
pub(super) use layout::is_inside;
pub(crate) use layout::{GitFolder, is_named_git, plain_path};
pub(crate) use named_paths::{GitNamedPaths, is_harmless};
