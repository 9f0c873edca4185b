//! Lists the sessions of this machine for an editor, page by page. It reads the index of
//! `holm-store` and no journal. Requests arrive through `session_manager.rs`; the list of the
//! terminal is `commands/session/list.rs`, and that of the chat is made in `chat/local_actions.rs`.

use std::path::{Path, PathBuf};

use agent_client_protocol::{
    Error,
    v1::schema::{ListSessionsRequest, ListSessionsResponse, SessionInfo},
};
use holm::{
    kernel::{Timestamp, visible},
    store::SessionQuery,
};

use super::refusal::{failed, invalid, refused};
use crate::{children, holm_paths::HolmPaths, session_sidecar::SessionSidecar};

/// How many sessions are looked at for one page.
const PAGE: u32 = 50;

/// A page of the list, the latest session first. Sessions of helpers, and sessions whose folder is
/// unknown, are left out: they cannot be resumed here.
pub(super) async fn page(
    request: ListSessionsRequest,
    data: Option<&Path>,
) -> Result<ListSessionsResponse, Error> {
    let places = HolmPaths::find(data).map_err(|error| refused(&error))?;
    let store = places.store_to_read().await.map_err(|error| refused(&error))?;
    let after = request.cursor.as_deref().map(str::parse).transpose();
    let after = after.map_err(|_| invalid("unknown position in the list"))?;
    let wanted = SessionQuery { after, limit: Some(PAGE), ..SessionQuery::default() };
    let page = store.list(&wanted).await.map_err(|error| failed(error.to_string()))?;
    let within = request.cwd.map(|cwd| cwd.canonicalize().unwrap_or(cwd));
    let mut sessions = Vec::new();
    for session in page.sessions.iter().filter(|session| !children::is_named_like_one(&session.run)) {
        let Ok(Some(began)) = SessionSidecar::of(&places, &session.run) else { continue };
        let folder = PathBuf::from(began.folder);
        if within.as_ref().is_some_and(|within| *within != folder) {
            continue;
        }
        let title = Some(visible(&session.title)).filter(|title| !title.is_empty());
        let info = SessionInfo::new(session.run.clone(), folder).title(title);
        sessions.push(info.updated_at(date(session.updated)));
    }
    Ok(ListSessionsResponse::new(sessions).next_cursor(page.next.map(|next| next.to_string())))
}

/// A time as the protocol writes it.
fn date(at: Timestamp) -> Option<String> {
    let millis = i64::try_from(at.value()).ok()?;
    jiff::Timestamp::from_millisecond(millis).ok().map(|at| at.to_string())
}
