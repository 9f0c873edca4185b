//! Plays attacks against the policies, which every host shares.

use std::net::IpAddr;

use holm::grants::{Decision, Denials, Grant, GrantSet, Host, Policy, Request, Url};
use holm_tools::shell::{Rules, Ruling, Script};

use crate::outcome::Outcome;

/// Asks rules about a script.
pub(crate) fn rules(script: &str, deny: &[String], allow: &[String]) -> Result<Outcome, String> {
    let rules = Rules::new(deny.iter().map(String::as_str), allow.iter().map(String::as_str));
    let rules = rules.map_err(|error| error.to_string())?;
    let ruling = match Script::read(script) {
        Ok(script) => rules.judge(&script),
        Err(why) => rules.judge_unreadable(why),
    };
    Ok(match ruling {
        Ruling::Denied(_) | Ruling::Unclear(_) => Outcome::Refused,
        Ruling::Ask => Outcome::Asked,
        Ruling::Allowed => Outcome::Passed,
    })
}

/// Asks whether a connection may be opened.
pub(crate) fn url(url: &str, leads_to: Option<&str>, grants: &[String]) -> Result<Outcome, String> {
    let policy = policy(grants)?;
    let Ok(url) = url.parse::<Url>() else { return Ok(Outcome::Refused) };
    let address = match (leads_to, url.host()) {
        (Some(address), _) => address.parse::<IpAddr>().map_err(|error| format!("{address}: {error}"))?,
        (None, Host::Address(address)) => *address,
        (None, Host::Name(name)) => return Err(format!("say where {} leads to", name.as_str())),
    };
    Ok(match policy.reach(&url, address) {
        Ok(()) => Outcome::Passed,
        Err(_) => Outcome::Refused,
    })
}

/// Asks whether something may be done.
pub(crate) fn request(request: &str, grants: &[String]) -> Result<Outcome, String> {
    let policy = policy(grants)?;
    let Ok(request) = request.parse::<Request>() else { return Ok(Outcome::Refused) };
    Ok(match policy.decide(&request) {
        Decision::Granted(_) => Outcome::Passed,
        Decision::Denied(_) => Outcome::Refused,
        Decision::Missing => Outcome::Asked,
    })
}

/// Asks whether a child may do something. It gets what it wishes for as far as its parent has it.
pub(crate) fn child(wish: &[String], asks: &str, grants: &[String]) -> Result<Outcome, String> {
    let parent = policy(grants)?;
    let wish = policy(wish)?;
    let child = parent.attenuate(&wish);
    if !parent.grants.contains_all(&child.grants) {
        return Ok(Outcome::Escaped);
    }
    let request = asks.parse::<Request>().map_err(|error| format!("{asks}: {error}"))?;
    Ok(match child.decide(&request) {
        Decision::Granted(_) => Outcome::Passed,
        Decision::Denied(_) | Decision::Missing => Outcome::Refused,
    })
}

/// Reads a text as a grant.
pub(crate) fn grant(text: &str) -> Outcome {
    match text.parse::<Grant>() {
        Ok(_) => Outcome::Passed,
        Err(_) => Outcome::Refused,
    }
}

/// Grants, and behind an exclamation mark what is denied all the same.
fn policy(texts: &[String]) -> Result<Policy, String> {
    let (mut grants, mut denials) = (Vec::new(), Vec::new());
    for text in texts {
        match text.strip_prefix('!') {
            Some(denial) => denials.push(denial),
            None => grants.push(text.as_str()),
        }
    }
    Ok(Policy {
        grants: GrantSet::parse(grants).map_err(|error| error.to_string())?,
        denials: Denials::parse(denials).map_err(|error| error.to_string())?,
    })
}
