//! Routes that list a user's agents, tools, skills and models, and the providers that have a key.
//!
//! Details of one agent or tool are in `routes/agents.rs` and `routes/tools.rs`. Only
//! administrators see or change keys, and a key is never returned.

use axum::{Extension, Json, extract::State};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    AgentCard, ApiError, HolmServer, ModelCard, PartName, Problem, SkillCard, ToolCard,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    state::administers,
};

/// A provider key to store.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProviderKey {
    /// The name of the provider in the catalogue.
    provider: String,
    /// The key. It is never returned.
    key: String,
}

/// Lists the agents that can be started, the default one first.
#[utoipa::path(get, path = "/api/agents", responses((status = 200, body = Vec<AgentCard>), (status = 500, body = Problem)))]
pub(crate) async fn agents(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<AgentCard>>, ApiError> {
    Ok(Json(server.inner.workshop.agents(&who.user).await?))
}

/// Lists the tools of the default agent.
#[utoipa::path(get, path = "/api/tools", responses((status = 200, body = Vec<ToolCard>), (status = 500, body = Problem)))]
pub(crate) async fn tools(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<ToolCard>>, ApiError> {
    Ok(Json(server.inner.workshop.tools(&who.user).await?))
}

/// Lists the skills of the user.
#[utoipa::path(get, path = "/api/skills", responses((status = 200, body = Vec<SkillCard>), (status = 500, body = Problem)))]
pub(crate) async fn skills(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<SkillCard>>, ApiError> {
    Ok(Json(server.inner.workshop.skills(&who.user).await?))
}

/// Lists the models that can be requested by name.
#[utoipa::path(get, path = "/api/models", responses((status = 200, body = Vec<ModelCard>), (status = 500, body = Problem)))]
pub(crate) async fn models(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<ModelCard>>, ApiError> {
    Ok(Json(server.inner.workshop.models(&who.user).await?))
}

/// Lists the providers that have a key. The keys themselves are never returned.
#[utoipa::path(get, path = "/api/keys", responses((status = 200, body = Vec<String>), (status = 403, body = Problem)))]
pub(crate) async fn keys(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<String>>, ApiError> {
    administers(&who)?;
    Ok(Json(server.inner.workshop.keys(&who.user).await?))
}

/// Stores the key of a provider, and replaces an existing one.
#[utoipa::path(post, path = "/api/keys", request_body = ProviderKey,
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn keep_key(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<ProviderKey>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    server.inner.workshop.keep_key(&who.user, &new.provider, new.key.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes the key of a provider.
#[utoipa::path(delete, path = "/api/keys/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn remove_key(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(provider): PathParam<PartName>,
) -> Result<StatusCode, ApiError> {
    administers(&who)?;
    server.inner.workshop.remove_key(&who.user, provider).await?;
    Ok(StatusCode::NO_CONTENT)
}
