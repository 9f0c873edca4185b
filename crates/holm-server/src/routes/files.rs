//! Files of the workspace, to be read. Opened from the handle of the one folder that a user has, as every file tool does;
//! no link is followed, and what is kept from tools is kept from here.

use axum::{Extension, extract::State, response::IntoResponse};
use holm_tools::root::{Denies, Protect, Root, RootError};
use http::{HeaderValue, header};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{Problem, Refusal, Server, auth::Who, extract::Query, routes::sessions::all_sessions};

/// The largest file that is given out: it passes through memory.
const MOST: u64 = 32 * 1024 * 1024;

/// Which file.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct Wanted {
    /// Its path, relative to the workspace.
    path: String,
}

/// Gives a file of the workspace.
#[utoipa::path(get, path = "/api/files", params(Wanted),
    responses((status = 200, content_type = "application/octet-stream"), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 413, body = Problem)))]
pub(crate) async fn read(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Query(wanted): Query<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    all_sessions(&who)?;
    let home = server.inner.workshop.home(&who.user).await?;
    let own = server.inner.config.folder.clone();
    let read = tokio::task::spawn_blocking(move || {
        let root = Root::open(&home.workspace)?.denies(Denies::usual());
        // A server that was started at home has its own tokens below the workspace.
        let root = root.protect(&home.private, Protect::Everything)?.protect(&own, Protect::Everything)?;
        root.read(&root.path(&wanted.path)?)?.bytes(MOST)
    });
    let bytes = read
        .await
        .map_err(|_| Refusal::failed("the file could not be read"))?
        .map_err(|error| refused(&error))?;
    // Whatever it is, a browser keeps it and runs nothing of it.
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let kept = (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(([kind, kept], bytes))
}

/// What a client is told; the words of the file tools are for models, and say the same.
fn refused(error: &RootError) -> Refusal {
    let message = error.to_string();
    match error {
        RootError::Missing { .. } => Refusal::missing("file"),
        RootError::TooLarge { .. } => Refusal::new(http::StatusCode::PAYLOAD_TOO_LARGE, "too_large", message),
        RootError::Denied { .. } | RootError::Protected { .. } | RootError::NotGranted { .. } => {
            Refusal::forbidden(message)
        }
        RootError::Path { .. }
        | RootError::Outside { .. }
        | RootError::Link { .. }
        | RootError::Mount { .. }
        | RootError::Kind { .. } => Refusal::bad("bad_path", message),
        // What the system says may name places of the machine.
        RootError::Changed { .. }
        | RootError::ReadOnly { .. }
        | RootError::Busy { .. }
        | RootError::System { .. } => Refusal::failed("the file could not be read"),
    }
}
