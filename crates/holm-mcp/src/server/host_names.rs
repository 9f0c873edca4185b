//! Determines the host that a request is addressed to.

use http::HeaderMap;
use http::header::HOST;
use http::uri::Authority;
use thiserror::Error;

/// A request has more than one `Host` header. Each proxy in between could use a different one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the request has more than one `Host`")]
pub struct ManyHostsError;

/// The host names of a request: its `Host` header, and its target's host if the target
/// is an absolute URL. A proxy in front of the server may use either, so only a name
/// that both have counts.
///
/// # Errors
/// [`ManyHostsError`] if the request has several `Host` headers.
pub fn named_hosts<'a>(
    headers: &'a HeaderMap,
    authority: Option<&'a Authority>,
) -> Result<Vec<&'a str>, ManyHostsError> {
    // A value that is not text matches no name.
    let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    let mut named: Vec<&str> = hosts.collect();
    if named.len() > 1 {
        return Err(ManyHostsError);
    }
    named.extend(authority.map(Authority::as_str));
    Ok(named)
}
