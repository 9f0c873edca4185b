use serde_json::{Value, json};

use super::{Bench, fails, succeeds};

fn project() -> Bench {
    let bench = Bench::new();
    bench.put(".gitignore", "target/\n*.log\n");
    bench.put("src/main.rs", "fn main() {\n    let answer = 42;\n    println!(\"{answer}\");\n}\n");
    bench.put("src/lib.rs", "pub fn answer() -> u8 {\n    42\n}\n");
    bench.put("docs/notes.md", "The answer is 42.\nANSWER\n");
    bench.put("target/out.rs", "let answer = 1;\n");
    bench.put("run.log", "answer\n");
    bench.put("data.bin", b"answer\0answer\n");
    bench
}

#[tokio::test]
async fn grep_shows_lines_files_and_counts() {
    let bench = project();
    let check = async |arguments: Value, expect: &str| {
        assert_eq!(bench.call("grep", arguments.clone()).await.text, expect, "{arguments}");
    };
    let lines = "docs/notes.md:1:The answer is 42.\nsrc/lib.rs:1:pub fn answer() -> u8 {\nsrc/main.rs:2:    let answer = 42;\nsrc/main.rs:3:    println!(\"{answer}\");";
    check(json!({ "pattern": "answer" }), lines).await;
    check(json!({ "pattern": "answer", "show": "files" }), "docs/notes.md\nsrc/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "answer", "show": "counts" }), "docs/notes.md:1\nsrc/lib.rs:1\nsrc/main.rs:2")
        .await;
    check(json!({ "pattern": "answer", "glob": "**/lib.rs" }), "src/lib.rs:1:pub fn answer() -> u8 {").await;
    check(json!({ "pattern": "answer", "path": "src", "glob": "lib.*", "show": "files" }), "src/lib.rs")
        .await;
    // As for ripgrep and git, a pattern without a slash is that of a name, wherever it stands.
    check(json!({ "pattern": "answer", "glob": "lib.rs", "show": "files" }), "src/lib.rs").await;
    check(
        json!({ "pattern": "answer", "glob": "*.{rs,md}", "show": "files" }),
        "docs/notes.md\nsrc/lib.rs\nsrc/main.rs",
    )
    .await;
    check(json!({ "pattern": "answer", "glob": "./*.rs" }), "[nothing found]").await;
    check(
        json!({ "pattern": "answer", "path": "docs", "ignore_case": true, "show": "counts" }),
        "docs/notes.md:2",
    )
    .await;
    check(json!({ "pattern": "answer", "path": "run.log" }), "run.log:1:answer").await;
    check(json!({ "pattern": "answer()", "literal": true }), "src/lib.rs:1:pub fn answer() -> u8 {").await;
    check(json!({ "pattern": "nothing like it" }), "[nothing found]").await;
    let around = "src/lib.rs-1-pub fn answer() -> u8 {\nsrc/lib.rs:2:    42\nsrc/lib.rs-3-}";
    check(json!({ "pattern": "^ +42$", "context": 1 }), around).await;
    // With lines around them, blocks and files are told apart as ripgrep does it.
    let apart = "docs/notes.md:1:The answer is 42.\ndocs/notes.md-2-ANSWER\n--\nsrc/lib.rs-1-pub fn answer() -> u8 {\nsrc/lib.rs:2:    42\nsrc/lib.rs-3-}";
    check(json!({ "pattern": "^The|^ +42$", "context": 1 }), apart).await;
    let over = "src/lib.rs:1:pub fn answer() -> u8 {\nsrc/lib.rs:2:    42";
    check(json!({ "pattern": "u8 \\{\\n +42", "multiline": true }), over).await;
    check(
        json!({ "pattern": "answer", "ignored": true, "path": "target" }),
        "target/out.rs:1:let answer = 1;",
    )
    .await;
    succeeds(
        &bench.call("grep", json!({ "pattern": "answer", "limit": 2 })).await,
        "[2 lines shown, there may be more",
    );
}

#[tokio::test]
async fn a_hostile_pattern_is_refused_or_done_soon() {
    let bench = project();
    bench.put("long.txt", "a".repeat(200_000) + "\n");
    for pattern in ["(a+)+$", "(a|aa)+$", "(.*)*x", "a{1,1000}", "\\p{L}+"] {
        let begun = std::time::Instant::now();
        bench.call("grep", json!({ "pattern": pattern })).await;
        assert!(begun.elapsed().as_secs() < 20, "{pattern}");
    }
    for pattern in ["(", "[z-a]", "((a{100}){100}){100}", ""] {
        fails(&bench.call("grep", json!({ "pattern": pattern })).await, "pattern");
    }
    fails(&bench.call("grep", json!({ "pattern": "x".repeat(5_000) })).await, "pattern");
    let glob = "{a,b}".repeat(40);
    fails(&bench.call("glob", json!({ "pattern": glob })).await, "braces");
    fails(&bench.call("glob", json!({ "pattern": "a[" })).await, "not a valid pattern");
}

#[tokio::test]
async fn utf_16_is_searched_and_long_lines_are_cut() {
    let bench = Bench::new();
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("wide answer\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    bench.put("wide.txt", wide);
    succeeds(&bench.call("grep", json!({ "pattern": "answer" })).await, "wide.txt:1:wide answer");
    bench.put("wide.txt", format!("answer {}", "é".repeat(3_000)));
    let text = bench.call("grep", json!({ "pattern": "answer" })).await.text;
    assert!(text.len() < 1_200 && text.ends_with('…'), "{}", text.len());
}

#[tokio::test]
async fn glob_finds_files_by_their_paths_and_says_when_there_are_more() {
    let bench = project();
    let check = async |arguments: Value, expect: &str| {
        assert_eq!(bench.call("glob", arguments.clone()).await.text, expect, "{arguments}");
    };
    check(json!({ "pattern": "**/*.rs" }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "*.rs" }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "./*.rs" }), "[no file matches]").await;
    check(json!({ "pattern": "lib.rs" }), "src/lib.rs").await;
    fails(&bench.call("glob", json!({ "pattern": "/*.rs" })).await, "a pattern cannot leave the folder");
    let absolute = format!("{}/src/*.rs", bench.work().canonicalize().unwrap().display());
    check(json!({ "pattern": absolute }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": absolute, "path": "src" }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "*.rs", "path": "src" }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "./src/{lib,main}.rs" }), "src/lib.rs\nsrc/main.rs").await;
    check(json!({ "pattern": "**/*.rs", "ignored": true }), "src/lib.rs\nsrc/main.rs\ntarget/out.rs").await;
    fails(&bench.call("glob", json!({ "pattern": "*", "path": "src/lib.rs" })).await, "not a folder");
    fails(&bench.call("glob", json!({ "pattern": "*", "path": "gone" })).await, "does not exist");
    for number in 0..1_100 {
        bench.put(&format!("many/{number}.txt"), "");
    }
    let text = bench.call("glob", json!({ "pattern": "many/*" })).await.text;
    assert!(text.ends_with("[more than 1000 files match; use a narrower pattern]"), "{text}");
    assert_eq!(text.lines().count(), 1_001);
}

#[tokio::test]
async fn a_list_tells_files_from_folders_and_links() {
    let bench = project();
    std::os::unix::fs::symlink("src", bench.work().join("link")).unwrap();
    bench.put(".env", "SECRET");
    bench.put("odd\u{202e}name", "");
    insta::assert_snapshot!(bench.call("list", json!({})).await.text, @r"
    .gitignore  14 bytes
    data.bin  14 bytes
    docs/
    link@
    run.log  7 bytes
    src/
    target/
    [1 entry not shown: hidden from tools by a rule]
    [1 entry not shown: the name cannot be written as a path]
    ");
    insta::assert_snapshot!(bench.call("list", json!({ "path": "src" })).await.text, @r"
    lib.rs  33 bytes
    main.rs  61 bytes
    ");
    fails(&bench.call("list", json!({ "path": "src/lib.rs" })).await, "not a folder");
    fails(&bench.call("list", json!({ "path": "link" })).await, "name `src` instead");
    std::fs::create_dir(bench.work().join("void")).unwrap();
    succeeds(&bench.call("list", json!({ "path": "void" })).await, "[nothing to show");
}

#[tokio::test]
async fn a_match_over_very_many_lines_is_cut_to_what_is_shown() {
    let bench = Bench::new();
    bench.put("lines", "\n".repeat(1_000_000));
    bench.put("one", "\u{ff}x".repeat(1_000_000));
    for (path, pattern) in [("lines", "(?s).+"), ("one", "(?s).+")] {
        let arguments = json!({ "path": path, "pattern": pattern, "multiline": true });
        let output = bench.call("grep", arguments).await;
        succeeds(&output, &format!("{path}:1:"));
        assert!(output.text.len() < 40_000, "{} bytes for {path}", output.text.len());
    }
}

#[tokio::test]
async fn what_rules_keep_is_counted_and_git_is_not_mentioned() {
    let bench = project();
    bench.put(".git/config", "answer");
    let found = "docs/notes.md\nsrc/lib.rs\nsrc/main.rs";
    let check = async |tool: &str, arguments: Value, note: &str| {
        let text = bench.call(tool, arguments).await.text;
        assert_eq!(text.split_once("\n[").map_or("", |(_, rest)| rest), note, "{text}");
    };
    let grep = json!({ "pattern": "answer", "show": "files" });
    assert_eq!(bench.call("grep", grep.clone()).await.text, found);
    assert!(!bench.call("list", json!({})).await.text.contains("rule"));
    bench.put(".env", "answer");
    check("grep", grep.clone(), "1 entry not searched: hidden from tools by a rule]").await;
    check("list", json!({}), "1 entry not shown: hidden from tools by a rule]").await;
    bench.put("src/server.pem", "answer");
    check("grep", grep, "2 entries not searched: hidden from tools by a rule]").await;
    check("glob", json!({ "pattern": "*.rs" }), "2 entries not searched: hidden from tools by a rule]").await;
}

#[tokio::test]
async fn a_pattern_that_another_engine_would_take_is_refused_with_a_way_out() {
    let bench = project();
    for pattern in ["(?=x)", "(?<!x)y"] {
        fails(
            &bench.call("grep", json!({ "pattern": pattern })).await,
            "look-around is not supported; change the pattern, or use shell with `rg -P`",
        );
    }
    fails(&bench.call("grep", json!({ "pattern": "(a)\\1" })).await, "backreferences are not supported");
    fails(&bench.call("grep", json!({ "pattern": "(" })).await, "or set literal: true");
}
