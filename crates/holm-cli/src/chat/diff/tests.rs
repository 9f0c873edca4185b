use super::*;

fn shown(changes: &[DiffLine]) -> String {
    let line = |change: &DiffLine| match change {
        DiffLine::Place(text) => format!("@{text}"),
        DiffLine::Same(text) => format!(" {text}"),
        DiffLine::Added(text) => format!("+{text}"),
        DiffLine::Removed(text) => format!("-{text}"),
    };
    changes.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_edit_shows_what_stays_and_what_changes() {
    let check = |tool: &str, arguments: &str, expect: &str| {
        assert_eq!(shown(&of_call(tool, arguments).unwrap()), expect, "{arguments}");
    };
    check("edit", r#"{"path":"a.rs","old":"a\nb\nc","new":"a\nx\nc"}"#, "@a.rs\n a\n-b\n+x\n c");
    check("edit", r#"{"path":"a.rs","old":"a","new":""}"#, "@a.rs\n-a");
    check("write", r#"{"path":"n.txt","content":"one\ntwo\n"}"#, "@n.txt\n+one\n+two");
    check(
        "edit",
        r#"{"path":"a","edits":[{"old":"1","new":"2"},{"old":"3","new":"4"}]}"#,
        "@a\n-1\n+2\n@⋯\n-3\n+4",
    );
    check(
        "patch",
        r#"{"paths":["a"],"diff":"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n z\n"}"#,
        "@--- a\n@+++ a\n@@@ -1 +1 @@\n-x\n+y\n z",
    );
    check(
        "patch",
        r#"{"diff":"*** Begin Patch\n*** Update File: a\n@@ def f():\n-x\n+y\n*** End Patch"}"#,
        "@*** Begin Patch\n@*** Update File: a\n@@@ def f():\n-x\n+y\n@*** End Patch",
    );
}

#[test]
fn other_calls_and_broken_arguments_have_no_diff() {
    assert_eq!(of_call("shell", r#"{"command":"ls"}"#), None);
    assert_eq!(of_call("edit", "{"), None);
    assert_eq!(of_call("edit", r#"{"path":"a"}"#), None);
}

#[test]
fn a_long_edit_is_shown_whole_without_a_comparison() {
    let text = "x\n".repeat(MOST_LINES + 1);
    let changes = between(&text, "y");
    assert_eq!(changes.len(), MOST_LINES + 2);
}
