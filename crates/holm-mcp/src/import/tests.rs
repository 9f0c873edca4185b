use super::{McpImportError, import};

#[test]
fn files_of_other_programs_are_read_under_the_keys_that_they_use() {
    for key in ["mcpServers", "servers", "mcp_servers"] {
        let text = format!(
            r#"{{"{key}":{{"one":{{"command":"a"}},"two":{{"type":"http","url":"https://a.example/mcp"}}}}}}"#
        );
        let imported = import(&text, &|_| None).unwrap();
        let names: Vec<&str> = imported.servers.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["one", "two"], "{key}");
    }
}

#[test]
fn one_entry_that_is_wrong_spoils_no_other() {
    let text = r#"{"mcpServers":{"bad":{},"good":{"command":"a"},"off":{"command":"a","disabled":true},"Good":{"command":"b"}}}"#;
    let imported = import(text, &|_| None).unwrap();
    assert_eq!(imported.servers.len(), 1);
    assert_eq!(imported.disabled, ["off"]);
    let refused: Vec<&str> = imported.refused.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.contains(&"bad"));
}

#[test]
fn a_file_without_servers_is_said_to_have_none() {
    assert_eq!(import("{}", &|_| None), Err(McpImportError::NoServers));
    assert!(matches!(import("{", &|_| None), Err(McpImportError::Json(_))));
    let deep = "[".repeat(100_000);
    assert!(
        matches!(import(&deep, &|_| None), Err(McpImportError::Json(_))),
        "deep nesting is an error, not an end"
    );
}
