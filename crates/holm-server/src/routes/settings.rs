//! The route that shows the settings of the server and of a user's agents, to administrators only.
//! It changes nothing: the server's settings are in `config.rs`, and those of agents come from
//! `catalogue.rs`.

use axum::{Extension, Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, Problem, ServerOptions, SettingView, auth::AuthenticatedUser, state::administers,
};

/// The settings of the server and of agents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingsView {
    /// The settings of the server.
    server: ServerSettings,
    /// The settings in effect for agents, and where each comes from.
    agents: Vec<SettingView>,
}

/// The settings of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerSettings {
    /// The version of Holm.
    version: &'static str,
    /// The address that the server listens on.
    listen: String,
    /// The path prefix of everything served.
    base: String,
    /// Whether the server has its own certificate.
    tls: bool,
    /// Additional host names that requests may use.
    hosts: Vec<String>,
    /// Additional origins whose pages may send requests.
    origins: Vec<String>,
    /// Maximum size of a request body, in bytes.
    body_bytes: usize,
    /// Maximum number of concurrent runs.
    runs: usize,
    /// Maximum number of concurrent runs per user.
    runs_per_user: usize,
    /// Maximum number of open sessions.
    sessions: usize,
    /// Maximum number of requests per minute for each token.
    requests_per_minute: u32,
}

/// Shows the settings of the server and of agents.
#[utoipa::path(get, path = "/api/settings", responses((status = 200, body = SettingsView), (status = 403, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<SettingsView>, ApiError> {
    administers(&who)?;
    let agents = server.inner.workshop.settings(&who.user).await?;
    Ok(Json(SettingsView { server: view(server.config()), agents }))
}

fn view(config: &ServerOptions) -> ServerSettings {
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
