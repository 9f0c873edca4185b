//! Routes that show the settings of the server and of a user's agents.

use axum::{Extension, Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{Config, Problem, Refusal, Server, SettingView, auth::Who, state::administers};

/// How everything is set up.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingsView {
    /// How the server is.
    server: ServerSettings,
    /// What holds for agents, and where each was said.
    agents: Vec<SettingView>,
}

/// How the server is set up.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerSettings {
    /// Which Holm it is.
    version: &'static str,
    /// Where it listens.
    listen: String,
    /// Below which path everything is served.
    base: String,
    /// Whether it has a certificate of its own.
    tls: bool,
    /// Names beside those of this machine to which requests may be sent.
    hosts: Vec<String>,
    /// Origins beside its own whose pages may ask.
    origins: Vec<String>,
    /// The largest body of a request in bytes.
    body_bytes: usize,
    /// Runs that work at the same time.
    runs: usize,
    /// Runs of one user that work at the same time.
    runs_per_user: usize,
    /// Sessions that are kept open at the same time.
    sessions: usize,
    /// Requests of one token a minute.
    requests_per_minute: u32,
}

/// Shows how everything is set up.
#[utoipa::path(get, path = "/api/settings", responses((status = 200, body = SettingsView), (status = 403, body = Problem)))]
pub(crate) async fn show(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
) -> Result<Json<SettingsView>, Refusal> {
    administers(&who)?;
    let agents = server.inner.workshop.settings(&who.user).await?;
    Ok(Json(SettingsView { server: view(server.config()), agents }))
}

fn view(config: &Config) -> ServerSettings {
    let limits = &config.limits;
    ServerSettings {
        version: env!("CARGO_PKG_VERSION"),
        listen: config.listen.to_string(),
        base: config.base.as_str().to_owned(),
        tls: config.tls.is_some(),
        hosts: config.hosts.clone(),
        origins: config.origins.clone(),
        body_bytes: limits.body,
        runs: limits.runs,
        runs_per_user: limits.runs_per_user,
        sessions: limits.sessions,
        requests_per_minute: limits.requests_per_minute,
    }
}
