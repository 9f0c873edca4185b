//! Decides which addresses of a DNS answer a connection may use. It does no I/O, so fuzzing and the
//! attack tests can call it directly.
//!
//! It resolves no name and opens no connection: `connector.rs` does. Which address class a grant
//! reaches is decided in `holm-grants`.

use std::net::IpAddr;

use holm_grants::{AccessRequest, AddressDenied, GrantPolicy, PolicyDecision, Url, address};

use crate::error::{ConnectionDenied, NetError};

/// The largest number of addresses in one answer. Real answers have a dozen; a longer one is
/// refused as a whole.
const MAX_ANSWER: usize = 64;

/// The addresses of `answer` that a connection for `url` may go to, in the order given.
///
/// **Every** address must be admitted. A name with both a public and a private address is the start
/// of a rebinding attack, and trying only the admitted half would hide it. The one exception is
/// skipped: an IPv6 address that embeds an IPv4 address of the same answer, as networks without
/// IPv4 add to every answer.
///
/// # Errors
///
/// [`NetError::Refused`] with the first address that is not admitted, [`NetError::Unresolved`] if
/// no address is left.
///
/// ```
/// use holm_grants::{GrantSet, GrantPolicy};
/// let policy = GrantPolicy { grants: GrantSet::parse(["fetch:https://*"])?, ..GrantPolicy::default() };
/// let url = "https://example.com/".parse()?;
/// let public = "93.184.216.34".parse()?;
/// assert_eq!(holm_net::admit(&policy, &url, &[public])?, [public]);
/// assert!(holm_net::admit(&policy, &url, &[public, "10.0.0.1".parse()?]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn admit(policy: &GrantPolicy, url: &Url, answer: &[IpAddr]) -> Result<Vec<IpAddr>, NetError> {
    granted(policy, url)?;
    if answer.len() > MAX_ANSWER {
        return Err(unresolved(url, &format!("the answer has more than {MAX_ANSWER} addresses")));
    }
    let mut admitted = Vec::with_capacity(answer.len());
    for ip in answer {
        match policy.reach(url, *ip) {
            Ok(()) if !admitted.contains(ip) => admitted.push(*ip),
            Ok(()) => {}
            Err(AddressDenied::Never(address::AddressClass::Embedded)) if repeats(*ip, answer) => {}
            Err(reason) => return Err(ConnectionDenied::new(url, Some(*ip), reason).into()),
        }
    }
    if admitted.is_empty() {
        return Err(unresolved(url, "the answer is empty"));
    }
    Ok(admitted)
}

/// Checks that the URL itself is granted, before any lookup.
pub(crate) fn granted(policy: &GrantPolicy, url: &Url) -> Result<(), NetError> {
    let reason = match policy.decide(&AccessRequest::Fetch(url.clone())) {
        PolicyDecision::Granted(_) => return Ok(()),
        PolicyDecision::Denied(_) => AddressDenied::Denied,
        PolicyDecision::Missing => never(url).unwrap_or(AddressDenied::NotGranted),
    };
    Err(ConnectionDenied::new(url, None, reason).into())
}

/// The reason why no grant can open the URL's host, if there is one.
fn never(url: &Url) -> Option<AddressDenied> {
    let class = match url.host() {
        holm_grants::UrlHost::Address(ip) => address::AddressClass::of(*ip),
        host @ holm_grants::UrlHost::Name(_) if host.is_metadata() => address::AddressClass::Metadata,
        holm_grants::UrlHost::Name(_) => return None,
    };
    (class.reach() == address::AddressReach::Never).then_some(AddressDenied::Never(class))
}

/// Whether an address embeds an IPv4 address that is in the same answer.
fn repeats(ip: IpAddr, answer: &[IpAddr]) -> bool {
    match ip {
        IpAddr::V4(_) => false,
        IpAddr::V6(ip) => address::embedded(ip).is_some_and(|inner| answer.contains(&IpAddr::V4(inner))),
    }
}

pub(crate) fn unresolved(url: &Url, reason: &str) -> NetError {
    NetError::Unresolved { host: url.host().to_string(), why: reason.to_owned() }
}

#[cfg(test)]
mod tests;
