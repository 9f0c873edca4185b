//! Routes to read, write, move and delete files of the workspace. As in every file tool, files are
//! opened from the handle of the user's one folder. Links are not followed, and files that tools
//! may not see are hidden here too.
//!
//! A client that writes must name the version that it has read, so that no change is overwritten
//! unseen.

use axum::{
    Extension,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use holm_tools::{
    root::{Before, HandError, Root, RootError},
    trust::ContentHash,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Problem, Refusal, Server,
    auth::Who,
    extract::{Input, Query},
    precondition::{changed, precondition, required, tag},
    routes::sessions::all_sessions,
};

/// The largest file that is read or written here: it passes through memory.
const MOST: u64 = 32 * 1024 * 1024;

/// Selects a file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// The path of the file, relative to the workspace.
    #[param(min_length = 1)]
    path: String,
}

/// A file or folder to rename.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    /// The current path, relative to the workspace.
    from: String,
    /// The new path, which must not exist yet.
    to: String,
}

/// Reads a file of the workspace.
#[utoipa::path(get, path = "/api/files", params(Wanted),
    responses((status = 200, content_type = "application/octet-stream", body = String,
            headers(("etag" = String, description = "Identifies the content of the file, for `if-match`."))),
        (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem), (status = 413, body = Problem)))]
pub(crate) async fn read(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Query(wanted): Query<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let bytes = at_hand(&server, &who, move |root| Ok(root.read(&root.path(&wanted.path)?)?.bytes(MOST)?));
    let bytes = bytes.await?;
    // The browser downloads the file and never executes it, regardless of its type.
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let kept = (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(([kind, kept, tag(ContentHash::of(&bytes))?], bytes))
}

/// Writes a whole file.
///
/// With `if-match`, replaces the version that you read. With `if-none-match: *`, creates a new
/// file.
#[utoipa::path(put, path = "/api/files",
    params(Wanted, ("if-match" = Option<String>, Header, description = "The `etag` of the version that you read."),
        ("if-none-match" = Option<String>, Header, description = "`*`: the file must not exist yet.")),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 201, headers(("etag" = String, description = "Identifies the new content of the file."))),
        (status = 204, headers(("etag" = String, description = "Identifies the new content of the file."))),
        (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem),
        (status = 413, body = Problem), (status = 428, body = Problem)))]
pub(crate) async fn write(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    all_sessions(&who)?;
    let before = required(&headers)?;
    let written =
        at_hand(&server, &who, move |root| root.write(&root.path(&wanted.path)?, &body, before, MOST));
    let hash = written.await?;
    let status = match before {
        Before::Absent => StatusCode::CREATED,
        Before::Is(_) => StatusCode::NO_CONTENT,
    };
    Ok((status, [tag(hash)?]).into_response())
}

/// Deletes a file or an empty folder.
///
/// With `if-match`, deletes a file only if it is the version that you read.
#[utoipa::path(delete, path = "/api/files",
    params(Wanted, ("if-match" = Option<String>, Header, description = "The `etag` of the version that you read.")),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
pub(crate) async fn remove(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    all_sessions(&who)?;
    let expect = match precondition(&headers)? {
        Some(Before::Is(hash)) => Some(hash),
        Some(Before::Absent) => {
            return Err(Refusal::bad("bad_precondition", "the file does not exist"));
        }
        None => None,
    };
    at_hand(&server, &who, move |root| root.remove(&root.path(&wanted.path)?, expect, MOST)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Renames a file or a folder.
#[utoipa::path(post, path = "/api/files/rename", request_body = Move,
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub(crate) async fn rename(
    State(server): State<Server>,
    Extension(who): Extension<Who>,
    Input(names): Input<Move>,
) -> Result<StatusCode, Refusal> {
    at_hand(&server, &who, move |root| root.rename(&root.path(&names.from)?, &root.path(&names.to)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs work in the workspace of the user, on a thread that may block.
pub(crate) async fn at_hand<T: Send + 'static>(
    server: &Server,
    who: &Who,
    work: impl FnOnce(&Root) -> Result<T, HandError> + Send + 'static,
) -> Result<T, Refusal> {
    all_sessions(who)?;
    let home = server.inner.workshop.home(&who.user).await?;
    let own = server.inner.config.folder.clone();
    let done = tokio::task::spawn_blocking(move || work(&home.root(&own)?));
    done.await
        .map_err(|_| Refusal::failed("the workspace could not be opened"))?
        .map_err(|error| refused(&error))
}

/// The error for a client. The messages of the file tools are for models, but say the same.
fn refused(error: &HandError) -> Refusal {
    let message = error.to_string();
    match error {
        HandError::Taken { .. } => Refusal::conflict("taken", message),
        HandError::NotEmpty { .. } => Refusal::conflict("not_empty", message),
        HandError::Holds { .. } => Refusal::forbidden(message),
        HandError::Root(error) => match error {
            RootError::Missing { .. } => Refusal::missing("file"),
            RootError::TooLarge { .. } => Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message),
            RootError::Denied { .. }
            | RootError::Autorun { .. }
            | RootError::Protected { .. }
            | RootError::NotGranted { .. }
            | RootError::ReadOnly { .. } => Refusal::forbidden(message),
            RootError::Path { .. }
            | RootError::Outside { .. }
            | RootError::Link { .. }
            | RootError::Mount { .. }
            | RootError::Kind { .. } => Refusal::bad("bad_path", message),
            RootError::Changed { .. } => changed(),
            RootError::Busy { .. } => Refusal::busy("busy", message, 1),
            // The error of the system may contain paths of the machine.
            RootError::System { .. } => Refusal::failed("the workspace could not be opened"),
        },
    }
}
