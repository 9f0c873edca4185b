//! The arguments of one call, already checked against the declaration.

use crate::fault::Fault;
use crate::tool::{Kind, Need, Param, Tool};

/// The arguments of one call. Defaults are filled in, numbers are numbers, choices
/// are among the choices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(Vec<(&'static str, String)>);

impl Values {
    /// The text of a parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// The text of a parameter that is required or has a default.
    ///
    /// # Errors
    ///
    /// If it is neither, which is a mistake of the guest.
    pub fn need(&self, name: &str) -> Result<&str, Fault> {
        self.text(name).ok_or_else(|| Fault::Usage(format!("{name} is missing")))
    }

    /// All texts of a parameter that may be given again.
    pub fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Whether a flag was given.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// The number of a parameter.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        self.text(name)?.parse().ok()
    }

    /// Adds one value, if it fits the parameter.
    pub(crate) fn put(&mut self, param: &Param, value: String) -> Result<(), Fault> {
        let name = param.name;
        match param.kind {
            Kind::Flag | Kind::Text | Kind::Texts => {}
            Kind::Number if value.parse::<usize>().is_ok() => {}
            Kind::Number => {
                return Err(Fault::Usage(format!("{name} must be a whole number from 0, not '{value}'")));
            }
            Kind::Choice(words) if words.contains(&value.as_str()) => {}
            Kind::Choice(words) => {
                return Err(Fault::Usage(format!(
                    "{name} must be one of {}, not '{value}'",
                    words.join(", ")
                )));
            }
        }
        if param.kind != Kind::Texts {
            self.0.retain(|(given, _)| *given != name);
        }
        self.0.push((name, value));
        Ok(())
    }

    /// Fills in the defaults and reports what is missing.
    pub(crate) fn settle(mut self, tool: &Tool) -> Result<Self, Fault> {
        for param in tool.params {
            if self.text(param.name).is_some() {
                continue;
            }
            match param.need {
                Need::Required => return Err(Fault::Usage(format!("{} is missing", param.name))),
                Need::Optional => {}
                Need::Default(value) => self.0.push((param.name, value.to_owned())),
            }
        }
        Ok(self)
    }
}
