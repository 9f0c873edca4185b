//! The route that shows a skill.

use axum::{Extension, Json, extract::State};

use crate::{
    PartName, Problem, Refusal, Server, SkillView, auth::Who, extract::Named, routes::sessions::all_sessions,
};

/// Shows a skill.
#[utoipa::path(get, path = "/api/skills/{id}", params(("id" = String, Path)),
    responses((status = 200, body = SkillView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(name): Named<PartName>,
) -> Result<Json<SkillView>, Refusal> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.skill(&who.user, name).await?))
}
