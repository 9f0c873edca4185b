use std::path::Path;

use serde_json::json;

use super::{
    HintTrust, HttpVariant, McpServerSpec, ProtocolEra, ServerEndpoint, ServerName, ServerSpecError,
};
use holm_jail::JailNetwork;

fn env(name: &str) -> Option<String> {
    (name == "KEY").then(|| "sesame".to_owned())
}

fn read(entry: &serde_json::Value) -> Result<McpServerSpec, ServerSpecError> {
    McpServerSpec::read("x".parse().unwrap(), entry, &env)
}

#[test]
fn names_that_could_reach_into_anothers_are_no_names() {
    for good in ["a", "github", "my-server-2", "0"] {
        assert_eq!(good.parse::<ServerName>().unwrap().as_str(), good);
    }
    for bad in ["", "a_b", "A", "-a", "a-", "a b", "ä", "a/b", &"a".repeat(33)] {
        assert!(matches!(bad.parse::<ServerName>(), Err(ServerSpecError::Name(_))), "{bad:?}");
    }
}

#[test]
fn names_of_other_programs_are_made_fit() {
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(ServerName::near(text).as_ref().map(ServerName::as_str), expect, "{text:?}");
    };
    check("GitHub", Some("github"));
    check("my_server", Some("my-server"));
    check("  @scope/package  ", Some("scope-package"));
    check("___", None);
    check(&"x".repeat(99), Some(&"x".repeat(32)));
}

#[test]
fn a_program_starts_in_the_folder_that_its_entry_names_however_that_is_written() {
    for (cwd, expect) in [
        (".", "/work"),
        ("", "/work"),
        ("./sub/", "/work/sub"),
        ("a/./b", "/work/a/b"),
        ("/", "/"),
        ("/other//place", "/other/place"),
        // A jail refuses it: its text does not say where it leads.
        ("../up", "/work/../up"),
    ] {
        let spec = read(&json!({ "command": "x", "cwd": cwd })).unwrap();
        let folder = spec.starts_in(Path::new("/work")).unwrap();
        // As text: paths that differ in nothing but such marks count as the same.
        assert_eq!(folder.to_str(), Some(expect), "{cwd:?}");
    }
}

#[test]
fn a_program_gets_nothing_that_its_entry_does_not_name() {
    let spec =
        read(&json!({ "command": "npx", "args": ["-y", "a b"], "env": { "TOKEN": "${KEY}" } })).unwrap();
    let ServerEndpoint::Program(program) = &spec.reach else { panic!("{spec:?}") };
    assert_eq!(program.args, ["-y", "a b"], "an argument with a space stays one");
    assert_eq!(program.env["TOKEN"], "sesame");
    assert_eq!(program.network, JailNetwork::None);
    assert!(spec.grants.is_empty());
    assert_eq!((spec.era, spec.hints), (ProtocolEra::Either, HintTrust::Ignored));
}

#[test]
fn what_is_secret_is_not_printed() {
    let program = read(&json!({ "command": "x", "env": { "TOKEN": "${KEY}" } })).unwrap();
    let address = json!({ "url": "https://a.example/mcp", "headers": { "X-Key": "${KEY}" }, "clientId": "me", "clientSecret": "${KEY}" });
    let address = read(&address).unwrap();
    for spec in [program, address] {
        assert!(!format!("{spec:?}").contains("sesame"));
    }
}

#[test]
fn entries_that_mean_nothing_say_why() {
    let check = |entry: serde_json::Value, expect: &str| {
        let error = read(&entry).unwrap_err().to_string();
        assert!(error.contains(expect), "{entry}: {error}");
    };
    check(json!({}), "neither a command nor a url");
    check(json!({ "command": "a", "url": "https://a.example" }), "use one of them");
    check(json!({ "command": "a", "env": { "A": "${MISSING}" } }), "MISSING is not set");
    check(json!({ "command": "a", "args": ["${"] }), "without `}`");
    check(json!({ "command": "a", "grants": ["fly:away"] }), "grants");
    check(json!({ "command": "a", "network": "some" }), "`some` is not one of none, open");
    check(json!({ "command": "a", "levels": { "t": "much" } }), "not a level");
    check(json!({ "url": "ftp://a.example" }), "address");
    check(json!({ "type": "carrier-pigeon", "command": "a" }), "carrier-pigeon");
}

#[test]
fn a_default_stands_in_for_a_variable_that_is_not_set() {
    let spec = read(&json!({ "command": "a", "args": ["${NOPE:-there}", "${env:KEY}!"] })).unwrap();
    let ServerEndpoint::Program(program) = &spec.reach else { panic!("{spec:?}") };
    assert_eq!(program.args, ["there", "sesame!"]);
}

#[test]
fn members_that_mean_nothing_are_named() {
    let spec =
        read(&json!({ "command": "a", "grant": ["read:./"], "timeout": 3, "alwaysAllow": [] })).unwrap();
    let mut unknown = spec.unknown.clone();
    unknown.sort();
    assert_eq!(unknown, ["alwaysAllow", "grant"]);
    assert!(spec.unknown_members().unwrap().contains("`grant`"));
    let known =
        json!({ "url": "https://a.example/mcp", "type": "http", "clientId": "me", "disabled": false });
    assert_eq!(read(&known).unwrap().unknown_members(), None);
}

#[test]
fn an_entry_says_which_http_its_server_speaks() {
    for (kind, expect) in
        [(None, HttpVariant::Newer), (Some("http"), HttpVariant::Newer), (Some("sse"), HttpVariant::Older)]
    {
        let mut entry = json!({ "url": "https://a.example/sse" });
        entry.as_object_mut().unwrap().extend(kind.map(|kind| ("type".to_owned(), json!(kind))));
        let ServerEndpoint::Address(address) = read(&entry).unwrap().reach else { panic!("{kind:?}") };
        assert_eq!(address.http, expect, "{kind:?}");
    }
}
