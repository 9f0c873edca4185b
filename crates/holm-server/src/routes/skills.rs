//! The route that shows a skill.

use axum::{Extension, Json, extract::State};

use crate::{
    ApiError, HolmServer, PartName, Problem, SkillView, auth::AuthenticatedUser, extract::PathParam,
    routes::sessions::all_sessions,
};

/// Shows one skill with its text.
#[utoipa::path(get, path = "/api/skills/{id}", params(("id" = String, Path)),
    responses((status = 200, body = SkillView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<Json<SkillView>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.skill(&who.user, name).await?))
}
