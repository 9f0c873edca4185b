//! Provides agents to the users of a server. The user who started it uses the data folder and the
//! folder where it was started. Every other user has their own data folder and workspace, and so
//! their own sessions, tools, agents, keys and files.
//!
//! It implements the trait of `holm-server/src/session_provider.rs`; HTTP, authentication and
//! budgets are there. Agents are assembled in `commands/run.rs`, stores are opened in
//! `commands/serve/session_storage.rs`, and `commands/serve/session_provider/catalogue.rs` shows
//! and changes what users have.
//!
//! What agents may do in a folder without asking (`holm trust`) applies to sessions that the owner
//! starts; `commands/serve/session_provider/folder_trust.rs` shows and changes it.
//!
//! A client names an agent and never a path. With `--unconfined` only the owner is served, because
//! users would not be isolated. Problems of the machine are reported to the operator and not to
//! clients.

mod catalogue;
mod folder_trust;

use std::{collections::HashMap, sync::Arc};

use holm::{
    runtime::{Agent, BoxFuture, DriveError, EventSink, JournalStorageError, SecretString, Session},
    store::Store,
    wire::services::ServiceTable,
};
use holm_config::KeyFile;
use holm_mcp::server::McpServerHandler;
use holm_server::{
    AgentCard, ModelCard, OpenedSession, QuestionAttendance, SessionId, SessionProvider,
    SessionProviderError, SessionRequest, SessionStart, SessionStarter, SkillCard, ToolCard, UserHome,
    auth::UserName,
};
use tokio::sync::Mutex;

use super::{browser_user::BrowserUser, session_storage::SessionStorage};
use crate::{
    agents::AgentDefinition,
    approve::UserPresence,
    children,
    commands::{
        mcp_server,
        run::{self, AssembledAgent, PresentAuthority, RunSinks},
    },
    exit::{CommandError, CommandExit},
    folder_trust::FolderAccess,
    holm_paths::{self, HolmPaths},
    model::CacheLifetime,
    screen::TerminalOutput,
    session_sidecar::SessionSidecar,
    skills::RunSkills,
};

/// The name of the default agent, which has no file.
const USUAL: &str = "holm";
/// What it is for.
const ABOUT_USUAL: &str = "Works in the workspace, with the tools that it was given.";

/// The users of a server and their agents. Clones share the state.
#[derive(Clone)]
pub(super) struct CliSessionProvider {
    inner: Arc<SessionProviderState>,
}

struct SessionProviderState {
    args: run::RunArgs,
    places: HolmPaths,
    stores: SessionStorage,
    rooms: Mutex<HashMap<UserName, WorkspaceSlot>>,
    /// Also receives the events of every session.
    told: Option<Arc<dyn EventSink>>,
}

/// The slot of a user's workspace, filled on the first request.
type WorkspaceSlot = Arc<Mutex<Option<Arc<UserWorkspace>>>>;

/// The folders and the store of a user.
struct UserWorkspace {
    places: HolmPaths,
    store: Store,
    /// An agent without a user, for showing its tools; assembled on first use.
    shown: Mutex<Option<Arc<AssembledAgent>>>,
}

impl CliSessionProvider {
    /// Agents that are made of these arguments.
    pub(super) fn new(args: run::RunArgs, places: HolmPaths, stores: SessionStorage) -> Self {
        Self {
            inner: Arc::new(SessionProviderState {
                args,
                places,
                stores,
                rooms: Mutex::default(),
                told: None,
            }),
        }
    }

    /// Also sends the events of every session to this sink. Must be called before
    /// the value is cloned.
    pub(super) fn telling(mut self, sink: Arc<dyn EventSink>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.told = Some(sink);
        }
        self
    }

    /// Whether the owner's usual agent can be made at all.
    pub(super) async fn check(&self) -> anyhow::Result<()> {
        let screen = Arc::new(TerminalOutput::default());
        let (args, places) = self.inner.args.clone().settle(self.inner.places.clone(), &screen)?;
        let room = self.room(&UserName::owner()).await?;
        let made = run::seated_with(
            &args,
            &places,
            &screen,
            UserPresence::Away,
            RunSinks::default(),
            room.store.clone(),
        )
        .await?;
        *room.shown.lock().await = Some(Arc::new(made));
        Ok(())
    }

    async fn room(&self, user: &UserName) -> anyhow::Result<Arc<UserWorkspace>> {
        let place = Arc::clone(self.inner.rooms.lock().await.entry(user.clone()).or_default());
        // Locked while the store is opened, for this user only: a store that is in use elsewhere
        // does not block other users.
        let mut place = place.lock().await;
        if let Some(room) = &*place {
            return Ok(Arc::clone(room));
        }
        let places = self.places_of(user)?;
        let store = self.inner.stores.open(user, &places).await?;
        let room = Arc::new(UserWorkspace { places, store, shown: Mutex::default() });
        *place = Some(Arc::clone(&room));
        Ok(room)
    }

    /// A user's name is a plain word, so it names a folder and nothing else.
    fn places_of(&self, user: &UserName) -> anyhow::Result<HolmPaths> {
        let owner = &self.inner.places;
        if *user == UserName::owner() {
            return Ok(owner.clone());
        }
        if self.inner.args.is_unconfined() {
            let message = "commands run without a sandbox here, so users would not be isolated from each \
                           other";
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("start the server without --unconfined")
                .into());
        }
        let home = owner.data.join("users").join(user.as_str());
        // Side by side: otherwise the user's data would contain the folder of their commands, and
        // could not be hidden from them.
        let (data, work) = (home.join("data"), home.join("workspace"));
        holm_paths::private_folder(&data)?;
        holm_paths::private_folder(&work)?;
        // What the flag says of the owner's project says nothing of other people's.
        let own = HolmPaths { bounds: owner.bounds, ..HolmPaths::at(data, work) };
        holm_paths::private_folder(&own.tools())?;
        Ok(own)
    }

    async fn shown(&self, user: &UserName) -> anyhow::Result<Arc<AssembledAgent>> {
        let room = self.room(user).await?;
        let mut shown = room.shown.lock().await;
        if let Some(made) = &*shown {
            return Ok(Arc::clone(made));
        }
        let screen = Arc::new(TerminalOutput::elsewhere(|_| {}));
        let (args, places) = self.inner.args.clone().settle(room.places.clone(), &screen)?;
        let made = run::seated_with(
            &args,
            &places,
            &screen,
            UserPresence::Away,
            RunSinks::default(),
            room.store.clone(),
        )
        .await?;
        let made = Arc::new(made);
        *shown = Some(Arc::clone(&made));
        Ok(made)
    }

    async fn make(&self, order: SessionRequest) -> Result<OpenedSession, SessionProviderError> {
        let room = self.room(&order.user).await.map_err(failed)?;
        let agent = order.agent.clone().filter(|name| name != USUAL);
        // A name, never a path: what a client says chooses among what is there.
        if let Some(name) = &agent
            && listed(&room.places).iter().all(|listed| listed.name != *name)
        {
            return Err(SessionProviderError::Missing { what: "agent" });
        }
        let desk = Arc::clone(&order.desk);
        let screen = Arc::new(TerminalOutput::elsewhere(move |note| desk.tell(note)));
        let args = self.inner.args.clone().of(agent, order.model.clone());
        let places = with_level(&room.places, &order).map_err(|trouble| refused(&trouble))?;
        let (args, past) = match &order.start {
            SessionStart::New(_) => (args, None),
            SessionStart::Resume(id) => (args.of_session(id.as_str(), order.own_budget).going_on(), Some(id)),
            SessionStart::Fork { from, .. } => (args.going_on(), Some(from)),
        };
        let past = past.map(|id| SessionSidecar::past(&places, id.as_str())).transpose();
        let past = past.map_err(|trouble| refused(&trouble))?.unwrap_or_default();
        let (args, places) = args.settle(places, &screen).map_err(|trouble| refused(&trouble))?;
        let args = args.caching(cache_lifetime(&order, &room.store).await);
        let args = args.with_past(past).at_most(order.budget);
        let person = match order.desk.attendance() {
            QuestionAttendance::Attended => {
                UserPresence::Elsewhere(Arc::new(BrowserUser(Arc::clone(&order.desk))))
            }
            QuestionAttendance::Unattended => UserPresence::Away,
        };
        let events = std::iter::once(Arc::clone(&order.events)).chain(self.inner.told.clone()).collect();
        let sinks = RunSinks { events, deltas: Some(Arc::clone(&order.deltas)) };
        let made = run::seated_with(&args, &places, &screen, person, sinks, room.store.clone()).await;
        let made = made.map_err(|error| told(&error))?;
        // Checked before the session exists, because it could not be used.
        order.check_tools(&made.tools.begun())?;
        let agent = match order.temperature_milli {
            Some(milli) => made.agent.with_temperature(milli),
            None => made.agent.clone(),
        };
        let session = begin(&args, &places, &made, &agent, order.start).await?;
        made.tools.keep_folders(&places, &session);
        let following = made.tools.lend(&session, order.tools);
        let following = following.map_err(|error| SessionProviderError::Refused(error.to_string()))?;
        Ok(OpenedSession { session, keep: Box::new((following, made)) })
    }
}

/// How long a provider keeps the prompts of a session: an hour where a user reads and thinks between
/// two prompts. A session that goes on keeps what its prices say.
async fn cache_lifetime(order: &SessionRequest, store: &Store) -> CacheLifetime {
    let past = match (&order.start, order.starter) {
        (SessionStart::New(_), SessionStarter::User)
            if order.desk.attendance() == QuestionAttendance::Attended =>
        {
            return CacheLifetime::Hour;
        }
        (SessionStart::New(_), _) => return CacheLifetime::Short,
        (SessionStart::Resume(id), _) => id,
        (SessionStart::Fork { from, .. }, _) => from,
    };
    let started = store.started(past.as_str()).await;
    started.map_or(CacheLifetime::Short, |started| CacheLifetime::of(&started.config.models))
}

/// The places of a session, with what agents may do in the folder without asking. Only the owner's
/// own sessions have that: other users work elsewhere, and no user answers for jobs and programs. A
/// session that is resumed or forked keeps at most what it has, so it does not matter who asks.
fn with_level(places: &HolmPaths, order: &SessionRequest) -> Result<HolmPaths, CommandError> {
    let is_own = match (&order.start, order.starter) {
        (SessionStart::New(_), SessionStarter::User) => {
            order.desk.attendance() == QuestionAttendance::Attended
        }
        (SessionStart::New(_), SessionStarter::Program) => false,
        (SessionStart::Resume(_) | SessionStart::Fork { .. }, _) => true,
    };
    if order.user != UserName::owner() || !is_own {
        return Ok(places.clone());
    }
    Ok(HolmPaths { folder_access: FolderAccess::of(places)?, ..places.clone() })
}

async fn begin(
    args: &run::RunArgs,
    places: &HolmPaths,
    made: &AssembledAgent,
    agent: &Agent,
    start: SessionStart,
) -> Result<Session, SessionProviderError> {
    let origin = match &start {
        SessionStart::Fork { from, at, .. } => Some((from.to_string(), at.value())),
        SessionStart::New(_) | SessionStart::Resume(_) => None,
    };
    let session = match start {
        SessionStart::New(Some(id)) => agent.start_as(id.as_str()).await,
        SessionStart::New(None) => agent.start().await,
        SessionStart::Resume(id) => {
            let id = id.as_str();
            children::check(&made.store, id).await.map_err(|error| told(&error))?;
            agent.resume_deciding(id, |run| run::taken_up(args, made, run)).await
        }
        SessionStart::Fork { from, at, new } => {
            let new = new.map_or_else(|| format!("{from}-fork"), |new| new.to_string());
            children::check(&made.store, from.as_str()).await.map_err(|error| told(&error))?;
            let now = agent.replay(from.as_str()).await.map_err(driven)?;
            let now = PresentAuthority::of(&now.run);
            agent.fork_deciding(from.as_str(), at, &new, |run| args.fork_changes(run, &now)).await
        }
    };
    let session = session.map_err(driven)?;
    // A fork, and a session that a server resumes, are bound by the terms of their past.
    let mut sidecar = SessionSidecar::here(places, args.terms());
    if let Some((from, at)) = origin {
        sidecar = sidecar.forked(from, at);
    }
    sidecar.keep(places, session.id()).map_err(failed)?;
    Ok(session)
}

impl SessionProvider for CliSessionProvider {
    fn home(&self, user: &UserName) -> BoxFuture<'static, Result<UserHome, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let (workspace, private) = (room.places.work.clone(), room.places.data.clone());
            Ok(UserHome { store: room.store.clone(), workspace, private })
        })
    }

    fn parked(&self) -> BoxFuture<'static, Result<Option<Vec<(UserName, SessionId)>>, SessionProviderError>> {
        let house = self.clone();
        Box::pin(async move { house.inner.stores.parked().await.map_err(failed) })
    }

    fn open(&self, order: SessionRequest) -> BoxFuture<'static, Result<OpenedSession, SessionProviderError>> {
        let house = self.clone();
        Box::pin(async move { house.make(order).await })
    }

    fn agents(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<AgentCard>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let mut cards = vec![AgentCard { name: USUAL.into(), description: ABOUT_USUAL.into() }];
            cards.extend(listed(&room.places));
            Ok(cards)
        })
    }

    fn tools(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ToolCard>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let made = house.shown(&user).await.map_err(failed)?;
            let snapshot = made.tools.registry().snapshot();
            let cards = snapshot.tools().map(|(tool, entry)| {
                let declared = tool.declaration();
                ToolCard {
                    name: declared.name.clone(),
                    description: declared.description.clone(),
                    level: declared.level.to_string(),
                    origin: entry.origin.clone(),
                }
            });
            Ok(cards.collect())
        })
    }

    fn skills(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<SkillCard>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let skills = RunSkills::find(&room.places, &[]);
            let card = |skill: &holm_config::skills::SkillDocument| SkillCard {
                name: skill.name.clone(),
                description: skill.description.clone(),
            };
            Ok(skills.listed().map(card).collect())
        })
    }

    fn models(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ModelCard>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let made = house.shown(&user).await.map_err(failed)?;
            let models = &made.agent.config().models;
            Ok(models.iter().map(|model| ModelCard { name: model.name.clone() }).collect())
        })
    }

    fn exposed(
        &self,
        user: &UserName,
    ) -> BoxFuture<'static, Result<Option<McpServerHandler>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            Ok(Some(mcp_server::prompts(&room.places)))
        })
    }

    fn keys(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<String>, SessionProviderError>> {
        let (house, user) = (self.clone(), user.clone());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let keys = KeyFile::load(&room.places.keys()).map_err(failed)?;
            Ok(keys.names().map(str::to_owned).collect())
        })
    }

    fn keep_key(
        &self,
        user: &UserName,
        provider: &str,
        key: SecretString,
    ) -> BoxFuture<'static, Result<(), SessionProviderError>> {
        let (house, user, provider) = (self.clone(), user.clone(), provider.to_owned());
        Box::pin(async move {
            let room = house.room(&user).await.map_err(failed)?;
            let services = ServiceTable::stock();
            let service =
                services.find(&provider).map_err(|_| SessionProviderError::Missing { what: "provider" })?;
            let mut keys = KeyFile::load(&room.places.keys()).map_err(failed)?;
            keys.set(&service.id, &key).map_err(|_| SessionProviderError::Refused("not a valid key".into()))
        })
    }
}

/// The agent files that can be read. Other problems of an agent are reported when it is requested.
fn listed(places: &HolmPaths) -> Vec<AgentCard> {
    let card =
        |name, about: Result<String, String>| about.ok().map(|description| AgentCard { name, description });
    AgentDefinition::list(places).into_iter().filter_map(|agent| card(agent.name, agent.about)).collect()
}

/// Problems of the machine are reported to the operator of the server, not to its clients.
fn failed(error: impl std::fmt::Display) -> SessionProviderError {
    SessionProviderError::Failed(format!("{error:#}"))
}

/// Errors in the client's request are reported to the client; all others are for the
/// operator of the server.
fn refused(trouble: &CommandError) -> SessionProviderError {
    match trouble.exit {
        CommandExit::Usage | CommandExit::Missing | CommandExit::Provider => {
            SessionProviderError::Refused(trouble.to_string())
        }
        CommandExit::Done
        | CommandExit::Failed
        | CommandExit::NoAnswer
        | CommandExit::Limit
        | CommandExit::Cancelled => SessionProviderError::Failed(trouble.to_string()),
    }
}

/// As [`refused`], where anything may have gone wrong.
fn told(error: &anyhow::Error) -> SessionProviderError {
    error.downcast_ref::<CommandError>().map_or_else(|| failed(error), refused)
}

fn driven(error: DriveError) -> SessionProviderError {
    match error {
        DriveError::Journal(JournalStorageError::Missing { .. }) => {
            SessionProviderError::Missing { what: "session" }
        }
        DriveError::Journal(JournalStorageError::Exists { .. }) => SessionProviderError::Exists,
        DriveError::Journal(JournalStorageError::Busy { .. }) => SessionProviderError::Busy,
        DriveError::Journal(JournalStorageError::BadName { .. }) | DriveError::Fork(_) => {
            SessionProviderError::Refused(error.to_string())
        }
        other => SessionProviderError::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
