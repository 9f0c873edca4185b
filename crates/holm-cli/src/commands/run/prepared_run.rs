//! The steps of starting a session at a terminal, in a chat or in an editor, in the one order in
//! which policy, denials and withholding apply. First the arguments are prepared, then the session
//! starts with its user.
//!
//! Settings are applied in `commands/run/resolved_settings.rs`, parts are collected in
//! `commands/run/agent_parts.rs`. The server starts sessions in
//! `commands/serve/session_provider.rs`, so a rule for every session must be in both. What a
//! session may never run is read from its sidecar before anything starts, and stored again when it
//! has.

use std::sync::Arc;

use holm::{
    kernel::{Block, ConsultPoint, Ending, Prompt},
    runtime::{HookSet, Session},
    store::Store,
};
use holm_server::terminal::{TerminalHost, TerminalListener};
use holm_tools::{hooks::HookEvent, registry::RegistryFollower};

use super::{AssembledAgent, RunArgs, RunSinks, agent_parts::AgentParts, open};
use crate::{
    approve::TerminalApprover,
    children,
    holm_paths::HolmPaths,
    model::ResolvedModel,
    screen::TerminalOutput,
    session_fork::ForkContinuation,
    session_sidecar::SessionSidecar,
    withheld_prompts::{MachineOutput, WithheldPrompts},
};

/// Arguments after the settings were applied, with their paths and store.
pub(super) struct PreparedRun {
    pub(super) args: RunArgs,
    pub(super) places: HolmPaths,
    pub(super) store: Store,
    began: SessionSidecar,
}

/// The parts with which a session starts.
pub(super) struct SessionStartParts {
    pub(super) chosen: ResolvedModel,
    /// Asks the user for approvals.
    pub(super) terminal: TerminalApprover,
    /// Receives the events of the session.
    pub(super) sinks: RunSinks,
    /// How a forked session continues.
    pub(super) next: ForkContinuation,
    pub(super) lines: MachineOutput,
}

/// A session that has started, with its parts.
pub(super) struct StartedSession {
    pub(super) session: Session,
    pub(super) made: AssembledAgent,
    pub(super) withholding: Arc<WithheldPrompts>,
    /// While this is held, the session learns of changed tools.
    pub(super) following: RegistryFollower,
    /// Lets servers of the same user watch and steer the session. `None` if that is not possible;
    /// the session works without it.
    pub(super) listening: Option<TerminalListener>,
}

/// Whether another client sent a prompt that a turn may have missed before it ended. Nothing starts
/// by itself after a stop.
pub(super) fn missed(listening: Option<&TerminalListener>, ending: &Ending) -> bool {
    listening.is_some_and(TerminalListener::missed) && !matches!(ending, Ending::Cancelled { .. })
}

/// The note about prompts that came too late for a stopped run, if there is no next prompt
/// to deliver them with.
pub(super) fn lost(words: &Prompt) -> String {
    let text: Vec<&str> = words.blocks.iter().filter_map(Block::as_text).collect();
    format!("holm: the run ended before the agent read this message from elsewhere: {}", text.join(" "))
}

impl RunArgs {
    /// Prepares the arguments: the fork, what the session keeps from its
    /// beginning, and the settings.
    pub(super) async fn prepare(
        self,
        places: HolmPaths,
        screen: &Arc<TerminalOutput>,
    ) -> anyhow::Result<PreparedRun> {
        let args = self.branch_off()?;
        args.check()?;
        let store = places.store().await?;
        let args = args.with_whole_names(&store).await?;
        // Read first: a session that works elsewhere is refused before anything else is said.
        let past = args.past().map(|session| SessionSidecar::past(&places, session)).transpose()?;
        let named = args.model.clone();
        let (args, places) = args.settle(places, screen)?;
        let args = args.keep_models(named.as_deref(), &store).await?.with_past(past.unwrap_or_default());
        let mut terms = args.terms();
        // What the user says now is the session's own budget, and not a server's.
        terms.server_budget = None;
        let began = SessionSidecar::here(&places, terms);
        let places = places.within(args.ways.bounds());
        Ok(PreparedRun { args, places, store, began })
    }
}

impl PreparedRun {
    /// Opens the session that the arguments name, or a new one.
    pub(super) async fn begin(
        &self,
        start: SessionStartParts,
        screen: &Arc<TerminalOutput>,
    ) -> anyhow::Result<StartedSession> {
        let Self { args, places, store, began } = self;
        let SessionStartParts { chosen, terminal, sinks, next, lines } = start;
        if let Some(id) = args.past() {
            children::check(store, id).await?;
        }
        let host = TerminalHost::new();
        let (terminal, sinks) = (terminal.shared(host.desk()), sinks.and(&host));
        let parts = AgentParts::assemble(args, places, store.clone(), chosen, terminal, screen).await?;
        let withholding = parts.withholding();
        withholding.of_session(lines);
        let (crew, secrets, hooks) = parts.parts();
        let live_grants = parts.live_grants();
        let (agent, tools) = parts.agent(args, sinks)?;
        let began = match args.grow(store, next, screen).await? {
            Some((from, shared)) => {
                let began = began.clone().forked(from, shared);
                // At once: a fork without its terms would no longer know what is denied.
                if let Some(new) = &args.session {
                    began.keep(places, new)?;
                }
                began
            }
            None => began.clone(),
        };
        let session = open(&agent, args, |run| withholding.resume(store, run)).await?;
        unheard(&hooks, &session).iter().for_each(|note| screen.note(note));
        began.keep(places, session.id())?;
        tools.keep_folders(places, &session);
        let following = tools.follow(&session);
        let listening = host.listen(&places.data, session.id(), session.handle()).ok();
        let made = AssembledAgent { agent, tools, crew, secrets, hooks, live_grants, store: store.clone() };
        Ok(StartedSession { session, made, withholding, following, listening })
    }
}

/// The points that hooks want to check but are never asked about. A run fixes its points when it
/// begins, and this one may have begun before the hooks existed. Calls are not among them, because
/// they are always checked.
fn unheard(hooks: &HookSet, session: &Session) -> Option<String> {
    let asked = &session.run().config().consult;
    let never = hooks.points().into_iter().filter(|point| !asked.contains(point));
    let names: Vec<&str> = never.filter_map(event).map(HookEvent::name).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(" and ");
        format!(
            "holm: this session started without the hooks at {names} and does not use them; a new \
                 session does"
        )
    })
}

/// The event of a file of hooks that comes at this point.
fn event(point: ConsultPoint) -> Option<HookEvent> {
    match point {
        ConsultPoint::Context => Some(HookEvent::UserPromptSubmit),
        ConsultPoint::AfterTool => Some(HookEvent::PostToolUse),
        ConsultPoint::Stop => Some(HookEvent::Stop),
        ConsultPoint::Tools | ConsultPoint::Model | ConsultPoint::PlainAnswer => None,
    }
}
