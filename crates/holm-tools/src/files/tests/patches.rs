use serde_json::json;

use super::{Bench, fails, succeeds};
use crate::files::diff::{self, Effort};

/// What a diff makes of a text.
#[track_caller]
fn check(before: &str, diff: &str, expect: Result<&str, &str>) {
    let line_end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let whole = format!("--- a/f\n+++ b/f\n{diff}");
    let done = diff::parse(&whole).and_then(|files| files[0].apply(before, line_end, &mut Effort::default()));
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
    check(text, "@@ -2,2 +2,2 @@\n b\n-x\n+C\n", Err("hunk 1 does not fit"));
    check(text, "@@ -4 +4 @@\n-d\n+D\n@@ -2 +2 @@\n-b\n+B\n", Err("hunk 2 does not fit"));
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
fn what_is_no_unified_diff_is_refused_with_the_line() {
    let text = "a\nb\n";
    check(text, "", Err("at least one @@"));
    check(text, "@@ nonsense @@\n", Err("line 3: write @@"));
    check(text, "@@ -1,2 +1,2 @@\n a\n-b\n", Err("ends before"));
    check(text, "@@ -1 +1 @@\n-a\n+x\n+y\n", Err("hunk's numbers are wrong"));
    check(text, "@@ -1 +1 @@\n-a\n-b\n", Err("other numbers of lines"));
    check(text, "@@ -1 +1 @@\n*a\n", Err("begins with a space, - or +"));
    check(text, "@@ -1 +1 @@\n-a\n+x\nrename from f\n", Err("does not belong"));
    check(text, "@@ -99999999999999999999 +1 @@\n", Err("write @@"));
    check(text, "@@ -18446744073709551615 +1 @@\n-zz\n+x\n", Err("does not fit"));
    assert!(diff::parse("@@ -1 +1 @@\n-a\n+b\n").unwrap_err().contains("does not begin"));
    assert!(diff::parse("--- a\nx\n").unwrap_err().contains("must be +++"));
    assert!(diff::parse("").is_err());
}

#[tokio::test]
async fn a_diff_over_files_changes_all_of_them_or_none() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let part =
        |name: &str, old: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+new {name}\n");
    let made = "--- /dev/null\n+++ b/deep/three\n@@ -0,0 +1 @@\n+3\n";
    let paths = json!(["one", "two", "deep/three"]);
    let bad = part("one", "1") + made + &part("two", "wrong");
    let output = bench.call("patch", json!({ "paths": paths, "diff": bad })).await;
    fails(&output, "`two`: hunk 1 does not fit");
    bench.check_text("one", "1\n");
    assert!(!bench.work().join("deep/three").exists());
    let good = part("one", "1") + made + &part("two", "2");
    let output = bench.call("patch", json!({ "paths": paths, "diff": good })).await;
    succeeds(&output, "`one` changed\n`deep/three` made\n`two` changed");
    bench.check_text("one", "new one\n");
    bench.check_text("two", "new two\n");
    bench.check_text("deep/three", "3\n");
    let gone = "--- a/one\n+++ /dev/null\n@@ -1 +0,0 @@\n-new one\n";
    succeeds(&bench.call("patch", json!({ "paths": ["one"], "diff": gone })).await, "`one` removed");
    assert!(!bench.work().join("one").exists());
}

#[tokio::test]
async fn a_diff_changes_no_file_that_the_call_does_not_name() {
    let bench = Bench::new();
    bench.put("one", "1\n");
    bench.put("two", "2\n");
    let check = async |paths: &[&str], diff: &str, expect: &str| {
        fails(&bench.call("patch", json!({ "paths": paths, "diff": diff })).await, expect);
        bench.check_text("one", "1\n");
        bench.check_text("two", "2\n");
    };
    let one = "--- one\n+++ one\n@@ -1 +1 @@\n-1\n+x\n";
    check(&["two"], one, "not in paths").await;
    check(&[], one, "not in paths").await;
    check(&["one"], "--- one\n+++ ../two\n@@ -1 +1 @@\n-1\n+x\n", "not in paths").await;
    check(&["one", "two"], "--- one\n+++ two\n@@ -1 +1 @@\n-1\n+x\n", "cannot rename").await;
    check(&["one"], &format!("{one}{one}"), "twice").await;
    check(&["two"], "--- /dev/null\n+++ two\n@@ -0,0 +1 @@\n+x\n", "but it exists").await;
    check(&["gone"], "--- gone\n+++ gone\n@@ -1 +1 @@\n-1\n+x\n", "does not exist").await;
    check(&["one"], "--- one\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+x\n", "not all of its lines").await;
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
    fails(&bench.call("patch", json!({ "paths": ["one", "two"], "diff": diff })).await, "is read-only");
    bench.check_text("one", "1\n");
    bench.check_text("two", "2\n");
}

#[tokio::test]
async fn very_many_hunks_over_equal_lines_are_placed_in_a_moment() {
    let bench = Bench::new();
    bench.put("file", "a\n".repeat(200_000));
    let hunks: String = (1..=50_000).map(|line| format!("@@ -{line} +{line} @@\n-a\n+b\n")).collect();
    let began = std::time::Instant::now();
    let arguments = json!({ "paths": ["file"], "diff": format!("--- file\n+++ file\n{hunks}") });
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
    assert!(files[0].apply(&text, "\n", &mut Effort::default()).is_ok());
    let error = files[0].apply(&text, "\n", &mut Effort::of(300)).unwrap_err();
    assert_eq!(error, "hunk 4 was not found: the line numbers are too far off; read the file again");
}
