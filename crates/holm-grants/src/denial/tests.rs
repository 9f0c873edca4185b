use alloc::string::ToString;

use proptest::prelude::*;

use super::{Denial, DenialSet, folded_denied, path_denied};
use crate::error::GrantError;
use crate::path::{FilePath, PathPattern};

fn hits(denial: &str, request: &str, expect: bool) {
    let parsed: Denial = denial.parse().unwrap();
    assert_eq!(parsed.hits(&request.parse().unwrap()), expect, "{denial} on {request}");
    assert_eq!(parsed.to_string(), denial);
}

#[test]
fn a_path_denial_holds_for_everything_that_is_done_with_a_file() {
    for request in ["read:a/.env", "write:.env", "exec:./.env"] {
        hits("path:**/.env", request, true);
    }
    hits("path:**/.git/", "read:.git/config", true);
    hits("path:**/.git/", "read:.gitignore", false);
    hits("read:secret/", "write:secret/x", false);
    hits("read:secret/", "read:secret/x", true);
    hits("path:**", "env:LANG", false);
}

#[test]
fn a_denial_sees_through_every_disguise_that_a_file_system_might() {
    for name in [
        ".env",
        ".ENV",
        ".Env",
        ".env.",
        ".env ",
        ".env. .",
        ".env::$DATA",
        ".e\u{200c}nv",
        ".e\u{200d}nv",
        ".env\u{fe0f}",
    ] {
        hits("path:**/.env", &alloc::format!("read:a/{name}"), true);
    }
    hits("path:**/.ENV", "read:.env", true);
    hits("path:**/keys/", "read:\u{212a}eys/id", true);
    hits("path:**/secret", "read:ſecret", true);
    hits("path:**/.env", "read:.env.example", false);
    hits("path:a:b", "read:a:b", true);
}

#[test]
fn a_denied_wildcard_host_is_every_host() {
    for request in ["fetch:http://localhost/", "fetch:http://10.0.0.1/", "fetch:http://example.com/x"] {
        hits("fetch:*://*:*", request, true);
    }
    hits("fetch:https://*.example.com", "fetch:https://a.example.com/", true);
    hits("fetch:https://*.example.com", "fetch:https://example.com/", false);
    assert_eq!("fetch:https://a.example/x".parse::<Denial>(), Err(GrantError::DeniedUrlPath));
}

#[test]
fn names_are_denied_in_any_case() {
    hits("exec:curl", "exec:CURL", true);
    hits("exec:curl", "exec:/usr/bin/curl", true);
    hits("exec:/usr/bin/curl", "exec:curl", false);
    hits("env:*_KEY", "env:api_key", true);
    hits("tool:Shell", "tool:shell", true);
    hits("spawn:x", "spawn:y", false);
    hits("secret:k@a.example", "secret:K@a.example", true);
}

#[test]
fn a_grant_is_covered_only_where_all_of_it_is_denied() {
    let check = |denial: &str, grant: &str, expect: bool| {
        let denial: Denial = denial.parse().unwrap();
        assert_eq!(denial.covers(&grant.parse().unwrap()), expect, "{denial} covers {grant}");
    };
    check("path:.git/", "read:.GIT/**", true);
    check("path:.git/", "write:**", false);
    check("path:tools/", "exec:./tools/*", true);
    check("path:.git/", "env:X", false);
    check("exec:*", "exec:git", true);
    check("read:a/", "write:a/b", false);
}

#[test]
fn denials_are_a_list_of_texts() {
    let denials = DenialSet::parse(["path:**/.env", "exec:rm"]).unwrap();
    let json = serde_json::to_string(&denials).unwrap();
    assert_eq!(json, r#"["path:**/.env","exec:rm"]"#);
    assert_eq!(serde_json::from_str::<DenialSet>(&json).unwrap(), denials);
    assert!(DenialSet::parse(["path:../x"]).is_err());
}

proptest! {
    /// ASCII is compared in place; anything else is folded first. Both must see the same.
    #[test]
    fn comparing_in_place_agrees_with_folding_first(
        pattern in "/?([aAbB.]{1,3}|[aB]\\*[Ab]?|\\*\\*|\\*)(/([aAbB.]{1,3}|\\*\\*|\\*b)){0,3}/?",
        path in "/?[aAbB.: ]{1,4}(/[aAbB.: ]{1,4}){0,3}",
    ) {
        let (Ok(pattern), Ok(path)) = (pattern.parse(), path.parse()) else { return Ok(()) };
        let same_root = PathPattern::is_absolute(&pattern) == FilePath::is_absolute(&path);
        prop_assert_eq!(path_denied(&pattern, &path), same_root && folded_denied(&pattern, &path));
    }
}
