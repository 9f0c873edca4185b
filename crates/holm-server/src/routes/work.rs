//! Routes that send input to a session: prompts, steering, follow-ups and cancellation.
//!
//! A session that a terminal drives gets its input through `terminal/link.rs`; every other one
//! through `live/session_manager.rs`. A prompt is stored before the response is sent. Results are
//! not here: watchers read them at `routes/events.rs`.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use holm_kernel::Prompt;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, Problem, SessionId,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    state::admit,
    terminal::{TerminalCommand, TerminalLink},
};

/// A text for a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    #[schema(min_length = 1)]
    text: String,
}

/// A request to stop a session.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {
    /// The reason, which the journal records.
    reason: Option<String>,
}

/// The session that accepted a request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Heard {
    /// The name of the session.
    session: String,
    /// The state of the session after the request.
    state: &'static str,
}

/// Sends a prompt to a session.
///
/// The prompt is stored before this request returns, and runs even if the server restarts. Watch
/// the events of the session for the result.
#[utoipa::path(post, path = "/api/sessions/{id}/prompt", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 402, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
pub(crate) async fn prompt(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(words): JsonBody<Words>,
) -> Result<AcceptedResponse, ApiError> {
    let prompt = Prompt::text(checked_text(words)?);
    if let Some(link) = driven(&server, &who, &id).await? {
        return Err(in_a_terminal(&link));
    }
    let live_session = server.live_session(&who, &id).await?;
    drop(server.inner.hall.prompt(&live_session, Some(prompt)).await?);
    Ok(accepted(&id, live_session.state().borrow().name()))
}

/// Sends a text that is added before the next model call.
#[utoipa::path(post, path = "/api/sessions/{id}/steer", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn steer(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(words): JsonBody<Words>,
) -> Result<AcceptedResponse, ApiError> {
    let text = checked_text(words)?;
    if let Some(link) = driven(&server, &who, &id).await? {
        return hand_over(&id, &link, TerminalCommand::Steer(text)).await;
    }
    let live_session = server.live_session(&who, &id).await?;
    live_session.steer(Prompt::text(text))?;
    Ok(accepted(&id, live_session.state().borrow().name()))
}

/// Sends a text that is added when the session would otherwise stop.
#[utoipa::path(post, path = "/api/sessions/{id}/follow-up", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn follow_up(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(words): JsonBody<Words>,
) -> Result<AcceptedResponse, ApiError> {
    let text = checked_text(words)?;
    if let Some(link) = driven(&server, &who, &id).await? {
        return hand_over(&id, &link, TerminalCommand::FollowUp(text)).await;
    }
    let live_session = server.live_session(&who, &id).await?;
    live_session.follow_up(Prompt::text(text))?;
    Ok(accepted(&id, live_session.state().borrow().name()))
}

/// Stops the current work of a session.
#[utoipa::path(post, path = "/api/sessions/{id}/cancel", params(("id" = String, Path)), request_body = Stop,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn cancel(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(stop): JsonBody<Stop>,
) -> Result<AcceptedResponse, ApiError> {
    let reason = stop.reason.unwrap_or_else(|| "stopped by a user".to_owned());
    if let Some(link) = driven(&server, &who, &id).await? {
        return hand_over(&id, &link, TerminalCommand::Cancel(reason)).await;
    }
    let live_session = server.live_session(&who, &id).await?;
    live_session.cancel(&reason)?;
    Ok(accepted(&id, live_session.state().borrow().name()))
}

/// The response for accepted input.
type AcceptedResponse = (StatusCode, Json<Heard>);

/// The response for accepted input, with the state of the session.
fn accepted(id: &SessionId, state: &'static str) -> AcceptedResponse {
    (StatusCode::ACCEPTED, Json(Heard { session: id.to_string(), state }))
}

/// The terminal that drives the session, if one does.
async fn driven(
    server: &HolmServer,
    who: &AuthenticatedUser,
    id: &SessionId,
) -> Result<Option<Arc<TerminalLink>>, ApiError> {
    admit(who, id)?;
    server.terminal(&who.user, id).await
}

/// Sends a command to the terminal that drives the session.
async fn hand_over(
    id: &SessionId,
    link: &TerminalLink,
    command: TerminalCommand,
) -> Result<AcceptedResponse, ApiError> {
    if !link.works() {
        return Err(ApiError::conflict("idle", "the session is idle; type it in its terminal"));
    }
    link.send(command).await?;
    Ok(accepted(id, link.state()))
}

/// The error for a prompt to a session that a terminal drives.
fn in_a_terminal(link: &TerminalLink) -> ApiError {
    let message = if link.works() {
        "the session is running in a terminal; steer it, follow up, or cancel it first"
    } else {
        "the session is open in a terminal; type it there, or close it there first"
    };
    ApiError::conflict(if link.works() { "working" } else { "driven_elsewhere" }, message)
}

/// The text of a request; refuses an empty one.
fn checked_text(words: Words) -> Result<String, ApiError> {
    if words.text.trim().is_empty() {
        return Err(ApiError::bad("empty", "`text` is empty"));
    }
    Ok(words.text)
}
