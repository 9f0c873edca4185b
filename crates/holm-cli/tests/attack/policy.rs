//! Plays attacks against the policies, which every host shares.

use std::net::IpAddr;

use holm::grants::{AccessRequest, DenialSet, Grant, GrantPolicy, GrantSet, PolicyDecision, Url, UrlHost};
use holm_tools::shell::{CommandRules, CommandRuling, ShellScript};

use crate::outcome::Outcome;

/// Asks rules about a script.
pub(crate) fn rules(script: &str, deny: &[String], allow: &[String]) -> Result<Outcome, String> {
    let rules = CommandRules::new(deny.iter().map(String::as_str), allow.iter().map(String::as_str));
    let rules = rules.map_err(|error| error.to_string())?;
    let ruling = match ShellScript::read(script) {
        Ok(script) => rules.judge(&script),
        Err(why) => rules.judge_unreadable(why),
    };
    Ok(match ruling {
        CommandRuling::Denied(_) | CommandRuling::Unclear(_) => Outcome::Refused,
        CommandRuling::Ask => Outcome::Asked,
        CommandRuling::Allowed => Outcome::Passed,
    })
}

/// Asks whether a connection may be opened.
pub(crate) fn url(url: &str, leads_to: Option<&str>, grants: &[String]) -> Result<Outcome, String> {
    let policy = policy(grants)?;
    let Ok(url) = url.parse::<Url>() else { return Ok(Outcome::Refused) };
    let address = match (leads_to, url.host()) {
        (Some(address), _) => address.parse::<IpAddr>().map_err(|error| format!("{address}: {error}"))?,
        (None, UrlHost::Address(address)) => *address,
        (None, UrlHost::Name(name)) => return Err(format!("say where {} leads to", name.as_str())),
    };
    Ok(match policy.reach(&url, address) {
        Ok(()) => Outcome::Passed,
        Err(_) => Outcome::Refused,
    })
}

/// Asks whether something may be done.
pub(crate) fn request(request: &str, grants: &[String]) -> Result<Outcome, String> {
    let policy = policy(grants)?;
    let Ok(request) = request.parse::<AccessRequest>() else { return Ok(Outcome::Refused) };
    Ok(match policy.decide(&request) {
        PolicyDecision::Granted(_) => Outcome::Passed,
        PolicyDecision::Denied(_) => Outcome::Refused,
        PolicyDecision::Missing => Outcome::Asked,
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
    let request = asks.parse::<AccessRequest>().map_err(|error| format!("{asks}: {error}"))?;
    Ok(match child.decide(&request) {
        PolicyDecision::Granted(_) => Outcome::Passed,
        PolicyDecision::Denied(_) | PolicyDecision::Missing => Outcome::Refused,
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
fn policy(texts: &[String]) -> Result<GrantPolicy, String> {
    let (mut grants, mut denials) = (Vec::new(), Vec::new());
    for text in texts {
        match text.strip_prefix('!') {
            Some(denial) => denials.push(denial),
            None => grants.push(text.as_str()),
        }
    }
    Ok(GrantPolicy {
        grants: GrantSet::parse(grants).map_err(|error| error.to_string())?,
        denials: DenialSet::parse(denials).map_err(|error| error.to_string())?,
    })
}
