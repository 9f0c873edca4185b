//! `holm tool`: the same rules as in a run.

use crate::stage::Stage;

#[test]
fn the_tools_are_listed_with_what_they_need() {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out, @r#"
    list_files   Lists the files and folders in a folder, one a line. Folders end with a slash. (read-only, needs read:{path})
    read_file    Reads a text file, whole or some of its lines. (read-only, needs read:{path})
    count_words  Counts the lines, words and bytes of a text file. (read-only, needs read:{path})
    write_file   Writes a new text file. A file that is there already is left as it is, and the call fails. (write, needs write:{path})
    now          Tells the date and the time, in UTC. (none)
    "#);
}

#[test]
fn a_list_for_programs_holds_whole_declarations() {
    let stage = Stage::new([]);
    let ran = stage.holm(["tool", "list", "--json"]);
    let tools: Vec<holm::kernel::Tool> = serde_json::from_str(&ran.out).unwrap();
    assert!(tools.iter().any(|tool| tool.name == "read_file" && tool.needs.len() == 1));
}

#[test]
fn a_tool_runs_under_the_grants_that_it_was_given() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\nthree\n");
    let read = r#"{"path":"notes.txt","from":2,"lines":1}"#;
    stage.holm(["tool", "execute", "read_file", read, "--grant", "read:notes.txt"]).says("two\n");
    stage.holm(["tool", "execute", "read_file", read]).fails(3, "read:notes.txt");
    stage.holm(["tool", "execute", "read_file", "{}", "--grant", "read:**"]).fails(3, "path");
    stage
        .holm(["tool", "execute", "read_file", r#"{"path":"no.txt"}"#, "--grant", "read:**"])
        .fails(3, "no.txt");
}

#[test]
fn what_a_tool_prints_is_not_obeyed_by_the_terminal() {
    let stage = Stage::new([]).file("evil.txt", "\u{1b}[2J\u{7}gone");
    let ran = stage.holm(["tool", "execute", "read_file", r#"{"path":"evil.txt"}"#, "--grant", "read:**"]);
    ran.says("\\u{1b}[2J\\u{7}gone\n");
}

#[test]
fn a_plan_changes_nothing() {
    let stage = Stage::new([]);
    let write = r#"{"path":"new.txt","text":"x"}"#;
    let args = ["tool", "execute", "write_file", write, "--grant", "write:**", "--mode", "plan"];
    assert_eq!(stage.holm(args).code, Some(3));
    assert!(!stage.work().join("new.txt").exists());
    let args = ["tool", "execute", "write_file", write, "--grant", "write:**", "--mode", "accept-edits"];
    stage.holm(args).says("1 bytes are in new.txt now\n");
    assert_eq!(stage.holm(args).code, Some(3), "what is there is never written over");
}

#[test]
fn a_declaration_is_checked_as_a_run_would() {
    let stage = Stage::new([]);
    stage.holm(["tool", "validate", "read_file"]).says("read_file: nothing is wrong with it\n");
    let check = |text: &str, code: i32, expect: &str| {
        let ran = stage.holm_with(text, ["tool", "validate", "-"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.out.contains(expect) || ran.err.contains(expect), "{ran:?}");
    };
    check(r#"{"name":"mine","schema":{"type":"object"},"level":"none"}"#, 0, "nothing is wrong");
    check(r#"{"name":"mine","schema":{"type":"objekt"},"level":"none"}"#, 3, "mine: ");
    check(r#"{"name":"mine","schema":{"type":"object"}}"#, 3, "level");
    check("no json", 3, "is no declaration");
    stage.holm(["tool", "validate", "nothing"]).fails(6, "there is no tool and no file `nothing`");
}
