//! The dashboard: files that are built into this program and served without authentication. They
//! contain no user data; the page requests its data like any other client, with a token.
//!
//! A browser sends no token when it opens a page, so these few paths are outside of the access
//! checks. They change nothing and accept no body. They are served only under this server's own
//! host names, so that a foreign name never shows this page.
//!
//! Besides the files there is one generated page: the frame for an image that the user wants to
//! see.
//!
//! The files are served in `file.rs`, and the frame for an image is made in `picture.rs`. Published
//! folders of users are not here but in `sites/mod.rs`.

mod file;
mod picture;

#[cfg(test)]
mod tests;

use axum::{
    Router,
    extract::{Path, Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};
use http::HeaderMap;
use serde::Deserialize;

use self::file::{FILES, answer};
use crate::{
    ApiError, HolmServer,
    extract::QueryParams,
    request_guard::{check_host, dressed},
};

/// The file name of the page.
const PAGE: &str = "index.html";

/// The routes of the dashboard, below the server's base path.
pub(crate) fn routes(server: &HolmServer) -> Router {
    let base = server.config().base.as_str().to_owned();
    let mut routes = Router::new()
        .route(&format!("{base}/"), get(page))
        .route(&format!("{base}/assets/{{name}}"), get(asset))
        .route(&format!("{base}/picture"), get(framed));
    if !base.is_empty() {
        // The page uses relative URLs, so its own URL must end with a slash.
        let target = format!("{base}/");
        routes = routes.route(&base, get(move || async move { Redirect::permanent(&target) }));
    }
    routes.layer(middleware::from_fn_with_state(server.clone(), porch)).with_state(server.clone())
}

/// Checks the host name of a request, and adds the headers that every response has.
async fn porch(State(server): State<HolmServer>, request: Request, next: Next) -> Response {
    let checked = check_host(server.config(), request.headers(), request.uri().authority()).map(drop);
    let answer = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    dressed(answer)
}

async fn page(headers: HeaderMap) -> Response {
    answer(FILES, PAGE, &headers)
}

#[derive(Debug, Deserialize)]
struct PictureQuery {
    of: String,
}

async fn framed(
    headers: HeaderMap,
    QueryParams(PictureQuery { of }): QueryParams<PictureQuery>,
) -> Result<Response, ApiError> {
    picture::check(&headers)?;
    picture::page(&of)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(FILES, &format!("assets/{name}"), &headers)
}
