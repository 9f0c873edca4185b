//! Routes to list and create folders of the workspace. Files are in `routes/files.rs`, whose
//! `at_hand` opens the workspace with the rules for hidden files. The number of entries is bounded.

use axum::{Extension, Json, extract::State};
use holm_tools::root::{FolderItem, FolderItemKind};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    ApiError, HolmServer, Problem,
    auth::AuthenticatedUser,
    extract::{JsonBody, QueryParams},
    routes::files::at_hand,
};

/// Entries per listing: a person reads no more, and the response stays quick.
const MOST: usize = 2_000;

/// Selects a folder of the workspace.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FolderQuery {
    /// The path of the folder, relative to the workspace; the workspace itself if not set.
    path: Option<String>,
}

/// A folder to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFolder {
    /// Its path, relative to the workspace. The parent folder must exist.
    path: String,
}

/// The contents of a folder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FolderView {
    /// Its path, relative to the workspace.
    path: String,
    /// Its entries, sorted by name, without those that are hidden from tools.
    entries: Vec<ItemView>,
    /// Whether there are more entries.
    cut: bool,
}

/// An entry of a folder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemView {
    name: String,
    kind: KindView,
    /// Its size in bytes; 0 if it is not a file.
    bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    modified: u64,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KindView {
    File,
    Folder,
    /// Something else, which Holm leaves alone: a link, a pipe or a device.
    Other,
}

/// Lists the contents of a folder in the workspace.
#[utoipa::path(get, path = "/api/folders", params(FolderQuery),
    responses((status = 200, body = FolderView), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn list(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    QueryParams(wanted): QueryParams<FolderQuery>,
) -> Result<Json<FolderView>, ApiError> {
    let shown = at_hand(&server, &who, move |root| {
        let path = root.path(wanted.path.as_deref().unwrap_or("."))?;
        let contents = root.list(&path, MOST)?;
        let entries = contents.entries.into_iter().map(view).collect();
        Ok(FolderView { path: path.to_string(), entries, cut: contents.cut })
    });
    Ok(Json(shown.await?))
}

/// Creates a folder in the workspace.
#[utoipa::path(post, path = "/api/folders", request_body = NewFolder,
    responses((status = 201), (status = 400, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub(crate) async fn make(
    State(server): State<HolmServer>,
    Extension(who): Extension<AuthenticatedUser>,
    JsonBody(new): JsonBody<NewFolder>,
) -> Result<StatusCode, ApiError> {
    at_hand(&server, &who, move |root| root.make_folder(&root.path(&new.path)?)).await?;
    Ok(StatusCode::CREATED)
}

fn view(item: FolderItem) -> ItemView {
    let kind = match item.kind {
        FolderItemKind::File => KindView::File,
        FolderItemKind::Folder => KindView::Folder,
        FolderItemKind::Other => KindView::Other,
    };
    ItemView { name: item.name, kind, bytes: item.bytes, modified: item.modified }
}
