//! Routes to list, show, create, rename, fork, replay, export and delete sessions, and to list the
//! grants of their calls.
//!
//! Input for a session is in `routes/work.rs`, its stream in `routes/events.rs`. Sessions are
//! opened in `live/session_manager.rs`. The cost of a session is noted before it is erased, so that
//! erasing gives no budget back.

use axum::{Extension, Json, extract::State, response::IntoResponse};
use holm_kernel::{NanoUsd, Prompt, Seq};
use holm_store::{
    SearchHit, SessionFileFormat, SessionQuery, StoreError, StoredSession, UsageGrouping, UsageQuery,
};
use holm_tools::shell::{SessionFolderKey, forget_session_folders};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem, SessionId, SessionStart, SessionStarter, UserHome,
    auth::{AuthenticatedUser, TokenScope},
    extract::{JsonBody, PathParam, QueryParams},
    live::{self, LiveSession, SessionOptions, Use},
    state::admit,
};

/// The prefix of the server's own tags.
const OWN_TAGS: &str = "holm:";
/// The largest number of search results.
const MOST_HITS: u32 = 100;

/// A session, without its messages.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionView {
    id: String,
    /// The title that a user gave it, or the beginning of its first prompt.
    title: String,
    tags: Vec<String>,
    /// When it was created, in milliseconds since 1970.
    created: u64,
    /// When its journal was last written.
    updated: u64,
    /// Number of records in its journal.
    records: u64,
    /// The model that it started with.
    model: String,
    /// Its state: `closed`, `idle`, `waiting` or `working`.
    state: &'static str,
    /// How it last ended, if it is open and has ended.
    #[schema(value_type = Option<Object>)]
    ending: Option<serde_json::Value>,
    /// Number of open questions.
    questions: usize,
}

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionPage {
    /// The sessions, latest first.
    sessions: Vec<SessionView>,
    /// The value of `after` for the next page; not set on the last page.
    next: Option<String>,
}

/// Selects a page of the list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionListQuery {
    /// Only sessions with this tag.
    tag: Option<String>,
    /// The `next` of the previous page.
    after: Option<String>,
    /// Maximum number of sessions; 50 by default.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// A session to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// Its name; generated if not set.
    id: Option<String>,
    /// The agent; the default one if not set.
    agent: Option<String>,
    /// The model; the agent's own if not set.
    model: Option<String>,
    /// A prompt to run at once.
    prompt: Option<String>,
}

/// Where to fork a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkAt {
    /// The last record that both sessions share.
    at: u64,
    /// The name of the new session; generated if not set.
    id: Option<String>,
}

/// The title of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Title {
    /// The title; the beginning of the first prompt if not set.
    title: Option<String>,
}

/// What to search for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionSearchQuery {
    /// Words of three or more letters; words in quotation marks must be adjacent.
    q: String,
}

/// The format of an export.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionExportQuery {
    /// `jsonl` for the journal, `markdown` for a text to read.
    format: Option<String>,
}

/// Lists sessions, one page at a time.
#[utoipa::path(get, path = "/api/sessions", params(SessionListQuery), responses((status = 200, body = SessionPage), (status = 400, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(query): QueryParams<SessionListQuery>,
) -> Result<Json<SessionPage>, ApiError> {
    let store = server.inner.workshop.home(&who.user).await?.store;
    if let TokenScope::Only(ids) = &who.scope {
        let mut sessions = Vec::new();
        for id in ids {
            // A session that does not exist yet, or was deleted, is not listed.
            let Ok(session) = store.session(id.as_str()).await else { continue };
            sessions.push(view(&server, &who, session).await);
        }
        return Ok(Json(SessionPage { sessions, next: None }));
    }
    let after = query.after.map(|after| after.parse()).transpose()?;
    let wanted = SessionQuery { tag: query.tag, after, limit: query.limit, ..SessionQuery::default() };
    let page = store.list(&wanted).await?;
    let mut sessions = Vec::with_capacity(page.sessions.len());
    for session in page.sessions {
        sessions.push(view(&server, &who, session).await);
    }
    Ok(Json(SessionPage { sessions, next: page.next.map(|next| next.to_string()) }))
}

/// Creates a session, and runs a prompt if one is given.
#[utoipa::path(post, path = "/api/sessions", request_body = NewSession,
    responses((status = 201, body = SessionView), (status = 400, body = Problem), (status = 402, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn create(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<impl IntoResponse, ApiError> {
    all_sessions(&who)?;
    let id = new.id.map(|id| id.parse()).transpose()?;
    let mut opening = SessionOptions::new(SessionStart::New(id));
    (opening.agent, opening.model) = (new.agent, new.model);
    opening.starter = SessionStarter::User;
    let live_session = make(&server, &who, opening).await?;
    if let Some(prompt) = new.prompt {
        // Watchers of the session see the result.
        drop(server.inner.hall.prompt(&live_session, Some(Prompt::text(prompt))).await?);
    }
    Ok((StatusCode::CREATED, Json(shown(&server, &who, &live_session.id).await?)))
}

/// Shows one session, without its messages.
#[utoipa::path(get, path = "/api/sessions/{id}", params(("id" = String, Path)),
    responses((status = 200, body = SessionView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
) -> Result<Json<SessionView>, ApiError> {
    admit(&who, &id)?;
    Ok(Json(shown(&server, &who, &id).await?))
}

/// Sets the title of a session.
#[utoipa::path(post, path = "/api/sessions/{id}/title", params(("id" = String, Path)), request_body = Title,
    responses((status = 200, body = SessionView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn title(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(new): JsonBody<Title>,
) -> Result<Json<SessionView>, ApiError> {
    admit(&who, &id)?;
    let store = server.inner.workshop.home(&who.user).await?.store;
    store.rename(id.as_str(), new.title.as_deref()).await?;
    Ok(Json(shown(&server, &who, &id).await?))
}

/// Starts a new session with the history of another one.
#[utoipa::path(post, path = "/api/sessions/{id}/fork", params(("id" = String, Path)), request_body = ForkAt,
    responses((status = 201, body = SessionView), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn fork(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    JsonBody(fork): JsonBody<ForkAt>,
) -> Result<impl IntoResponse, ApiError> {
    all_sessions(&who)?;
    let new = fork.id.map(|id| id.parse()).transpose()?;
    let live_session =
        make(&server, &who, SessionOptions::new(SessionStart::Fork { from: id, at: Seq::new(fork.at), new }))
            .await?;
    Ok((StatusCode::CREATED, Json(shown(&server, &who, &live_session.id).await?)))
}

/// Replays all events of a session.
#[utoipa::path(get, path = "/api/sessions/{id}/replay", params(("id" = String, Path)),
    responses((status = 200, body = Vec<Object>), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn replay(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
) -> Result<Json<Vec<holm_kernel::Numbered>>, ApiError> {
    admit(&who, &id)?;
    let store = server.inner.workshop.home(&who.user).await?.store;
    Ok(Json(live::past(&store, &id).await?))
}

/// Lists what each call of a session needed, what needed approval, and what it ran with.
#[utoipa::path(get, path = "/api/sessions/{id}/grants", params(("id" = String, Path)),
    responses((status = 200, body = Vec<Use>), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn grants(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
) -> Result<Json<Vec<Use>>, ApiError> {
    admit(&who, &id)?;
    let store = server.inner.workshop.home(&who.user).await?.store;
    Ok(Json(live::uses(&store, &id).await?))
}

/// Exports a session as a journal or as Markdown.
#[utoipa::path(get, path = "/api/sessions/{id}/export", params(("id" = String, Path), SessionExportQuery),
    responses((status = 200, content((String = "application/x-ndjson"), (String = "text/markdown"))), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub(crate) async fn export(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
    QueryParams(query): QueryParams<SessionExportQuery>,
) -> Result<impl IntoResponse, ApiError> {
    admit(&who, &id)?;
    let (format, kind, ending) = match query.format.as_deref() {
        None | Some("jsonl") => (SessionFileFormat::JsonLines, "application/x-ndjson", "jsonl"),
        Some("markdown") => (SessionFileFormat::Markdown, "text/markdown; charset=utf-8", "md"),
        Some(_) => return Err(ApiError::bad("bad_query", "`format` is `jsonl` or `markdown`")),
    };
    let store = server.inner.workshop.home(&who.user).await?.store;
    let bytes = store.export(id.as_str(), format).await?;
    // A session name is plain and needs no quoting. The browser downloads the file and does not
    // show it.
    let attached = HeaderValue::from_str(&format!("attachment; filename=\"{id}.{ending}\""));
    let attached = attached.map_err(|_| ApiError::failed("the name cannot be sent in a header"))?;
    Ok((
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, attached)],
        bytes,
    ))
}

/// Erases a session permanently.
#[utoipa::path(delete, path = "/api/sessions/{id}", params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn erase(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(id): PathParam<SessionId>,
) -> Result<StatusCode, ApiError> {
    admit(&who, &id)?;
    server.inner.hall.let_go(&who.user, &id).await?;
    let UserHome { store, private, .. } = server.inner.workshop.home(&who.user).await?;
    // Runs in its own task: a client that disconnects must not get its spent budget back.
    let erasing = tokio::spawn(async move {
        let query = UsageQuery { run: Some(id.to_string()), ..UsageQuery::default() };
        let lines = store.usage(UsageGrouping::Model, &query).await?;
        let cost = lines.iter().fold(NanoUsd::default(), |sum, line| sum.plus(line.tally.cost));
        // Done before the deletion, so that a crash in between counts the cost twice rather than
        // not at all.
        server.inner.keyring.forget(&who.user, cost)?;
        if let Err(error) = store.erase(id.as_str()).await {
            // If the session is missing or busy, nothing was erased here, and its cost still counts
            // elsewhere. An erased session is gone even if its files could not be cleaned up.
            let untouched = matches!(error, StoreError::Missing { .. } | StoreError::Busy { .. });
            if untouched || store.session(id.as_str()).await.is_ok() {
                server.inner.keyring.remember(&who.user, cost)?;
            }
            return Err(error.into());
        }
        forget_session_folders(&SessionFolderKey::of(&private, id.as_str()));
        Ok::<_, ApiError>(StatusCode::NO_CONTENT)
    });
    erasing.await.map_err(|_| ApiError::failed("the session could not be removed"))?
}

/// Searches the messages of sessions.
#[utoipa::path(get, path = "/api/search", params(SessionSearchQuery),
    responses((status = 200, body = Vec<Object>), (status = 400, body = Problem)))]
pub(crate) async fn search(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(query): QueryParams<SessionSearchQuery>,
) -> Result<Json<Vec<SearchHit>>, ApiError> {
    let store = server.inner.workshop.home(&who.user).await?.store;
    let mut hits = store.search(&query.q, MOST_HITS).await?;
    hits.retain(|hit| hit.run.parse().is_ok_and(|id| who.scope.admits(&id)));
    Ok(Json(hits))
}

/// A token that is limited to some sessions cannot create others, because it could not use them.
pub(crate) fn all_sessions(who: &AuthenticatedUser) -> Result<(), ApiError> {
    match who.scope {
        TokenScope::All => Ok(()),
        TokenScope::Only(_) => Err(ApiError::forbidden(
            "your token is limited to some sessions and cannot \
                                                  create \
                                                  others",
        )),
    }
}

/// Opens a session, if the user has budget left.
pub(crate) async fn make(
    server: &HolmServer,
    who: &AuthenticatedUser,
    opening: SessionOptions,
) -> Result<std::sync::Arc<LiveSession>, ApiError> {
    // Checked first, so that no useless session is created.
    server.inner.hall.check_budget(&who.user).await?;
    server.inner.hall.open(&who.user, opening).await
}

async fn shown(
    server: &HolmServer,
    who: &AuthenticatedUser,
    id: &SessionId,
) -> Result<SessionView, ApiError> {
    let store = server.inner.workshop.home(&who.user).await?.store;
    let session = store.session(id.as_str()).await?;
    Ok(view(server, who, session).await)
}

async fn view(server: &HolmServer, who: &AuthenticatedUser, session: StoredSession) -> SessionView {
    let live_session = match session.run.parse() {
        Ok(id) => server.inner.hall.peek(&who.user, &id),
        Err(_) => None,
    };
    let link = match (&live_session, session.run.parse()) {
        // If its terminal cannot be checked, the session is shown with the state that is known
        // here.
        (None, Ok(id)) => server.terminal(&who.user, &id).await.ok().flatten(),
        (Some(_), _) | (None, Err(_)) => None,
    };
    let state = live_session
        .as_ref()
        .map_or(live::SessionState::Closed, |live_session| live_session.state().borrow().clone());
    let ending = match &state {
        live::SessionState::Idle(Some(ending)) => serde_json::to_value(ending).ok(),
        live::SessionState::Idle(None)
        | live::SessionState::Waiting
        | live::SessionState::Working
        | live::SessionState::Closed => None,
    };
    SessionView {
        id: session.run,
        title: session.title,
        tags: session.tags.into_iter().filter(|tag| !tag.starts_with(OWN_TAGS)).collect(),
        created: session.created.value(),
        updated: session.updated.value(),
        records: session.records,
        model: session.model,
        state: link.as_ref().map_or(state.name(), |link| link.state()),
        ending,
        questions: match (&live_session, &link) {
            (Some(live_session), _) => live_session.desk.open().len(),
            (None, Some(link)) => link.questions().len(),
            (None, None) => 0,
        },
    }
}
