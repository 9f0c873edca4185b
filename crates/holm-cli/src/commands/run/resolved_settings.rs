//! Applies the settings to a run where no flag says otherwise. Which file may set what is decided
//! in `holm-config/src/layers.rs`, and whether a file is trusted in `settings.rs`.
//!
//! A policy is applied to flags too, and its ceiling is kept for resumed sessions
//! (`commands/run/session_authority.rs`). A resumed session keeps its system prompt, turns, mode,
//! budget and grants, unless a flag is given now or the user trusts its folder less
//! (`commands/run/level_grants.rs`). An invalid command rule is an error with its
//! place, never a rule that is left out.

use std::sync::Arc;

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::Budget,
};
use holm_config::{ConfigLayers, ConfigSettings, SettingOrigin, SettingValue, TextTemplate, ToolSet};
use holm_tools::shell::{CommandRule, CommandRules};

use super::{ExtraTools, PolicyCeiling, RunArgs};
use crate::{
    agents::{AgentDefinition, exe_aliases},
    default_prompt::DEFAULT_AGENT,
    exit::{CommandError, CommandExit},
    folder_trust::{self, NO_JAIL_UNCONFINED, TrustLevel},
    holm_paths::{HolmPaths, ProjectTrust},
    prompt::PromptTemplate,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    session_terms::{PastTerms, SessionTerms},
    settings::FolderSettings,
    tools,
};

/// For which sessions the flags were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FlagScope {
    /// For the session of this command.
    #[default]
    ThisSession,
    /// For every session of a server, also those that have other terms.
    EverySession,
}

/// Resolved settings that have no flag.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResolvedSettings {
    /// How providers are reached.
    pub(super) reach: ProviderAccess,
    /// The model in the settings, and its origin.
    pub(super) model: Option<SettingValue<String>>,
    /// The stronger models in the settings, and their origin.
    pub(super) step_up: Option<SettingValue<Vec<String>>>,
    /// The template around the prompt.
    pub(super) around: Option<PromptTemplate>,
    pub(super) agent: Option<AgentDefinition>,
    /// The ceiling that an administrator sets, if there is one.
    pub(super) most: Option<PolicyCeiling>,
    /// What a new session here would have: its terms, and its mode.
    pub(super) usual: SessionTerms,
    pub(super) usual_mode: Mode,
    pub(super) flags: FlagScope,
    /// What is known of the past of the session.
    pub(super) past: PastTerms,
    /// The own budget of a session that a server resumes, if another one applies in its journal.
    pub(super) own_budget: Option<Budget>,
    /// The session that a server resumes: its commands find the folders that they had.
    pub(super) session: Option<String>,
    /// Extra tools that the caller's user interface adds.
    pub(super) brings: Option<Arc<dyn ExtraTools>>,
}

/// The grants that the user typed for this run, where they typed no mode.
struct TypedGrants(GrantSet);

impl TypedGrants {
    fn of(args: &RunArgs) -> Self {
        let typed: &[Grant] = if args.mode.is_some() { &[] } else { &args.grant };
        Self(typed.iter().cloned().collect())
    }

    /// The mode in which writes that were granted by a flag run without a question. `None` if the
    /// settings say the mode, or if they grant more that the mode frees: nothing says that this is free too.
    fn free_mode(&self, settings: &ConfigSettings, most: Option<&PolicyCeiling>) -> Option<Mode> {
        let is_freed = |grant: &&Grant| mode_frees(grant);
        let of_level = |mode: &SettingValue<Mode>| {
            // No mode was typed, so a flag here is `--trust`.
            mode.value == Mode::Default
                && matches!(mode.origin, SettingOrigin::FolderTrust | SettingOrigin::Flag(_))
        };
        let is_open = settings.mode.as_ref().is_none_or(of_level);
        let granted = settings.grants.iter().flatten().map(|grant| &grant.value);
        let is_typed = granted.filter(is_freed).all(|grant| self.0.contains(grant));
        let mode =
            most.and_then(|most| most.mode).map_or(Mode::AcceptEdits, |most| most.min(Mode::AcceptEdits));
        let is_write = self.0.iter().any(|grant| matches!(grant, Grant::Write(_)));
        (is_write && is_open && is_typed).then_some(mode)
    }
}

/// Whether calls that use this grant run without a question in the mode `accept-edits`: writes, and
/// tools in WASM that fetch or use a secret.
pub(crate) fn mode_frees(grant: &Grant) -> bool {
    matches!(grant, Grant::Write(_) | Grant::Fetch(_) | Grant::Secret(_))
}

impl RunArgs {
    /// Applies the settings of this folder and of the chosen agent. The returned paths
    /// include the agent's folders.
    pub(crate) fn settle(
        mut self,
        mut places: HolmPaths,
        screen: &Arc<TerminalOutput>,
    ) -> Result<(Self, HolmPaths), CommandError> {
        // Before the level adds its own.
        let typed = TypedGrants::of(&self);
        if let Some(level) = self.trust {
            folder_trust::check_level(&places, level)?;
            self.take_trust(level)?;
        }
        if self.trust_project {
            places.project_trust = ProjectTrust::Flag;
        }
        let mut here = FolderSettings::find(&places)?;
        here.check(&places)?;
        let mut bare = here.loaded.layers.clone();
        if self.trust.is_none() {
            let access = places.folder_access;
            let access = if self.unconfined { access.unconfined() } else { access };
            here.loaded.layers = here.loaded.layers.with_folder(access.settings());
        }
        let chosen = match self.agent.as_deref() {
            Some(name) if name != DEFAULT_AGENT => Some(AgentDefinition::to_work(name, &places)?),
            Some(_) | None => AgentDefinition::in_place_of_default(&places)?,
        };
        if let Some(chosen) = &chosen {
            let (says, owner) = chosen.says();
            bare = bare.with_agent(says.clone(), owner);
            here.loaded.layers = here.loaded.layers.with_agent(says, owner);
            places.brought = chosen.brings();
        }
        let policy = here.loaded.layers.policy.clone();
        self.settled.most = most(&policy);
        let flags = self.said();
        if self.resume {
            // What a session has stays, but for what is given now; and that stays within the policy.
            self.narrow(ConfigLayers { policy, ..ConfigLayers::default() }.settle(flags.clone()));
        }
        let bare = bare.settle(flags.clone());
        let settings = here.settle(flags, screen);
        self.settled.usual = SessionTerms::of_settings(&settings, &bare);
        self.settled.usual.server_budget = settings.budget.as_ref().map(|budget| budget.value);
        self.settled.usual_mode = settings.mode.as_ref().map(|mode| mode.value).unwrap_or_default();
        let reach = ProviderAccess::here(&settings, &places)?.by(self.ways);
        self.settled.reach = match &chosen {
            Some(AgentDefinition::Exe(exe)) => exe
                .keys()
                .fold(reach, |reach, (provider, key)| reach.with_key(&provider, key.to_owned().into())),
            Some(AgentDefinition::Native { .. }) | None => reach,
        };
        self.settled.agent = chosen;
        self.settled.around = self.around(&settings, &places)?;
        let free = typed.free_mode(&settings, self.settled.most.as_ref()).filter(|_| !self.resume);
        self.take(settings)?;
        self.mode = free.or(self.mode);
        if let Some(note) = self.model.as_deref().and_then(|model| self.settled.reach.keyless(model)) {
            screen.note(&format!("holm: {note}"));
        }
        Ok((self, places))
    }

    /// Applies `--trust` as if its grants and its mode were typed.
    fn take_trust(&mut self, level: TrustLevel) -> Result<(), CommandError> {
        if self.unconfined && level == TrustLevel::Jail {
            let refused = CommandError::new(CommandExit::Usage, NO_JAIL_UNCONFINED);
            return Err(refused.hint("leave one of them out"));
        }
        self.grant.extend(level.grants());
        self.mode.get_or_insert(level.mode());
        Ok(())
    }

    /// What the flags say, as a layer.
    fn said(&self) -> ConfigSettings {
        let texts = |flag: &'static str, rules: &[CommandRule]| {
            let values = rules.iter().map(|rule| SettingValue::flag(flag, rule.to_string())).collect();
            (!rules.is_empty()).then_some(values)
        };
        let grants = self.grant.iter().map(|grant| SettingValue::flag("--grant", grant.clone())).collect();
        let step_up = SettingValue::flag("--step-up", self.step_up.clone());
        ConfigSettings {
            model: self.model.clone().map(|model| SettingValue::flag("--model", model)),
            system: self.system.clone().map(|system| SettingValue::flag("--system", system)),
            tools: self.tools.map(|set| SettingValue::flag("--tools", set_of(set))),
            mode: self.mode.map(|mode| SettingValue::flag("--mode", mode)),
            grants: (!self.grant.is_empty()).then_some(grants),
            turns: self.turns.map(|turns| SettingValue::flag("--turns", turns)),
            budget: self.budget.map(|budget| SettingValue::flag("--budget", budget)),
            step_up: (!self.step_up.is_empty()).then_some(step_up),
            kind: self.kind.clone().map(|kind| SettingValue::flag("--kind", kind)),
            allow: texts("--allow-command", &self.allow_command),
            deny: texts("--deny-command", &self.deny_command),
            ..ConfigSettings::default()
        }
    }

    fn take(&mut self, settings: ConfigSettings) -> Result<(), CommandError> {
        self.settled.model = settings.model;
        self.settled.step_up = settings.step_up;
        self.model = self.settled.model.as_ref().map(|model| model.value.clone());
        self.tools = settings.tools.map(|set| match set.value {
            ToolSet::All => tools::BuiltinToolSet::All,
            ToolSet::Native => tools::BuiltinToolSet::Native,
            ToolSet::Wasm => tools::BuiltinToolSet::Wasm,
            ToolSet::Few => tools::BuiltinToolSet::Few,
        });
        self.step_up = self.settled.step_up.as_ref().map(|models| models.value.clone()).unwrap_or_default();
        self.kind = settings.kind.map(|kind| kind.value);
        self.allow_command = parsed(settings.allow)?;
        self.deny_command = parsed(settings.deny)?;
        // A session that goes on keeps these, unless a flag or an administrator says otherwise.
        if !self.resume {
            self.system = settings.system.map(|system| system.value);
            self.turns = settings.turns.map(|turns| turns.value);
            self.mode = settings.mode.map(|mode| mode.value);
            self.budget = settings.budget.map(|budget| budget.value);
            self.grant = settings.grants.into_iter().flatten().map(|grant| grant.value).collect();
        }
        Ok(())
    }

    /// What was given for a session that goes on, as far as the policy goes.
    fn narrow(&mut self, bound: ConfigSettings) {
        if self.mode.is_some() {
            self.mode = bound.mode.map(|mode| mode.value);
        }
        if self.budget.is_some() {
            self.budget = bound.budget.map(|budget| budget.value);
        }
        self.grant = bound.grants.into_iter().flatten().map(|grant| grant.value).collect();
    }

    /// The text of the alias that was named: one of the settings, or of a project of agents-exe.
    fn around(
        &self,
        settings: &ConfigSettings,
        places: &HolmPaths,
    ) -> Result<Option<PromptTemplate>, CommandError> {
        let Some(name) = &self.alias else { return Ok(None) };
        let around = |template: &str| PromptTemplate {
            template: TextTemplate::parse(template),
            alias: name.clone(),
            variables: self.var.iter().cloned().collect(),
        };
        if let Some(alias) = settings.aliases.get(name) {
            return Ok(Some(around(&alias.value.template)));
        }
        let theirs = exe_aliases(places, name)?;
        if let Some(alias) = theirs.get(name) {
            return Ok(Some(around(&alias.template)));
        }
        let known: Vec<&str> = settings.aliases.keys().chain(theirs.keys()).map(String::as_str).collect();
        let hint = match known.as_slice() {
            [] => "add one to your holm.toml: [aliases.NAME] template = \"…\"".to_owned(),
            known => format!("there are: {}", known.join(", ")),
        };
        Err(CommandError::new(CommandExit::Missing, format!("no alias is named `{name}`")).hint(hint))
    }
}

/// The bounds of a policy on what a session may do; none where it says nothing about that.
fn most(policy: &ConfigSettings) -> Option<PolicyCeiling> {
    let grants = policy.grants.as_ref();
    let most = PolicyCeiling {
        mode: policy.mode.as_ref().map(|mode| mode.value),
        grants: grants.map(|grants| grants.iter().map(|grant| grant.value.clone()).collect()),
        budget: policy.budget.as_ref().map(|budget| budget.value),
    };
    (most != PolicyCeiling::default()).then_some(most)
}

fn set_of(set: tools::BuiltinToolSet) -> ToolSet {
    match set {
        tools::BuiltinToolSet::All => ToolSet::All,
        tools::BuiltinToolSet::Native => ToolSet::Native,
        tools::BuiltinToolSet::Wasm => ToolSet::Wasm,
        tools::BuiltinToolSet::Few => ToolSet::Few,
    }
}

/// What passes unasked, and what is never run.
pub(crate) fn rules_of(allow: &[CommandRule], deny: &[CommandRule]) -> CommandRules {
    let mut rules = CommandRules::default();
    allow.iter().cloned().for_each(|rule| rules.allow(rule));
    deny.iter().cloned().for_each(|rule| rules.deny(rule));
    rules
}

/// Tells what it means to let programs pass unasked that may run code of the workspace.
pub(crate) fn warn_of(allow: &[CommandRule], screen: &TerminalOutput) {
    for rule in allow.iter().filter(|rule| rule.may_run_workspace()) {
        screen.note(&format!(
            "holm: `{rule}` is allowed without asking and may run code from the workspace, which the \
             model can change"
        ));
    }
}

/// Parses the rules of the settings; an error names the place of the invalid rule.
pub(crate) fn parsed(values: Option<Vec<SettingValue<String>>>) -> Result<Vec<CommandRule>, CommandError> {
    let rule = |value: SettingValue<String>| {
        let read: Result<CommandRule, _> = value.value.parse();
        read.map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("{}: {error}", value.origin))
                .hint("fix or remove the rule")
        })
    };
    values.into_iter().flatten().map(rule).collect()
}
