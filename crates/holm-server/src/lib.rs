//! Holm for a team: sessions that live on a machine, watched and steered from elsewhere. This crate decides nothing about
//! a run and puts no agent together: whoever starts it brings a [`Workshop`] that does, and the kernel decides as it does
//! everywhere.
//!
//! ```text
//!   browser, SDK, curl ──► Door (Host, Origin, token, rate) ──► routes ──► Hall ──► Workshop (an agent, a session)
//!                                                                           │
//!      SSE, WebSocket  ◄── Feed (numbered events, deltas by their bytes) ◄──┘
//! ```
//!
//! - **Who gets in** is decided before a body is read: the name that was asked for, the page that asks, then the
//!   token ([`auth`]). Without one there are the dashboard's files, and `/hooks`, where a message that is signed with the key
//!   of a job begins that job and says no more than that. Sites have addresses of their own, and a password where somebody
//!   has set one. Nothing is changed by `GET`.
//! - **Who sees what**: each user has a workspace, a store and grants of their own; another user's session does not exist
//!   for them.
//! - **A watcher never holds a run up**: events are kept in a bounded [`Feed`] that watchers read at their own pace; one
//!   that falls behind is told the number from which to ask again, and the journal has the rest.

mod answer;
mod audit;
pub mod auth;
mod claim;
mod config;
mod dashboard;
mod door;
mod error;
mod extract;
mod id;
pub mod jobs;
mod limiter;
mod live;
mod meant;
mod metrics;
mod openapi;
mod precondition;
mod refusals;
mod router;
mod routes;
mod serve;
pub mod sites;
mod state;
mod stock;
mod strict_http;
pub mod terminal;
mod workshop;

pub use answer::{Problem, Refusal};
pub use audit::{Audit, Entry as AuditEntry, Export as AuditExport};
pub use config::{BasePath, Config, Limits, Tls};
pub use error::ServerError;
pub use id::{PartName, SessionId};
pub use live::{
    Answered, Attendance, Cursor, Desk, Feed, Frame, Hall, Lasting, Opening, Posed, Question, QuestionId,
    Step, Told,
};
pub use metrics::{Counter, Metrics};
pub use router::{document, router};
pub use serve::{Serving, serve};
pub use state::Server;
pub use stock::{
    AgentBounds, AgentView, BackupView, Most, Owner, Reloaded, ServerState, ServerTest, ServerView,
    SettingView, SkillView, Stocked, Stockroom, ToolView, Trial, Tried,
};
pub use workshop::{
    AgentCard, Home, ModelCard, OpenError, Opened, Order, ParkedSessions, SkillCard, Start, ToolCard,
    Workshop,
};
