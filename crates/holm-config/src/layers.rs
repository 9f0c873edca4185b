//! Combines all layers of settings and decides which layer may set what. Files are found in
//! `find.rs` and parsed in `settings.rs`; whether a project's file is trusted is decided by the
//! caller. Two rules must hold for every new setting: a project can only choose and narrow, and
//! nothing exceeds the policy.

use std::path::{Path, PathBuf};

use holm_grants::{Grant, GrantSet, Mode};

use crate::{
    ConfigError, ConfigFiles, ConfigLayer, ConfigProblem, ConfigSettings, SettingValue, find::ExplicitPath,
    read::text_of,
};

/// The settings of each layer.
///
/// Later layers win: user, project, environment, flags, policy. Two of them are limited.
///
/// - A project chooses and narrows. Its grants count only if the user gives them too, and its
///   limits only if they are lower.
/// - A policy overrides all other layers. Mode, limits and grants never exceed what it allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigLayers {
    /// The user's own file.
    pub user: ConfigSettings,
    /// The project's file, if a person trusts it.
    pub project: ConfigSettings,
    /// The selected agent; it overrides the files but not the environment.
    pub agent: ConfigSettings,
    pub environment: ConfigSettings,
    /// The administrator's files, merged.
    pub policy: ConfigSettings,
}

/// The layers for this machine and folder, and which project files were used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadedLayers {
    pub layers: ConfigLayers,
    /// The project's file that is used.
    pub project: Option<PathBuf>,
    /// Nearer project files that are not used, nearest first, each with the reason.
    pub inert: Vec<(PathBuf, String)>,
}

impl ConfigLayers {
    /// Reads all files that were found. `admits` decides whether a person has trusted the project's
    /// file with these bytes. If not, it returns the reason, and the next file further up is tried.
    ///
    /// # Errors
    /// The first file that cannot be used. An untrusted project file is not an error,
    /// regardless of its content.
    pub fn load(
        found: &ConfigFiles,
        admits: impl Fn(&Path, &[u8]) -> Result<(), String>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<LoadedLayers, ConfigError> {
        let user = match &found.user {
            Some(path) => match text_of(path, ConfigLayer::User)? {
                Some(text) => ConfigSettings::read(&text, path, ConfigLayer::User)?,
                None if found.named == ExplicitPath::Yes => {
                    return Err(ConfigError::whole(path, ConfigProblem::Missing));
                }
                None => ConfigSettings::default(),
            },
            None => ConfigSettings::default(),
        };
        let mut policy = ConfigSettings::default();
        for (path, named) in &found.policies {
            match text_of(path, ConfigLayer::Policy)? {
                Some(text) => policy = ConfigSettings::read(&text, path, ConfigLayer::Policy)?.and(policy),
                // The user named this policy explicitly and relies on it.
                None if *named == ExplicitPath::Yes => {
                    return Err(ConfigError::whole(path, ConfigProblem::Missing));
                }
                None => {}
            }
        }
        let mut loaded =
            LoadedLayers { layers: Self { user, policy, ..Self::default() }, ..LoadedLayers::default() };
        loaded.layers.environment = ConfigSettings::from_environment(env)?;
        for path in found.projects() {
            match text_of(path, ConfigLayer::Project).map(Option::unwrap_or_default) {
                // A file that is not text cannot have been reviewed, so it is ignored. `admits`
                // decides about all other files.
                Err(error) => loaded.inert.push((path.clone(), error.problem.to_string())),
                Ok(text) => match admits(path, text.as_bytes()) {
                    Ok(()) => {
                        loaded.layers.project = ConfigSettings::read(&text, path, ConfigLayer::Project)?;
                        loaded.project = Some(path.clone());
                        break;
                    }
                    Err(reason) => loaded.inert.push((path.clone(), reason)),
                },
            }
        }
        Ok(loaded)
    }

    /// Adds what the user chose for the folder. It counts as the user's own settings: its grants are
    /// added to theirs, and its mode wins over the mode of their file.
    #[must_use]
    pub fn with_folder(mut self, folder: ConfigSettings) -> Self {
        self.user = folder.added_to(self.user);
        self
    }

    /// Adds the selected agent. The user's own agent may set everything. An agent of a project has
    /// the limits of a project, and its mode counts only if it is narrower.
    #[must_use]
    pub fn with_agent(mut self, agent: ConfigSettings, owner: ConfigLayer) -> Self {
        self.agent = if owner == ConfigLayer::Project {
            let mut agent = agent.within(&self.user);
            let most = self.user.mode.as_ref().map_or_else(Mode::default, |mode| mode.value);
            agent.mode = agent.mode.filter(|mode| mode.value < most);
            agent
        } else {
            agent
        };
        self
    }

    /// Merges all layers with these flags.
    #[must_use]
    pub fn settle(self, flags: ConfigSettings) -> ConfigSettings {
        let Self { user, project, agent, environment, policy } = self;
        let project = project.within(&user);
        let asked = flags.added_to(environment.over(agent.over(project.over(user))));
        policy.bind(asked)
    }
}

impl ConfigSettings {
    /// Limits the settings of a project to what the user has.
    fn within(mut self, user: &Self) -> Self {
        self.grants = self.grants.map(|wished| meet(user.grants.as_deref().unwrap_or_default(), &wished));
        self.turns = lower(self.turns, user.turns.clone());
        self.budget = lower(self.budget, user.budget.clone());
        self
    }

    /// Merges two layers; this one wins. Denied commands of both are kept.
    fn over(self, below: Self) -> Self {
        let mut providers = below.providers;
        for (name, own) in self.providers {
            let below = providers.remove(&name).unwrap_or_default();
            providers.insert(name, own.over(below));
        }
        let mut aliases = below.aliases;
        aliases.extend(self.aliases);
        Self {
            model: self.model.or(below.model),
            system: self.system.or(below.system),
            tools: self.tools.or(below.tools),
            mode: self.mode.or(below.mode),
            grants: self.grants.or(below.grants),
            turns: self.turns.or(below.turns),
            budget: self.budget.or(below.budget),
            step_up: self.step_up.or(below.step_up),
            kind: self.kind.or(below.kind),
            allow: self.allow.or(below.allow),
            deny: both(below.deny, self.deny),
            providers,
            aliases,
        }
    }

    /// Flags add to the grants and allowed commands of files, because that is what a user
    /// means by typing them.
    fn added_to(mut self, below: Self) -> Self {
        self.grants = both(below.grants.clone(), self.grants);
        self.allow = both(below.allow.clone(), self.allow);
        self.over(below)
    }

    /// Merges two policies; the narrower limit wins.
    fn and(self, other: Self) -> Self {
        let mode = lower(self.mode.clone(), other.mode.clone());
        let turns = lower(self.turns.clone(), other.turns.clone());
        let budget = lower(self.budget.clone(), other.budget.clone());
        let grants = match (self.grants.clone(), other.grants.clone()) {
            (Some(a), Some(b)) => Some(meet(&a, &b)),
            (a, b) => a.or(b),
        };
        Self { mode, turns, budget, grants, ..self.over(other) }
    }

    /// Applies a policy to the requested settings.
    fn bind(self, asked: Self) -> Self {
        let bounds = (self.mode.clone(), self.grants.clone(), self.turns.clone(), self.budget.clone());
        let mut bound = self.over(asked.clone());
        let (mode, grants, turns, budget) = bounds;
        bound.mode = match (mode, asked.mode) {
            // A missing mode means the default one.
            (Some(most), None) if most.value > Mode::default() => None,
            (most, asked) => lower(most, asked),
        };
        bound.turns = lower(turns, asked.turns);
        bound.budget = lower(budget, asked.budget);
        bound.grants = match (grants, asked.grants) {
            (Some(most), Some(asked)) => Some(meet(&most, &asked)),
            (_, asked) => asked,
        };
        bound
    }
}

/// The lower of two limits, if both exist.
fn lower<T: PartialOrd>(a: Option<SettingValue<T>>, b: Option<SettingValue<T>>) -> Option<SettingValue<T>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.value < a.value { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn both<T: PartialEq>(first: Option<Vec<T>>, second: Option<Vec<T>>) -> Option<Vec<T>> {
    let Some(mut all) = first else { return second };
    for value in second.into_iter().flatten() {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    Some(all)
}

/// The grants that both lists contain, each with the line of the narrower one.
fn meet(most: &[SettingValue<Grant>], wished: &[SettingValue<Grant>]) -> Vec<SettingValue<Grant>> {
    let set = |values: &[SettingValue<Grant>]| -> GrantSet {
        values.iter().map(|value| value.value.clone()).collect()
    };
    let given = set(most).meet(&set(wished));
    let origin = |grant: &Grant| wished.iter().chain(most).find(|value| value.value == *grant).cloned();
    given.iter().filter_map(origin).collect()
}

#[cfg(test)]
mod tests;
