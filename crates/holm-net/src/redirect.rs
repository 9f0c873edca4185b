//! Computes the next request of a redirect. Another origin gets no credentials and no body. It
//! sends nothing: `client.rs` does, and `connector.rs` checks the new URL like the first one. How
//! many redirects are followed is limited in `limits.rs`.

use holm_grants::{Url, UrlScheme};
use http::{HeaderMap, Method, StatusCode, header};

use crate::error::{NetError, origin};
use crate::request::HttpClientRequest;

/// The request that a redirect asks for, or `None` if the response is not a redirect.
///
/// Another origin receives no credentials and no body. A server that was trusted with them must not
/// decide who else receives them.
pub(crate) fn next(
    request: &HttpClientRequest,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<HttpClientRequest>, NetError> {
    let keeps_method = match status.as_u16() {
        301..=303 => false,
        307 | 308 => true,
        _ => return Ok(None),
    };
    let Some(location) = headers.get(header::LOCATION) else { return Ok(None) };
    let url = join(&request.url, location.as_bytes())?;
    if request.url.scheme() == UrlScheme::Https && url.scheme() != UrlScheme::Https {
        return Err(NetError::Downgrade);
    }
    let same = origin(&request.url) == origin(&url);
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    if !reads && keeps_method && !same {
        return Err(NetError::BodyAcrossOrigins(origin(&url)));
    }
    let headers = if same { request.headers.clone() } else { request.harmless_headers() };
    if reads || keeps_method {
        return Ok(Some(HttpClientRequest { url, headers, ..request.clone() }));
    }
    let mut next = HttpClientRequest { headers, ..HttpClientRequest::get(url) };
    // These headers describe a body that is not sent.
    for name in
        [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LANGUAGE, header::CONTENT_LOCATION]
    {
        next.headers.remove(name);
    }
    Ok(Some(next))
}

/// Resolves the target as browsers do, and then parses it with our stricter rules. A target on
/// which they disagree is refused.
fn join(base: &Url, location: &[u8]) -> Result<Url, NetError> {
    let location = str::from_utf8(location).map_err(|_| holm_grants::UrlError::Hidden)?;
    let base = url::Url::parse(&base.to_string()).map_err(|_| holm_grants::UrlError::NoScheme)?;
    let joined = base.join(location).map_err(|_| holm_grants::UrlError::NoScheme)?;
    Ok(joined.as_str().parse::<Url>()?)
}

#[cfg(test)]
mod tests;
