//! Routes to list, test, add and remove MCP servers. An added server may start a program with every
//! session, so only administrators can add one.
//!
//! Entries are stored and tested behind `catalogue.rs`. An entry is never returned, because it may
//! contain secrets. Agents for MCP clients are in `routes/mcp.rs`.

use axum::{Extension, Json, extract::State};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, PartName, Problem, ServerTest, ServerView,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    routes::sessions::all_sessions,
    state::administers,
};

/// An MCP server to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewServer {
    /// Its name; the names of its tools start with it.
    name: String,
    /// How to reach it, in the format of `mcpServers`: `{"command", "args", "env"}` or
    /// `{"url", "headers"}`, with `grants` and `network`. It is never returned.
    #[schema(value_type = Object)]
    entry: Map<String, Value>,
}

/// Lists MCP servers and their states.
#[utoipa::path(get, path = "/api/mcp-servers", responses((status = 200, body = Vec<ServerView>), (status = 403, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<ServerView>>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.servers_seen(&who.user).await?))
}

/// Connects to an MCP server and lists what it offers.
#[utoipa::path(post, path = "/api/mcp-servers/{id}/test", params(("id" = String, Path)),
    responses((status = 200, body = ServerTest), (status = 400, body = Problem), (status = 402, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 429, body = Problem)))]
pub(crate) async fn test(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<Json<ServerTest>, ApiError> {
    all_sessions(&who)?;
    let tested = server.inner.workshop.test_server(&who.user, name);
    Ok(Json(server.hall().aside(&who.user, tested).await?))
}

/// Adds an MCP server.
#[utoipa::path(post, path = "/api/mcp-servers", request_body = NewServer,
    responses((status = 201), (status = 400, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn add(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewServer>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    server.inner.workshop.add_server(&who.user, new.name.parse()?, new.entry).await?;
    Ok(StatusCode::CREATED)
}

/// Removes an MCP server.
#[utoipa::path(delete, path = "/api/mcp-servers/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn remove(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    server.inner.workshop.remove_server(&who.user, name).await?;
    Ok(StatusCode::NO_CONTENT)
}
