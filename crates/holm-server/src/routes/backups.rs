//! Routes for backups, which are made while the server runs. They contain the data of all users, so
//! only administrators can make them.

use axum::{Extension, Json, extract::State, response::IntoResponse};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    ApiError, BackupView, HolmServer, PartName, Problem, auth::AuthenticatedUser, extract::JsonBody,
    state::administers,
};

/// A backup to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBackup {
    /// Its name, which must be new.
    name: String,
}

/// Lists the backups of this server.
#[utoipa::path(get, path = "/api/backups", responses((status = 200, body = Vec<BackupView>), (status = 403, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Vec<BackupView>>, ApiError> {
    administers(&who)?;
    Ok(Json(server.inner.workshop.backups().await?))
}

/// Backs up all data.
///
/// The backup is stored in `backups` in the data folder. `holm restore` restores it to a data
/// folder that does not exist yet.
#[utoipa::path(post, path = "/api/backups", request_body = NewBackup,
    responses((status = 201, body = BackupView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn make(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewBackup>,
) -> Result<impl IntoResponse, ApiError> {
    administers(&who)?;
    let name: PartName = new.name.parse()?;
    // Runs in its own task: a client that disconnects must not leave half a backup.
    let made = tokio::spawn(async move { server.inner.workshop.back_up(name).await }).await;
    let made = made.map_err(|_| ApiError::failed("the backup failed"))??;
    Ok((StatusCode::CREATED, Json(made)))
}
