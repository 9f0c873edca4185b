//! Settings that come from environment variables. The caller passes the environment as a function;
//! nothing here reads it by itself. Which layer wins is decided in `layers.rs`. A new variable
//! belongs in `VARIABLES`.

use std::path::Path;

use crate::{ConfigError, ConfigProblem, ConfigSettings, SettingOrigin, SettingValue, ToolSet, UsdAmount};

/// The variables that are read, and the keys that they set.
pub const VARIABLES: [(&str, &str); 5] = [
    ("HOLM_MODEL", "model"),
    ("HOLM_MODE", "mode"),
    ("HOLM_TOOLS", "tools"),
    ("HOLM_TURNS", "limits.turns"),
    ("HOLM_BUDGET", "limits.budget"),
];

impl ConfigSettings {
    /// The settings of the environment. An empty variable is ignored.
    ///
    /// # Errors
    /// The name of a variable with an invalid value.
    pub fn from_environment(env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut settings = Self::default();
        for (name, key) in VARIABLES {
            let Some(text) = env(name).filter(|text| !text.trim().is_empty()) else { continue };
            settings.take(key, name, text.trim()).map_err(|reason| {
                ConfigError::whole(Path::new(&format!("${name}")), ConfigProblem::WrongValue(reason))
            })?;
        }
        Ok(settings)
    }

    fn take(&mut self, key: &str, variable: &str, text: &str) -> Result<(), String> {
        let origin = SettingOrigin::Variable(variable.to_owned());
        match key {
            "model" => self.model = Some(SettingValue { value: text.to_owned(), origin }),
            "mode" => {
                let mode = text.parse().map_err(|error| format!("{error}"))?;
                self.mode = Some(SettingValue { value: mode, origin });
            }
            "tools" => {
                let set = ToolSet::of(text).ok_or_else(|| {
                    format!(
                        "`{text}` is not one of all, native, wasm, \
                                                             few"
                    )
                })?;
                self.tools = Some(SettingValue { value: set, origin });
            }
            "limits.turns" => {
                let turns = text.parse().ok().filter(|turns| *turns > 0);
                let turns = turns.ok_or_else(|| format!("`{text}` is not a number of turns"))?;
                self.turns = Some(SettingValue { value: turns, origin });
            }
            _ => self.budget = Some(SettingValue { value: UsdAmount::parse(text)?.0, origin }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
