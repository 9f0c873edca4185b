//! Functions on grants: containment, requests, and the class of an address.
//!
//! The rules are in `holm-grants`; this file only parses texts and writes results as JSON. It asks
//! no name server and connects to nothing, so the host must ask `reach` about the address that it
//! really connects to. A text that cannot be read is an error and never an empty list, which would
//! look like a decision.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::{String, ToString};
use core::net::IpAddr;

use holm_grants::{AccessRequest, GrantPolicy, GrantSet, PolicyDecision, Url, address::AddressClass};
use serde::Serialize;

use crate::{BindingError, BindingErrorKind, text};

/// Whether one list of grants contains every grant of another. Both are JSON arrays of strings.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if a list or a grant cannot be read.
pub fn contains(outer: &str, inner: &str) -> Result<bool, BindingError> {
    Ok(read_set(outer)?.contains_all(&read_set(inner)?))
}

/// Whether a list of grants admits a request such as `read:src/lib.rs`.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if the grants are invalid, [`BindingErrorKind::Grant`]
/// if the request is.
pub fn admits(grants: &str, request: &str) -> Result<bool, BindingError> {
    Ok(read_set(grants)?.admits(&read_request(request)?))
}

/// What both lists of grants allow, as a JSON array.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if a list cannot be parsed.
pub fn meet(left: &str, right: &str) -> Result<String, BindingError> {
    Ok(text::json(&read_set(left)?.meet(&read_set(right)?)))
}

/// The decision of a policy (`{"grants":[…],"denials":[…]}`) about a request:
/// `{"granted":…}`, `{"denied":…}` or `"missing"`.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if the policy is invalid, [`BindingErrorKind::Grant`]
/// if the request is.
pub fn decide(policy: &str, request: &str) -> Result<String, BindingError> {
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum GrantDecisionView {
        Granted(String),
        Denied(String),
        Missing,
    }
    let policy: GrantPolicy = text::read(policy, "policy")?;
    Ok(text::json(&match policy.decide(&read_request(request)?) {
        PolicyDecision::Granted(grant) => GrantDecisionView::Granted(grant.to_string()),
        PolicyDecision::Denied(denial) => GrantDecisionView::Denied(denial.to_string()),
        PolicyDecision::Missing => GrantDecisionView::Missing,
    }))
}

/// Why a connection for a URL must not go to an address, or `None` if it may.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if the policy is invalid, [`BindingErrorKind::Grant`] if the URL
/// or the address is.
pub fn reach(policy: &str, url: &str, address: &str) -> Result<Option<String>, BindingError> {
    let policy: GrantPolicy = text::read(policy, "policy")?;
    let url: Url = url.parse().map_err(BindingError::of(BindingErrorKind::Grant))?;
    Ok(policy.reach(&url, read_address(address)?).err().map(|why| why.to_string()))
}

/// The class of an address, and which grants can open it: `{"class","reach","words"}`.
///
/// # Errors
/// [`BindingErrorKind::Grant`] if the address is invalid.
pub fn class(address: &str) -> Result<String, BindingError> {
    #[derive(Serialize)]
    struct AddressView {
        class: String,
        reach: String,
        words: &'static str,
    }
    let class = AddressClass::of(read_address(address)?);
    let snake = |name: String| {
        let mut out = String::with_capacity(name.len());
        for (place, letter) in name.chars().enumerate() {
            if place > 0 && letter.is_uppercase() {
                out.push('_');
            }
            out.extend(letter.to_lowercase());
        }
        out
    };
    Ok(text::json(&AddressView {
        class: snake(format!("{class:?}")),
        reach: snake(format!("{:?}", class.reach())),
        words: class.describe(),
    }))
}

fn read_set(grants: &str) -> Result<GrantSet, BindingError> {
    text::read(grants, "list of grants")
}

fn read_request(request: &str) -> Result<AccessRequest, BindingError> {
    request.parse().map_err(BindingError::of(BindingErrorKind::Grant))
}

fn read_address(address: &str) -> Result<IpAddr, BindingError> {
    address.parse().map_err(|error| {
        BindingError::new(BindingErrorKind::Grant, format_args!("{address:?} is no address: {error}"))
    })
}
