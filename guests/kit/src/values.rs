//! The arguments of one call, already checked against the declaration.

use crate::fault::GuestError;
use crate::tool::{ParamKind, ParamNeed, GuestParam, GuestTool};

/// The arguments of one call. Defaults are filled in, numbers are numbers, choices
/// are among the choices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentValues(Vec<(&'static str, String)>);

impl ArgumentValues {
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
    pub fn need(&self, name: &str) -> Result<&str, GuestError> {
        self.text(name).ok_or_else(|| GuestError::Usage(format!("{name} is missing")))
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
    pub(crate) fn put(&mut self, param: &GuestParam, value: String) -> Result<(), GuestError> {
        let name = param.name;
        match param.kind {
            ParamKind::Flag | ParamKind::Text | ParamKind::Texts => {}
            ParamKind::Number if value.parse::<usize>().is_ok() => {}
            ParamKind::Number => {
                return Err(GuestError::Usage(format!("{name} must be a whole number from 0, not '{value}'")));
            }
            ParamKind::Choice(words) if words.contains(&value.as_str()) => {}
            ParamKind::Choice(words) => {
                return Err(GuestError::Usage(format!(
                    "{name} must be one of {}, not '{value}'",
                    words.join(", ")
                )));
            }
        }
        if param.kind != ParamKind::Texts {
            self.0.retain(|(given, _)| *given != name);
        }
        self.0.push((name, value));
        Ok(())
    }

    /// Fills in the defaults and reports what is missing.
    pub(crate) fn settle(mut self, tool: &GuestTool) -> Result<Self, GuestError> {
        for param in tool.params {
            if self.text(param.name).is_some() {
                continue;
            }
            match param.need {
                ParamNeed::Required => return Err(GuestError::Usage(format!("{} is missing", param.name))),
                ParamNeed::Optional => {}
                ParamNeed::Default(value) => self.0.push((param.name, value.to_owned())),
            }
        }
        Ok(self)
    }
}
