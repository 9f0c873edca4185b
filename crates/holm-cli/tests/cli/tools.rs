//! Tests `holm tool`: the same rules apply as in a run.

use std::fs;

use crate::stage::Stage;

#[test]
fn the_tools_are_listed_with_what_they_need() {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list", "--tools", "native"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    // What reaches outside is told by its own tests; here it is only there.
    let outside =
        |line: &&str| ["shell ", "run_program ", "fetch "].iter().any(|name| line.starts_with(name));
    assert_eq!(ran.out.lines().filter(outside).count(), 3, "{}", ran.out);
    let files: Vec<&str> = ran.out.lines().filter(|line| !outside(line)).collect();
    insta::assert_snapshot!(files.join("\n"), @r#"
    read         Reads a file: its lines with line numbers, or an image. Long files come in pages; continue with offset. With reference instead of path, reads a result that was too large to show. (read-only, needs read:{path?})
    list         Lists a folder, one name a line: folders end with a slash, files show their size, links end with an @. Not recursive; use glob for that. (read-only, needs read:{path=.})
    glob         Finds files by a path pattern, such as `*.rs` or `src/**/*.rs`. Skips files that git ignores unless ignored is true. Pass the paths to read unchanged. (read-only, needs read:{path=.}/**)
    grep         Searches text files with a regular expression. Skips binary files and files that git ignores. Shows `path:line:text`; lines around a match have - instead of the colons. (read-only, needs read:{path=.}/**)
    write        Writes a whole file, new or replaced. Read an existing file first. To change part of a file, use edit. (write, needs write:{path})
    edit         Replaces text in a file: old with new, or several edits, all or none. The old text must occur once, unless all is true. Fails if the file has changed since it was read. Shows the changed lines. (write, needs read:{path} and write:{path})
    patch        Applies a patch to one or more files: all of it, or nothing. The lines around each change must be in the file, in one place; line numbers and counts may be off or missing. Shows the changed lines. (write, needs read:{paths?} and write:{paths?} and read:{diff:files?} and write:{diff:files?})
    date         Returns the date, the day of the week and the time, in UTC. (none)
    system_info  Describes the machine that tools run on: operating system, processor, number of cores. (none)
    "#);
}

#[test]
fn a_list_for_programs_holds_whole_declarations() {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list", "--json"]);
    let tools: Vec<holm::kernel::ToolSpec> = serde_json::from_str(&ran.out).unwrap();
    assert!(tools.iter().any(|tool| tool.name == "read" && tool.needs.len() == 1));
}

#[test]
fn a_tool_runs_under_the_grants_that_it_was_given() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\nthree\n");
    let read = r#"{"path":"notes.txt","offset":2,"limit":1}"#;
    stage
        .holm(["tool", "execute", "read", read, "--grant", "read:notes.txt"])
        .says("     2\ttwo\n[lines 2 to 2 of 3; continue with offset 3]\n");
    let denied = stage.holm(["tool", "execute", "read", read]);
    denied.fails(3, "allow it with --grant read:notes.txt");
    // The command has no --trust, and the user may well try again.
    assert!(!denied.err.contains("--trust") && !denied.err.contains("try again"), "{denied:?}");
    stage.holm(["tool", "execute", "read", "{}", "--grant", "read:**"]).fails(3, "path");
    stage.holm(["tool", "execute", "read", r#"{"path":"no.txt"}"#, "--grant", "read:**"]).fails(3, "no.txt");
}

#[test]
fn what_a_tool_prints_is_not_obeyed_by_the_terminal() {
    let stage = Stage::new([]).file("evil.txt", "\u{1b}[2J\u{7}gone");
    let ran = stage.holm(["tool", "execute", "read", r#"{"path":"evil.txt"}"#, "--grant", "read:**"]);
    ran.says("     1\t\\u{1b}[2J\\u{7}gone\n");
}

#[test]
fn a_plan_changes_nothing() {
    let stage = Stage::new([]);
    let write = r#"{"path":"new.txt","content":"x"}"#;
    let args = ["tool", "execute", "write", write, "--grant", "write:**", "--mode", "plan"];
    assert_eq!(stage.holm(args).code, Some(3));
    assert!(!stage.work().join("new.txt").exists());
    let args = ["tool", "execute", "write", write, "--grant", "write:**", "--mode", "accept-edits"];
    stage.holm(args).says("`new.txt` now has 1 byte (new)\n");
    assert_eq!(stage.holm(args).code, Some(3), "what nobody has read is not written over");
}

#[test]
fn a_yes_to_writes_covers_an_edit_whose_reading_is_granted() {
    let stage = Stage::new([]);
    fs::create_dir(stage.work().join("src")).unwrap();
    let stage = stage.file("src/a.txt", "x\n").file("b.txt", "x\n");
    let edit = |path: &str| format!(r#"{{"path":"{path}","old":"x","new":"y"}}"#);
    let example = ["--grant", "read:**", "--yes", "write:src/**"];
    let ran = stage.holm([&["tool", "execute", "edit", &edit("src/a.txt")][..], &example].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::read_to_string(stage.work().join("src/a.txt")).unwrap(), "y\n");
    // What it does not name is still denied, and the hint names no more than what is missing.
    let ran = stage.holm([&["tool", "execute", "edit", &edit("b.txt")][..], &example].concat());
    assert!(ran.code == Some(3) && ran.err.contains("--yes write:b.txt"), "{ran:?}");
    assert!(!ran.err.contains("read:b.txt"), "{ran:?}");
    assert_eq!(fs::read_to_string(stage.work().join("b.txt")).unwrap(), "x\n");
    // Reading that is not granted is denied too.
    let ran = stage.holm(["tool", "execute", "edit", &edit("src/a.txt"), "--yes", "write:src/**"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}

#[test]
fn rules_about_commands_hold_for_a_call_by_hand() {
    let stage = Stage::new([]).file("a.txt", "x");
    let call = ["tool", "execute", "shell", r#"{"script":"rm a.txt"}"#, "--mode", "full"];
    let grants = ["read:**", "write:**", "exec:*", "exec:./**"].map(|grant| ["--grant", grant]).concat();
    let denied = [call.as_slice(), &grants, &["--deny-command", "rm"]].concat();
    stage.holm(denied).fails(3, "the rule `rm` forbids it");
    assert!(stage.work().join("a.txt").exists());
}

#[test]
fn a_declaration_is_checked_as_a_run_would() {
    let stage = Stage::new([]);
    stage.holm(["tool", "validate", "read"]).says("read: no problems found\n");
    let check = |text: &str, code: i32, expect: &str| {
        let ran = stage.holm_with(text, ["tool", "validate", "-"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.out.contains(expect) || ran.err.contains(expect), "{ran:?}");
    };
    check(r#"{"name":"mine","schema":{"type":"object"},"level":"none"}"#, 0, "no problems found");
    check(r#"{"name":"mine","schema":{"type":"objekt"},"level":"none"}"#, 3, "mine: ");
    check(r#"{"name":"mine","schema":{"type":"object"}}"#, 3, "level");
    check("no json", 3, "is not a valid declaration");
    stage.holm(["tool", "validate", "nothing"]).fails(6, "no tool or file is named `nothing`");
}

#[test]
fn no_file_tool_goes_around_the_root() {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list", "--json"]);
    let tools: Vec<holm::kernel::ToolSpec> = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    for gone in ["read_file", "write_file", "list_files", "count_words"] {
        assert!(!names.contains(&gone), "{names:?}");
    }
    let stage = stage.file("a.txt", "x");
    std::fs::create_dir_all(stage.work().join(".git/hooks")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(stage.work().join("pipe")).status().unwrap();
    assert!(pipe.success(), "mkfifo: install coreutils");
    let check = |tool: &str, arguments: &str, expect: &str| {
        let all = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
        stage.holm([&["tool", "execute", tool, arguments], all.as_slice()].concat()).fails(3, expect);
    };
    check("write", r#"{"path":".git/hooks/pre-commit","content":"x"}"#, "hidden from tools");
    check("write", r#"{"path":".holm/tools/x.sh","content":"x"}"#, "hidden from tools");
    check("read", r#"{"path":"pipe"}"#, "is a pipe");
}

#[test]
fn a_file_name_cannot_pass_for_a_line_of_the_list_that_is_to_be_trusted() {
    let forged = "z (12 bytes, 0000)\nholm: nothing else here is new\tat all";
    let stage = Stage::new([]);
    fs::create_dir_all(stage.work().join(".holm/tools")).unwrap();
    fs::write(stage.work().join(".holm/tools/evil.sh"), "#!/bin/sh\n").unwrap();
    fs::write(stage.work().join(".holm/tools").join(forged), "#!/bin/sh\n").unwrap();
    for command in [["tool", "trust"], ["tool", "list"]] {
        let ran = stage.holm(command);
        let printed = format!("{}{}", ran.out, ran.err);
        assert!(printed.contains("z (12 bytes, 0000)\\u{a}holm:"), "{command:?}: {ran:?}");
        assert!(!printed.contains("\nholm: nothing else here is new"), "{command:?}: {ran:?}");
    }
}
