//! One response of a site: a file, a part of it, or "not found". Every error is "not found",
//! because a visitor must not learn which files are next to the site.
//!
//! Passwords and host names are checked before, in `serve.rs`. Paths are parsed in `path.rs`; byte
//! ranges and cached versions are handled in `byte_range.rs`, media types in `content_type.rs`.

use std::{
    fs::File,
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _},
};

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use holm_tools::root::{WorkspaceRoot, WorkspaceRootError};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_RANGES, ALLOW, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, LOCATION},
};

use super::{
    byte_range::{ResponseRange, part},
    content_type::kind,
    path::{PathTarget, SitePath},
};

/// The page of a folder.
const INDEX: &str = "index.html";
/// Bytes that are read at once.
const PIECE: u64 = 256 * 1024;

/// Headers of every response: no type guessing, no framing, no use by other origins,
/// and caches must revalidate.
const HEADERS: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", "frame-ancestors 'none'"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "private, no-cache"),
];

/// The parts of a request that a site needs.
pub(super) struct SiteRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) headers: &'a HeaderMap,
}

enum SiteLookup {
    File(SiteFile),
    /// A folder; its page needs a trailing slash.
    Folder,
    Nothing,
}

/// An open file with its tag and media type.
struct SiteFile {
    file: File,
    length: u64,
    tag: String,
    kind: &'static str,
}

/// Responds with a file of a workspace. The workspace is opened on a blocking thread.
pub(super) async fn page(
    workspace: impl FnOnce() -> Result<WorkspaceRoot, WorkspaceRootError> + Send + 'static,
    folder: &SitePath,
    asked: SiteRequest<'_>,
) -> Response {
    if !matches!(*asked.method, Method::GET | Method::HEAD) {
        let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "a site supports only GET and HEAD");
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let Some((path, names)) = SitePath::asked(asked.path) else { return missing() };
    let path = folder.then(&path);
    let found = tokio::task::spawn_blocking(move || {
        workspace().map_or(SiteLookup::Nothing, |root| find(&root, &path, names))
    });
    let found = found.await;
    match found.unwrap_or(SiteLookup::Nothing) {
        SiteLookup::File(opened) => send(opened, &asked),
        SiteLookup::Folder => to_folder(asked.path),
        SiteLookup::Nothing => missing(),
    }
}

/// A short text response.
pub(super) fn plain(status: StatusCode, words: &str) -> Response {
    let kind = (CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    dressed((status, [kind], format!("{words}\n")).into_response())
}

/// Looks for a file. Any error is reported as "not found", because files next to a
/// site must stay hidden.
fn find(root: &WorkspaceRoot, path: &SitePath, names: PathTarget) -> SiteLookup {
    let open = |path: &SitePath| root.path(&path.to_string()).and_then(|path| root.read(&path));
    let wanted = match names {
        PathTarget::File => path.clone(),
        PathTarget::Folder => path.file(INDEX),
    };
    match open(&wanted) {
        Ok(opened) => {
            let file = opened.into_file();
            let Ok(about) = file.metadata() else { return SiteLookup::Nothing };
            let (length, changed) = (about.len(), (about.mtime(), about.mtime_nsec()));
            let tag = format!("\"{:x}-{length:x}-{:x}-{:x}\"", about.ino(), changed.0, changed.1);
            SiteLookup::File(SiteFile { file, length, tag, kind: kind(wanted.extension()) })
        }
        Err(WorkspaceRootError::Kind { .. })
            if names == PathTarget::File && open(&path.file(INDEX)).is_ok() =>
        {
            SiteLookup::Folder
        }
        Err(_) => SiteLookup::Nothing,
    }
}

/// Redirects to the same path with a trailing slash. The path begins with one slash and has no
/// empty name, so it cannot lead to another host.
fn to_folder(path: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(&format!("{path}/")) else { return missing() };
    let mut answer = plain(StatusCode::MOVED_PERMANENTLY, "the page is at the address with a slash");
    answer.headers_mut().insert(LOCATION, location);
    answer
}

fn missing() -> Response {
    plain(StatusCode::NOT_FOUND, "there is no such page")
}

fn send(opened: SiteFile, asked: &SiteRequest<'_>) -> Response {
    let SiteFile { file, length, tag, kind } = opened;
    let (status, first, count) = match part(asked.headers, &tag, length) {
        ResponseRange::Whole => (StatusCode::OK, 0, length),
        ResponseRange::Bytes { first, last } => (StatusCode::PARTIAL_CONTENT, first, last - first + 1),
        ResponseRange::Outside => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0),
        ResponseRange::Unchanged => (StatusCode::NOT_MODIFIED, 0, 0),
    };
    let body =
        if *asked.method == Method::HEAD || count == 0 { Body::empty() } else { read(file, first, count) };
    let mut answer = dressed((status, body).into_response());
    let headers = answer.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let range = match status {
        StatusCode::PARTIAL_CONTENT => Some(format!("bytes {first}-{}/{length}", first + count - 1)),
        StatusCode::RANGE_NOT_SATISFIABLE => Some(format!("bytes */{length}")),
        _ => None,
    };
    if let Some(range) = range.and_then(|range| HeaderValue::from_str(&range).ok()) {
        headers.insert(CONTENT_RANGE, range);
    }
    if status != StatusCode::NOT_MODIFIED {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(count));
    }
    answer
}

/// The bytes of a file in pieces; each is read after the previous one was sent.
fn read(file: File, first: u64, count: u64) -> Body {
    let pieces = futures::stream::try_unfold((file, first, count), |(file, at, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let read = tokio::task::spawn_blocking(move || -> io::Result<(File, Vec<u8>)> {
            let mut bytes = vec![0; usize::try_from(left.min(PIECE)).unwrap_or(0)];
            let read = file.read_at(&mut bytes, at)?;
            bytes.truncate(read);
            Ok((file, bytes))
        });
        let (file, bytes) = read.await.map_err(io::Error::other)??;
        if bytes.is_empty() {
            // The file was truncated meanwhile; ending the response early makes the client notice.
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        let read = bytes.len() as u64;
        Ok(Some((Bytes::from(bytes), (file, at + read, left - read))))
    });
    Body::from_stream(pieces)
}

fn dressed(mut answer: Response) -> Response {
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
