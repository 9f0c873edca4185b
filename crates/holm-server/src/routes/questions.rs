//! Routes to list and answer the questions of a session. The questions are in
//! `live/question_broker.rs`; those of a session in a terminal are passed on by `terminal/link.rs`.
//! An answer that names another digest than the open question is refused, so that no user approves
//! a call that was not shown.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    ApiError, HolmServer, Problem, SessionId,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam},
    live::{Answered, Posed, Question, QuestionId},
    state::admit,
    terminal::TerminalCommand,
};

/// An answer to a question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// The number of the question.
    question: QuestionId,
    answer: Answered,
    /// For an approval: the `digest` that was shown. An answer for a different call is rejected.
    digest: Option<String>,
}

impl Reply {
    /// Checks that the answer is meant for the open question.
    fn check(&self, open: &[Arc<Posed>]) -> Result<(), ApiError> {
        let Some(seen) = &self.digest else { return Ok(()) };
        let posed = open.iter().find(|posed| posed.id == self.question);
        match posed.map(|posed| &posed.question) {
            Some(Question::Approval { digest, .. }) if digest != seen => {
                Err(ApiError::conflict("changed", "the call changed since you saw it; read it again"))
            }
            // A question that is not open, or not an approval, is refused by the broker.
            Some(Question::Approval { .. } | Question::Words { .. } | Question::Form { .. }) | None => Ok(()),
        }
    }
}

/// Lists the open questions of a session.
#[utoipa::path(get, path = "/api/sessions/{id}/questions", params(("id" = String, Path)),
    responses((status = 200, body = Vec<Posed>), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
) -> Result<Json<Vec<Posed>>, ApiError> {
    admit(&who, &id)?;
    if let Some(link) = server.terminal(&who.user, &id).await? {
        return Ok(Json(link.questions().iter().map(|posed| (**posed).clone()).collect()));
    }
    let Some(live_session) = server.inner.hall.find(&who.user, &id).await else {
        // A session that is not driven has no questions; a missing session is reported as missing.
        server.inner.workshop.home(&who.user).await?.store.session(id.as_str()).await?;
        return Ok(Json(Vec::new()));
    };
    Ok(Json(live_session.desk.open().iter().map(|posed| (**posed).clone()).collect()))
}

/// Answers a question. Only the first answer counts.
#[utoipa::path(post, path = "/api/sessions/{id}/questions", params(("id" = String, Path)), request_body = Reply,
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn answer(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(reply): JsonBody<Reply>,
) -> Result<StatusCode, ApiError> {
    admit(&who, &id)?;
    if let Some(link) = server.terminal(&who.user, &id).await? {
        reply.check(&link.questions())?;
        link.send(TerminalCommand::Answer { question: reply.question, answer: reply.answer }).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let live_session =
        server.inner.hall.find(&who.user, &id).await.ok_or_else(|| ApiError::missing("open session"))?;
    reply.check(&live_session.desk.open())?;
    live_session.desk.answer(reply.question, reply.answer)?;
    Ok(StatusCode::NO_CONTENT)
}
