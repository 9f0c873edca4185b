use serde_json::json;

use super::{Bench, call, fails, job, succeeds};
use crate::files::{comparison_budget::ComparisonBudget, diff};

/// What a diff makes of a text.
#[track_caller]
fn check(before: &str, diff: &str, expect: Result<&str, &str>) {
    let line_end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let whole = format!("--- a/f\n+++ b/f\n{diff}");
    let done = diff::parse(&whole)
        .and_then(|files| files[0].apply(before, line_end, &mut ComparisonBudget::default()));
    let done = done.map(|patched| patched.text);
    match expect {
        Ok(expect) => assert_eq!(done.as_deref(), Ok(expect), "{diff}"),
        Err(expect) => {
            let error = done.expect_err(diff);
            assert!(error.contains(expect), "{error}");
        }
    }
}

#[test]
fn hunks_are_applied_exactly_and_found_where_they_fit() {
    let text = "a\nb\nc\nd\ne\nf\n";
    check(text, "@@ -2,2 +2,2 @@\n b\n-c\n+C\n", Ok("a\nb\nC\nd\ne\nf\n"));
    check(text, "@@ -1,1 +1,2 @@\n a\n+new\n@@ -6 +7 @@\n-f\n+F\n", Ok("a\nnew\nb\nc\nd\ne\nF\n"));
    check(text, "@@ -5,2 +5,2 @@ fn wrong_number()\n b\n-c\n+C\n", Ok("a\nb\nC\nd\ne\nf\n"));
    check(text, "@@ -0,0 +1 @@\n+first\n", Ok("first\na\nb\nc\nd\ne\nf\n"));
    check(text, "@@ -6,0 +7 @@\n+last\n", Ok("a\nb\nc\nd\ne\nf\nlast\n"));
    check(text, "@@ -1,6 +0,0 @@\n-a\n-b\n-c\n-d\n-e\n-f\n", Ok(""));
    check(text, "@@ -2,2 +2,2 @@\n b\n-x\n+C\n", Err("hunk 1 does not match"));
    check(text, "@@ -4 +4 @@\n-d\n+D\n@@ -2 +2 @@\n-b\n+B\n", Err("hunk 2 does not match"));
    check("x\nx\nx\n", "@@ -2 +2 @@\n-x\n+y\n", Ok("x\ny\nx\n"));
    check("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", Ok("a\n\nc\n"));
    check("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Ok("a\r\nc\r\n"));
    check("-- old\n", "@@ -1 +1 @@\n--- old\n+-- new\n", Ok("-- new\n"));
    check(
        "a\nb",
        "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        Ok("a\nc"),
    );
    check("a", "@@ -1 +1,2 @@\n a\n+b\n", Ok("a\nb\n"));
}

#[test]
fn a_hunk_ends_where_the_next_one_begins_whatever_its_counts_say() {
    let text = "a\nb\nc\nd\ne\nf\n";
    let changed = Ok("a\nb\nC\nd\ne\nf\n");
    for head in
        ["@@ -2,9 +2,9 @@", "@@ -2,1 +2,1 @@", "@@ -2 +2 @@", "@@", "@@ @@", "@@ ... @@", "@@ \u{2026} @@"]
    {
        check(text, &format!("{head}\n b\n-c\n+C\n"), changed);
        check(text, &format!("{head}\n b\n-c\n+C\n\n"), changed);
        let both = format!("{head}\n b\n-c\n+C\n{head}\n-f\n+F\n");
        check(text, &both, Ok("a\nb\nC\nd\ne\nF\n"));
    }
    check("a\n\nb\n\nc\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n\n\n", Ok("a\n\nB\n\nc\n"));
    // What a hunk says of a blank line at its end is true, or it is no line of the hunk.
    check("a\nb\n\na\nb\nc\n", "@@\n a\n-b\n+B\n\n", Ok("a\nB\n\na\nb\nc\n"));
    let files =
        diff::parse("--- x\n+++ x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- y\n+++ y\n@@ -1 +1 @@\n-c\n+d\n").unwrap();
    assert_eq!(files.len(), 2);
    // Two lines that look like the head of a file are a change where the counts say so.
    check("-- a\nb\n", "@@ -1 +1 @@\n--- a\n+++ c\n@@ -2 +2 @@\n-b\n+B\n", Ok("++ c\nB\n"));
}

#[test]
fn a_hunk_that_fits_two_places_is_applied_to_neither() {
    let text = "def f():\n    return 1\n\ndef g():\n    return 1\n";
    check(text, "@@\n-    return 1\n+    return 2\n", Err("matches more than one place, at lines 2, 5;"));
    check(text, "@@ -9 +9 @@\n-    return 1\n+    return 2\n", Err("matches more than one place"));
    let second = Ok("def f():\n    return 1\n\ndef g():\n    return 2\n");
    check(text, "@@ -5 +5 @@\n-    return 1\n+    return 2\n", second);
    check(text, "@@ def g(): @@\n-    return 1\n+    return 2\n", second);
    check(text, "@@ def g\n-    return 1\n+    return 2\n", second);
    check(text, "@@ def h():\n-    return 1\n+    return 2\n", Err("matches more than one place"));
}

#[test]
fn hunks_may_differ_from_the_file_in_what_does_not_matter() {
    check("a  \n\tb\t\nc\n", "@@ -1,3 +1,3 @@\n a\n-\tb\n+\tB\n c\n", Ok("a  \n\tB\nc\n"));
    check(
        "f:\n\ta\n\t\tb\n",
        "@@\n     a\n-        b\n+        c\n+            d\n",
        Ok("f:\n\ta\n\t\tc\n\t\t\td\n"),
    );
    check("f:\n        a\n        b\n", "@@\n     a\n-    b\n+    c\n", Ok("f:\n        a\n        c\n"));
    check("say(\u{201c}x\u{201d})\ny\n", "@@\n say(\"x\")\n-y\n+z\n", Ok("say(\u{201c}x\u{201d})\nz\n"));
    check("  a\n  b\n    a\n    b\n", "@@\n a\n-b\n+c\n", Err("matches more than one place"));
}

#[test]
fn what_is_no_unified_diff_is_refused_with_the_line() {
    let text = "a\nb\n";
    check(text, "", Err("at least one @@"));
    check(
        text,
        "@@ -1 +1 @@\n*a\n",
        Err("line 4: `*a` must begin with a space, - or +, like every line of a hunk"),
    );
    check(text, "@@ -1 +1 @@\n-a\n+x\nrename from f\n", Err("`rename from f` must begin with a space"));
    check(text, "@@ -1 +1 @@\n a\n", Err("changes nothing"));
    check(text, "@@ -99999999999999999999 +1 @@\n", Err("changes nothing"));
    check(text, "@@ -18446744073709551615 +1 @@\n-zz\n+x\n", Err("does not match"));
    check(text, "@@\n+x\n", Err("does not say where"));
    assert!(diff::parse("--- a\nx\n").unwrap_err().contains("expected +++"));
    assert!(diff::parse("").is_err());
}

#[test]
fn a_hunk_that_does_not_fit_shows_what_stands_there() {
    let text = "fn main() {\n    let answer = 42;\n    print(answer);\n}\n";
    let diff =
        "@@ -1,3 +1,3 @@\n fn main() {\n-    let answer = 41;\n+    let answer = 43;\n     print(answer);\n";
    check(
        text,
        diff,
        Err("hunk 1 does not match. Nearest, lines 1\u{2013}3 (line 2 differs):\n     1\tfn main() {"),
    );
    check(text, diff, Err("Line 2 is `    let answer = 42;`; the hunk has `    let answer = 41;`."));
}

/// What a patch in sections makes of one file.
#[track_caller]
fn check_section(before: &str, section: &str, expect: Result<&str, &str>) {
    let whole = format!("*** Begin Patch\n*** Update File: f\n{section}*** End Patch\n");
    let done =
        diff::parse(&whole).and_then(|files| files[0].apply(before, "\n", &mut ComparisonBudget::default()));
    match expect {
        Ok(expect) => assert_eq!(done.map(|patched| patched.text).as_deref(), Ok(expect), "{section}"),
        Err(expect) => {
            let error = done.expect_err(section);
            assert!(error.contains(expect), "{error}");
        }
    }
}

#[test]
fn blanks_around_marks_change_nothing_where_a_mark_can_be_no_line_of_a_hunk() {
    let of = |patch: &str| {
        let files = diff::parse(patch)?;
        files[0].apply("a\n*** End Patch\nb\n", "\n", &mut ComparisonBudget::default()).map(|done| done.text)
    };
    let padded = " *** Begin Patch \n  *** Update File: f\n@@\n-b\n+c\n *** End Patch \n";
    assert_eq!(of(padded).as_deref(), Ok("a\n*** End Patch\nc\n"));
    let as_text = "*** Begin Patch\n*** Update File: f\n@@\n *** End Patch\n-b\n+c\n*** End Patch\n";
    assert_eq!(of(as_text).as_deref(), Ok("a\n*** End Patch\nc\n"), "a line of the file is no mark");
}

#[test]
fn hunks_of_sections_are_placed_by_their_lines_and_by_the_blocks_they_name() {
    let text = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    check_section(
        text,
        "@@ class B:\n@@     def f(self):\n-        return 1\n+        return 3\n",
        Ok(
            "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 3\n\n    def g(self):\n        return 2\n",
        ),
    );
    check_section(
        text,
        "@@     def f(self):\n-        return 1\n+        return 3\n",
        Err("more than one place"),
    );
    check_section(text, "-        return 1\n+        return 3\n", Err("more than one place"));
    let inserted = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    x = 1\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    check_section(text, "@@ class B:\n+    x = 1\n", Ok(inserted));
    check_section(text, "@@\n class B:\n+    x = 1\n", Ok(inserted));
    check_section(text, " class B:\n+    x = 1\n     def f(self):\n", Ok(inserted));
    let twice = "@@ class A:\n-        return 1\n+        return 4\n@@ def g(self):\n-        return 2\n+        return 5\n";
    check_section(
        text,
        twice,
        Ok(
            "class A:\n    def f(self):\n        return 4\n\nclass B:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 5\n",
        ),
    );
    check_section("a\nb\na\n", "@@\n-a\n+c\n*** End of File\n", Ok("a\nb\nc\n"));
    check_section("a\nb\n", "@@\n-a\n+c\n*** End of File\n", Err("does not match"));
    check_section("a\n", "+b\n", Ok("a\nb\n"));
    check_section("a", "+b\n", Ok("a\nb\n"));
    check_section("a\n", "@@ zzz\n+b\n", Err("does not say where"));
    check_section("a\n", "@@ x\n", Err("changes nothing"));
    check_section("a\n", "*a\n", Err("like every line of a hunk"));
    check_section(
        "if (a) {\n  x;\n}\nelse {\n  x;\n}\n",
        "@@ else {\n-  x;\n+  y;\n",
        Ok("if (a) {\n  x;\n}\nelse {\n  y;\n}\n"),
    );
}

#[tokio::test]
async fn sections_make_change_move_and_remove_files_together_or_not_at_all() {
    let bench = Bench::new();
    bench.put("one.py", "a = 1\nb = 2\n");
    bench.put("two.py", "c = 3\n");
    bench.put("three.py", "d = 4\n");
    bench.put("bytes", b"\0\x01\xff");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bench.work().join("two.py"), mode).unwrap();
    let patch = |last: &str| {
        format!(
            "*** Begin Patch\n*** Update File: one.py\n@@\n a = 1\n-b = 2\n+b = 3\n*** Update File: two.py\n\
             *** Move to: deep/two.py\n@@\n-c = 3\n+c = 4\n*** Update File: bytes\n*** Move to: moved\n\
             *** Add File: new/four.py\n+e = 5\n+\n+f = 6\n*** Delete File: {last}\n*** End Patch"
        )
    };
    fails(&bench.call("patch", json!({ "diff": patch("gone.py") })).await, "`gone.py`: it does not exist");
    bench.check_text("one.py", "a = 1\nb = 2\n");
    bench.check_text("two.py", "c = 3\n");
    assert!(!bench.work().join("moved").exists() && !bench.work().join("new/four.py").exists());
    insta::assert_snapshot!(bench.call("patch", json!({ "diff": patch("three.py") })).await.text, @r"
    `one.py` changed
         1	a = 1
         2	b = 3
    `two.py` moved to `deep/two.py`
         1	c = 4
    `bytes` moved to `moved`
    `new/four.py` made
    `three.py` removed
    ");
    bench.check_text("one.py", "a = 1\nb = 3\n");
    bench.check_text("deep/two.py", "c = 4\n");
    bench.check_text("new/four.py", "e = 5\n\nf = 6\n");
    assert_eq!(std::fs::read(bench.work().join("moved")).unwrap(), b"\0\x01\xff");
    for gone in ["two.py", "three.py", "bytes"] {
        assert!(!bench.work().join(gone).exists(), "{gone}");
    }
    let mode = bench.work().join("deep/two.py").metadata().unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o755);
    // All of it can be undone.
    let undo = bench.undo();
    let plan = undo.plan(&[holm_kernel::IdempotencyKey::from_bytes([0; 16])]).unwrap();
    undo.restore(&plan, &[], crate::undo::OperationLabel::default()).unwrap();
    bench.check_text("two.py", "c = 3\n");
    assert!(!bench.work().join("deep/two.py").exists());
}

#[tokio::test]
async fn sections_that_make_no_sense_change_nothing() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let check = async |body: &str, expect: &str| {
        let diff = format!("*** Begin Patch\n{body}*** End Patch\n");
        fails(&bench.call("patch", json!({ "diff": diff })).await, expect);
        bench.check_text("one", "1\n");
        bench.check_text("two", "2\n");
    };
    check("*** Add File: one\n+x\n", "but it already exists").await;
    check("*** Add File: new\nx\n", "must begin with +, like every line of a new file").await;
    check(
        "*** Update File: one\n*** Move to: two\n@@\n-1\n+x\n",
        "cannot move to `two`, which already exists",
    )
    .await;
    check("*** Update File: one\n@@\n-1\n+x\n*** Delete File: one\n", "twice").await;
    check("*** Delete File: one\n-1\n", "which takes no lines").await;
    check("*** Move to: x\n", "comes before").await;
    check("*** Update File:\n@@\n-1\n+x\n", "names no file").await;
    check("*** Update File: one\n", "changes nothing").await;
    check("*** Update File: ../one\n@@\n-1\n+x\n", "leaves the folder").await;
    check("", "at least one file").await;
}

#[tokio::test]
async fn a_diff_over_files_changes_all_of_them_or_none() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let part =
        |name: &str, old: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+new {name}\n");
    let made = "--- /dev/null\n+++ b/deep/three\n@@ -0,0 +1 @@\n+3\n";
    let bad = part("one", "1") + made + &part("two", "wrong");
    let output = bench.call("patch", json!({ "diff": bad })).await;
    fails(&output, "`two`: hunk 1 does not match");
    bench.check_text("one", "1\n");
    assert!(!bench.work().join("deep/three").exists());
    let good = part("one", "1") + made + &part("two", "2");
    let output = bench.call("patch", json!({ "diff": good })).await;
    succeeds(&output, "`one` changed\n     1\tnew one\n`deep/three` made\n`two` changed\n     1\tnew two");
    bench.check_text("one", "new one\n");
    bench.check_text("two", "new two\n");
    bench.check_text("deep/three", "3\n");
    let gone = "--- a/one\n+++ /dev/null\n@@ -1 +0,0 @@\n-new one\n";
    succeeds(&bench.call("patch", json!({ "diff": gone })).await, "`one` removed");
    assert!(!bench.work().join("one").exists());
}

#[tokio::test]
async fn a_patch_changes_no_file_that_the_call_was_not_granted() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let one = "--- one\n+++ one\n@@ -1 +1 @@\n-1\n+x\n";
    let check = async |needs: &[&str], arguments: serde_json::Value, expect: &str| {
        fails(&call(&bench.tools, "patch", job(&arguments, needs)).await, expect);
        bench.check_text("one", "1\n");
        bench.check_text("two", "2\n");
    };
    let two = ["read:two", "write:two"];
    check(&two, json!({ "paths": ["two"], "diff": one }), "not granted read:one").await;
    check(&["read:**", "write:two"], json!({ "diff": one }), "not granted write:one").await;
    let moved = "*** Begin Patch\n*** Update File: two\n*** Move to: one\n*** End Patch";
    check(&["read:**", "write:two"], json!({ "diff": moved }), "not granted write:one").await;
    let removed = "*** Begin Patch\n*** Delete File: one\n*** End Patch";
    check(&two, json!({ "diff": removed }), "not granted read:one").await;
    check(&[], json!({ "diff": one }), "not granted").await;
}

#[tokio::test]
async fn names_of_a_diff_are_those_of_its_lines_or_of_the_list() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    bench.put("a/x", "1\n");
    let check = async |paths: &[&str], diff: &str, expect: &str| {
        fails(&bench.call("patch", json!({ "paths": paths, "diff": diff })).await, expect);
        bench.check_text("one", "1\n");
        bench.check_text("two", "2\n");
    };
    let one = "--- one\n+++ one\n@@ -1 +1 @@\n-1\n+x\n";
    check(&[], "--- one\n+++ ../two\n@@ -1 +1 @@\n-1\n+x\n", "cannot rename").await;
    check(&[], "--- one\n+++ two\n@@ -1 +1 @@\n-1\n+x\n", "cannot rename").await;
    check(&[], "@@ -1 +1 @@\n-1\n+x\n", "names no file").await;
    check(&[], &format!("{one}--- one\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"), "twice").await;
    check(&[], "--- /dev/null\n+++ two\n@@ -0,0 +1 @@\n+x\n", "but it already exists").await;
    check(&[], "--- gone\n+++ gone\n@@ -1 +1 @@\n-1\n+x\n", "does not exist").await;
    check(&[], "--- one\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+x\n", "not all of its lines").await;
    // The list says that b/ is a folder; without it, it is git's.
    let made = "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+2\n";
    succeeds(&bench.call("patch", json!({ "paths": ["b/y"], "diff": made })).await, "`b/y` made");
    succeeds(&bench.call("patch", json!({ "diff": made })).await, "`y` made");
    let folder = "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-1\n+2\n";
    succeeds(&bench.call("patch", json!({ "diff": folder })).await, "`a/x` changed");
    succeeds(
        &bench.call("patch", json!({ "paths": ["one"], "diff": "@@\n-1\n+x\n" })).await,
        "`one` changed",
    );
    let both = "--- two\n+++ two\n@@ -1 +1,2 @@\n 2\n+3\n--- two\n+++ two\n@@ -1,0 +3 @@\n+4\n";
    let path = bench.work().join("two");
    let absolute = both.replace(" two", &format!(" {}", path.display()));
    succeeds(&bench.call("patch", json!({ "diff": absolute })).await, "`two` changed");
}

#[tokio::test]
async fn a_later_file_that_cannot_be_written_takes_the_earlier_ones_back() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let locked = bench.work().join("two");
    let mut mode = locked.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o444);
    std::fs::set_permissions(&locked, mode).unwrap();
    let diff = "--- one\n+++ one\n@@ -1 +1 @@\n-1\n+x\n--- two\n+++ two\n@@ -1 +1 @@\n-2\n+y\n";
    fails(&bench.call("patch", json!({ "diff": diff })).await, "is read-only");
    bench.check_text("one", "1\n");
    bench.check_text("two", "2\n");
}

#[tokio::test]
async fn very_many_hunks_over_equal_lines_are_placed_in_a_moment() {
    let bench = Bench::new();
    bench.put("file", "a\n".repeat(200_000));
    let hunks: String = (1..=50_000).map(|line| format!("@@ -{line} +{line} @@\n-a\n+b\n")).collect();
    let began = std::time::Instant::now();
    let arguments = json!({ "diff": format!("--- file\n+++ file\n{hunks}") });
    succeeds(&bench.call("patch", arguments).await, "changed");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    bench.check_text("file", &("b\n".repeat(50_000) + &"a\n".repeat(150_000)));
}

#[test]
fn hunks_whose_numbers_are_far_off_are_looked_for_only_so_long() {
    let text: String = (1..=100).map(|line| format!("{line}\n")).collect();
    // Each is further off than the one before has shown.
    let hunks: String = (1..=20).map(|line| format!("@@ -{line}00 +1 @@\n-{line}\n+x\n")).collect();
    let files = diff::parse(&format!("--- f\n+++ f\n{hunks}")).unwrap();
    assert!(files[0].apply(&text, "\n", &mut ComparisonBudget::default()).is_ok());
    let error = files[0].apply(&text, "\n", &mut ComparisonBudget::of(300)).unwrap_err();
    assert_eq!(error, "hunk 4 was not found: the line numbers are too far off; read the file again");
}
