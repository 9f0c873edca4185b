use alloc::string::ToString;

use super::AccessRequest;
use crate::path::FilePath;

#[test]
fn a_request_prints_in_normal_form_and_reads_back() {
    for (text, shown) in [
        ("read:a/./b/../c", "read:a/c"),
        ("write:.", "write:."),
        ("read:C:/x", "read:C:/x"),
        ("fetch:HTTP://Example.com", "fetch:http://example.com/"),
        ("exec:a/b", "exec:./a/b"),
        ("env:LANG", "env:LANG"),
        ("secret:k@H.example.", "secret:k@h.example"),
        ("spawn:*", "spawn:*"),
        ("tool:a/b", "tool:a/b"),
    ] {
        let request: AccessRequest = text.parse().unwrap();
        assert_eq!(request.to_string(), shown);
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<AccessRequest>(&json).unwrap(), request);
    }
}

#[test]
fn requests_in_another_spelling_of_the_workspace_are_brought_home() {
    let root: FilePath = "/ws".parse().unwrap();
    for (text, shown) in [
        ("read:/ws/.env", "read:.env"),
        ("write:/ws/a", "write:a"),
        ("exec:/ws/run.sh", "exec:./run.sh"),
        ("read:/etc/hosts", "read:/etc/hosts"),
        ("env:LANG", "env:LANG"),
    ] {
        assert_eq!(text.parse::<AccessRequest>().unwrap().rebased(&root).to_string(), shown);
    }
}

#[test]
fn wrong_requests_are_errors() {
    for text in [
        "",
        "read",
        "read:",
        "calls:1",
        "exec:two words",
        "fetch:file:///etc/passwd",
        "secret:x",
        "exec:/ws/..",
    ] {
        assert!(text.parse::<AccessRequest>().is_err(), "{text}");
    }
}
