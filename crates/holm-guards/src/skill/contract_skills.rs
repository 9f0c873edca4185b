//! The skills that a run may ask for, by name.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

use super::{CompiledSkill, SkillError};

/// Skills by name.
///
/// ```
/// use holm_guards::skill::{CompiledSkill, SkillError, ContractSkills, extract};
///
/// let mut skills = ContractSkills::default();
/// skills.insert(CompiledSkill::compile(extract())?);
/// assert!(skills.find("extract").is_ok());
/// assert_eq!(skills.find("unknown").err(), Some(SkillError::UnknownSkill("unknown".into())));
/// # Ok::<(), holm_guards::skill::ContractError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ContractSkills {
    by_name: BTreeMap<String, CompiledSkill>,
}

impl ContractSkills {
    /// Adds a skill. Returns the skill of the same name that it replaces.
    pub fn insert(&mut self, skill: CompiledSkill) -> Option<CompiledSkill> {
        self.by_name.insert(skill.contract().name.clone(), skill)
    }

    /// The skill of this name.
    ///
    /// # Errors
    /// [`SkillError::UnknownSkill`] if no skill has this name.
    pub fn find(&self, name: &str) -> Result<&CompiledSkill, SkillError> {
        self.by_name.get(name).ok_or_else(|| SkillError::UnknownSkill(name.to_string()))
    }

    /// Every skill, by name.
    pub fn iter(&self) -> impl Iterator<Item = &CompiledSkill> {
        self.by_name.values()
    }
}
