//! Settings with their origins, of one layer or of all layers merged. Merging is in `layers.rs`,
//! the syntax of a file in `read.rs`. A key that widens what an agent may do must be refused in a
//! project's file: add it to `check_project` and to `NOT_FOR_PROJECTS`.

use std::{collections::BTreeMap, path::Path};

use holm_grants::{Allowance, AllowanceKind, Grant, Mode};
use holm_kernel::NanoUsd;
use serde_json::{Value as Json, json};

use crate::{
    ConfigError, ConfigFile, ConfigLayer, ConfigProblem, LocatedValue, PromptAlias, SettingOrigin,
    SettingValue, TokenCount, ToolProtocol, ToolSet, UsdAmount,
    read::{line_of, nearest, text_in},
};

/// The settings of one layer, or of all of them. A setting that no layer has is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigSettings {
    /// The model of the agent.
    pub model: Option<SettingValue<String>>,
    pub system: Option<SettingValue<String>>,
    /// The enabled set of Holm's own tools.
    pub tools: Option<SettingValue<ToolSet>>,
    /// The mode, which decides what needs an approval.
    pub mode: Option<SettingValue<Mode>>,
    /// The grants of agents. An empty list grants nothing; `None` means that
    /// no layer mentions grants.
    pub grants: Option<Vec<SettingValue<Grant>>>,
    /// The most model turns per prompt.
    pub turns: Option<SettingValue<u64>>,
    /// The budget of a session.
    pub budget: Option<SettingValue<NanoUsd>>,
    /// Stronger models, weakest first.
    pub step_up: Option<SettingValue<Vec<String>>>,
    /// The kind of the task.
    pub kind: Option<SettingValue<String>>,
    /// Commands that run without an approval.
    pub allow: Option<Vec<SettingValue<String>>>,
    /// Commands that never run.
    pub deny: Option<Vec<SettingValue<String>>>,
    /// Connection settings of providers.
    pub providers: BTreeMap<String, ProviderSettings>,
    pub aliases: BTreeMap<String, SettingValue<PromptAlias>>,
}

/// Connection settings of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderSettings {
    pub base_url: Option<SettingValue<String>>,
    /// The environment variable that holds its key.
    pub key_env: Option<SettingValue<String>>,
    /// How its models call tools.
    pub tools: Option<SettingValue<ToolProtocol>>,
    /// The context window of its models, in tokens.
    pub context: Option<SettingValue<u64>>,
    /// The most tokens of one reply.
    pub max_output: Option<SettingValue<u64>>,
    /// The price of a million input tokens.
    pub input_price: Option<SettingValue<NanoUsd>>,
    /// The price of a million output tokens.
    pub output_price: Option<SettingValue<NanoUsd>>,
}

impl ProviderSettings {
    /// Merges two layers; this one wins.
    pub(crate) fn over(self, below: Self) -> Self {
        Self {
            base_url: self.base_url.or(below.base_url),
            key_env: self.key_env.or(below.key_env),
            tools: self.tools.or(below.tools),
            context: self.context.or(below.context),
            max_output: self.max_output.or(below.max_output),
            input_price: self.input_price.or(below.input_price),
            output_price: self.output_price.or(below.output_price),
        }
    }
}

/// One setting, as users see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingRow {
    /// Its key, with dots between the parts.
    pub key: String,
    pub value: Json,
    /// Where it was set.
    pub origin: SettingOrigin,
}

impl ConfigSettings {
    /// Parses the file of a layer.
    ///
    /// # Errors
    /// The first error, with its line, including a key that a project's file cannot set.
    pub fn read(text: &str, path: &Path, layer: ConfigLayer) -> Result<Self, ConfigError> {
        let parsed = ConfigFile::parse(text, path);
        let file = if layer == ConfigLayer::Project { parsed.map_err(for_projects)? } else { parsed? };
        if layer == ConfigLayer::Project {
            check_project(&file, text, path)?;
        }
        let at = LayerSource { text, path, layer };
        let providers = file.providers.into_iter().map(|(name, provider)| {
            let base_url = provider.base_url.map(|url| at.address(url)).transpose()?;
            let of = |tokens: SettingValue<TokenCount>| SettingValue {
                value: tokens.value.0,
                origin: tokens.origin,
            };
            let price =
                |usd: SettingValue<UsdAmount>| SettingValue { value: usd.value.0, origin: usd.origin };
            let settings = ProviderSettings {
                base_url,
                key_env: at.one(provider.key_env),
                tools: at.one(provider.tools),
                context: at.one(provider.context).map(of),
                max_output: at.one(provider.max_output).map(of),
                input_price: at.one(provider.input_price).map(price),
                output_price: at.one(provider.output_price).map(price),
            };
            Ok((name, settings))
        });
        let providers = providers.collect::<Result<_, ConfigError>>()?;
        let aliases = file.aliases.into_iter().map(|(name, alias)| (name, at.value(alias)));
        Ok(Self {
            model: at.one(file.model),
            system: at.one(file.system),
            tools: at.one(file.tools),
            mode: at.one(file.mode),
            grants: file.grants.map(|grants| at.grants(grants)).transpose()?,
            turns: at
                .one(file.limits.turns)
                .map(|turns| SettingValue { value: turns.value.0, origin: turns.origin }),
            budget: at
                .one(file.limits.budget)
                .map(|usd| SettingValue { value: usd.value.0, origin: usd.origin }),
            step_up: at.one(file.ladder.step_up),
            kind: at.one(file.ladder.kind),
            allow: at.many(file.commands.allow),
            deny: at.many(file.commands.deny),
            providers,
            aliases: aliases.collect(),
        })
    }

    /// Reads the bytes of a project's file, trusted or not.
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the bytes are not text.
    pub fn of_project(bytes: &[u8], path: &Path) -> Result<Self, ConfigError> {
        Self::read(text_in(bytes, path)?, path, ConfigLayer::Project)
    }

    /// All settings, in the order of the keys in a file.
    #[must_use]
    pub fn rows(&self) -> Vec<SettingRow> {
        let mut rows = SettingRows(Vec::new());
        rows.one("model", self.model.as_ref(), |text| json!(text));
        rows.one("system", self.system.as_ref(), |text| json!(text));
        rows.one("tools", self.tools.as_ref(), |set| json!(set.as_str()));
        rows.one("mode", self.mode.as_ref(), |mode| json!(mode.as_str()));
        rows.many("grants", self.grants.as_deref(), |grant| json!(grant.to_string()));
        rows.one("limits.turns", self.turns.as_ref(), |turns| json!(turns));
        rows.one("limits.budget", self.budget.as_ref(), |usd| json!(dollars(*usd)));
        rows.one("ladder.step_up", self.step_up.as_ref(), |models| json!(models));
        rows.one("ladder.kind", self.kind.as_ref(), |kind| json!(kind));
        rows.many("commands.allow", self.allow.as_deref(), |rule| json!(rule));
        rows.many("commands.deny", self.deny.as_deref(), |rule| json!(rule));
        for (name, provider) in &self.providers {
            rows.one(&format!("providers.{name}.base_url"), provider.base_url.as_ref(), |url| json!(url));
            rows.one(&format!("providers.{name}.key_env"), provider.key_env.as_ref(), |name| json!(name));
            let key = |member: &str| format!("providers.{name}.{member}");
            rows.one(&key("tools"), provider.tools.as_ref(), |tools| json!(tools.as_str()));
            rows.one(&key("context"), provider.context.as_ref(), |tokens| json!(tokens));
            rows.one(&key("max_output"), provider.max_output.as_ref(), |tokens| json!(tokens));
            rows.one(&key("input_price"), provider.input_price.as_ref(), |usd| json!(dollars(*usd)));
            rows.one(&key("output_price"), provider.output_price.as_ref(), |usd| json!(dollars(*usd)));
        }
        for (name, alias) in &self.aliases {
            rows.one(&format!("aliases.{name}"), Some(alias), |alias| json!(alias.template));
        }
        rows.0
    }
}

/// Last parts of keys that a project's file cannot set. Error messages do not suggest them
/// for such a file.
const NOT_FOR_PROJECTS: [&str; 9] = [
    "mode",
    "providers",
    "allow",
    "base_url",
    "key_env",
    "context",
    "max_output",
    "input_price",
    "output_price",
];

/// Replaces the suggestion for an unknown key by one that a project may use.
fn for_projects(error: ConfigError) -> ConfigError {
    let ConfigProblem::UnknownKey { key, known, .. } = error.problem else { return error };
    let known: Vec<String> =
        known.into_iter().filter(|known| !NOT_FOR_PROJECTS.contains(&known.as_str())).collect();
    let near = nearest(&key, &known);
    ConfigError { problem: ConfigProblem::UnknownKey { key, near, known }, ..error }
}

/// Refuses keys that a project's file cannot set; reports the first one.
fn check_project(file: &ConfigFile, text: &str, path: &Path) -> Result<(), ConfigError> {
    let spans = [
        file.mode.as_ref().map(|mode| (mode.span.start, "mode".to_owned())),
        file.commands.allow.as_ref().map(|rules| {
            // An empty list has no position, and no effect either.
            (rules.first().map_or(0, |rule| rule.span.start), "commands.allow".to_owned())
        }),
    ];
    let providers = file.providers.iter().flat_map(|(name, provider)| {
        let base =
            provider.base_url.as_ref().map(|url| (url.span.start, format!("providers.{name}.base_url")));
        let named = |start: usize, member: &str| (start, format!("providers.{name}.{member}"));
        let others = [
            provider.key_env.as_ref().map(|key| named(key.span.start, "key_env")),
            provider.tools.as_ref().map(|tools| named(tools.span.start, "tools")),
            provider.context.as_ref().map(|tokens| named(tokens.span.start, "context")),
            provider.max_output.as_ref().map(|tokens| named(tokens.span.start, "max_output")),
            provider.input_price.as_ref().map(|price| named(price.span.start, "input_price")),
            provider.output_price.as_ref().map(|price| named(price.span.start, "output_price")),
        ];
        base.into_iter().chain(others.into_iter().flatten())
    });
    let first = spans.into_iter().flatten().chain(providers).min();
    first.map_or(Ok(()), |(at, key)| {
        Err(ConfigError::at(path, line_of(text, at), ConfigProblem::NotForProjects { key }))
    })
}

/// The source of a layer's values.
struct LayerSource<'a> {
    text: &'a str,
    path: &'a Path,
    layer: ConfigLayer,
}

impl LayerSource<'_> {
    fn value<T>(&self, located: LocatedValue<T>) -> SettingValue<T> {
        let line = line_of(self.text, located.span.start);
        SettingValue {
            value: located.value,
            origin: SettingOrigin::File { layer: self.layer, path: self.path.to_owned(), line },
        }
    }

    /// Grants are parsed here, because a parser that fails inside a list does not know the line.
    fn grants(&self, texts: Vec<LocatedValue<String>>) -> Result<Vec<SettingValue<Grant>>, ConfigError> {
        let grant = |text: LocatedValue<String>| {
            let SettingValue { value, origin } = self.value(text.clone());
            let value = value.parse().map_err(|error| {
                let problem = ConfigProblem::WrongValue(format!("`{value}`: {error}"));
                ConfigError::at(self.path, line_of(self.text, text.span.start), problem)
            })?;
            Ok(SettingValue { value, origin })
        };
        texts.into_iter().map(grant).collect()
    }

    /// Checks an address here, where its line is known. It may contain a password, so the message
    /// does not repeat it.
    fn address(&self, url: LocatedValue<String>) -> Result<SettingValue<String>, ConfigError> {
        let low = url.value.trim().to_ascii_lowercase();
        let host = low.strip_prefix("https://").or_else(|| low.strip_prefix("http://"));
        if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
            let problem =
                ConfigProblem::WrongValue("not a valid URL; write it like \"https://host/v1\"".into());
            return Err(ConfigError::at(self.path, line_of(self.text, url.span.start), problem));
        }
        Ok(self.value(url))
    }

    fn one<T>(&self, located: Option<LocatedValue<T>>) -> Option<SettingValue<T>> {
        located.map(|located| self.value(located))
    }

    fn many<T>(&self, located: Option<Vec<LocatedValue<T>>>) -> Option<Vec<SettingValue<T>>> {
        located.map(|all| all.into_iter().map(|located| self.value(located)).collect())
    }
}

struct SettingRows(Vec<SettingRow>);

impl SettingRows {
    fn one<T>(&mut self, key: &str, value: Option<&SettingValue<T>>, show: impl Fn(&T) -> Json) {
        let row = |value: &SettingValue<T>| SettingRow {
            key: key.to_owned(),
            value: show(&value.value),
            origin: value.origin.clone(),
        };
        self.0.extend(value.map(row));
    }

    fn many<T>(&mut self, key: &str, values: Option<&[SettingValue<T>]>, show: impl Fn(&T) -> Json) {
        for value in values.into_iter().flatten() {
            self.one(key, Some(value), &show);
        }
    }
}

/// An amount in the notation of a file.
fn dollars(amount: NanoUsd) -> String {
    let allowance = Allowance { kind: AllowanceKind::Spend, amount: amount.value() };
    allowance.to_string().trim_start_matches("spend:").to_owned()
}

#[cfg(test)]
mod tests;
