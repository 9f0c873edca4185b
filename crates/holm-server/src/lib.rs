//! The Holm server: sessions that run on one machine and are watched and steered from others. This
//! crate does not decide about runs and does not assemble agents. The caller passes a
//! [`SessionProvider`] that assembles them, and the kernel decides, as everywhere.
//!
//! ```text
//!   browser, SDK, curl ──► request guard (host, origin, token, rate) ──► routes ──► SessionManager
//!       SSE, WebSocket ◄── SessionFeed (numbered events, deltas by their bytes) ◄─────────┤
//!                                       an agent, a session ◄── SessionProvider ◄─────────┘
//! ```
//!
//! - **Access** is checked before a body is read: the host name, the origin of the page, then the
//!   token ([`auth`]). Only two things need no token. The dashboard's files are public, and at
//!   `/hooks` a message that is signed with the key of a job starts that job; its sender learns
//!   nothing else. Sites have their own addresses, and optionally a password. A `GET` request
//!   changes nothing.
//! - **Isolation**: each user has their own workspace, store and grants. Sessions of other users do
//!   not exist for them.
//! - **Watchers never delay a run**: events are kept in a bounded [`SessionFeed`] that watchers read at
//!   their own pace. A watcher that lags gets the number from which to continue, and the
//!   journal has the rest.
//!
//! Where things are:
//! - `serve.rs`, `strict_http/`: connections. `request_guard.rs`, `limiter.rs`, `auth/`: access.
//! - `router.rs`, `routes/`: the API. `extract.rs`, `id.rs`, `precondition.rs`: what a request
//!   contains.
//! - `api_error.rs`, `error_responses.rs`, `openapi.rs`: what a response contains. `error.rs`:
//!   errors at the start.
//! - `live/`: open sessions. `terminal/`: sessions that a terminal drives.
//! - `jobs/`: scheduled work. `sites/`: published folders. `dashboard/`: the web page.
//! - `session_provider.rs`, `catalogue.rs`: what the caller implements. `evaluations.rs`: what
//!   `holm eval` has stored.
//! - `state.rs`: what all routes share. `config.rs`, `folder_lock.rs`, `audit.rs`, `metrics.rs`:
//!   the rest.

mod api_error;
mod audit;
pub mod auth;
mod catalogue;
mod config;
mod dashboard;
mod error;
mod error_responses;
mod evaluations;
mod extract;
mod folder_lock;
mod id;
pub mod jobs;
mod limiter;
mod live;
mod metrics;
mod openapi;
mod precondition;
mod request_guard;
mod router;
mod routes;
mod serve;
mod session_provider;
pub mod sites;
mod state;
mod strict_http;
mod suggestion;
pub mod terminal;

pub use api_error::{ApiError, Problem};
pub use audit::{AuditEntry, AuditExport, AuditLog};
pub use catalogue::{
    AgentBounds, AgentView, BackupView, CatalogueFuture, CatalogueProvider, FolderLevel, FolderLevelCard,
    FolderTrustView, GrantCeiling, Owner, Reloaded, ServerState, ServerTest, ServerView, SettingView,
    SkillView, ToolView, Trial, Tried,
};
pub use config::{BasePath, ServerLimits, ServerOptions, TlsFiles};
pub use error::ServerError;
pub use id::{PartName, SessionId};
pub use live::{
    Answered, FeedCursor, FeedEvent, FeedFrame, FeedStep, Posed, Question, QuestionAttendance,
    QuestionBroker, QuestionId, SessionFeed, SessionManager, SessionOptions, WorkLifetime,
};
pub use metrics::{CurrentLoad, DurationHistogram, LabelledCounter, MetricCounter, ServerMetrics};
pub use router::{document, router};
pub use serve::{RunningServer, serve};
pub use session_provider::{
    AgentCard, ModelCard, OpenedSession, ParkedSessions, SessionProvider, SessionProviderError,
    SessionRequest, SessionStart, SessionStarter, SkillCard, ToolCard, UserHome,
};
pub use state::HolmServer;
