//! Where a redirect leads, and what goes along. The next URL is then checked like the first.

use holm_grants::{Scheme, Url};
use http::{HeaderMap, Method, StatusCode, header};

use crate::error::{NetError, origin};
use crate::request::HttpRequest;

/// The request that a redirect asks for; none where the answer is no redirect.
///
/// Another origin gets no credentials and no body: a server that was trusted with them does not decide who else is.
pub(crate) fn next(
    request: &HttpRequest,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<HttpRequest>, NetError> {
    let keeps_method = match status.as_u16() {
        301..=303 => false,
        307 | 308 => true,
        _ => return Ok(None),
    };
    let Some(location) = headers.get(header::LOCATION) else { return Ok(None) };
    let url = join(&request.url, location.as_bytes())?;
    if request.url.scheme() == Scheme::Https && url.scheme() != Scheme::Https {
        return Err(NetError::Downgrade);
    }
    let same = origin(&request.url) == origin(&url);
    let reads = matches!(request.method, Method::GET | Method::HEAD);
    if !reads && keeps_method && !same {
        return Err(NetError::BodyAcrossOrigins(origin(&url)));
    }
    let headers = if same { request.headers.clone() } else { request.harmless_headers() };
    if reads || keeps_method {
        return Ok(Some(HttpRequest { url, headers, ..request.clone() }));
    }
    let mut next = HttpRequest { headers, ..HttpRequest::get(url) };
    // They describe a body that is not sent.
    for name in
        [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LANGUAGE, header::CONTENT_LOCATION]
    {
        next.headers.remove(name);
    }
    Ok(Some(next))
}

/// The target as browsers read it, then read again by our own stricter rules: what they disagree about is refused.
fn join(base: &Url, location: &[u8]) -> Result<Url, NetError> {
    let location = str::from_utf8(location).map_err(|_| holm_grants::UrlError::Hidden)?;
    let base = url::Url::parse(&base.to_string()).map_err(|_| holm_grants::UrlError::NoScheme)?;
    let joined = base.join(location).map_err(|_| holm_grants::UrlError::NoScheme)?;
    Ok(joined.as_str().parse::<Url>()?)
}

#[cfg(test)]
mod tests;
