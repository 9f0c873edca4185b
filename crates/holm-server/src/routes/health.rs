//! Routes for the health check, the metrics, and the identity of the caller.

use axum::{Extension, Json, extract::State};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Server,
    auth::{Role, Scope, Who},
};

/// How the server is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` as long as it answers.
    status: &'static str,
    /// Which Holm it is.
    version: &'static str,
    /// Sessions that are open.
    sessions: usize,
}

/// Who one is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The user.
    user: String,
    /// What the token lets its holder do.
    role: Role,
    /// The token's number.
    token: u64,
    /// The sessions that it may be used with; none where all.
    sessions: Option<Vec<String>>,
}

/// Says that the server answers.
#[utoipa::path(get, path = "/health", responses((status = 200, body = Health)))]
pub(crate) async fn health(State(server): State<Server>) -> Json<Health> {
    let sessions = server.inner.hall.len();
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), sessions })
}

/// Gives the server's numbers in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(State(server): State<Server>) -> impl axum::response::IntoResponse {
    let text = server.inner.metrics.write(server.inner.hall.len());
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

/// Says whose token this is.
#[utoipa::path(get, path = "/api/me", responses((status = 200, body = Me)))]
pub(crate) async fn me(Extension(who): Extension<Who>) -> Json<Me> {
    let sessions = match &who.scope {
        Scope::All => None,
        Scope::Only(ids) => Some(ids.iter().map(ToString::to_string).collect()),
    };
    Json(Me { user: who.user.to_string(), role: who.role, token: who.token.value(), sessions })
}
