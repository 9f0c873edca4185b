//! The route by which other programs start jobs with signed messages. Such a message has no token,
//! so its signature is verified before anything else.
//!
//! Like the probes (`routes/probes.rs`), this route is outside of the access checks in
//! `request_guard.rs`. It checks the host name and has small limits of its own.
//!
//! Signatures are verified in `jobs/webhook_signature.rs`, and runs stored in
//! `jobs/job_scheduler.rs`. The response never reveals whether the user or the job exists.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::{Path, Request, State},
    response::{IntoResponse as _, Response},
    routing::post,
};
use http::{StatusCode, header::ORIGIN};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    ApiError, AuditEntry, HolmServer, Problem,
    auth::UserName,
    jobs::{JobId, TriggerOutcome, WebhookHeaders},
    request_guard,
};

/// The largest message: it only says that something happened.
const MOST_BODY: usize = 256 * 1024;
/// How long a message may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The result of a message.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HookHeard)]
pub(crate) struct HookReceipt {
    /// The run that the message started.
    run: String,
    /// Whether this message started the run; false if an earlier copy of it did.
    new: bool,
}

/// The route, below the server's base path.
pub(crate) fn router(server: HolmServer) -> Router {
    let base = server.config().base.as_str();
    Router::new().route(&format!("{base}/hooks/{{user}}/{{job}}"), post(trigger)).with_state(server)
}

/// Starts a job by a signed message.
#[utoipa::path(post, path = "/hooks/{user}/{job}", params(("user" = String, Path), ("job" = String, Path)),
    request_body(content = String, content_type = "application/json"), security(()),
    responses((status = 200, body = HookReceipt), (status = 202, body = HookReceipt), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 408, body = Problem), (status = 409, body = Problem), (status = 413, body = Problem), (status = 421, body = Problem),
        (status = 429, body = Problem)))]
pub(crate) async fn trigger(
    State(server): State<HolmServer>,
    Path((user, job)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (from, path) = (request_guard::peer(server.config(), &request), request.uri().path().to_owned());
    let accepted = accept(&server, &user, &job, (from, request)).await;
    let answer = match accepted {
        Ok(TriggerOutcome::New(slot)) => {
            (StatusCode::ACCEPTED, Json(HookReceipt { run: slot.to_string(), new: true })).into_response()
        }
        Ok(TriggerOutcome::Again(slot)) => {
            Json(HookReceipt { run: slot.to_string(), new: false }).into_response()
        }
        Err(refusal) => refusal.into_response(),
    };
    let status = answer.status().as_u16();
    server.inner.metrics.answered(status);
    let entry = AuditEntry::new(None, from.to_string(), &http::Method::POST, &path, status);
    // Strangers must not fill the disk, but a started run is always logged.
    let noted = answer.status().is_success() || server.inner.noted.take(&from, Instant::now()).is_ok();
    if noted && server.inner.audit.write(entry).await.is_err() {
        return request_guard::dressed(
            ApiError::failed("the server could not write its audit log").into_response(),
        );
    }
    request_guard::dressed(answer)
}

async fn accept(
    server: &HolmServer,
    user: &str,
    job: &str,
    (from, request): (IpAddr, Request),
) -> Result<TriggerOutcome, ApiError> {
    let unknown = || {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "not_believed",
            "the message's signature is missing or \
                                                                   wrong",
        )
    };
    let now = Instant::now();
    request_guard::check_host(server.config(), request.headers(), request.uri().authority())?;
    if request.headers().contains_key(ORIGIN) {
        return Err(ApiError::forbidden("web pages cannot send signed messages"));
    }
    let signed = WebhookHeaders::of(request.headers());
    let body = request_guard::read_body(request.into_body(), MOST_BODY, BODY_TIME, "message").await?;
    let parsed = user.parse::<UserName>().ok().zip(job.parse::<JobId>().ok());
    // An unknown user has no jobs and gets no folder. For a user without a token, no jobs run.
    let known = |user: &UserName| server.keyring().holders().contains(user);
    let accepted = match (parsed.filter(|(user, _)| known(user)), signed) {
        (Some((user, job)), Ok(signed)) => {
            server.inner.jobs.of(server, &user).await?.trigger(&job, &signed, &body).await
        }
        (None, _) | (_, Err(_)) => Err(unknown()),
    };
    let not_believed = matches!(&accepted, Err(refusal) if refusal.status == StatusCode::UNAUTHORIZED);
    // As in the access checks: a signed message is accepted no matter how many unsigned ones came
    // before.
    if not_believed && server.inner.failed.take(&from, now).is_err() {
        return Err(ApiError::busy("too_many_failures", "too many messages with a wrong signature", 60));
    }
    accepted
}
