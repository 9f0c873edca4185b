//! The interface to the code that assembles agents. It names no provider, tool or setting: the
//! program that starts the server decides about those.
//!
//! The implementation is `holm-cli/src/commands/serve/session_provider.rs`; the parts that users
//! change are in `catalogue.rs`. It does not drive sessions: `live/drive.rs` does.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm_kernel::{Budget, NanoUsd, OWN_NAMES, Seq, name_key};
use holm_mcp::server::McpServerHandler;
use holm_runtime::{BoxFuture, DeltaSink, EventSink, SecretString, Session, Toolbox};
use holm_store::Store;
use holm_tools::root::{DenyRules, ProtectionLevel, WorkspaceRoot, WorkspaceRootError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ApiError, QuestionBroker, SessionId, auth::UserName, catalogue::CatalogueProvider};

/// Sessions that were running when their server ended, with their users.
pub type ParkedSessions = Vec<(UserName, SessionId)>;

/// Assembles agents, for one user at a time. Users do not see the sessions or files of other users.
pub trait SessionProvider: CatalogueProvider {
    /// The store and folders of a user.
    fn home(&self, user: &UserName) -> BoxFuture<'static, Result<UserHome, SessionProviderError>>;

    /// Sessions of all users that were running when their server ended and may be resumed now, if
    /// all users share one database. `None` if the store of each user has to be asked.
    fn parked(&self) -> BoxFuture<'static, Result<Option<ParkedSessions>, SessionProviderError>> {
        Box::pin(async { Ok(None) })
    }

    /// Starts, resumes or forks a session, with an agent whose questions go to the order's desk.
    fn open(&self, order: SessionRequest) -> BoxFuture<'static, Result<OpenedSession, SessionProviderError>>;

    /// The agents that a user can start, the default one first.
    fn agents(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<AgentCard>, SessionProviderError>>;

    /// The tools of the user's default agent.
    fn tools(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ToolCard>, SessionProviderError>>;

    /// The skills that a user's agents can read.
    fn skills(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<SkillCard>, SessionProviderError>>;

    /// The models that can be asked for by name.
    fn models(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<ModelCard>, SessionProviderError>>;

    /// What MCP clients are offered in addition to the agents; `None` if MCP is not served at all.
    fn exposed(
        &self,
        user: &UserName,
    ) -> BoxFuture<'static, Result<Option<McpServerHandler>, SessionProviderError>>;

    /// The names of the providers with a stored key. Keys themselves are never returned.
    fn keys(&self, user: &UserName) -> BoxFuture<'static, Result<Vec<String>, SessionProviderError>>;

    /// Stores the key of a provider and replaces an existing one.
    fn keep_key(
        &self,
        user: &UserName,
        provider: &str,
        key: SecretString,
    ) -> BoxFuture<'static, Result<(), SessionProviderError>>;
}

#[derive(Debug, Clone)]
pub struct UserHome {
    /// The store of their sessions.
    pub store: Store,
    /// The folder in which their agents work.
    pub workspace: PathBuf,
    /// The folder for Holm's own data: tokens, keys, sessions. It is never served, even if it
    /// is inside the workspace.
    pub private: PathBuf,
}

impl UserHome {
    /// The workspace without the files that are hidden from tools, and without Holm's own
    /// data: the user's and the server's (`own`). A server that was started in a home folder
    /// has both inside the workspace.
    pub(crate) fn root(&self, own: &Path) -> Result<WorkspaceRoot, WorkspaceRootError> {
        let root = WorkspaceRoot::open(&self.workspace)?.denies(DenyRules::usual());
        root.protect(&self.private, ProtectionLevel::Everything)?.protect(own, ProtectionLevel::Everything)
    }
}

/// A request to open a session.
pub struct SessionRequest {
    pub user: UserName,
    pub start: SessionStart,
    pub starter: SessionStarter,
    /// The agent; `None` is the default one.
    pub agent: Option<String>,
    /// The model; `None` is the agent's own.
    pub model: Option<String>,
    /// The budget of the session, which can only lower the configured one.
    pub budget: Option<NanoUsd>,
    /// The own budget of a session that is resumed, if its journal has another one: what the user's
    /// budget left for it. `None` if the journal has its own.
    pub own_budget: Option<Budget>,
    /// Tools that the client brings and carries out itself.
    pub tools: Toolbox,
    /// The sampling temperature of a new session, in thousandths; `None` is the agent's own.
    pub temperature_milli: Option<u32>,
    pub desk: Arc<QuestionBroker>,
    /// The sink for events.
    pub events: Arc<dyn EventSink>,
    /// The sink for arriving replies.
    pub deltas: Arc<dyn DeltaSink>,
}

impl SessionRequest {
    /// Checks that the client's tools do not clash with the agent's own. If two names are equal,
    /// or differ only in case, a model could call the wrong tool. Names that every run reserves
    /// are never the client's.
    ///
    /// # Errors
    /// [`SessionProviderError::Refused`] with the name that is taken.
    pub fn check_tools(&self, own: &Toolbox) -> Result<(), SessionProviderError> {
        let names = own.iter().map(|tool| tool.declaration().name.as_str()).chain(OWN_NAMES.iter().copied());
        let taken: BTreeMap<String, &str> = names.map(|name| (name_key(name), name)).collect();
        let mut brought: BTreeMap<String, &str> = BTreeMap::new();
        for name in self.tools.iter().map(|tool| tool.declaration().name.as_str()) {
            let key = name_key(name);
            if let Some(own) = taken.get(&key) {
                let reason = format!("the agent already has a tool `{own}`; rename yours, `{name}`");
                return Err(SessionProviderError::Refused(reason));
            }
            if let Some(other) = brought.insert(key, name) {
                let reason = format!("`{other}` and `{name}` are too similar; rename one of them");
                return Err(SessionProviderError::Refused(reason));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for SessionRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SessionRequest")
            .field("user", &self.user)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// How a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionStart {
    /// A new session; `None` gets a generated name.
    New(Option<SessionId>),
    Resume(SessionId),
    /// A new session that shares the past of another one.
    Fork {
        /// The session to fork.
        from: SessionId,
        /// The last record that the fork includes.
        at: Seq,
        /// The name of the new session; `None` gets a generated one.
        new: Option<SessionId>,
    },
}

/// Who starts a session. Questions do not tell: those of some jobs go to users too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStarter {
    /// A user, who watches the session and answers its questions.
    User,
    /// A job, or a program that uses agents as models or as tools.
    Program,
}

/// An open session, with everything that must live as long as it does.
pub struct OpenedSession {
    pub session: Session,
    /// Watchers and similar values, dropped with the session.
    pub keep: Box<dyn Any + Send>,
}

impl fmt::Debug for OpenedSession {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OpenedSession").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Why a session cannot be opened, or another operation of the provider failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionProviderError {
    /// There is no such session, agent or model.
    #[error("there is no such {what}")]
    Missing {
        /// Which kind of thing.
        what: &'static str,
    },
    /// A session of that name exists.
    #[error("a session with that name already exists; choose another name")]
    Exists,
    /// Another entry of that name exists.
    #[error("that name already exists; choose another one, or remove it first")]
    Taken,
    /// The stored version is not the one that the client has read.
    #[error("it changed since you read it; read it again")]
    Changed,
    /// The caller may not ask for so much.
    #[error("{0}")]
    TooMuch(String),
    /// Another process drives the session.
    #[error("another process drives the session; stop it there first")]
    Busy,
    /// The request is not possible.
    #[error("{0}")]
    Refused(String),
    /// The machine or one of its files failed. The client does not see the
    /// reason; the operator does.
    #[error("{0}")]
    Failed(String),
}

impl From<SessionProviderError> for ApiError {
    fn from(error: SessionProviderError) -> Self {
        match error {
            SessionProviderError::Missing { what } => Self::missing(what),
            SessionProviderError::Exists => Self::conflict("exists", error.to_string()),
            SessionProviderError::Taken => Self::conflict("taken", error.to_string()),
            SessionProviderError::Changed => crate::precondition::changed(),
            SessionProviderError::TooMuch(reason) => Self::forbidden(reason),
            SessionProviderError::Busy => Self::conflict("driven_elsewhere", error.to_string()),
            SessionProviderError::Refused(reason) => Self::bad("refused", reason),
            SessionProviderError::Failed(_) => Self::failed("internal error; the server's log says why"),
        }
    }
}

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentCard {
    /// Its name, also as a model of `/v1`.
    pub name: String,
    pub description: String,
}

/// A tool of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCard {
    pub name: String,
    pub description: String,
    /// How much a call can change: `none`, `read-only`, `write` or `execute`.
    pub level: String,
    /// Where it comes from.
    pub origin: String,
}

/// A skill that an agent can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillCard {
    pub name: String,
    pub description: String,
}

/// A model that can be requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelCard {
    pub name: String,
}
