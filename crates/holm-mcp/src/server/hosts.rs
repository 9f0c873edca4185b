//! Where a request says that it goes.

use http::HeaderMap;
use http::header::HOST;
use http::uri::Authority;
use thiserror::Error;

/// A request has more than one `Host`: everybody on its way may go by another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the request has more than one `Host`")]
pub struct ManyHosts;

/// The names that a request says it was sent to: its `Host`, and that of its target where the target is a whole address. Whoever
/// stands before a server may go by either, so no name counts that not both have.
///
/// # Errors
/// [`ManyHosts`].
pub fn named_hosts<'a>(
    headers: &'a HeaderMap,
    authority: Option<&'a Authority>,
) -> Result<Vec<&'a str>, ManyHosts> {
    // What is no text is nobody's name.
    let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    let mut named: Vec<&str> = hosts.collect();
    if named.len() > 1 {
        return Err(ManyHosts);
    }
    named.extend(authority.map(Authority::as_str));
    Ok(named)
}
