//! The dashboard: files that were built into this program, given to whoever asks. They hold nothing of anybody; what the page
//! shows it asks for like any other client, with a token, through the door.
//!
//! A browser sends no token when it opens a page, so these few paths stand before the door. They change nothing, take no
//! body, and are given under this server's own names alone, so that a page of a foreign name never becomes this one. Beside the
//! files there is one page more, made when it is asked for: the frame of a picture that somebody wants to see.

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
    Refusal, Server,
    door::{check_host, dressed},
    extract::Query,
};

/// The page's own file.
const PAGE: &str = "index.html";

/// The paths of the dashboard, below the server's base path.
pub(crate) fn routes(server: &Server) -> Router {
    let base = server.config().base.as_str().to_owned();
    let mut routes = Router::new()
        .route(&format!("{base}/"), get(page))
        .route(&format!("{base}/assets/{{name}}"), get(asset))
        .route(&format!("{base}/picture"), get(framed));
    if !base.is_empty() {
        // What the page asks for is relative to it, so it must be known by its folder.
        let whole = format!("{base}/");
        routes = routes.route(&base, get(move || async move { Redirect::permanent(&whole) }));
    }
    routes.layer(middleware::from_fn_with_state(server.clone(), porch)).with_state(server.clone())
}

/// Lets a request in by the name that it was sent to, and puts the headers on that every answer has.
async fn porch(State(server): State<Server>, request: Request, next: Next) -> Response {
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
struct Of {
    of: String,
}

async fn framed(headers: HeaderMap, Query(Of { of }): Query<Of>) -> Result<Response, Refusal> {
    picture::check(&headers)?;
    picture::page(&of)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(FILES, &format!("assets/{name}"), &headers)
}
