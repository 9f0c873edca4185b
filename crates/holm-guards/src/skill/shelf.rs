//! The skills that a run may ask for, by name.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

use super::{Skill, SkillError};

/// Skills by name.
///
/// ```
/// use holm_guards::skill::{Skill, SkillError, Skills, extract};
///
/// let mut skills = Skills::default();
/// skills.insert(Skill::compile(extract())?);
/// assert!(skills.find("extract").is_ok());
/// assert_eq!(skills.find("unknown").err(), Some(SkillError::UnknownSkill("unknown".into())));
/// # Ok::<(), holm_guards::skill::ContractError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Skills {
    by_name: BTreeMap<String, Skill>,
}

impl Skills {
    /// Adds a skill. Returns the skill of the same name that it replaces.
    pub fn insert(&mut self, skill: Skill) -> Option<Skill> {
        self.by_name.insert(skill.contract().name.clone(), skill)
    }

    /// The skill of this name.
    ///
    /// # Errors
    /// [`SkillError::UnknownSkill`] if no skill has this name.
    pub fn find(&self, name: &str) -> Result<&Skill, SkillError> {
        self.by_name.get(name).ok_or_else(|| SkillError::UnknownSkill(name.to_string()))
    }

    /// Every skill, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.by_name.values()
    }
}
