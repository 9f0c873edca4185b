use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{Bench, fails, succeeds};

/// One file, one call, and what the file is then; a refusal leaves it as it was.
async fn check(before: &[u8], tool: &str, mut arguments: Value, expect: Result<&[u8], &str>) {
    let bench = Bench::new();
    bench.put("file", before);
    arguments["path"] = "file".into();
    let output = bench.call(tool, arguments.clone()).await;
    let after = std::fs::read(bench.work().join("file")).unwrap();
    match expect {
        Ok(expect) => {
            succeeds(&output, "`file`");
            assert_eq!(after, expect, "{arguments}");
        }
        Err(expect) => {
            fails(&output, expect);
            assert_eq!(after, before, "{arguments}");
        }
    }
}

#[tokio::test]
async fn an_edit_replaces_exactly_what_it_names() {
    let edit = |old: &str, new: &str| json!({ "old": old, "new": new });
    check(b"one two three", "edit", edit("two", "2"), Ok(b"one 2 three")).await;
    check(b"one two two", "edit", edit("two", "2"), Err("2 times")).await;
    check(b"one two two", "edit", json!({ "old": "two", "new": "2", "all": true }), Ok(b"one 2 2")).await;
    check(b"one", "edit", edit("two", "2"), Err("does not stand in the file")).await;
    check(b"one", "edit", edit("", "2"), Err("is empty")).await;
    check(b"one", "edit", edit("one", "one"), Err("the same")).await;
    check(b"a.b", "edit", edit(".", "+"), Ok(b"a+b")).await;
    check(b"$1 \\n", "edit", edit("$1", "\\0"), Ok(b"\\0 \\n")).await;
    check(b"tab\there", "edit", edit("tab here", "x"), Err("does not stand")).await;
    check(b"", "edit", edit("x", "y"), Err("does not stand")).await;
    check(b"\0binary", "edit", edit("binary", "text"), Err("is no text")).await;
}

#[tokio::test]
async fn line_ends_and_encodings_stay_what_they_were() {
    let edit = |old: &str, new: &str| json!({ "old": old, "new": new });
    check(b"a\r\nb\r\nc\r\n", "edit", edit("a\nb", "x\ny"), Ok(b"x\r\ny\r\nc\r\n")).await;
    check(b"a\r\nb\r\n", "edit", edit("a", "x\ny"), Ok(b"x\r\ny\r\nb\r\n")).await;
    check(b"a\r\nb\r\n", "edit", edit("a\r\nb", "x"), Ok(b"x\r\n")).await;
    check(b"a\nb\n", "edit", edit("a\nb", "x"), Ok(b"x\n")).await;
    check(b"\xef\xbb\xbfa b", "edit", edit("a", "x"), Ok(b"\xef\xbb\xbfx b")).await;
    check(b"\xff\xfea\0b\0", "edit", edit("b", "\u{e9}"), Ok(b"\xff\xfea\0\xe9\0")).await;
    check(b"\xfe\xff\0a\0b", "edit", edit("b", "c"), Ok(b"\xfe\xff\0a\0c")).await;
    check(b"caf\xe9 x", "edit", edit("x", "\u{fc}"), Ok(b"caf\xe9 \xfc")).await;
    check(b"caf\xe9 x", "edit", edit("x", "\u{4e2d}"), Err("has no place")).await;
}

#[tokio::test]
async fn several_edits_are_made_in_their_order_or_not_at_all() {
    let edits = |edits: Value| json!({ "edits": edits });
    let both = json!([{ "old": "a", "new": "b" }, { "old": "bb", "new": "c" }]);
    check(b"ab", "multi_edit", edits(both), Ok(b"c")).await;
    let second_fails = json!([{ "old": "a", "new": "b" }, { "old": "zzz", "new": "c" }]);
    check(b"ab", "multi_edit", edits(second_fails), Err("edit 2: ")).await;
    let back = json!([{ "old": "a", "new": "x" }, { "old": "x", "new": "a" }]);
    check(b"ab", "multi_edit", edits(back), Err("change nothing")).await;
    check(b"ab", "multi_edit", edits(json!([])), Err("between 1 and")).await;
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_edited_until_it_is_read_again() {
    let bench = Bench::new();
    bench.put("file", "one two");
    succeeds(&bench.call("read", json!({ "path": "file" })).await, "one two");
    bench.put("file", "one two three");
    for (tool, arguments) in [
        ("edit", json!({ "path": "file", "old": "two", "new": "2" })),
        ("write", json!({ "path": "file", "content": "lost" })),
    ] {
        bench.put("file", "one two");
        bench.call("read", json!({ "path": "file" })).await;
        bench.put("file", "one two three");
        fails(&bench.call(tool, arguments).await, "has changed since it was read");
        bench.check_text("file", "one two three");
    }
    succeeds(&bench.call("read", json!({ "path": "file" })).await, "three");
    succeeds(&bench.call("edit", json!({ "path": "file", "old": "two", "new": "2" })).await, "one 2 three");
    // What a tool wrote itself needs no reading.
    succeeds(&bench.call("edit", json!({ "path": "file", "old": "2", "new": "3" })).await, "one 3 three");
    succeeds(&bench.call("write", json!({ "path": "file", "content": "new" })).await, "replaced");
}

#[tokio::test]
async fn a_file_is_overwritten_only_by_whoever_has_read_it() {
    let bench = Bench::new();
    succeeds(
        &bench.call("write", json!({ "path": "new/deep/file", "content": "x" })).await,
        "1 bytes now (new)",
    );
    bench.check_text("new/deep/file", "x");
    bench.put("there", "precious");
    fails(&bench.call("write", json!({ "path": "there", "content": "x" })).await, "was not read yet");
    bench.check_text("there", "precious");
    bench.call("read", json!({ "path": "there" })).await;
    succeeds(&bench.call("write", json!({ "path": "there", "content": "x" })).await, "(replaced)");
    fails(&bench.call("write", json!({ "path": "new", "content": "x" })).await, "is a folder");
    fails(&bench.call("edit", json!({ "path": "gone", "old": "a", "new": "b" })).await, "does not exist");
    let long = "x".repeat((32 << 20) + 1);
    fails(&bench.call("write", json!({ "path": "huge", "content": long })).await, "the most is");
    assert!(!bench.work().join("huge").exists());
}

#[tokio::test]
async fn the_mode_of_a_script_survives_an_edit() {
    let bench = Bench::new();
    bench.put("run.sh", "#!/bin/sh\necho one\n");
    let path = bench.work().join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    succeeds(&bench.call("edit", json!({ "path": "run.sh", "old": "one", "new": "two" })).await, "echo two");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn an_edit_shows_the_lines_around_it() {
    let bench = Bench::new();
    let text: Vec<String> = (1..=30).map(|number| format!("line {number}")).collect();
    bench.put("file", text.join("\n"));
    let arguments = json!({ "path": "file", "old": "line 15", "new": "first\nsecond" });
    insta::assert_snapshot!(bench.call("edit", arguments).await.text, @r"
    `file`: 1 replacement made

        12	line 12
        13	line 13
        14	line 14
        15	first
        16	second
        17	line 16
        18	line 17
        19	line 18
    ");
}

#[tokio::test]
async fn every_change_leaves_a_record_by_which_it_is_undone() {
    let bench = Bench::new();
    bench.put("file", "one two");
    bench.put("kept", "same");
    succeeds(&bench.call("edit", json!({ "path": "file", "old": "one", "new": "1" })).await, "");
    succeeds(
        &bench.call("multi_edit", json!({ "path": "file", "edits": [{ "old": "two", "new": "2" }] })).await,
        "",
    );
    succeeds(&bench.call("write", json!({ "path": "made", "content": "new" })).await, "");
    let diff = "--- kept\n+++ /dev/null\n@@ -1 +0,0 @@\n-same\n\\ No newline at end of file\n";
    succeeds(&bench.call("patch", json!({ "paths": ["kept"], "diff": diff })).await, "removed");
    // A change that fails leaves none.
    fails(&bench.call("edit", json!({ "path": "file", "old": "zzz", "new": "1" })).await, "does not stand");
    let undo = bench.undo();
    let plan = undo.plan(&[holm_kernel::Key::from_bytes([0; 16])]).unwrap();
    let paths: Vec<&str> = plan.steps.iter().map(|step| step.path.as_str()).collect();
    assert_eq!(paths, ["file", "kept", "made"]);
    undo.restore(&plan, &[]).unwrap();
    bench.check_text("file", "one two");
    bench.check_text("kept", "same");
    assert!(!bench.work().join("made").exists());
}

#[tokio::test]
async fn a_text_that_doubles_with_every_edit_is_refused_before_it_is_made() {
    let bench = Bench::new();
    bench.put("file", "a".repeat(1 << 20));
    let double = json!({ "old": "a", "new": "aa", "all": true });
    // What comes out in the end would be small again.
    let mut edits = vec![double.clone(); 7];
    edits.push(json!({ "old": "a".repeat(128), "new": "b", "all": true }));
    fails(
        &bench.call("multi_edit", json!({ "path": "file", "edits": edits })).await,
        "edit 7: the text would",
    );
    bench.check_text("file", &"a".repeat(1 << 20));
    bench.put("small", "a");
    let edits = vec![double; 200];
    fails(&bench.call("multi_edit", json!({ "path": "small", "edits": edits })).await, "the text would");
    bench.check_text("small", "a");
}
