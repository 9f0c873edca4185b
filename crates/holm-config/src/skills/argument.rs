//! What a skill says about one of its arguments, as skills of BoxAgnts do: a description, a default,
//! and whether it must be given.

use holm_tools::front_matter::{FrontMatterEntry, FrontMatterValue};

/// What a skill says about an argument beside its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillArgument {
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
    /// The value if it is not given.
    pub default: String,
}

impl SkillArgument {
    /// The argument of a record with a `name`. Other keys than the known ones are passed over.
    pub(super) fn of(record: &[FrontMatterEntry]) -> Option<(String, Self)> {
        let text = |key: &str| {
            record.iter().find(|entry| entry.key == key).and_then(|entry| match &entry.value {
                FrontMatterValue::Text(text) => Some(text.clone()),
                FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => None,
            })
        };
        let argument = Self {
            description: text("description").unwrap_or_default(),
            required: text("required").as_deref() == Some("true"),
            default: text("default").unwrap_or_default(),
        };
        Some((text("name").filter(|name| !name.is_empty())?, argument))
    }
}
