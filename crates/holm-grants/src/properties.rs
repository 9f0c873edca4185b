//! Laws that hold for all grants, tested with random ones: no list of examples would show that
//! containment is an order. These are tests only; containment is implemented in `grant.rs`,
//! `set.rs` and the patterns that they ask.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::{
    AccessRequest, Allowance, Authority, CallNeed, Denial, FetchPattern, FilePath, Grant, GrantSet,
    HostPattern, NeedTemplate, PathPattern, Url, UrlHost,
};

/// Components in which `a` and `b` occur in patterns and paths, and `z` in paths alone.
fn component() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{1,2}", "[ab]?\\*[ab]?", "\\*", "[ab]\\*[ab]\\*", "\\[\\*\\][ab]?"]
}

fn path_pattern() -> impl Strategy<Value = String> {
    let segment = prop_oneof![3 => component(), 2 => Just(String::from("**"))];
    let body = prop::collection::vec(segment, 1..6);
    (body, prop_oneof!["", "/"], prop_oneof![9 => Just(""), 1 => Just("/")])
        .prop_map(|(body, tail, root)| format!("{root}{}{tail}", body.join("/")))
}

fn path() -> impl Strategy<Value = String> {
    let body = prop::collection::vec("[abz*]{1,3}", 0..6);
    (body, prop_oneof![9 => Just(""), 1 => Just("/")]).prop_map(|(body, root)| match body.as_slice() {
        [] => String::from("."),
        body => format!("{root}{}", body.join("/")),
    })
}

fn host() -> impl Strategy<Value = String> {
    prop_oneof![
        "(a\\.)?(b\\.)?example",
        Just(String::from("localhost")),
        Just(String::from("10.0.0.1")),
        Just(String::from("9.9.9.9")),
        Just(String::from("[fd12::1]")),
    ]
}

fn host_pattern() -> impl Strategy<Value = String> {
    prop_oneof![3 => host(), 2 => "\\*\\.(a\\.)?(b\\.)?example", 1 => Just(String::from("*"))]
}

fn fetch_pattern() -> impl Strategy<Value = String> {
    let scheme = prop_oneof!["http", "https", "ws", "\\*"];
    let port = prop_oneof!["", ":80", ":443", ":7", ":\\*"];
    (scheme, host_pattern(), port, "(/x(/y)?)?").prop_map(|(s, h, p, x)| format!("{s}://{h}{p}{x}"))
}

fn url() -> impl Strategy<Value = String> {
    let port = prop_oneof!["", ":80", ":443", ":7"];
    (prop_oneof!["http", "https", "ws"], host(), port, "(/x)?(/y)?(/\\.\\.)?(/%2f)?(\\?q=[ab])?")
        .prop_map(|(s, h, p, x)| format!("{s}://{h}{p}{x}"))
}

fn grant() -> impl Strategy<Value = Grant> {
    let name = "[ab]{0,2}\\*?[ab]{1,2}";
    let text = prop_oneof![
        path_pattern().prop_map(|p| format!("read:{p}")),
        path_pattern().prop_map(|p| format!("write:{p}")),
        fetch_pattern().prop_map(|p| format!("fetch:{p}")),
        name.prop_map(|n| format!("env:{n}")),
        name.prop_map(|n| format!("exec:{n}")),
        path_pattern().prop_map(|p| format!("exec:./{}", p.trim_start_matches('/'))),
        ("[ab]", host_pattern()).prop_map(|(n, h)| format!("secret:{n}@{h}")),
        name.prop_map(|n| format!("spawn:{n}")),
        name.prop_map(|n| format!("tool:{n}")),
    ];
    text.prop_filter_map("a grant", |text| text.parse().ok())
}

fn request() -> impl Strategy<Value = AccessRequest> {
    let name = "[abz]{1,4}";
    let text = prop_oneof![
        path().prop_map(|p| format!("read:{p}")),
        path().prop_map(|p| format!("write:{p}")),
        url().prop_map(|u| format!("fetch:{u}")),
        name.prop_map(|n| format!("env:{n}")),
        name.prop_map(|n| format!("exec:{n}")),
        path().prop_map(|p| format!("exec:./{}", p.trim_start_matches('/'))),
        ("[ab]", host()).prop_map(|(n, h)| format!("secret:{n}@{h}")),
        name.prop_map(|n| format!("spawn:{n}")),
        name.prop_map(|n| format!("tool:{n}")),
    ];
    text.prop_filter_map("a request", |text| text.parse().ok())
}

fn grants() -> impl Strategy<Value = GrantSet> {
    prop::collection::vec(grant(), 0..6).prop_map(|grants| grants.into_iter().collect())
}

/// A grant and one that is likely to be narrower: some of its wildcards filled in.
fn nested() -> impl Strategy<Value = (PathPattern, PathPattern)> {
    (path_pattern(), prop::collection::vec(any::<bool>(), 12), path_pattern(), any::<bool>()).prop_filter_map(
        "two patterns",
        |(wide, choices, other, related)| {
            if !related {
                return Some((wide.parse().ok()?, other.parse().ok()?));
            }
            let mut choices = choices.into_iter();
            let narrow: Vec<&str> = wide
                .split('/')
                .map(|part| match (part, choices.next()) {
                    ("**", Some(true)) => "a/*",
                    ("*", Some(true)) => "ab",
                    _ => part,
                })
                .collect();
            Some((wide.parse().ok()?, narrow.join("/").parse().ok()?))
        },
    )
}

/// The members of a pattern among which its hardest one is: a foreign letter for each `*`, and for
/// each `**` nothing or more foreign components than the other pattern has.
fn hard_members(pattern: &str) -> Vec<FilePath> {
    let many = ["z"; 9].join("/");
    let text = pattern.strip_suffix('/').map_or_else(|| String::from(pattern), |body| format!("{body}/**"));
    let mut members: Vec<Vec<String>> = Vec::from([Vec::new()]);
    for part in text.trim_start_matches('/').split('/') {
        let choices = match part {
            "**" => Vec::from([String::new(), many.clone()]),
            name => Vec::from([name.replace("[*]", "\u{1}").replace('*', "z").replace('\u{1}', "*")]),
        };
        members = members
            .iter()
            .flat_map(|member| choices.iter().map(|c| member.iter().chain([c]).cloned().collect()))
            .collect();
    }
    let root = if text.starts_with('/') { "/" } else { "./" };
    members.iter().map(|member| format!("{root}{}", member.join("/")).parse().unwrap()).collect()
}

proptest! {
    #[test]
    fn a_private_address_is_reached_for_no_more_than_a_grant_of_the_address_admits(
        fetches in prop::collection::vec(fetch_pattern(), 1..5),
        url in url(),
    ) {
        let texts = fetches.iter().map(|pattern| format!("fetch:{pattern}"));
        let grants: GrantSet = texts.filter_map(|text| text.parse().ok()).collect();
        let Ok(url) = url.parse::<Url>() else { return Ok(()) };
        // Names that mean something locally may lead inside by themselves.
        let is_local = url.host().to_string() == "localhost";
        for ip in ["10.0.0.1", "fd12::1"] {
            let address = if ip.contains(':') { format!("[{ip}]") } else { String::from(ip) };
            let path = url.to_string();
            let path = path.splitn(4, '/').nth(3).unwrap_or_default();
            let (scheme, port) = (url.scheme().as_str(), url.port());
            let at: Result<Url, _> = format!("{scheme}://{address}:{port}/{path}").parse();
            let reached = grants.reach(&url, ip.parse().expect("an address")).is_ok();
            if reached && !is_local {
                let admitted = at.is_ok_and(|at| grants.admits(&AccessRequest::Fetch(at)));
                prop_assert!(admitted, "{grants:?} lets {url} reach {ip}");
            }
        }
    }

    #[test]
    fn grants_print_as_they_read(grant in grant()) {
        let text = grant.to_string();
        prop_assert_eq!(text.parse::<Grant>(), Ok(grant.clone()));
        let json = serde_json::to_string(&grant).unwrap();
        prop_assert_eq!(serde_json::from_str::<Grant>(&json).unwrap(), grant);
    }

    #[test]
    fn requests_print_as_they_read(request in request()) {
        prop_assert_eq!(request.to_string().parse::<AccessRequest>(), Ok(request));
    }

    #[test]
    fn a_grant_contains_itself(grant in grant()) {
        prop_assert!(grant.contains(&grant));
    }

    #[test]
    fn containment_passes_along(sets in prop::collection::vec(path_pattern(), 3)) {
        let patterns: Vec<PathPattern> = sets.iter().filter_map(|text| text.parse().ok()).collect();
        for a in &patterns {
            for b in &patterns {
                for c in &patterns {
                    prop_assert!(!(a.contains(b) && b.contains(c)) || a.contains(c), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn what_contains_admits_as_much((a, b) in (grant(), grant()), request in request()) {
        prop_assert!(!a.contains(&b) || !b.admits(&request) || a.admits(&request), "{a} {b} {request}");
        if a.contains(&b) && b.contains(&a) {
            prop_assert_eq!(a.admits(&request), b.admits(&request), "{} {} {}", a, b, request);
        }
    }

    #[test]
    fn path_containment_is_exact((a, b) in nested()) {
        let members = hard_members(&b.to_string());
        for member in &members {
            prop_assert!(b.admits(member), "{member} is a member of {b}");
        }
        let enumerated = members.iter().all(|member| a.admits(member));
        prop_assert_eq!(a.contains(&b), enumerated, "{} contains {}", a, b);
    }

    #[test]
    fn a_meet_is_contained_in_both((parent, wish) in (grants(), grants()), request in request()) {
        let child = parent.meet(&wish);
        prop_assert!(parent.contains_all(&child));
        prop_assert!(wish.contains_all(&child));
        prop_assert_eq!(&child, &wish.meet(&parent));
        prop_assert!(!child.admits(&request) || (parent.admits(&request) && wish.admits(&request)));
        prop_assert_eq!(parent.meet(&parent), parent);
    }

    #[test]
    fn attenuation_never_widens_along_a_chain(chain in prop::collection::vec(grants(), 1..5), request in request()) {
        let mut holder = chain.first().cloned().unwrap_or_default();
        for wish in &chain {
            let child = holder.meet(wish);
            prop_assert!(holder.contains_all(&child));
            prop_assert!(!child.admits(&request) || holder.admits(&request));
            holder = child;
        }
    }

    #[test]
    fn the_offered_grant_admits_its_request_and_little_else(request in request(), other in request()) {
        let Ok(grant) = Grant::exactly(&request) else { return Ok(()) };
        prop_assert!(grant.admits(&request));
        prop_assert_eq!(grant.to_string().parse::<Grant>(), Ok(grant.clone()));
        if grant.admits(&other) && !matches!(request, AccessRequest::Fetch(_)) {
            prop_assert_eq!(request, other);
        }
    }

    #[test]
    fn a_denial_hits_at_least_what_its_grant_admits(grant in grant(), request in request()) {
        let Ok(denial) = grant.to_string().parse::<Denial>() else { return Ok(()) };
        prop_assert!(!grant.admits(&request) || denial.hits(&request), "{grant} {request}");
    }

    #[test]
    fn a_value_in_a_template_stays_beneath_its_place(value in "[a./*{}~\\\\]{0,12}") {
        let template: NeedTemplate = "write:out/{v}".parse().unwrap();
        let place: GrantSet = GrantSet::parse(["write:out/"]).unwrap();
        for need in template.needs(|_| Vec::from([value.as_str()])).unwrap_or_default() {
            match need {
                CallNeed::Request(request) => prop_assert!(place.admits(&request), "{request}"),
                CallNeed::Grant(grant) => prop_assert!(false, "{grant} is a pattern"),
            }
        }
    }

    #[test]
    fn hostile_text_never_panics_and_reads_back_where_it_reads(
        text in prop_oneof!["\\PC{0,60}", ".{0,60}", "[a-z]{4,6}:[-*/.:@\\[\\]{}%?#~=0-9a-fx]{0,40}",
            "(read|fetch|exec|secret|env|path|spend|time|fuel):.{0,30}", "(http|https|\\*|tcp)://.{0,40}"]
    ) {
        fn stable<T: core::str::FromStr + ToString + PartialEq>(text: &str) -> bool {
            let Ok(value) = text.parse::<T>() else { return true };
            let shown = value.to_string();
            shown.len() <= 3 * text.len() + 16 && shown.parse::<T>().is_ok_and(|again| again == value)
        }
        prop_assert!(stable::<Grant>(&text));
        prop_assert!(stable::<AccessRequest>(&text));
        prop_assert!(stable::<Denial>(&text));
        prop_assert!(stable::<NeedTemplate>(&text));
        prop_assert!(stable::<Url>(&text));
        prop_assert!(stable::<UrlHost>(&text));
        prop_assert!(stable::<HostPattern>(&text));
        prop_assert!(stable::<FetchPattern>(&text));
        prop_assert!(stable::<FilePath>(&text));
        prop_assert!(stable::<PathPattern>(&text));
        prop_assert!(stable::<Allowance>(&text));
        let _ = Authority::parse([text.as_str()]);
    }
}
