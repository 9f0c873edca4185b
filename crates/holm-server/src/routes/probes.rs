//! Routes for the probes of load balancers and service managers. Probes have no token and use any
//! host name, so these routes are outside of the access checks and say nothing but whether the
//! server works. `health.rs` says more, to users with a token.

use std::time::{Duration, Instant};

use axum::{
    Json, Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::get,
};
use holm_store::SessionQuery;
use http::StatusCode;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::{HolmServer, auth::UserName, request_guard};

/// How long the result of a check counts. Anybody can send probes, and they must not keep the
/// database busy.
const CHECK_LIFETIME: Duration = Duration::from_secs(1);
/// How long the store may take to answer. Probes usually wait a few seconds.
const CHECK_TIME: Duration = Duration::from_secs(2);

/// The answer to a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ProbeResult {
    /// `ok`, `stopping`, or `no_store` if the sessions cannot be read.
    status: &'static str,
}

/// The last check of the store, shared by all probes.
#[derive(Debug, Default)]
pub(crate) struct ReadinessCheck(Mutex<Option<(Instant, bool)>>);

/// The routes, below the server's base path.
pub(crate) fn router(server: HolmServer) -> Router {
    let base = server.config().base.as_str();
    Router::new()
        .route(&format!("{base}/health/live"), get(live))
        .route(&format!("{base}/health/ready"), get(ready))
        .with_state(server)
}

/// Reports that the process answers. Needs no token.
#[utoipa::path(get, path = "/health/live", security(()), responses((status = 200, body = ProbeResult)))]
pub(crate) async fn live() -> Response {
    answer(StatusCode::OK, "ok")
}

/// Reports whether the server accepts work: it is not stopping, and it can read its sessions. Needs
/// no token.
#[utoipa::path(get, path = "/health/ready", security(()),
    responses((status = 200, body = ProbeResult), (status = 503, body = ProbeResult)))]
pub(crate) async fn ready(State(server): State<HolmServer>) -> Response {
    if server.hall().is_stopping() {
        return answer(StatusCode::SERVICE_UNAVAILABLE, "stopping");
    }
    let mut last = server.inner.readiness.0.lock().await;
    let works = match *last {
        Some((at, works)) if at.elapsed() < CHECK_LIFETIME => works,
        _ => {
            let works = tokio::time::timeout(CHECK_TIME, reads_sessions(&server)).await.unwrap_or(false);
            *last = Some((Instant::now(), works));
            works
        }
    };
    if works { answer(StatusCode::OK, "ok") } else { answer(StatusCode::SERVICE_UNAVAILABLE, "no_store") }
}

async fn reads_sessions(server: &HolmServer) -> bool {
    let Ok(home) = server.inner.workshop.home(&UserName::owner()).await else { return false };
    home.store.list(&SessionQuery { limit: Some(1), ..SessionQuery::default() }).await.is_ok()
}

fn answer(code: StatusCode, status: &'static str) -> Response {
    request_guard::dressed((code, Json(ProbeResult { status })).into_response())
}
