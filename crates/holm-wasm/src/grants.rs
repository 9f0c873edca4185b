//! Functions on grants: containment, requests, and the class of an address.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::{String, ToString};
use core::net::IpAddr;

use holm_grants::{Decision, GrantSet, Policy, Request, Url, address::Class};
use serde::Serialize;

use crate::{Fault, FaultKind, text};

/// Whether one list of grants contains every grant of another. Both are JSON arrays of strings.
///
/// # Errors
/// [`FaultKind::BadJson`] if a list or a grant cannot be read.
pub fn contains(outer: &str, inner: &str) -> Result<bool, Fault> {
    Ok(read_set(outer)?.contains_all(&read_set(inner)?))
}

/// Whether a list of grants admits a request such as `read:src/lib.rs`.
///
/// # Errors
/// [`FaultKind::BadJson`] if the grants are invalid, [`FaultKind::Grant`] if the request is.
pub fn admits(grants: &str, request: &str) -> Result<bool, Fault> {
    Ok(read_set(grants)?.admits(&read_request(request)?))
}

/// What both lists of grants allow, as a JSON array.
///
/// # Errors
/// [`FaultKind::BadJson`] if a list cannot be parsed.
pub fn meet(left: &str, right: &str) -> Result<String, Fault> {
    Ok(text::json(&read_set(left)?.meet(&read_set(right)?)))
}

/// The decision of a policy (`{"grants":[…],"denials":[…]}`) about a request:
/// `{"granted":…}`, `{"denied":…}` or `"missing"`.
///
/// # Errors
/// [`FaultKind::BadJson`] if the policy is invalid, [`FaultKind::Grant`] if the request is.
pub fn decide(policy: &str, request: &str) -> Result<String, Fault> {
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Told {
        Granted(String),
        Denied(String),
        Missing,
    }
    let policy: Policy = text::read(policy, "policy")?;
    Ok(text::json(&match policy.decide(&read_request(request)?) {
        Decision::Granted(grant) => Told::Granted(grant.to_string()),
        Decision::Denied(denial) => Told::Denied(denial.to_string()),
        Decision::Missing => Told::Missing,
    }))
}

/// Why a connection for a URL must not go to an address, or `None` if it may.
///
/// # Errors
/// [`FaultKind::BadJson`] if the policy is invalid, [`FaultKind::Grant`] if the URL
/// or the address is.
pub fn reach(policy: &str, url: &str, address: &str) -> Result<Option<String>, Fault> {
    let policy: Policy = text::read(policy, "policy")?;
    let url: Url = url.parse().map_err(Fault::of(FaultKind::Grant))?;
    Ok(policy.reach(&url, read_address(address)?).err().map(|why| why.to_string()))
}

/// The class of an address, and which grants can open it: `{"class","reach"}`.
///
/// # Errors
/// [`FaultKind::Grant`] if the address is invalid.
pub fn class(address: &str) -> Result<String, Fault> {
    #[derive(Serialize)]
    struct Told {
        class: String,
        reach: String,
        words: &'static str,
    }
    let class = Class::of(read_address(address)?);
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
    Ok(text::json(&Told {
        class: snake(format!("{class:?}")),
        reach: snake(format!("{:?}", class.reach())),
        words: class.describe(),
    }))
}

fn read_set(grants: &str) -> Result<GrantSet, Fault> {
    text::read(grants, "list of grants")
}

fn read_request(request: &str) -> Result<Request, Fault> {
    request.parse().map_err(Fault::of(FaultKind::Grant))
}

fn read_address(address: &str) -> Result<IpAddr, Fault> {
    address
        .parse()
        .map_err(|error| Fault::new(FaultKind::Grant, format_args!("{address:?} is no address: {error}")))
}
