//! Serves one file of the dashboard, with its content security policy. The routes are in `mod.rs`;
//! the page itself is built from the folder `dashboard` of the repository. The policy allows
//! nothing from other sites, so that the text of a model cannot leak data.

use std::io::Read as _;

use axum::response::{IntoResponse as _, Response};
use flate2::read::GzDecoder;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY},
};

use crate::ApiError;

/// The built files; empty if the dashboard was not built.
pub(super) static FILES: &[DashboardFile] = include!(concat!(env!("OUT_DIR"), "/dashboard.rs"));

/// What the page may do: run its own scripts, use its own styles, connect to this server,
/// and show images that it was given. It loads nothing from other sites, so the text of a
/// model cannot leak data.
///
/// If a user asks for an image of another site, it is shown in a frame, in a page
/// with its own policy.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src 'self'; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The page itself changes with each build.
const ANEW: &str = "no-cache";
/// The name of every other file contains a hash of its content, so the content never changes.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

pub(super) struct DashboardFile {
    /// Its path below the page.
    pub(super) name: &'static str,
    /// Its content, compressed with gzip.
    pub(super) packed: &'static [u8],
}

/// Serves a file in an encoding that the client accepts.
pub(super) fn answer(files: &[DashboardFile], name: &str, headers: &HeaderMap) -> Response {
    let Some(file) = files.iter().find(|file| file.name == name) else { return missing(files) };
    let mut given = [
        (CONTENT_TYPE, kind(name)),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, if name.starts_with("assets/") { FOR_GOOD } else { ANEW }),
        (VARY, "accept-encoding"),
    ]
    .map(|(name, value): (HeaderName, &'static str)| (name, HeaderValue::from_static(value)))
    .into_iter()
    .collect::<HeaderMap>();
    if reads_gzip(headers) {
        given.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return (given, file.packed).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(file.packed).read_to_end(&mut plain) {
        Ok(_) => (given, plain).into_response(),
        Err(_) => ApiError::failed("the dashboard in this program is damaged").into_response(),
    }
}

fn missing(files: &[DashboardFile]) -> Response {
    if files.is_empty() {
        let message = "this Holm was built without its dashboard; `make dashboard` builds it";
        return ApiError::new(StatusCode::NOT_FOUND, "no_dashboard", message).into_response();
    }
    ApiError::missing("file").into_response()
}

/// Whether the client accepts gzip. `gzip;q=0` says that it does not.
fn reads_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight: String = weight.split_whitespace().collect();
        let refused = weight.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
