//! Grants and addresses.

use std::net::IpAddr;

use holm_grants::{
    AccessRequest, Allowance, Authority, Denial, DenialSet, FilePath, Grant, GrantPolicy, GrantSet,
    NeedTemplate, PolicyDecision, Url, UrlHost, UrlScheme,
    address::{AddressClass, AddressReach},
};

/// Lines beyond this say nothing new and cost their square.
const MAX_LINES: usize = 12;

/// Grants, requests, denials, templates and amounts, one a line: text and meaning agree, and containment holds for every
/// request that the input names.
pub fn grants(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let lines = || text.lines().take(MAX_LINES);
    let grants: Vec<Grant> = lines().filter_map(same_text).collect();
    let requests: Vec<AccessRequest> = lines().filter_map(same_text).collect();
    let denials: Vec<Denial> = lines().filter_map(same_text).collect();
    for a in &grants {
        assert!(a.contains(a), "{a} does not contain itself");
        for b in grants.iter().filter(|b| a.contains(b)) {
            let wider = requests.iter().find(|request| b.admits(request) && !a.admits(request));
            assert_eq!(wider, None, "{a} contains {b}, which admits more");
        }
    }
    for request in &requests {
        if let Ok(exact) = Grant::exactly(request) {
            assert!(exact.admits(request), "{exact} does not admit {request}");
            same_text::<Grant>(&exact.to_string()).expect("an offered grant can be read");
        }
    }
    decide(grants.into_iter().collect(), denials.into_iter().collect(), &requests);
    for line in lines() {
        let _ = (line.parse::<Allowance>(), line.parse::<FilePath>().map(|path| path.components().count()));
        if let Ok(template) = line.parse::<NeedTemplate>() {
            let _ = template.needs(|_| lines().collect::<Vec<_>>());
        }
    }
    let _ = Authority::parse(lines());
}

/// A URL on the first line, a grant on the second: no two parsers may disagree about the host, and no wildcard leads inside.
pub fn url(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, "fetch:https://*"));
    let Some(url) = same_text::<Url>(first) else { return };
    if matches!(url.scheme(), UrlScheme::Http | UrlScheme::Https) {
        as_browsers_read(&url, first);
    }
    let Ok(grants) = GrantSet::parse(["fetch:https://*", "fetch:http://*", second]) else { return };
    let UrlHost::Address(ip) = *url.host() else { return };
    let class = AddressClass::of(ip);
    let reached = grants.reach(&url, ip);
    match class.reach() {
        AddressReach::Never => assert!(reached.is_err(), "{ip} is {} and was reached", class.describe()),
        AddressReach::Named => {
            let wildcards = GrantSet::parse(["fetch:https://*", "fetch:http://*"]).expect("two grants");
            assert!(wildcards.reach(&url, ip).is_err(), "a wildcard led to {ip}");
        }
        AddressReach::Public => {}
    }
}

/// Parses a line; what it means is written as it is read.
fn same_text<T>(line: &str) -> Option<T>
where
    T: std::str::FromStr + std::fmt::Display + PartialEq + std::fmt::Debug,
{
    let value = line.parse::<T>().ok()?;
    let text = value.to_string();
    assert_eq!(text.parse::<T>().ok().as_ref(), Some(&value), "{line:?} is written as {text:?}");
    Some(value)
}

fn decide(grants: GrantSet, denials: DenialSet, requests: &[AccessRequest]) {
    let policy = GrantPolicy { grants, denials };
    for request in requests {
        let decision = policy.decide(request);
        let denied = policy.denials.hitting(request).is_some();
        assert_eq!(denied, matches!(decision, PolicyDecision::Denied(_)), "{request}: a denial is final");
        let narrower = policy.attenuate(&policy);
        assert!(
            matches!(decision, PolicyDecision::Granted(_))
                || !matches!(narrower.decide(request), PolicyDecision::Granted(_)),
            "{request} is allowed to a child alone"
        );
    }
}

fn as_browsers_read(url: &Url, text: &str) {
    for text in [text, &url.to_string()] {
        let theirs =
            url::Url::parse(text).unwrap_or_else(|error| panic!("browsers refuse {text:?}: {error}"));
        let ours = match url.host() {
            UrlHost::Name(name) => url::Host::Domain(name.as_str().to_owned()),
            UrlHost::Address(IpAddr::V4(ip)) => url::Host::Ipv4(*ip),
            UrlHost::Address(IpAddr::V6(ip)) => url::Host::Ipv6(*ip),
        };
        let host = match theirs.host().map(|host| host.to_owned()) {
            // A dot at the end of a name says that it is a whole name, which ours are.
            Some(url::Host::Domain(name)) => Some(url::Host::Domain(name.trim_end_matches('.').to_owned())),
            other => other,
        };
        assert_eq!(host, Some(ours), "{text:?} leads elsewhere");
        assert_eq!(theirs.port_or_known_default(), Some(url.port()), "{text:?} leads to another port");
        assert!(theirs.username().is_empty() && theirs.password().is_none(), "{text:?} has credentials");
    }
}
