//! Builds helpers from agent files, with the models that the command can open and the
//! tools of the run.

use std::{path::Path, sync::Arc};

use holm::{
    grants::{Grant, Mode},
    kernel::{Announcements, Approvals, Background, CHILDREN, Model as Card, Tool, ToolKind},
    models::ScriptedModel,
    runtime::{Agent, Builder, Isolation, Model, Secrets, Toolbox},
    store::Store,
};
use holm_tools::{
    agents::Kit,
    conversation::WithheldTools,
    registry::{Registry, Snapshot},
    shell::Rules,
};

use crate::screen::ShownPath as _;
use crate::{
    approve::Terminal,
    checks::JailedChecks,
    kept::Kept,
    log::Log,
    model,
    places::Places,
    reach::Reach,
    screen::Screen,
    talk,
    tools::{self, Confinement, Outside, Set},
    worktrees::Trees,
};

/// Builds helpers with the resources of this run.
pub(crate) struct House {
    /// The run's own tools, at the moment of a call.
    pub(crate) registry: Registry,
    /// The run's own model, for agents that name none.
    pub(crate) card: Card,
    pub(crate) client: Arc<dyn Model>,
    /// How models are reached that agents name themselves.
    pub(crate) reach: Reach,
    pub(crate) mode: Mode,
    pub(crate) store: Store,
    pub(crate) secrets: Secrets,
    /// The tools that ask and notify the user of the run.
    pub(crate) talk: Toolbox,
    /// The user, for helpers that speak in their own names; `None` without one.
    pub(crate) person: Option<Terminal>,
    pub(crate) rules: Rules,
    pub(crate) confinement: Confinement,
    pub(crate) trees: Option<Arc<Trees>>,
    /// The folder of the run, and Holm's own data, which no command can reach.
    pub(crate) places: Places,
    /// The files that no tool may write.
    pub(crate) kept: Kept,
    /// The tools of a helper that works in its own folder.
    pub(crate) set: Set,
    /// The log that also receives all events; it includes the runs of helpers, each
    /// under its own name.
    pub(crate) log: Log,
}

impl House {
    /// For listing agents: none of them is started.
    pub(crate) fn to_look_at(
        registry: &Registry,
        places: &Places,
        store: &Store,
        set: Set,
        reach: Reach,
    ) -> Self {
        Self {
            registry: registry.clone(),
            card: Card::named("scripted/none"),
            client: Arc::new(ScriptedModel::new([])),
            reach,
            mode: Mode::Default,
            store: store.clone(),
            secrets: Secrets::new(),
            talk: Toolbox::new(),
            person: None,
            rules: Rules::default(),
            confinement: Confinement::Required,
            trees: Trees::here(places),
            places: places.clone(),
            kept: Kept::default(),
            set,
            log: Log::default(),
        }
    }
}

impl Kit for House {
    fn begin(&self, model: Option<&str>) -> Result<Builder, String> {
        let (card, client, secrets) = match model {
            Some(name) => {
                let chosen =
                    model::from_provider(name, &self.reach).map_err(|trouble| trouble.to_string())?;
                // The key of its provider may have been asked for just now.
                let secrets = chosen.reach.keys().told_to(self.secrets.clone());
                (chosen.card, chosen.client, secrets)
            }
            None => (self.card.clone(), Arc::clone(&self.client), self.secrets.clone()),
        };
        let builder = Agent::builder(card, client).mode(self.mode).approvals(Approvals::Ask);
        let builder = builder.secrets(secrets).events(self.log.clone());
        let builder = builder.checks(JailedChecks::new(&self.places, self.confinement));
        let builder = builder.config(|config| config.policy.announcements = Announcements::Corrected);
        let unattended = self.person.as_ref().is_some_and(|person| !person.can_ask());
        let builder = if unattended { builder.hook(WithheldTools::of_person()) } else { builder };
        Ok(builder.journals(self.store.clone()).blobs(self.store.clone()))
    }

    fn tools(&self, folder: Option<&Path>) -> Toolbox {
        let Some(folder) = folder else { return without_agents(&self.registry.snapshot()) };
        let env = |name: &str| std::env::var(name).ok();
        let places = Places { work: folder.to_owned(), brought: Vec::new(), ..self.places.clone() };
        let outside = Outside::here(&places, &self.kept, self.rules.clone(), self.confinement, env);
        let native = tools::native_apart(folder, &self.store, outside.outputs.as_deref());
        let outside = outside.and(native);
        let own = tools::own(self.set, outside, &places, &self.rules, &Screen::default());
        self.talk.clone().join(own)
    }

    fn tools_of(&self, helper: &str, folder: Option<&Path>) -> Toolbox {
        let all = self.tools(folder);
        let Some(person) = &self.person else { return all };
        let spoken = talk::of_helper(person, helper);
        let mut tools = Toolbox::new();
        for tool in all.iter() {
            let own = spoken.find(&tool.declaration().name).unwrap_or(tool);
            // Names of a toolbox are unique, and these are the same ones.
            let _ = tools.add_shared(Arc::clone(own));
        }
        tools
    }

    fn isolation(&self) -> Option<Arc<dyn Isolation>> {
        self.trees.clone().map(|trees| trees as Arc<dyn Isolation>)
    }

    fn no_isolation(&self) -> String {
        match Trees::top_above(&self.places.work) {
            Some(top) => {
                format!("this folder is not the top of its git repository; start `holm` in {}", top.shown())
            }
            None => "there is no git repository here".into(),
        }
    }

    fn called(&self, file: &Path) -> Option<String> {
        let snapshot = self.registry.snapshot();
        let mut agents = snapshot.tools().filter(|(tool, _)| is_agent(tool.declaration()));
        let (tool, _) = agents.find(|(_, entry)| Path::new(&entry.origin) == file)?;
        Some(tool.declaration().name.clone())
    }
}

/// An agent is no tool of another one, unless the other names it; then it is a helper.
fn without_agents(snapshot: &Snapshot) -> Toolbox {
    let mut tools = Toolbox::new();
    for (tool, _) in snapshot.tools().filter(|(tool, _)| !is_agent(tool.declaration())) {
        // Names of a snapshot are unique.
        let _ = tools.add_shared(Arc::clone(tool));
    }
    tools
}

/// Whether a run of its own does the work.
pub(crate) fn is_agent(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Agent { .. })
}

/// The helpers of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Helping {
    pub(crate) names: Vec<String>,
    /// The tool that manages background helpers, if there can be any.
    pub(crate) status: Option<Tool>,
}

impl Helping {
    /// Those of a snapshot.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut helping = Self::default();
        for tool in snapshot.tools().map(|(tool, _)| tool.declaration()).filter(|tool| is_agent(tool)) {
            helping.names.push(tool.name.clone());
            if tool.background != Background::Never {
                helping.status = Some(Tool::children(CHILDREN));
            }
        }
        helping
    }

    /// The grants to call the helpers. The calls of a helper are checked themselves.
    pub(crate) fn callings(&self) -> impl Iterator<Item = Grant> {
        self.names.iter().filter_map(|name| format!("spawn:{name}").parse().ok())
    }
}
