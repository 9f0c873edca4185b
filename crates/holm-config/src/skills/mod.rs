//! Skills: folders with a `SKILL.md` that says how something is done. A model first sees what each is for, then the text of
//! the one that it takes up, then the files that the text names. Nothing is run.

mod contract;
mod error;
mod fill;
mod find;
mod skill;

#[cfg(test)]
mod tests;

pub use contract::Promise;
pub use error::{Overfilled, SkillFileError, SkillProblem};
pub use fill::MOST_FILLED;
pub use find::{FoundSkill, MOST_FOLDERS, SKILL_FILE, SkillFolders};
pub use skill::{Listed, Skill};
