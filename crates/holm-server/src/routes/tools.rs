//! Routes to show, try and reload tools, and to list their latest calls. Tools are loaded and
//! called behind `catalogue.rs`. A trial takes a permit like a run and has only the grants that it
//! names, and those only up to what the caller may grant. The list of tools is in
//! `routes/catalogue.rs`.

use std::collections::BTreeMap;

use axum::{Extension, Json, extract::State};
use holm_kernel::{Event, Numbered, Outcome, ToolCallId};
use holm_store::SessionQuery;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, PartName, Problem, Reloaded, ToolView, Trial, Tried,
    auth::AuthenticatedUser,
    extract::{JsonBody, PathParam, QueryParams},
    live,
    routes::sessions::all_sessions,
    state::most,
};

/// The number of latest sessions that are searched for calls. Each journal is replayed completely.
const LOOKED: u32 = 20;
/// The default number of calls.
const USUAL: usize = 20;
/// The largest number of calls.
const MOST: usize = 100;

/// Selects the latest calls of a tool.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ToolCallsQuery {
    /// Maximum number of calls; 20 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<usize>,
}

/// A call of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallView {
    /// The session of the call.
    session: String,
    /// The journal record where the call ended, or where it was proposed if it has not ended.
    record: u64,
    /// When it happened, in milliseconds since 1970.
    at: u64,
    /// Its arguments, as JSON.
    arguments: String,
    /// Its outcome; not set if it has not ended.
    #[schema(value_type = Option<String>)]
    outcome: Option<Outcome>,
    /// How long it took, in milliseconds.
    millis: u64,
    /// Size of its output, in bytes.
    bytes: u64,
}

/// Shows one tool with its schema.
#[utoipa::path(get, path = "/api/tools/{id}", params(("id" = String, Path)),
    responses((status = 200, body = ToolView), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn show(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
) -> Result<Json<ToolView>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.tool(&who.user, name).await?))
}

/// Runs a tool once, under the same rules as in a session.
///
/// The call has only the given grants.
#[utoipa::path(post, path = "/api/tools/{id}/try", params(("id" = String, Path)), request_body = Trial,
    responses((status = 200, body = Tried), (status = 400, body = Problem), (status = 402, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 429, body = Problem)))]
pub(crate) async fn attempt(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
    JsonBody(trial): JsonBody<Trial>,
) -> Result<Json<Tried>, ApiError> {
    all_sessions(&who)?;
    let tried = server.inner.workshop.try_tool(&who.user, name, trial, most(&who));
    Ok(Json(server.hall().aside(&who.user, tried).await?))
}

/// Reloads all tools and lists the problems.
#[utoipa::path(post, path = "/api/reload-tools", responses((status = 200, body = Reloaded), (status = 403, body = Problem)))]
pub(crate) async fn reload(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
) -> Result<Json<Reloaded>, ApiError> {
    all_sessions(&who)?;
    Ok(Json(server.inner.workshop.reload_tools(&who.user).await?))
}

/// Lists the latest calls of a tool, latest first.
///
/// The calls come from the journals of the latest sessions.
#[utoipa::path(get, path = "/api/tools/{id}/calls", params(("id" = String, Path), ToolCallsQuery),
    responses((status = 200, body = Vec<CallView>), (status = 400, body = Problem)))]
pub(crate) async fn calls(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    PathParam(name): PathParam<PartName>,
    QueryParams(query): QueryParams<ToolCallsQuery>,
) -> Result<Json<Vec<CallView>>, ApiError> {
    all_sessions(&who)?;
    let limit = query.limit.unwrap_or(USUAL).clamp(1, MOST);
    let store = server.inner.workshop.home(&who.user).await?.store;
    let wanted = SessionQuery { limit: Some(LOOKED), ..SessionQuery::default() };
    let mut calls = Vec::new();
    for session in store.list(&wanted).await?.sessions {
        if calls.len() >= limit {
            break;
        }
        // A session that was deleted meanwhile, or cannot be replayed, has no calls.
        let Ok(id) = session.run.parse() else { continue };
        let Ok(events) = live::past(&store, &id).await else { continue };
        calls.extend(of_tool(&session.run, &events, name.as_str()));
    }
    calls.truncate(limit);
    Ok(Json(calls))
}

/// The calls of a tool among the events of a session, newest first.
fn of_tool(session: &str, events: &[Numbered], tool: &str) -> Vec<CallView> {
    let mut calls: BTreeMap<ToolCallId, CallView> = BTreeMap::new();
    for Numbered { id, at, event } in events {
        match event {
            Event::CallProposed { call, tool: called, arguments, .. } if **called == *tool => {
                let view = CallView {
                    session: session.to_owned(),
                    record: id.record.value(),
                    at: at.value(),
                    arguments: arguments.to_string(),
                    outcome: None,
                    millis: 0,
                    bytes: 0,
                };
                calls.insert(*call, view);
            }
            Event::CallFinished { call, outcome, bytes, millis, .. } => {
                if let Some(view) = calls.get_mut(call) {
                    (view.outcome, view.bytes, view.millis) = (Some(*outcome), *bytes, *millis);
                    (view.record, view.at) = (id.record.value(), at.value());
                }
            }
            _ => {}
        }
    }
    calls.into_values().rev().collect()
}
