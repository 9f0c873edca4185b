//! Serves agents as models for clients of OpenAI's formats. Each request is a separate session,
//! unless the client names one. The journal records the agent's steps; its text is the answer.
//!
//! Where things are:
//! - `answer_stream.rs`: what the agent says, as pieces of an answer.
//! - `client_prompt.rs`: the client's messages as a prompt. `results.rs`: results of the client's
//!   tools.
//! - `answer_schema.rs`: the form that an answer must have.
//!
//! The formats are in `holm-wire`, and calls of the client's tools wait in `live/client_tools.rs`.

mod answer_schema;
mod answer_stream;
mod client_prompt;
mod results;
mod stop_sequences;

#[cfg(test)]
mod tests;

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Extension, Json,
    body::{Body, Bytes},
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use futures::{StreamExt as _, stream};
use holm_kernel::{Block, Failure, FailureClass, Prompt, Reply, Usage};
use holm_runtime::{AnswerSchema, Toolbox};
use holm_wire::{
    Delivery, ToolChoice, openai_chat, openai_responses,
    server::{CompletionRequest, ReplyHead, ReplyStream, ServerCodec},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use self::answer_stream::{AnswerPiece, AnswerStream};
use crate::{
    ApiError, HolmServer, Problem, SessionId, SessionStart,
    auth::{AuthenticatedUser, Role},
    extract::check_json,
    live::{ClientToolCalls, QuestionAttendance, SessionOptions, WorkLifetime},
    routes::sessions::{all_sessions, make},
    state::{admit, require},
};

/// The header in which a client names its session, and in which the server returns it.
const SESSION: &str = "x-holm-session";
/// The header that tells OpenAI's clients whether to retry a request.
const AGAIN: &str = "x-should-retry";
/// The keep-alive interval of a stream, by which a lost client is noticed.
const ALIVE: Duration = Duration::from_secs(15);
/// The longest piece when a finished text is sent in pieces.
const PIECE: usize = 4 * 1024;

/// The agents, in the format of OpenAI's model list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Models {
    /// Always `list`, as clients expect.
    object: &'static str,
    data: Vec<ModelEntry>,
}

/// An agent, in the format of OpenAI's model list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelEntry {
    /// The agent's name, to send as `model`.
    id: String,
    /// Always `model`, as clients expect.
    object: &'static str,
    /// Always 0, because the time is unknown.
    created: u64,
    /// Always `holm`, as clients expect.
    owned_by: &'static str,
}

impl ModelEntry {
    fn new(id: String) -> Self {
        Self { id, object: "model", created: 0, owned_by: "holm" }
    }
}

/// Lists the agents as models.
#[utoipa::path(get, path = "/v1/models", responses((status = 200, body = Models), (status = 500, body = Problem)))]
pub(crate) async fn models(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Models>, ApiError> {
    let agents = server.inner.workshop.agents(&who.user).await?;
    let data = agents.into_iter().map(|agent| ModelEntry::new(agent.name)).collect();
    Ok(Json(Models { object: "list", data }))
}

/// Shows one agent as a model.
#[utoipa::path(get, path = "/v1/models/{id}", params(("id" = String, Path)),
    responses((status = 200, body = ModelEntry), (status = 404, body = Problem)))]
pub(crate) async fn model(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    Path(id): Path<String>,
) -> Result<Json<ModelEntry>, ApiError> {
    let agents = server.inner.workshop.agents(&who.user).await?;
    let found = agents.into_iter().find(|agent| agent.name == id);
    found.map(|agent| Json(ModelEntry::new(agent.name))).ok_or_else(|| no_agent(&id))
}

/// The error for a model name that is not an agent.
fn no_agent(name: &str) -> ApiError {
    let message = format!("there is no agent `{name}`; /v1/models lists them");
    ApiError::new(StatusCode::NOT_FOUND, "model_not_found", message)
}

/// Answers a chat. The formats are those of OpenAI's Chat Completions.
#[utoipa::path(post, path = "/v1/chat/completions", request_body = Object,
    responses((status = 200, content((Object = "application/json"), (String = "text/event-stream"))), (status = 400, body = Object),
        (status = 401, body = Object), (status = 402, body = Object), (status = 403, body = Object), (status = 404, body = Object),
        (status = 409, body = Object), (status = 429, body = Object), (status = 500, body = Object), (status = 502, body = Object),
        (status = 503, body = Object)))]
pub(crate) async fn chat(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    answer(
        server,
        who,
        &headers,
        &body,
        OpenAiApi { codec: &openai_chat::OpenaiChatServerCodec, prefix: "chatcmpl-" },
    )
    .await
}

/// Answers a request in the format of OpenAI's Responses.
#[utoipa::path(post, path = "/v1/responses", request_body = Object,
    responses((status = 200, content((Object = "application/json"), (String = "text/event-stream"))), (status = 400, body = Object),
        (status = 401, body = Object), (status = 402, body = Object), (status = 403, body = Object), (status = 404, body = Object),
        (status = 409, body = Object), (status = 429, body = Object), (status = 500, body = Object), (status = 502, body = Object),
        (status = 503, body = Object)))]
pub(crate) async fn responses(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    answer(
        server,
        who,
        &headers,
        &body,
        OpenAiApi { codec: &openai_responses::OpenaiResponsesServerCodec, prefix: "resp_" },
    )
    .await
}

/// One of the two API formats.
#[derive(Clone, Copy)]
struct OpenAiApi {
    codec: &'static dyn ServerCodec,
    /// The prefix of its ids.
    prefix: &'static str,
}

async fn answer(
    server: HolmServer,
    who: AuthenticatedUser,
    headers: &HeaderMap,
    body: &[u8],
    api: OpenAiApi,
) -> Response {
    match begin(&server, &who, headers, body, api).await {
        Ok((talk, asked)) => match asked.delivery {
            Delivery::Stream => streamed(talk, &asked, api),
            Delivery::Whole => complete_response(talk, &asked, api).await,
        },
        Err(refusal) => refusal.into_response(),
    }
}

/// Parses the request, and sends the session a prompt or the results of the client's tools.
async fn begin(
    server: &HolmServer,
    who: &AuthenticatedUser,
    headers: &HeaderMap,
    body: &[u8],
    api: OpenAiApi,
) -> Result<(AnswerStream, CompletionRequest), ApiError> {
    require(who, Role::Operator)?;
    check_json(headers)?;
    let asked =
        api.codec.read(body).map_err(|bad| ApiError::bad("invalid_request_error", bad.to_string()))?;
    let schema = answer_schema::schema_of(&asked)?;
    check_tool_choice(&asked.tool_choice)?;
    if let Some(results) = results::results(&asked) {
        let talk = resume_with_results(server, who, results, schema).await?;
        return Ok((talk.ends_at(&asked.stop), asked));
    }
    let agents = server.inner.workshop.agents(&who.user).await?;
    if agents.iter().all(|agent| agent.name != asked.model) {
        return Err(no_agent(&asked.model));
    }
    let named =
        headers.get(SESSION).map(|id| id.to_str().unwrap_or_default().parse::<SessionId>()).transpose()?;
    let talk = match named {
        Some(id) => in_session(server, who, id, &asked, schema).await?,
        None => alone(server, who, &asked, schema).await?,
    };
    Ok((talk.ends_at(&asked.stop), asked))
}

/// Refuses a request that wants a certain tool called: the agent decides which tools it needs.
fn check_tool_choice(choice: &ToolChoice) -> Result<(), ApiError> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => Ok(()),
        ToolChoice::Required | ToolChoice::Tool(_) => {
            let message = "`tool_choice` must be `auto` or `none`: the agent decides which tools it calls";
            Err(ApiError::bad("unsupported", message))
        }
    }
}

/// A session for this request alone.
async fn alone(
    server: &HolmServer,
    who: &AuthenticatedUser,
    asked: &CompletionRequest,
    schema: Option<AnswerSchema>,
) -> Result<AnswerStream, ApiError> {
    all_sessions(who)?;
    let prompt = with_schema(client_prompt::whole(asked)?, schema.as_ref());
    let errands = Arc::new(ClientToolCalls::new());
    let mut opening = SessionOptions::new(SessionStart::New(None));
    (opening.agent, opening.attendance) = (Some(asked.model.clone()), QuestionAttendance::Unattended);
    opening.lasting = WorkLifetime::Request;
    opening.temperature_milli = asked.temperature_milli;
    opening.tools = toolbox(&errands, asked)?;
    let live_session = make(server, who, opening).await?;
    let errands = live_session.errands.get_or_init(|| errands);
    let talk = AnswerStream::new(
        server,
        who,
        Arc::clone(&live_session),
        Some(Arc::clone(errands)),
        answer_stream::SessionRetention::Close,
    )
    .await?;
    let (from, _) = server.inner.hall.prompt_from(&live_session, Some(prompt)).await?;
    Ok(talk.begun_at(from, schema))
}

/// The next prompt of a session that the client named.
async fn in_session(
    server: &HolmServer,
    who: &AuthenticatedUser,
    id: SessionId,
    asked: &CompletionRequest,
    schema: Option<AnswerSchema>,
) -> Result<AnswerStream, ApiError> {
    admit(who, &id)?;
    if !asked.tools.is_empty() {
        let message = "a named session keeps its first tools; leave `tools` out";
        return Err(ApiError::bad("unsupported", message));
    }
    if asked.temperature_milli.is_some() {
        let message = "a named session keeps its agent's temperature; leave `temperature` out";
        return Err(ApiError::bad("unsupported", message));
    }
    let prompt = with_schema(client_prompt::last(asked)?, schema.as_ref());
    let live_session = match server.inner.hall.enter(&who.user, &id).await {
        Err(refusal) if refusal.status == StatusCode::NOT_FOUND => {
            all_sessions(who)?;
            let mut opening = SessionOptions::new(SessionStart::New(Some(id)));
            opening.agent = Some(asked.model.clone());
            make(server, who, opening).await?
        }
        entered => entered?,
    };
    let talk = AnswerStream::new(
        server,
        who,
        Arc::clone(&live_session),
        None,
        answer_stream::SessionRetention::Stay,
    )
    .await?;
    let (from, _) = server.inner.hall.prompt_from(&live_session, Some(prompt)).await?;
    Ok(talk.begun_at(from, schema))
}

/// Adds the schema of the answer to a prompt.
fn with_schema(prompt: Prompt, schema: Option<&AnswerSchema>) -> Prompt {
    match schema {
        Some(schema) => schema.tell(prompt),
        None => prompt,
    }
}

/// Resumes a session with the results of the client's tools.
async fn resume_with_results(
    server: &HolmServer,
    who: &AuthenticatedUser,
    results: results::ClientToolResults,
    schema: Option<AnswerSchema>,
) -> Result<AnswerStream, ApiError> {
    let gone = || {
        let message = "these results arrived too late; start the request again";
        ApiError::bad("unknown_tool_call", message)
    };
    admit(who, &results.session)?;
    let live_session = server.inner.hall.find(&who.user, &results.session).await.ok_or_else(gone)?;
    let errands = live_session.errands.get().cloned().ok_or_else(gone)?;
    let talk = AnswerStream::new(
        server,
        who,
        live_session,
        Some(Arc::clone(&errands)),
        answer_stream::SessionRetention::Close,
    )
    .await?;
    if !errands.settle(results.given) {
        return Err(gone());
    }
    Ok(talk.begun(schema))
}

fn toolbox(errands: &Arc<ClientToolCalls>, asked: &CompletionRequest) -> Result<Toolbox, ApiError> {
    let mut tools = Toolbox::new();
    if asked.tool_choice == ToolChoice::None {
        return Ok(tools);
    }
    for tool in &asked.tools {
        // As OpenAI defines it. Letters of other alphabets could imitate the name of an agent's own
        // tool.
        if !tool.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            let message =
                format!("`{}` is not a valid function name: use a-z, A-Z, 0-9, `_` and `-`", tool.name);
            return Err(ApiError::bad("bad_tool", message));
        }
        let added = tools.add_shared(errands.tool(tool));
        added.map_err(|error| ApiError::bad("bad_tool", error.to_string()))?;
    }
    Ok(tools)
}

fn head(talk: &AnswerStream, asked: &CompletionRequest, api: OpenAiApi) -> ReplyHead {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    ReplyHead {
        id: format!("{}{}", api.prefix, talk.session()),
        model: asked.model.clone(),
        created: since.as_secs(),
        usage: asked.usage,
        prompt: Usage::default(),
    }
}

async fn complete_response(mut talk: AnswerStream, asked: &CompletionRequest, api: OpenAiApi) -> Response {
    let head = head(&talk, asked, api);
    let (mut answer, mut calls) = (String::new(), Vec::new());
    while let Some(chunk) = talk.next().await {
        match chunk {
            AnswerPiece::Text(text) => answer.push_str(&text),
            AnswerPiece::Calls(blocks) => calls = blocks,
            AnswerPiece::Done { stop, usage } => {
                let mut blocks = Vec::new();
                if !answer.is_empty() {
                    blocks.push(Block::Text(answer));
                }
                blocks.append(&mut calls);
                let reply = Reply { blocks, usage, stop, model: None };
                return json(StatusCode::OK, talk.session(), api.codec.reply(&head, &reply));
            }
            AnswerPiece::Failed(failure) => return failed(&talk, &failure, api),
        }
    }
    failed(&talk, &lost(), api)
}

fn failed(talk: &AnswerStream, failure: &Failure, api: OpenAiApi) -> Response {
    let (status, body) = api.codec.failure(failure);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut answer = json(status, talk.session(), body);
    // The agent's work is done: OpenAI's clients would retry by themselves and have it done twice.
    answer.headers_mut().insert(AGAIN, HeaderValue::from_static("false"));
    answer
}

fn json(status: StatusCode, session: &SessionId, body: Vec<u8>) -> Response {
    let mut answer = (status, body).into_response();
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    named(answer, session)
}

/// Adds the name of the session to the response.
fn named(mut answer: Response, session: &SessionId) -> Response {
    if let Ok(session) = HeaderValue::from_str(session.as_str()) {
        answer.headers_mut().insert(SESSION, session);
    }
    answer
}

fn streamed(talk: AnswerStream, asked: &CompletionRequest, api: OpenAiApi) -> Response {
    let writer = api.codec.stream(head(&talk, asked, api));
    let session = talk.session().clone();
    // A stream keeps the work on the next piece during a keep-alive message: a retry of the answer
    // may be pending then.
    let pieces = stream::unfold(talk, |mut talk| async move { Some((talk.next().await?, talk)) });
    let state = Some((Box::pin(pieces), writer, 0_u64));
    let body = stream::unfold(state, |state| async move {
        let (mut pieces, mut writer, offset) = state?;
        let Ok(chunk) = tokio::time::timeout(ALIVE, pieces.next()).await else {
            let silent = Bytes::from_static(b": still running\n\n");
            return Some((Ok::<_, Infallible>(silent), Some((pieces, writer, offset))));
        };
        let chunk = chunk.unwrap_or_else(|| AnswerPiece::Failed(lost()));
        let mut out = Vec::new();
        let offset = write(&mut *writer, chunk, offset, &mut out);
        Some((Ok(Bytes::from(out)), offset.map(|offset| (pieces, writer, offset))))
    });
    let mut answer = Response::new(Body::from_stream(body));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    named(answer, &session)
}

/// Writes a piece. Returns the offset of the next text, or `None` after the last piece.
fn write(writer: &mut dyn ReplyStream, chunk: AnswerPiece, offset: u64, out: &mut Vec<u8>) -> Option<u64> {
    match chunk {
        AnswerPiece::Text(text) => {
            writer.delta(&holm_wire::WireDelta::Text { offset, text: &text }, out);
            Some(offset + text.len() as u64)
        }
        AnswerPiece::Calls(blocks) => {
            blocks.iter().for_each(|block| writer.block(block, PIECE, out));
            Some(offset)
        }
        AnswerPiece::Done { stop, usage } => {
            writer.end(stop, usage, out);
            None
        }
        AnswerPiece::Failed(failure) => {
            writer.fail(&failure, out);
            None
        }
    }
}

fn lost() -> Failure {
    let message = "the session was closed before it answered".into();
    Failure { class: FailureClass::Server, message, retry_after_ms: None, usage: Usage::default() }
}
