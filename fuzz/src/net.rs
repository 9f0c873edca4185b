//! What a hostile name server can make of a granted name.

use std::net::IpAddr;

use holm_grants::{GrantPolicy, GrantSet, Url, address};
use holm_net::{NetError, admit};

/// More addresses than this say nothing new.
const MAX_LINES: usize = 70;

/// A URL on the first line, a grant on the second, an answer on the others: what is admitted was answered and is granted,
/// one bad address spoils the answer wherever it stands, and wildcards lead to public places alone.
pub fn answers(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let mut lines = text.lines();
    let (Some(url), Some(grant)) = (lines.next(), lines.next()) else { return };
    let Ok(url) = url.parse::<Url>() else { return };
    let answer: Vec<IpAddr> = lines.take(MAX_LINES).filter_map(|line| line.parse().ok()).collect();
    let wide = ["fetch:*://*:*", "fetch:http://*", "fetch:https://*"];
    for ip in admit(&policy(wide), &url, &answer).unwrap_or_default() {
        assert!(address::is_public(ip), "a wildcard led to {ip}");
    }
    let Ok(grants) = GrantSet::parse(wide.into_iter().chain([grant])) else { return };
    let policy = GrantPolicy { grants, ..GrantPolicy::default() };
    let admitted = admit(&policy, &url, &answer);
    for ip in admitted.iter().flatten() {
        assert!(answer.contains(ip), "{ip} was not answered");
        assert_eq!(policy.reach(&url, *ip), Ok(()), "{ip} is not granted");
    }
    if let Err(NetError::Refused(refusal)) = &admitted
        && let Some(ip) = refusal.address
    {
        assert!(policy.reach(&url, ip).is_err(), "{ip} was refused and is granted");
    }
    let turned: Vec<IpAddr> = answer.iter().rev().copied().collect();
    assert_eq!(admit(&policy, &url, &turned).is_ok(), admitted.is_ok(), "the order of the answer decides");
}

fn policy<'a>(grants: impl IntoIterator<Item = &'a str>) -> GrantPolicy {
    GrantPolicy { grants: GrantSet::parse(grants).expect("fixed grants"), ..GrantPolicy::default() }
}
