//! Finds what git takes for a repository, and what it would run because a repository or its
//! configuration says so. Git itself is never started here, because it would run the very programs
//! that this module looks for.
//!
//! Where things are:
//! - `layout.rs`: which folder is a repository, and where its parts are.
//! - `config.rs`: the parser of git's configuration. `index.rs`: the reader of an index.
//! - `named_paths.rs`: files that a configuration or a hook names, and harmless settings.
//!   `named_path_search.rs`: reads them.
//! - `executed_files.rs`: files that a command line in a configuration would run.
//!
//! Nothing is changed here: `root/workspace_root.rs` and `shell/denied_paths.rs` protect what is
//! found, and `shell/new_repository.rs` disables it in new repositories.

mod config;
mod executed_files;
mod index;
mod layout;
mod named_path_search;
mod named_paths;

pub(crate) use config::{GitConfig, GitConfigEntry};
pub(crate) use index::{IndexSafety, MAX_INDEX_BYTES, ObjectFormat, check_index, gitlinks, visit_index};
pub(crate) use layout::{GitFolder, is_named_git, plain_path};
pub(super) use layout::{is_inside, is_part};
pub(crate) use named_paths::{GitNamedPaths, is_harmless};
