use serde_json::{Value, json};

use super::*;

fn server(given: Value) -> McpServer {
    serde_json::from_value(given).unwrap()
}

#[test]
fn a_program_is_started_word_for_word_and_has_nothing() {
    let env = json!([{ "name": "TOKEN", "value": "${HOME} and $PATH" }]);
    let given =
        server(json!({ "name": "My Notes", "command": "/bin/notes", "args": ["a b", "${X}"], "env": env }));
    let spec = spec(&given).unwrap();
    assert_eq!((spec.name.as_str(), spec.grants.is_empty()), ("my-notes", true));
    let ServerEndpoint::Program(program) = spec.reach else { panic!("{spec:?}") };
    assert_eq!((program.command.as_str(), program.args), ("/bin/notes", vec!["a b".into(), "${X}".into()]));
    assert_eq!(program.env.get("TOKEN").map(String::as_str), Some("${HOME} and $PATH"));
}

#[test]
fn an_address_keeps_its_headers_and_its_kind() {
    let check = |kind: &str, http| {
        let headers = json!([{ "name": "X-Key", "value": "k" }]);
        let given = json!({ "type": kind, "name": "web", "url": "https://x.test/mcp", "headers": headers });
        let ServerEndpoint::Address(address) = spec(&server(given)).unwrap().reach else { panic!("{kind}") };
        assert_eq!((address.http, address.headers.get("X-Key").map(String::as_str)), (http, Some("k")));
    };
    check("http", HttpVariant::Newer);
    check("sse", HttpVariant::Older);
    let odd = json!({ "type": "http", "name": "web", "url": "file:///etc/passwd", "headers": [] });
    assert!(spec(&server(odd)).is_err());
}

#[test]
fn long_values_are_secrets_and_paths_are_not() {
    let env = json!([
        { "name": "KEY", "value": "correct-horse-9" },
        { "name": "DEBUG", "value": "1" },
        { "name": "HOME", "value": std::env::temp_dir() },
    ]);
    let found = secrets(&[server(json!({ "name": "a", "command": "/bin/a", "args": [], "env": env }))]);
    assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["KEY"]);
}
