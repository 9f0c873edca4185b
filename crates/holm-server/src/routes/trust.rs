//! Routes that show and change what agents may do without asking, in the folder in which the server
//! was started. `holm trust` shows and changes the same level.
//!
//! Only the owner of the server works in that folder; for other users there is no such level. Only
//! administrators change it. The level applies to sessions that the owner starts, not to jobs and
//! programs; that is decided in `holm-cli/src/commands/serve/session_provider.rs`.

use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    ApiError, FolderLevel, FolderTrustView, HolmServer, Problem,
    auth::{AuthenticatedUser, TokenScope},
    extract::JsonBody,
    state::administers,
};

/// A level to choose for the folder of the server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFolderLevel {
    level: FolderLevel,
}

/// Shows what agents may do in the folder of the server without asking.
///
/// Only the owner of the server has this folder. Other users have their
/// own workspaces, without a level.
#[utoipa::path(get, path = "/api/trust",
    responses((status = 200, body = FolderTrustView), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<FolderTrustView>, ApiError> {
    if who.scope != TokenScope::All {
        let message = "your token is limited to some sessions and cannot see the level of the folder";
        return Err(ApiError::forbidden(message));
    }
    Ok(Json(server.inner.workshop.folder_trust(&who.user).await?))
}

/// Changes what agents may do in the folder of the server without asking.
///
/// The level applies to sessions that start from now on. Sessions that are open keep what they
/// have. Only administrators can change it.
#[utoipa::path(put, path = "/api/trust", request_body = NewFolderLevel,
    responses((status = 200, body = FolderTrustView), (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn keep(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewFolderLevel>,
) -> Result<Json<FolderTrustView>, ApiError> {
    administers(&who)?;
    Ok(Json(server.inner.workshop.keep_folder_trust(&who.user, new.level).await?))
}
