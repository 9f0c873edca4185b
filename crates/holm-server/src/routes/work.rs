//! What is said to a session: prompts, steering, what comes next, and that it stop.

use axum::{Extension, Json, extract::State, response::IntoResponse};
use holm_kernel::Prompt;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    Problem, Refusal, Server, SessionId,
    auth::Who,
    extract::{Input, Named},
    live::Room,
};

/// Words for a session.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Words {
    /// What is said.
    #[schema(min_length = 1)]
    text: String,
}

/// Why a session is stopped.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct Stop {
    /// The reason, which the journal keeps.
    reason: Option<String>,
}

/// That something was heard.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Heard {
    /// The session.
    session: String,
    /// What it does now.
    state: &'static str,
}

/// Asks a session for something. It is kept when this answers, and done, whatever becomes of the server; watch its events
/// for what comes of it.
#[utoipa::path(post, path = "/api/sessions/{id}/prompt", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 402, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
pub(crate) async fn prompt(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
    Input(words): Input<Words>,
) -> Result<impl IntoResponse, Refusal> {
    let prompt = said(words)?;
    let room = server.room(&who, &id).await?;
    drop(server.inner.hall.prompt(&room, Some(prompt)).await?);
    Ok(heard(&id, &room))
}

/// Says something that enters before the next model call.
#[utoipa::path(post, path = "/api/sessions/{id}/steer", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn steer(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
    Input(words): Input<Words>,
) -> Result<impl IntoResponse, Refusal> {
    let prompt = said(words)?;
    let room = server.room(&who, &id).await?;
    room.steer(prompt)?;
    Ok(heard(&id, &room))
}

/// Says what to do once the session would stop by itself.
#[utoipa::path(post, path = "/api/sessions/{id}/follow-up", params(("id" = String, Path)), request_body = Words,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn follow_up(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
    Input(words): Input<Words>,
) -> Result<impl IntoResponse, Refusal> {
    let prompt = said(words)?;
    let room = server.room(&who, &id).await?;
    room.follow_up(prompt)?;
    Ok(heard(&id, &room))
}

/// Stops what a session does.
#[utoipa::path(post, path = "/api/sessions/{id}/cancel", params(("id" = String, Path)), request_body = Stop,
    responses((status = 202, body = Heard), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn cancel(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
    Input(stop): Input<Stop>,
) -> Result<impl IntoResponse, Refusal> {
    let room = server.room(&who, &id).await?;
    room.cancel(stop.reason.as_deref().unwrap_or("stopped by a person"))?;
    Ok(heard(&id, &room))
}

/// That it was heard, and what the session does now.
fn heard(id: &SessionId, room: &Room) -> impl IntoResponse + use<> {
    let state = room.state().borrow().name();
    (StatusCode::ACCEPTED, Json(Heard { session: id.to_string(), state }))
}

fn said(words: Words) -> Result<Prompt, Refusal> {
    if words.text.trim().is_empty() {
        return Err(Refusal::bad("empty", "there is nothing in `text`"));
    }
    Ok(Prompt::text(words.text))
}
