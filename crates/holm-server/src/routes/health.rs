//! Routes for the health check, the metrics, and the identity of the caller. They need a token;
//! probes without one are in `routes/probes.rs`. Metrics are counted and written in `metrics.rs`.

use axum::{Extension, Json, extract::State};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    CurrentLoad, HolmServer,
    auth::{AuthenticatedUser, Role, TokenScope},
};

/// The state of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` as long as the server answers.
    status: &'static str,
    /// The version of Holm.
    version: &'static str,
    /// Number of open sessions.
    sessions: usize,
}

/// The user of a token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    user: String,
    /// What the token allows.
    role: Role,
    /// The number of the token, as in `/api/tokens`.
    token: u64,
    /// The sessions that the token can be used with; all sessions of the user if not set.
    sessions: Option<Vec<String>>,
}

/// Reports that the server is running.
#[utoipa::path(get, path = "/health", responses((status = 200, body = Health)))]
pub(crate) async fn health(State(server): State<HolmServer>) -> Json<Health> {
    let sessions = server.inner.hall.len();
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), sessions })
}

/// Returns the server's metrics in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(State(server): State<HolmServer>) -> impl axum::response::IntoResponse {
    let (hall, users) = (&server.inner.hall, server.keyring().holders().len());
    let text = server.inner.metrics.write(CurrentLoad { users, ..hall.load() });
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

/// Shows the user and the role of the token.
#[utoipa::path(get, path = "/api/me", responses((status = 200, body = Me)))]
pub(crate) async fn me(Extension(who): Extension<AuthenticatedUser>) -> Json<Me> {
    let sessions = match &who.scope {
        TokenScope::All => None,
        TokenScope::Only(ids) => Some(ids.iter().map(ToString::to_string).collect()),
    };
    Json(Me { user: who.user.to_string(), role: who.role, token: who.token.value(), sessions })
}
