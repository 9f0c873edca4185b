//! Guests for files, started by a command line that their help text describes.

use holm_kernel::Outcome;
use holm_runtime::Tool;

use crate::guests::kit::Scene;

#[tokio::test]
async fn every_help_text_becomes_a_schema_with_what_it_says() {
    let scene = Scene::new();
    for (name, required) in [
        ("write", "path content"),
        ("edit", "path old new"),
        ("glob", "pattern"),
        ("grep", "pattern"),
        ("shell", "script"),
    ] {
        let (tool, inspection) = scene.tool(name);
        assert!(inspection.warnings.is_empty(), "{name}: {:?}", inspection.warnings);
        let schema = tool.declaration().schema.canonical();
        for word in required.split(' ') {
            assert!(schema.contains(&format!("\"{word}\"")), "{name}: {schema}");
        }
        assert!(schema.contains("\"required\""), "{name}: {schema}");
    }
}

#[tokio::test]
async fn write_makes_a_file_and_only_where_it_may() {
    let scene = Scene::new();
    let said = scene
        .ask("write", r#"{"path":"out/a.txt","content":"--hi\nthere"}"#, &["write:out/**", "write:out"])
        .await;
    assert!(said.starts_with("created out/a.txt"), "{said}");
    assert_eq!(scene.read("out/a.txt"), "--hi\nthere");
    let output = scene.call("write", r#"{"path":"b.txt","content":"x"}"#, &["write:out/**"]).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("missing grant"), "{}", output.text);
}

#[tokio::test]
async fn edit_changes_exactly_one_place() {
    let scene = Scene::new().file("a.rs", "let a = 1;\nlet b = 1;\n");
    let grants = ["read:a.rs", "write:a.rs"];
    let output = scene.call("edit", r#"{"path":"a.rs","old":"1;","new":"2;"}"#, &grants).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("found in 2 places, lines 1, 2"), "{}", output.text);
    let said = scene.ask("edit", r#"{"path":"a.rs","old":"b = 1","new":"b = 2"}"#, &grants).await;
    assert!(said.contains("     2\tlet b = 2;"), "{said}");
    assert_eq!(scene.read("a.rs"), "let a = 1;\nlet b = 2;\n");
}

#[tokio::test]
async fn write_and_edit_do_their_work_with_no_more_than_they_ask_for() {
    let scene = Scene::new().file("src/a.txt", "old text, which is longer").file("src/b.txt", "other");
    for (name, arguments, path, expect) in [
        ("write", r#"{"path":"src/a.txt","content":"new"}"#, "src/a.txt", "new"),
        ("write", r#"{"path":"src/a.txt","content":"er","append":true}"#, "src/a.txt", "newer"),
        ("edit", r#"{"path":"src/a.txt","old":"newer","new":"newest"}"#, "src/a.txt", "newest"),
        ("write", r#"{"path":"made/by/it.txt","content":"deep"}"#, "made/by/it.txt", "deep"),
        ("write", r#"{"path":"made/by/other.txt","content":"+","append":true}"#, "made/by/other.txt", "+"),
        ("write", r#"{"path":"top.txt","content":"top"}"#, "top.txt", "top"),
    ] {
        let output = scene.as_asked(name, arguments).await;
        assert_eq!(output.outcome, Outcome::Succeeded, "{name} {arguments}: {}", output.text);
        assert!(!output.text.contains("missing grant"), "{}", output.text);
        assert_eq!(scene.read(path), expect, "{name} {arguments}");
    }
    assert_eq!(scene.names("src"), ["a.txt", "b.txt"], "no draft is left");
    assert_eq!(scene.names("made/by"), ["it.txt", "other.txt"]);
}

#[tokio::test]
async fn glob_and_grep_see_what_was_granted() {
    let scene = Scene::new()
        .file("src/a.rs", "fn main() {}\n")
        .file("src/b.txt", "fn none\n")
        .file("target/c.rs", "fn main() {}\n")
        .file(".gitignore", "target\n");
    let all = ["read:**"];
    assert_eq!(scene.ask("glob", r#"{"pattern":"**/*.rs"}"#, &all).await.trim_end(), "src/a.rs");
    assert_eq!(
        scene.ask("grep", r#"{"pattern":"fn \\w+"}"#, &all).await.trim_end(),
        "src/a.rs:1:fn main() {}\nsrc/b.txt:1:fn none"
    );
    let files =
        scene.ask("grep", r#"{"pattern":"fn","path":"src","glob":"*.rs","show":"files"}"#, &all).await;
    assert_eq!(files.trim_end(), "src/a.rs");
}
