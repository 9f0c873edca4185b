use std::fs;

use serde_json::json;

use super::*;

fn shown(tool: &str, arguments: &Value) -> Value {
    let folder = DisplayFolder::new(Path::new("/work"), FileFreshness::Past);
    serde_json::to_value(call("call-1", tool, &arguments.to_string(), &folder)).unwrap()
}

fn check(tool: &str, arguments: &Value, kind: &Value, title: &str) {
    let shown = shown(tool, arguments);
    assert_eq!((&shown["kind"], shown["title"].as_str()), (kind, Some(title)), "{shown}");
}

#[test]
fn calls_have_a_kind_and_a_title() {
    check("read", &json!({ "path": "src/a.rs" }), &json!("read"), "Read src/a.rs");
    check("grep", &json!({ "pattern": "fn main" }), &json!("search"), "Search for fn main");
    check("edit", &json!({ "path": "a", "old": "b", "new": "c" }), &json!("edit"), "Edit a");
    check("shell", &json!({ "script": "ls\n\trm -r x" }), &json!("execute"), "Run ls rm -r x");
    check("fetch", &json!({ "url": "https://x.test/" }), &json!("fetch"), "Fetch https://x.test/");
    // On the wire the most general kind is left out.
    check("weather", &json!({ "city": "Kiel" }), &Value::Null, r#"weather {"city":"Kiel"}"#);
}

#[test]
fn a_long_title_ends_in_time() {
    let shown = shown("shell", &json!({ "script": "é".repeat(10_000) }));
    assert_eq!(shown["title"].as_str().unwrap().chars().count(), TITLE_CHARS + 1);
}

#[test]
fn changes_are_shown_whole_and_where() {
    let edits = json!([{ "old": "1", "new": "2" }, { "old": "3", "new": "4" }]);
    let shown = shown("edit", &json!({ "path": "a.txt", "edits": edits }));
    let diff = |old, new| json!({ "type": "diff", "path": "/work/a.txt", "oldText": old, "newText": new });
    assert_eq!(shown["content"], json!([diff("1", "2"), diff("3", "4")]));
    assert_eq!(shown["locations"], json!([{ "path": "/work/a.txt" }]));
}

#[test]
fn what_does_not_show_itself_is_written_out_everywhere() {
    let hostile = "\u{1b}[2J\u{202e}x";
    let shown = shown("edit", &json!({ "path": "a", "old": hostile, "new": hostile, hostile: [hostile] }));
    let text = shown.to_string();
    assert!(!text.contains("\\u001b") && !text.contains('\u{202e}'), "{text}");
    assert!(text.contains("\\\\u{1b}[2J"), "{text}");
}

#[test]
fn a_path_with_hidden_characters_is_no_place_to_follow() {
    assert_eq!(shown("read", &json!({ "path": "a\u{202e}b" })).get("locations"), None);
}

#[test]
fn a_file_that_is_written_anew_is_shown_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "old\n").unwrap();
    let arguments = json!({ "path": "a.txt", "content": "new\n" }).to_string();
    let before = |files| {
        let shown = call("call-1", "write", &arguments, &DisplayFolder::new(folder.path(), files));
        let Some(ToolCallContent::Diff(diff)) = shown.content.first().cloned() else { panic!("{shown:?}") };
        diff.old_text
    };
    assert_eq!(before(FileFreshness::Present).as_deref(), Some("old\n"));
    assert_eq!(before(FileFreshness::Past), None, "nobody knows what it was then");
}

#[test]
fn nothing_outside_the_folder_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (work, secret) = (folder.path().join("work"), folder.path().join("secret"));
    fs::create_dir(&work).unwrap();
    fs::write(&secret, "hidden").unwrap();
    std::os::unix::fs::symlink(&secret, work.join("link")).unwrap();
    for path in ["../secret", "link", secret.to_str().unwrap()] {
        let arguments = json!({ "path": path, "content": "" }).to_string();
        let shown = call("call-1", "write", &arguments, &DisplayFolder::new(&work, FileFreshness::Present));
        assert!(!serde_json::to_string(&shown).unwrap().contains("hidden"), "{path}");
    }
}

#[test]
fn arguments_that_are_no_object_are_shown_all_the_same() {
    let folder = DisplayFolder::new(Path::new("/work"), FileFreshness::Past);
    for arguments in ["", "null", "[1]", "{", "\"text\""] {
        let shown = call("call-1", "edit", arguments, &folder);
        assert!(shown.content.is_empty(), "{arguments}");
    }
}

#[test]
fn a_plan_is_shown_as_it_was_written_and_follows_no_link() {
    let arguments = json!({ "plan": "1. ![x](https://evil.test/p.png)\n```\n2. rest" });
    let shown = shown("exit_plan", &arguments);
    let text = shown["content"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(text, "````markdown\n1. ![x](https://evil.test/p.png)\n```\n2. rest\n````");
}
