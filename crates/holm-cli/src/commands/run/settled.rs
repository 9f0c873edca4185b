//! Applies the settings to a run where no flag says otherwise.

use std::sync::Arc;

use holm_config::{Layers, Settings, Template, ToolSet, Value};
use holm_tools::shell::{Rule, Rules};

use super::{Args, Brings, Most};
use crate::{
    agents::{Chosen, exe_aliases},
    default_prompt::DEFAULT_AGENT,
    exit::{Exit, Trouble},
    places::{Places, ProjectTrust},
    prompt::Around,
    reach::Reach,
    screen::Screen,
    settings::Here,
    tools,
};

/// Resolved settings that have no flag.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settled {
    /// How providers are reached.
    pub(super) reach: Reach,
    /// The model in the settings, and its origin.
    pub(super) model: Option<Value<String>>,
    /// The stronger models in the settings, and their origin.
    pub(super) step_up: Option<Value<Vec<String>>>,
    /// The template around the prompt.
    pub(super) around: Option<Around>,
    pub(super) agent: Option<Chosen>,
    /// The ceiling that an administrator sets, if there is one.
    pub(super) most: Option<Most>,
    /// Extra tools that the caller's user interface adds.
    pub(super) brings: Option<Arc<dyn Brings>>,
}

impl Args {
    /// Applies the settings of this folder and of the chosen agent. The returned paths
    /// include the agent's folders.
    pub(crate) fn settle(
        mut self,
        mut places: Places,
        screen: &Arc<Screen>,
    ) -> Result<(Self, Places), Trouble> {
        if self.trust_project {
            places.project_trust = ProjectTrust::Flag;
        }
        let mut here = Here::find(&places)?;
        here.check(&places)?;
        let chosen = match self.agent.as_deref() {
            Some(name) if name != DEFAULT_AGENT => Some(Chosen::to_work(name, &places)?),
            Some(_) | None => Chosen::in_place_of_default(&places)?,
        };
        if let Some(chosen) = &chosen {
            let (says, owner) = chosen.says();
            here.loaded.layers = here.loaded.layers.with_agent(says, owner);
            places.brought = chosen.brings();
        }
        let policy = here.loaded.layers.policy.clone();
        self.settled.most = most(&policy);
        let flags = self.said();
        if self.resume {
            // What a session has stays, but for what is given now; and that stays within the policy.
            self.narrow(Layers { policy, ..Layers::default() }.settle(flags.clone()));
        }
        let settings = here.settle(flags, screen);
        let reach = Reach::here(&settings, &places)?.by(self.ways);
        self.settled.reach = match &chosen {
            Some(Chosen::Exe(exe)) => exe
                .keys()
                .fold(reach, |reach, (provider, key)| reach.with_key(&provider, key.to_owned().into())),
            Some(Chosen::Native { .. }) | None => reach,
        };
        self.settled.agent = chosen;
        self.settled.around = self.around(&settings, &places)?;
        self.take(settings)?;
        if let Some(note) = self.model.as_deref().and_then(|model| self.settled.reach.keyless(model)) {
            screen.note(&format!("holm: {note}"));
        }
        Ok((self, places))
    }

    /// What the flags say, as a layer.
    fn said(&self) -> Settings {
        let texts = |flag: &'static str, rules: &[Rule]| {
            let values = rules.iter().map(|rule| Value::flag(flag, rule.to_string())).collect();
            (!rules.is_empty()).then_some(values)
        };
        let grants = self.grant.iter().map(|grant| Value::flag("--grant", grant.clone())).collect();
        let step_up = Value::flag("--step-up", self.step_up.clone());
        Settings {
            model: self.model.clone().map(|model| Value::flag("--model", model)),
            system: self.system.clone().map(|system| Value::flag("--system", system)),
            tools: self.tools.map(|set| Value::flag("--tools", set_of(set))),
            mode: self.mode.map(|mode| Value::flag("--mode", mode)),
            grants: (!self.grant.is_empty()).then_some(grants),
            turns: self.turns.map(|turns| Value::flag("--turns", turns)),
            budget: self.budget.map(|budget| Value::flag("--budget", budget)),
            step_up: (!self.step_up.is_empty()).then_some(step_up),
            kind: self.kind.clone().map(|kind| Value::flag("--kind", kind)),
            allow: texts("--allow-command", &self.allow_command),
            deny: texts("--deny-command", &self.deny_command),
            ..Settings::default()
        }
    }

    fn take(&mut self, settings: Settings) -> Result<(), Trouble> {
        self.settled.model = settings.model;
        self.settled.step_up = settings.step_up;
        self.model = self.settled.model.as_ref().map(|model| model.value.clone());
        self.tools = settings.tools.map(|set| match set.value {
            ToolSet::All => tools::Set::All,
            ToolSet::Native => tools::Set::Native,
            ToolSet::Wasm => tools::Set::Wasm,
            ToolSet::Few => tools::Set::Few,
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
    fn narrow(&mut self, bound: Settings) {
        if self.mode.is_some() {
            self.mode = bound.mode.map(|mode| mode.value);
        }
        if self.budget.is_some() {
            self.budget = bound.budget.map(|budget| budget.value);
        }
        self.grant = bound.grants.into_iter().flatten().map(|grant| grant.value).collect();
    }

    /// The text of the alias that was named: one of the settings, or of a project of agents-exe.
    fn around(&self, settings: &Settings, places: &Places) -> Result<Option<Around>, Trouble> {
        let Some(name) = &self.alias else { return Ok(None) };
        let around = |template: &str| Around {
            template: Template::parse(template),
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
            [] => "write one into your holm.toml: [aliases.NAME] template = \"…\"".to_owned(),
            known => format!("there are: {}", known.join(", ")),
        };
        Err(Trouble::new(Exit::Missing, format!("no alias is named `{name}`")).hint(hint))
    }
}

/// The bounds of a policy on what a session may do; none where it says nothing about that.
fn most(policy: &Settings) -> Option<Most> {
    let grants = policy.grants.as_ref();
    let most = Most {
        mode: policy.mode.as_ref().map(|mode| mode.value),
        grants: grants.map(|grants| grants.iter().map(|grant| grant.value.clone()).collect()),
        budget: policy.budget.as_ref().map(|budget| budget.value),
    };
    (most != Most::default()).then_some(most)
}

fn set_of(set: tools::Set) -> ToolSet {
    match set {
        tools::Set::All => ToolSet::All,
        tools::Set::Native => ToolSet::Native,
        tools::Set::Wasm => ToolSet::Wasm,
        tools::Set::Few => ToolSet::Few,
    }
}

/// What passes unasked, and what is never run.
pub(crate) fn rules_of(allow: &[Rule], deny: &[Rule]) -> Rules {
    let mut rules = Rules::default();
    allow.iter().cloned().for_each(|rule| rules.allow(rule));
    deny.iter().cloned().for_each(|rule| rules.deny(rule));
    rules
}

/// Tells what it means to let programs pass unasked that may run code of the workspace.
pub(crate) fn warn_of(allow: &[Rule], screen: &Screen) {
    for rule in allow.iter().filter(|rule| rule.may_run_workspace()) {
        screen.note(&format!(
            "holm: `{rule}` is allowed without asking and may run code from the workspace, which the \
             model can change"
        ));
    }
}

/// Parses the rules of the settings; an error names the place of the invalid rule.
pub(crate) fn parsed(values: Option<Vec<Value<String>>>) -> Result<Vec<Rule>, Trouble> {
    let rule = |value: Value<String>| {
        let read: Result<Rule, _> = value.value.parse();
        read.map_err(|error| {
            Trouble::new(Exit::Usage, format!("{}: {error}", value.origin)).hint("fix or remove the rule")
        })
    };
    values.into_iter().flatten().map(rule).collect()
}
