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
    check(
        b"one two two",
        "edit",
        edit("two", "2"),
        Err("`file`: on line 1, 2 times; include more surrounding lines"),
    )
    .await;
    check(b"one two two", "edit", json!({ "old": "two", "new": "2", "all": true }), Ok(b"one 2 2")).await;
    check(b"one", "edit", edit("two", "2"), Err("old text not found in `file`")).await;
    check(b"one", "edit", edit("", "2"), Err("is empty")).await;
    check(b"one", "edit", edit("one", "one"), Err("the same")).await;
    check(b"a.b", "edit", edit(".", "+"), Ok(b"a+b")).await;
    check(b"$1 \\n", "edit", edit("$1", "\\0"), Ok(b"\\0 \\n")).await;
    check(b"tab\there", "edit", edit("tab here", "x"), Err("not found")).await;
    check(b"", "edit", edit("x", "y"), Err("not found")).await;
    check(b"\0binary", "edit", edit("binary", "text"), Err("is not a text file")).await;
    check(b"one", "edit", json!({ "old": "one" }), Err("give old and new, or edits")).await;
    check(b"one", "edit", json!({ "old": "one", "new": "1", "edits": [] }), Err("not both")).await;
}

#[tokio::test]
async fn a_text_that_stands_in_the_file_twice_is_named_by_its_lines_and_never_guessed() {
    let edit = |old: &str, new: &str| json!({ "old": old, "new": new });
    let text = b"def f():\n    return 1\n\ndef g():\n    return 1\n";
    let both =
        "`file`: on lines 2 and 5; include more surrounding lines, or set all: true; nothing was changed";
    check(text, "edit", edit("return 1", "return 2"), Err(both)).await;
    // Places that overlap are two.
    check(b"a\na\na\n", "edit", edit("a\na\n", "b\n"), Err("lines 1 and 2")).await;
    let many = "x\n".repeat(30);
    check(many.as_bytes(), "edit", edit("x", "y"), Err("lines 1, 2, 3,")).await;
    check(many.as_bytes(), "edit", edit("x", "y"), Err("20 and further on")).await;
    // Nor where each differs in something else.
    check(
        b"\tx\n\t\tx\n",
        "edit",
        edit("  x\n", "y\n"),
        Err("more than one place is similar: on lines 1 and 2"),
    )
    .await;
    let quoted = "\u{201c}x\u{201d} \n    \"x\"\t\n";
    check(quoted.as_bytes(), "edit", edit("\"x\"\n\n", "y\n"), Err("not found")).await;
}

#[tokio::test]
async fn a_miss_shows_the_nearest_lines_and_what_differs() {
    let text = b"import os\n\ndef serve(port):\n    start(port)\n    return True\n";
    let old = "def serve(port):\n    start(ports)\n";
    let expect = "old text not found in `file`; nothing was changed. Nearest, lines 3\u{2013}4 (line 4 differs):\n     3\tdef serve(port):\n     4\t    start(port)\nLine 4 is `    start(port)`; the old text has `    start(ports)`.";
    check(text, "edit", json!({ "old": old, "new": "x" }), Err(expect)).await;
    check(
        text,
        "edit",
        json!({ "old": "    retrun  True", "new": "x" }),
        Err("Nearest, line 5 (line 5 differs)"),
    )
    .await;
    check(text, "edit", json!({ "old": "start( port)", "new": "x" }), Err("Nearest, line 4")).await;
    check(text, "edit", json!({ "old": "zzz", "new": "x" }), Err("The file has no similar text")).await;
}

#[tokio::test]
async fn an_edit_may_differ_from_the_file_in_what_does_not_matter() {
    let edit = |old: &str, new: &str| json!({ "old": old, "new": new });
    // Blanks at line ends; what stays keeps its own.
    check(b"a  \nb\t\nc\n", "edit", edit("a\nb\nc", "a\nx\nc"), Ok(b"a  \nx\nc\n")).await;
    check(b"a\nb\nc\n", "edit", edit("a  \nb \nc", "a  \nx\nc"), Ok(b"a\nx\nc\n")).await;
    check(b"foobar\n", "edit", edit("foo \n", "x\n"), Err("not found")).await;
    // Tabs and spaces.
    check(
        b"if x:\n\ta()\n\tb()\n",
        "edit",
        edit("    a()\n    b()", "    a()\n    if y:\n        c()"),
        Ok(b"if x:\n\ta()\n\tif y:\n\t\tc()\n"),
    )
    .await;
    check(
        b"if x:\n  a()\n  b()\n",
        "edit",
        edit("\ta()\n\tb()", "\ta()\n\tif y:\n\t\tc()"),
        Ok(b"if x:\n  a()\n  if y:\n    c()\n"),
    )
    .await;
    // A shift that is the same for all lines.
    check(
        b"class A:\n    def f():\n        return 1\n",
        "edit",
        edit("def f():\n    return 1\n", "def f():\n    if x:\n        return 2\n"),
        Ok(b"class A:\n    def f():\n        if x:\n            return 2\n"),
    )
    .await;
    check(
        b"class A:\n    def f():\n        return 1\n",
        "edit",
        edit("def f():\n      return 1\n", "x\n"),
        Err("not found"),
    )
    .await;
    // The first line from where its text begins.
    check(
        b"\tif x:\n\t\ta()\n",
        "edit",
        edit("if x:\n        a()", "if y:\n        b()"),
        Ok(b"\tif y:\n\t\tb()\n"),
    )
    .await;
    // Typographic characters.
    check(
        "it\u{2019}s \u{201c}so\u{201d}\u{a0}\u{2014} yes\n".as_bytes(),
        "edit",
        edit("\"so\" - yes", "no"),
        Ok("it\u{2019}s no\n".as_bytes()),
    )
    .await;
    check(
        "# it\u{2019}s\na\n".as_bytes(),
        "edit",
        edit("# it's\na", "# it's\nb"),
        Ok("# it\u{2019}s\nb\n".as_bytes()),
    )
    .await;
    // Line numbers.
    check(
        b"a\n  b\nc\n",
        "edit",
        edit("     1\ta\n     2\t  b\n", "     1\ta\n     2\t  x\n     3\t  y\n"),
        Ok(b"a\n  x\n  y\nc\n"),
    )
    .await;
    check(b"a\nb\nc\n", "edit", edit("     1\ta\n     3\tb\n", "x\n"), Err("not found")).await;
    check(b"foobar\n", "edit", edit("     1\tfoo", "x"), Err("not found")).await;
    // A last line without an end.
    check(b"a\nb", "edit", edit("a\nb\n", "a\nc\n"), Ok(b"a\nc")).await;
    // Mixed line ends.
    check(b"a\r\nb\nc\r\nd\r\n", "edit", edit("b\nc", "x\ny"), Ok(b"a\r\nx\ny\r\nd\r\n")).await;
}

#[tokio::test]
async fn what_an_old_text_differs_in_is_told() {
    let told = async |file: &str, old: &str, new: &str, expect: &str| {
        let bench = Bench::new();
        bench.put("file", file);
        let output = bench.call("edit", json!({ "path": "file", "old": old, "new": new })).await;
        succeeds(&output, expect);
    };
    told("\ta\n", "    a\n", "    b\n", "[the old text differs from the file in indentation and matches only here; the new lines are indented like the file]").await;
    told(
        "a \nb\n",
        "a\nb",
        "x",
        "[the old text differs from the file in blanks at line ends and matches only here]",
    )
    .await;
    told("\u{2018}a\u{2019}\n", "'a'", "x", "differs from the file in typographic characters and").await;
    told("a\n", "     1\ta", "x", "differs from the file in line numbers and").await;
    told("a\r\nb\r\n", "a\nb", "x", "[the file's line endings were kept]").await;
}

#[tokio::test]
async fn a_final_line_end_that_the_file_lacks_is_told() {
    let bench = Bench::new();
    bench.put("f", "a\nb");
    succeeds(&bench.call("read", json!({ "path": "f" })).await, "");
    let output = bench.call("edit", json!({ "path": "f", "old": "b\n", "new": "c\n" })).await;
    succeeds(&output, "the final line end, which the file does not have");
    bench.check_text("f", "a\nc");
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
    check(b"caf\xe9 x", "edit", edit("x", "\u{4e2d}"), Err("lacks a character")).await;
}

#[tokio::test]
async fn several_edits_are_made_in_their_order_or_not_at_all() {
    let edits = |edits: Value| json!({ "edits": edits });
    let both = json!([{ "old": "a", "new": "b" }, { "old": "bb", "new": "c" }]);
    check(b"ab", "edit", edits(both), Ok(b"c")).await;
    let second_fails = json!([{ "old": "a", "new": "b" }, { "old": "zzz", "new": "c" }]);
    check(b"ab", "edit", edits(second_fails), Err("edit 2: ")).await;
    let back = json!([{ "old": "a", "new": "x" }, { "old": "x", "new": "a" }]);
    check(b"ab", "edit", edits(back), Err("change nothing")).await;
    check(b"ab", "edit", edits(json!([])), Err("between 1 and")).await;
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
        // Asking again does not help; only reading does.
        for _ in 0..3 {
            fails(&bench.call(tool, arguments.clone()).await, "has changed since it was read");
            bench.check_text("file", "one two three");
        }
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
        "now has 1 byte (new)",
    );
    bench.check_text("new/deep/file", "x");
    bench.put("there", "precious");
    fails(&bench.call("write", json!({ "path": "there", "content": "x" })).await, "you have not read it");
    bench.check_text("there", "precious");
    bench.call("read", json!({ "path": "there" })).await;
    succeeds(&bench.call("write", json!({ "path": "there", "content": "x" })).await, "(replaced)");
    fails(&bench.call("write", json!({ "path": "new", "content": "x" })).await, "is a folder");
    fails(&bench.call("edit", json!({ "path": "gone", "old": "a", "new": "b" })).await, "does not exist");
    let long = "x".repeat((32 << 20) + 1);
    fails(&bench.call("write", json!({ "path": "huge", "content": long })).await, "at most");
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
async fn every_place_of_an_edit_is_shown_with_its_lines() {
    let bench = Bench::new();
    let text: Vec<String> = (1..=60).map(|number| format!("line {number}")).collect();
    bench.put("file", text.join("\n"));
    let edits = json!([{ "old": "line 16\n", "new": "" }, { "old": "line 41", "new": "x\ny" }, { "old": "line 56", "new": "z" }]);
    insta::assert_snapshot!(bench.call("edit", json!({ "path": "file", "edits": edits })).await.text, @r"
    `file`: 3 replacements made

        13	line 13
        14	line 14
        15	line 15
        16	line 17
        17	line 18
        18	line 19
        19	line 20
    --
        37	line 38
        38	line 39
        39	line 40
        40	x
        41	y
        42	line 42
        43	line 43
        44	line 44
    --
        53	line 53
        54	line 54
        55	line 55
        56	z
        57	line 57
        58	line 58
        59	line 59
    ");
    bench.put("many", "a\n\n\n\n\n\n\n\n".repeat(100));
    let all = bench.call("edit", json!({ "path": "many", "old": "a", "new": "b", "all": true })).await.text;
    assert!(
        all.starts_with("`many`: 100 replacements made") && all.contains("more places not shown]"),
        "{all}"
    );
    assert!(all.lines().count() < 110 && all.len() < 2_000, "{all}");
}

#[tokio::test]
async fn every_change_leaves_a_record_by_which_it_is_undone() {
    let bench = Bench::new();
    bench.put("file", "one two");
    bench.put("kept", "same");
    succeeds(&bench.call("edit", json!({ "path": "file", "old": "one", "new": "1" })).await, "");
    succeeds(
        &bench.call("edit", json!({ "path": "file", "edits": [{ "old": "two", "new": "2" }] })).await,
        "",
    );
    succeeds(&bench.call("write", json!({ "path": "made", "content": "new" })).await, "");
    let diff = "--- kept\n+++ /dev/null\n@@ -1 +0,0 @@\n-same\n\\ No newline at end of file\n";
    succeeds(&bench.call("patch", json!({ "paths": ["kept"], "diff": diff })).await, "removed");
    // A change that fails leaves none.
    fails(&bench.call("edit", json!({ "path": "file", "old": "zzz", "new": "1" })).await, "not found");
    let undo = bench.undo();
    let plan = undo.plan(&[holm_kernel::IdempotencyKey::from_bytes([0; 16])]).unwrap();
    let paths: Vec<String> = plan.steps.iter().map(|step| step.path.to_string()).collect();
    assert_eq!(paths, ["file", "kept", "made"]);
    undo.restore(&plan, &[], crate::undo::OperationLabel::default()).unwrap();
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
    fails(&bench.call("edit", json!({ "path": "file", "edits": edits })).await, "edit 7: the text would");
    bench.check_text("file", &"a".repeat(1 << 20));
    bench.put("small", "a");
    let edits = vec![double; 200];
    fails(&bench.call("edit", json!({ "path": "small", "edits": edits })).await, "the text would");
    bench.check_text("small", "a");
}
