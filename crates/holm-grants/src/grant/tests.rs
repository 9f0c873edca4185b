use alloc::string::{String, ToString};

use super::Grant;
use crate::error::{GrantError, PathError};
use crate::kind::GrantKind;

/// The forms that the documentation shows; each must print as it reads, in text and in serde.
const SHOWN: [&str; 14] = [
    "read:src/**",
    "write:out/",
    "fetch:https://api.example.com",
    "fetch:*://*.sub.example.com:*",
    "fetch:https://api.example.com/v1",
    "fetch:http://127.0.0.1:8080",
    "fetch:http://[fd12::1]",
    "env:LANG",
    "env:LC_*",
    "exec:git",
    "exec:./scripts/*.sh",
    "secret:github@api.github.com",
    "spawn:reviewer",
    "tool:mcp_*",
];

#[test]
fn every_documented_grant_prints_as_it_reads() {
    for text in SHOWN {
        let grant: Grant = text.parse().unwrap();
        assert_eq!(grant.to_string(), text);
        let json = serde_json::to_string(&grant).unwrap();
        assert_eq!(json, alloc::format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Grant>(&json).unwrap(), grant);
    }
}

#[test]
fn a_wrong_grant_says_what_to_write_instead() {
    let check = |text: &str, error: GrantError, message: &str| {
        assert_eq!(text.parse::<Grant>(), Err(error.clone()), "{text}");
        assert_eq!(error.to_string(), message);
    };
    check("src/**", GrantError::NoKind, "a grant needs a kind: write it as kind:value, such as read:src/**");
    check(
        "delete:x",
        GrantError::UnknownKind,
        "unknown grant kind; use read, write, fetch, env, exec, secret, spawn or tool",
    );
    check("READ:src", GrantError::Capitals { kind: "read" }, "kinds are lower case; write read:");
    check(
        "read: src",
        GrantError::Space { kind: "read" },
        "white space after the colon; write read: and the value without a space between them",
    );
    check(
        "exec:",
        GrantError::NoName { kind: "exec", example: "exec:git" },
        "nothing after exec:; write a name, for example exec:git",
    );
    check(
        "env:",
        GrantError::NoName { kind: "env", example: "env:LANG" },
        "nothing after env:; write a name, for example env:LANG",
    );
    check(
        "time:30s",
        GrantError::Consumable { kind: String::from("time") },
        "time is an allowance, not a grant; give it where amounts are given",
    );
    check(
        "read:../x",
        GrantError::Path(PathError::DotComponent),
        "path: pattern with a . or .. component; write the path without it",
    );
}

#[test]
fn no_kind_stands_for_another() {
    let grants = SHOWN.map(|text| text.parse::<Grant>().unwrap());
    for a in &grants {
        for b in &grants {
            assert!(a.kind() == b.kind() || !a.contains(b), "{a} contains {b}");
        }
    }
    let write: Grant = "write:**".parse().unwrap();
    assert!(!write.contains(&"read:a".parse().unwrap()));
    assert!(!write.admits(&"read:a".parse().unwrap()));
}

#[test]
fn the_offered_grant_lets_the_request_pass() {
    for (request, offered) in [
        ("read:a/*", "read:a/[*]"),
        ("write:.", "write:."),
        ("read:/", "read:/."),
        ("fetch:https://api.example.com:8443/x?y", "fetch:https://api.example.com:8443/x"),
        ("fetch:https://api.example.com/v1/", "fetch:https://api.example.com/v1"),
        ("fetch:http://localhost:80/", "fetch:http://localhost"),
        ("fetch:tcp://db.example.com:5432", "fetch:tcp://db.example.com:5432"),
        ("env:LANG", "env:LANG"),
        ("exec:./run.sh", "exec:./run.sh"),
        ("secret:github@api.github.com", "secret:github@api.github.com"),
        ("tool:grep", "tool:grep"),
        ("spawn:*", "spawn:[*]"),
    ] {
        let request = request.parse().unwrap();
        let grant = Grant::exactly(&request).unwrap();
        assert_eq!(grant.to_string(), offered);
        assert!(grant.admits(&request), "{grant} on {request}");
        assert_eq!(offered.parse(), Ok(grant));
    }
    assert!(Grant::exactly(&"fetch:http://169.254.169.254/".parse().unwrap()).is_err());
}

#[test]
fn the_offered_grant_for_a_page_opens_no_other_page_of_its_host() {
    let grant = Grant::exactly(&"fetch:https://h.example/pub/a?q=1".parse().unwrap()).unwrap();
    for (url, passes) in [
        ("https://h.example/pub/a", true),
        ("https://h.example/pub/a/b?other", true),
        ("https://h.example/pub", false),
        ("https://h.example/pub/ab", false),
        ("https://h.example/pub/a/../../secret", false),
        ("https://h.example/", false),
    ] {
        assert_eq!(grant.admits(&alloc::format!("fetch:{url}").parse().unwrap()), passes, "{url}");
    }
    // The meaning of such a path depends on the server, so no grant is made from it, not even one
    // for the whole host.
    for path in ["/a;b", "/a//b", "/a%2Fb", "/a*"] {
        let request = alloc::format!("fetch:https://h.example{path}").parse().unwrap();
        assert!(Grant::exactly(&request).is_err(), "{path}");
    }
}

#[test]
fn every_kind_has_its_own_word() {
    for kind in GrantKind::ALL {
        assert_eq!(GrantKind::ALL.iter().filter(|other| other.as_str() == kind.as_str()).count(), 1);
    }
}

#[test]
fn a_file_whose_name_begins_with_a_space_can_be_asked_for_but_not_granted_by_name() {
    let request: crate::AccessRequest = "read: odd.txt".parse().unwrap();
    assert_eq!(request.to_string(), "read: odd.txt");
    assert_eq!(Grant::exactly(&request), Err(GrantError::Space { kind: "read" }));
    assert!("read:*".parse::<Grant>().unwrap().admits(&request));
    assert!(Grant::exactly(&"read:a/ odd.txt".parse().unwrap()).is_ok());
}
