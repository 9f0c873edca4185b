//! Routes to read, write, move and delete files of the workspace. As in every file tool, files are
//! opened from the handle of the user's one folder. Links are not followed, and files that tools
//! may not see are hidden here too.
//!
//! A client that writes must name the version that it has read, so that no change is overwritten
//! unseen.
//!
//! The file operations are in `holm-tools/src/root/manual_files.rs`; folders are in
//! `routes/folders.rs`.

use axum::{
    Extension,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use holm_tools::{
    root::{ManualFileError, WorkspaceRoot, WorkspaceRootError, WritePrecondition},
    trust::ContentHash,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem,
    auth::AuthenticatedUser,
    extract::{JsonBody, QueryParams},
    precondition::{changed, precondition, required, tag},
    routes::sessions::all_sessions,
};

/// The largest file that is read or written here: it passes through memory.
const MOST: u64 = 32 * 1024 * 1024;

/// Selects a file of the workspace.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileQuery {
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
#[utoipa::path(get, path = "/api/files", params(FileQuery),
    responses((status = 200, content_type = "application/octet-stream", body = String,
            headers(("etag" = String, description = "Identifies the content of the file, for `if-match`."))),
        (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem), (status = 413, body = Problem)))]
pub(crate) async fn read(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(wanted): QueryParams<FileQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let bytes = at_hand(&server, &who, move |root| Ok(root.read(&root.path(&wanted.path)?)?.bytes(MOST)?));
    let bytes = bytes.await?;
    // The browser downloads the file and never executes it, regardless of its type.
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let kept = (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(([kind, kept, tag(ContentHash::of(&bytes))?], bytes))
}

/// Writes a whole file.
///
/// With `if-match`, replaces the version that you read. With `if-none-match: *`,
/// creates a new file.
#[utoipa::path(put, path = "/api/files",
    params(FileQuery, ("if-match" = Option<String>, Header, description = "The `etag` of the version that you read."),
        ("if-none-match" = Option<String>, Header, description = "`*`: the file must not exist yet.")),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 201, headers(("etag" = String, description = "Identifies the new content of the file."))),
        (status = 204, headers(("etag" = String, description = "Identifies the new content of the file."))),
        (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem),
        (status = 413, body = Problem), (status = 428, body = Problem)))]
pub(crate) async fn write(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(wanted): QueryParams<FileQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    all_sessions(&who)?;
    let before = required(&headers)?;
    let written =
        at_hand(&server, &who, move |root| root.write(&root.path(&wanted.path)?, &body, before, MOST));
    let hash = written.await?;
    let status = match before {
        WritePrecondition::Absent => StatusCode::CREATED,
        WritePrecondition::Is(_) => StatusCode::NO_CONTENT,
    };
    Ok((status, [tag(hash)?]).into_response())
}

/// Deletes a file or an empty folder.
///
/// With `if-match`, deletes a file only if it is the version that you read.
#[utoipa::path(delete, path = "/api/files",
    params(FileQuery, ("if-match" = Option<String>, Header, description = "The `etag` of the version that you read.")),
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
pub(crate) async fn remove(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(wanted): QueryParams<FileQuery>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    all_sessions(&who)?;
    let expect = match precondition(&headers)? {
        Some(WritePrecondition::Is(hash)) => Some(hash),
        Some(WritePrecondition::Absent) => {
            return Err(ApiError::bad("bad_precondition", "the file does not exist"));
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
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(names): JsonBody<Move>,
) -> Result<StatusCode, ApiError> {
    at_hand(&server, &who, move |root| root.rename(&root.path(&names.from)?, &root.path(&names.to)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs work in the workspace of the user, on a thread that may block.
pub(crate) async fn at_hand<T: Send + 'static>(
    server: &HolmServer,
    who: &AuthenticatedUser,
    work: impl FnOnce(&WorkspaceRoot) -> Result<T, ManualFileError> + Send + 'static,
) -> Result<T, ApiError> {
    all_sessions(who)?;
    let home = server.inner.workshop.home(&who.user).await?;
    let own = server.inner.config.folder.clone();
    let done = tokio::task::spawn_blocking(move || work(&home.root(&own)?));
    done.await
        .map_err(|_| ApiError::failed("the workspace could not be opened"))?
        .map_err(|error| refused(&error))
}

/// The error for a client. The messages of the file tools are for models, but say the same.
fn refused(error: &ManualFileError) -> ApiError {
    let message = error.to_string();
    match error {
        ManualFileError::Taken { .. } => ApiError::conflict("taken", message),
        ManualFileError::NotEmpty { .. } => ApiError::conflict("not_empty", message),
        ManualFileError::Holds { .. } => ApiError::forbidden(message),
        ManualFileError::Root(error) => match error {
            WorkspaceRootError::Missing { .. } => ApiError::missing("file"),
            WorkspaceRootError::TooLarge { .. } => {
                ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
            }
            WorkspaceRootError::Denied { .. }
            | WorkspaceRootError::Autorun { .. }
            | WorkspaceRootError::Protected { .. }
            | WorkspaceRootError::NotGranted { .. }
            | WorkspaceRootError::ReadOnly { .. } => ApiError::forbidden(message),
            WorkspaceRootError::Path { .. }
            | WorkspaceRootError::Outside { .. }
            | WorkspaceRootError::Link { .. }
            | WorkspaceRootError::Mount { .. }
            | WorkspaceRootError::Kind { .. } => ApiError::bad("bad_path", message),
            WorkspaceRootError::Changed { .. } => changed(),
            WorkspaceRootError::Busy { .. } => ApiError::busy("busy", message, 1),
            // The error of the system may contain paths of the machine.
            WorkspaceRootError::System { .. } => ApiError::failed("the workspace could not be opened"),
        },
    }
}
