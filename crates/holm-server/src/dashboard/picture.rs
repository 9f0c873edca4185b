//! Shows one image of another site, in a page of its own, after the user asked for it.
//!
//! The dashboard page itself loads nothing from other sites, regardless of what a model writes. The
//! image is shown in a frame instead: a page without scripts and without this server's origin. Its
//! policy allows only the site of the image.
//!
//! The browser loads the image, not the server, and sends no referrer to the other site.
//!
//! The address is the only outside text in the page, so it is escaped and its length is bounded.

use axum::response::{IntoResponse as _, Response};
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS},
};

use crate::ApiError;

/// The longest address: a longer one could leak data. The page makes no links
/// of longer ones either.
const LONGEST: usize = 2_048;
/// The style of the image in its frame.
pub(super) const STYLE: &str = "body{margin:0}img{max-width:100%;max-height:100vh}";
/// The SHA-256 of the style, so that the policy allows no other style.
pub(super) const STYLE_HASH: &str = "'sha256-oOkuS7ZoRa6gSnpVLqwks5GJBNqGJg6cfNRp6q7hilg='";

/// Allows the page only as a frame of this server's own dashboard. In a window of its own, any
/// image would appear under this server's name.
///
/// Browsers send what they load and for which page. A client that sends neither header
/// shows no address bar.
pub(super) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let is = |name: &str, expect: &str| headers.get(name).is_none_or(|value| value == expect);
    if is("sec-fetch-dest", "iframe") && is("sec-fetch-site", "same-origin") {
        return Ok(());
    }
    Err(ApiError::forbidden("a picture is only shown in a frame of the dashboard"))
}

/// The page around an image.
pub(super) fn page(address: &str) -> Result<Response, ApiError> {
    let bad = || {
        ApiError::bad("bad_address", "`of` is the address of a picture, such as `https://example.org/a.png`")
    };
    let origin = origin(address).ok_or_else(bad)?;
    let policy = format!(
        "default-src 'none'; img-src {origin}; style-src {STYLE_HASH}; sandbox; frame-ancestors 'self'; base-uri 'none'; \
         form-action 'none'"
    );
    let policy = HeaderValue::from_str(&policy).map_err(|_| bad())?;
    let source = escaped(address);
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Picture</title><style>{STYLE}</style>\
         <img src=\"{source}\" alt=\"The picture could not be loaded.\" referrerpolicy=\"no-referrer\">"
    );
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, policy),
        (X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN")),
    ];
    Ok((headers, text).into_response())
}

/// The origin of an address, for the policy; `None` if it is not an image address on another site.
fn origin(address: &str) -> Option<String> {
    if address.len() > LONGEST {
        return None;
    }
    let uri: Uri = address.parse().ok()?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
    let authority = uri.authority()?.as_str();
    // The origin becomes part of a policy, so it must not contain separators.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    (!authority.is_empty() && authority.bytes().all(plain)).then(|| format!("{scheme}://{authority}"))
}

/// Escapes a text for an HTML attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
