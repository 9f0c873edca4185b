//! What a session asks people, and what they answer.

use axum::{Extension, Json, extract::State};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    Problem, Refusal, Server, SessionId,
    auth::Who,
    extract::{Input, Named},
    live::{Answered, Posed, QuestionId},
    state::admit,
    terminal::What,
};

/// An answer.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Reply {
    /// Which question.
    question: QuestionId,
    /// What is answered.
    answer: Answered,
}

/// Lists the questions that wait for somebody.
#[utoipa::path(get, path = "/api/sessions/{id}/questions", params(("id" = String, Path)),
    responses((status = 200, body = Vec<Posed>), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn list(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
) -> Result<Json<Vec<Posed>>, Refusal> {
    admit(&who, &id)?;
    if let Some(link) = server.terminal(&who.user, &id).await? {
        return Ok(Json(link.questions().iter().map(|posed| (**posed).clone()).collect()));
    }
    let Some(room) = server.inner.hall.find(&who.user, &id).await else {
        // A session that nobody drives asks nothing; one that is not there is said to be missing.
        server.inner.workshop.home(&who.user).await?.store.session(id.as_str()).await?;
        return Ok(Json(Vec::new()));
    };
    Ok(Json(room.desk.open().iter().map(|posed| (**posed).clone()).collect()))
}

/// Answers a question. The first answer counts, whoever gives it.
#[utoipa::path(post, path = "/api/sessions/{id}/questions", params(("id" = String, Path)), request_body = Reply,
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn answer(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Named(id): Named<SessionId>,
    Input(reply): Input<Reply>,
) -> Result<StatusCode, Refusal> {
    admit(&who, &id)?;
    if let Some(link) = server.terminal(&who.user, &id).await? {
        link.say(What::Answer { question: reply.question, answer: reply.answer }).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let room =
        server.inner.hall.find(&who.user, &id).await.ok_or_else(|| Refusal::missing("open session"))?;
    room.desk.answer(reply.question, reply.answer)?;
    Ok(StatusCode::NO_CONTENT)
}
