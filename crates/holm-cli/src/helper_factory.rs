//! Builds helpers from agent files, with the models that the command can open and the tools of the
//! run. It implements the host that `holm-tools/src/agents/` asks for; loading agent files and
//! calling helpers is done there.
//!
//! A helper gets the confinement, the denied commands and the user of the run that calls it; the
//! grants of its file are limited by the kernel. A helper in its own worktree gets new file tools
//! for that folder. Its worktree comes from `worktrees.rs`, its words to the user from
//! `helper_terminal.rs`.

use std::{path::Path, sync::Arc};

use holm::{
    grants::{Grant, Mode},
    kernel::{
        Announcements, Approvals, Background, CHILDREN, Failure, FailureClass, ModelResult,
        ModelSpec as Card, PlanOffer, ToolKind, ToolSpec, Usage,
    },
    models::ScriptedModel,
    runtime::{Agent, AgentBuilder, ChildIsolation, Model, SecretRedactor, Toolbox, model_fn},
    store::Store,
};
use holm_tools::{
    agents::AgentHost,
    conversation::WithheldTools,
    registry::{RegistrySnapshot, ToolRegistry},
    shell::CommandRules,
};

use crate::screen::DisplayablePath as _;
use crate::{
    approve::TerminalApprover,
    checks::JailCheckRunner,
    default_prompt::{CallPermissions, GitState, SessionEnvironment},
    exit::CommandExit,
    helper_terminal,
    holm_paths::HolmPaths,
    log::ActivityLog,
    model,
    protected_paths::ProtectedPaths,
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    tools::{self, BuiltinToolSet, CommandConfinement, OutsideTools},
    worktrees::HelperWorktrees,
};

/// Builds helpers with the resources of this run.
pub(crate) struct HelperFactory {
    /// The run's own tools, at the moment of a call.
    pub(crate) registry: ToolRegistry,
    /// The run's own model, for agents that name none.
    pub(crate) card: Card,
    pub(crate) client: Arc<dyn Model>,
    /// How models are reached that agents name themselves.
    pub(crate) reach: ProviderAccess,
    pub(crate) mode: Mode,
    pub(crate) store: Store,
    pub(crate) secrets: SecretRedactor,
    /// The tools that ask and notify the user of the run.
    pub(crate) talk: Toolbox,
    /// The user, for helpers that speak in their own names; `None` without one.
    pub(crate) person: Option<TerminalApprover>,
    pub(crate) rules: CommandRules,
    pub(crate) confinement: CommandConfinement,
    pub(crate) trees: Option<Arc<HelperWorktrees>>,
    /// The folder of the run, and Holm's own data, which no command can reach.
    pub(crate) places: HolmPaths,
    /// The files that no tool may write.
    pub(crate) kept: ProtectedPaths,
    /// The tools of a helper that works in its own folder.
    pub(crate) set: BuiltinToolSet,
    /// The log that also receives all events; it includes the runs of helpers, each
    /// under its own name.
    pub(crate) log: ActivityLog,
}

impl HelperFactory {
    /// For listing agents: none of them is started.
    pub(crate) fn to_look_at(
        registry: &ToolRegistry,
        places: &HolmPaths,
        store: &Store,
        set: BuiltinToolSet,
        reach: ProviderAccess,
    ) -> Self {
        Self {
            registry: registry.clone(),
            card: Card::named("scripted/none"),
            client: Arc::new(ScriptedModel::new([])),
            reach,
            mode: Mode::Default,
            store: store.clone(),
            secrets: SecretRedactor::new(),
            talk: Toolbox::new(),
            person: None,
            rules: CommandRules::default(),
            confinement: CommandConfinement::Required,
            trees: HelperWorktrees::here(places),
            places: places.clone(),
            kept: ProtectedPaths::default(),
            set,
            log: ActivityLog::default(),
        }
    }
}

impl AgentHost for HelperFactory {
    fn begin(&self, model: Option<&str>) -> Result<AgentBuilder, String> {
        let (card, client, secrets) = match model {
            Some(name) => match model::from_provider(name, &self.reach) {
                Ok(chosen) => {
                    // The key of its provider may have been asked for just now.
                    let secrets = chosen.reach.keys().told_to(self.secrets.clone());
                    (chosen.card, chosen.client, secrets)
                }
                // A key is wanted only when the helper is called.
                Err(trouble) if trouble.exit == CommandExit::Provider => {
                    (Card::named(name), without_key(trouble.to_string()), self.secrets.clone())
                }
                Err(trouble) => return Err(trouble.to_string()),
            },
            None => (self.card.clone(), Arc::clone(&self.client), self.secrets.clone()),
        };
        let builder = Agent::builder(card, client).mode(self.mode).approvals(Approvals::Ask);
        let builder = builder.secrets(secrets).events(self.log.clone());
        let builder = builder.checks(JailCheckRunner::new(&self.places, self.confinement));
        let builder = builder.config(|config| {
            config.policy.announcements = Announcements::Corrected;
            config.plan_offer = PlanOffer::Usable;
        });
        let withheld = self.person.as_ref().map(TerminalApprover::withheld_tools).unwrap_or_default();
        let builder =
            if withheld.is_empty() { builder } else { builder.hook(WithheldTools::named(withheld)) };
        Ok(builder.journals(self.store.clone()).blobs(self.store.clone()))
    }

    fn tools(&self, folder: Option<&Path>) -> Toolbox {
        let Some(folder) = folder else { return without_agents(&self.registry.snapshot()) };
        let env = |name: &str| std::env::var(name).ok();
        let places = HolmPaths { work: folder.to_owned(), brought: Vec::new(), ..self.places.clone() };
        let agreed = self.person.as_ref().and_then(TerminalApprover::unattended);
        let rules = self.rules.clone();
        let outside = OutsideTools::here(&places, &self.kept, rules, self.confinement, agreed, None, env);
        let native = tools::native_apart(folder, &self.store, outside.outputs.as_deref());
        let outside = outside.and(native);
        let own = tools::own(self.set, outside, &places, &self.rules, &TerminalOutput::default());
        self.talk.clone().join(own)
    }

    fn tools_of(&self, helper: &str, folder: Option<&Path>) -> Toolbox {
        let all = self.tools(folder);
        let Some(person) = &self.person else { return all };
        let spoken = helper_terminal::of_helper(person, helper);
        let mut tools = Toolbox::new();
        for tool in all.iter() {
            let own = spoken.find(&tool.declaration().name).unwrap_or(tool);
            // Names of a toolbox are unique, and these are the same ones.
            let _ = tools.add_shared(Arc::clone(own));
        }
        tools
    }

    fn introduce(&self, builder: AgentBuilder, folder: Option<&Path>) -> AgentBuilder {
        if self.set == BuiltinToolSet::Few {
            return builder;
        }
        let workspace = folder.unwrap_or(&self.places.work).to_owned();
        let confined = self.confinement == CommandConfinement::Required;
        let person = self.person.clone();
        builder.child_prompt(move |config| {
            let permissions = CallPermissions {
                grants: config.grants.clone(),
                yes: person.as_ref().map(|person| person.agreed().clone()).unwrap_or_default(),
                mode: config.mode,
                can_ask: person.as_ref().is_some_and(TerminalApprover::can_ask),
                confined,
                marked: config.marks.any(),
            };
            let git = GitState::branch_of(&workspace);
            SessionEnvironment::now(workspace.clone(), git, permissions).block()
        })
    }

    fn isolation(&self) -> Option<Arc<dyn ChildIsolation>> {
        self.trees.clone().map(|trees| trees as Arc<dyn ChildIsolation>)
    }

    fn no_isolation(&self) -> String {
        match HelperWorktrees::top_above(&self.places.work) {
            Some(top) => {
                format!("this folder is not the top of its git repository; start `holm` in {}", top.shown())
            }
            None => "this folder is not in a git repository".into(),
        }
    }

    fn called(&self, file: &Path) -> Option<String> {
        let snapshot = self.registry.snapshot();
        let mut agents = snapshot.tools().filter(|(tool, _)| is_agent(tool.declaration()));
        let (tool, _) = agents.find(|(_, entry)| Path::new(&entry.origin) == file)?;
        Some(tool.declaration().name.clone())
    }
}

/// A model whose provider has no key: every call fails with the reason.
fn without_key(why: String) -> Arc<dyn Model> {
    Arc::new(model_fn(move |_| {
        let failure = Failure {
            class: FailureClass::Auth,
            message: why.clone(),
            retry_after_ms: None,
            usage: Usage::default(),
        };
        Box::pin(async move { ModelResult::Failed(failure) })
    }))
}

/// An agent is no tool of another one, unless the other names it; then it is a helper.
fn without_agents(snapshot: &RegistrySnapshot) -> Toolbox {
    let mut tools = Toolbox::new();
    for (tool, _) in snapshot.tools().filter(|(tool, _)| !is_agent(tool.declaration())) {
        // Names of a snapshot are unique.
        let _ = tools.add_shared(Arc::clone(tool));
    }
    tools
}

/// Whether a run of its own does the work.
pub(crate) fn is_agent(tool: &ToolSpec) -> bool {
    matches!(tool.kind, ToolKind::Agent { .. })
}

/// The helpers of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct HelperTools {
    pub(crate) names: Vec<String>,
    /// The tool that manages background helpers, if there can be any.
    pub(crate) status: Option<ToolSpec>,
}

impl HelperTools {
    /// Those of a snapshot.
    pub(crate) fn of(snapshot: &RegistrySnapshot) -> Self {
        let mut helping = Self::default();
        for tool in snapshot.tools().map(|(tool, _)| tool.declaration()).filter(|tool| is_agent(tool)) {
            helping.names.push(tool.name.clone());
            if tool.background != Background::Never {
                helping.status = Some(ToolSpec::children(CHILDREN));
            }
        }
        helping
    }

    /// The grants to call the helpers. The calls of a helper are checked themselves.
    pub(crate) fn callings(&self) -> impl Iterator<Item = Grant> {
        self.names.iter().filter_map(|name| format!("spawn:{name}").parse().ok())
    }
}
