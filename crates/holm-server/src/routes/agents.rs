//! Routes to show, check, save and delete agents. A user's own agent may have what the default
//! agent has; only an administrator can give it more.
//!
//! Files are read and written behind `catalogue.rs`; the list of agents is in
//! `routes/catalogue.rs`. A change needs the version that the client has read.

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use holm_tools::root::WritePrecondition;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    AgentView, ApiError, HolmServer, PartName, Problem,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    precondition::required,
    routes::sessions::all_sessions,
    state::most,
};

/// The text of an agent file.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentText {
    /// A head between two `---` lines (name, description, model, tools, grants, mode,
    /// limits), then the prompt.
    text: String,
}

/// Shows one agent with its file.
#[utoipa::path(get, path = "/api/agents/{id}", params(("id" = String, Path)),
    responses((status = 200, body = AgentView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<Json<AgentView>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.agent(&who.user, name).await?))
}

/// Checks the text of an agent file without saving it.
///
/// Returns the agent, or an error that says what is wrong.
#[utoipa::path(post, path = "/api/check-agent", request_body = AgentText,
    responses((status = 200, body = AgentView), (status = 400, body = Problem)))]
pub(crate) async fn check(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(agent): JsonBody<AgentText>,
) -> Result<Json<AgentView>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.check_agent(&who.user, agent.text).await?))
}

/// Saves one of your own agents.
///
/// With `if-match`, replaces the version that you read. With `if-none-match: *`,
/// creates a new agent.
#[utoipa::path(put, path = "/api/agents/{id}", request_body = AgentText,
    params(("id" = String, Path), ("if-match" = Option<String>, Header, description = "The `etag` of the version that you read."),
        ("if-none-match" = Option<String>, Header, description = "`*`: the agent must not exist yet.")),
    responses((status = 200, body = AgentView), (status = 201, body = AgentView), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem), (status = 428, body = Problem)))]
pub(crate) async fn keep(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
    headers: HeaderMap,
    JsonBody(agent): JsonBody<AgentText>,
) -> Result<Response, ApiError> {
    all_sessions(&who)?;
    let before = required(&headers)?;
    let kept = server.inner.workshop.keep_agent(&who.user, name, agent.text, before, most(&who)).await?;
    let status = match before {
        WritePrecondition::Absent => StatusCode::CREATED,
        WritePrecondition::Is(_) => StatusCode::OK,
    };
    let etag = kept.etag.as_deref().and_then(|etag| HeaderValue::from_str(etag).ok());
    let mut answer = (status, Json(kept)).into_response();
    if let Some(etag) = etag {
        answer.headers_mut().insert(header::ETAG, etag);
    }
    Ok(answer)
}

/// Deletes one of your own agents.
#[utoipa::path(delete, path = "/api/agents/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn remove(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<StatusCode, ApiError> {
    all_sessions(&who)?;
    server.inner.workshop.remove_agent(&who.user, name).await?;
    Ok(StatusCode::NO_CONTENT)
}
