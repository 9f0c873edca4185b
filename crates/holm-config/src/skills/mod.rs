//! Skills: folders with a `SKILL.md` that explains how to do something. Nothing in them is
//! executed.
//!
//! A model first sees the description of each skill. When it picks one, it reads the text, and then
//! the files that the text names.
//!
//! Where things are:
//! - `find.rs`: folders. `skill.rs`: one file. `fill.rs`: its arguments. `contract.rs`: checks of
//!   its result.
//! - `error.rs`: what is wrong with a file.

mod argument;
mod contract;
mod error;
mod fill;
mod find;
mod skill;

#[cfg(test)]
mod tests;

pub use argument::SkillArgument;
pub use contract::SkillPromise;
pub use error::{SkillFileError, SkillOverflowError, SkillProblem};
pub use fill::MOST_FILLED;
pub use find::{MOST_FOLDERS, SKILL_FILE, SkillCandidate, SkillFolders};
pub use skill::{SkillDocument, SkillVisibility};
