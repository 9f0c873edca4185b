//! Tests what a resumed or forked session may still do when the user trusts its folder less, or when
//! it runs without the jail.

use std::fs;

use holm_testkit::double::Act;
use serde_json::json;

use crate::stage::Stage;

/// A model that runs a command in each turn: each makes a file.
fn stage() -> Stage {
    Stage::new([stage_turn("first"), stage_turn("second")].concat()).unasked()
}

fn stage_turn(file: &str) -> Vec<Act> {
    let script = json!({ "script": format!("echo made > {file}") }).to_string();
    vec![Act::calls(&[("c", "shell", &script)]), Act::says("Done.")]
}

fn made(stage: &Stage, file: &str) -> bool {
    stage.work().join(file).exists()
}

#[test]
fn a_resumed_session_loses_what_the_folder_is_no_longer_trusted_with() {
    for (level, expect) in [("jail", true), ("edit", false), ("look", false), ("ask", false)] {
        let stage = stage();
        stage.holm(["trust", "jail"]);
        stage.run(&["-p", "Go", "--session", "s"]);
        assert!(made(&stage, "first"));
        stage.holm(["trust", level]);
        let ran = stage.run(&["-p", "Go on", "--session", "s", "--resume"]);
        assert_eq!(made(&stage, "second"), expect, "{level}: {ran:?}");
    }
}

#[test]
fn a_flag_sets_the_level_of_a_resumed_session() {
    for (level, expect) in [("jail", true), ("look", false), ("ask", false)] {
        let stage = stage();
        stage.run(&["-p", "Go", "--session", "s", "--trust", "jail"]);
        assert!(made(&stage, "first"));
        let ran = stage.run(&["-p", "Go on", "--session", "s", "--resume", "--trust", level]);
        assert_eq!(made(&stage, "second"), expect, "{level}: {ran:?}");
    }
}

#[test]
fn commands_without_the_jail_are_asked_about_in_a_session_that_was_trusted_with_the_jail() {
    for how in [["--session", "s", "--resume"].as_slice(), &["--fork", "s"]] {
        let stage = stage();
        stage.run(&["-p", "Go", "--session", "s", "--trust", "jail"]);
        assert!(made(&stage, "first"));
        let ran = stage.run(&[&["-p", "Go on", "--unconfined"], how].concat());
        assert!(!made(&stage, "second"), "{how:?}: {ran:?}");
    }
}

#[test]
fn a_session_without_its_stored_terms_has_no_more_than_a_new_one() {
    for (level, expect) in [("jail", true), ("look", false)] {
        let stage = stage();
        stage.holm(["trust", "jail"]);
        stage.run(&["-p", "Go", "--session", "s"]);
        fs::remove_dir_all(stage.data().join("began")).unwrap();
        stage.holm(["trust", level]);
        let ran = stage.run(&["-p", "Go on", "--session", "s", "--resume"]);
        assert_eq!(made(&stage, "second"), expect, "{level}: {ran:?}");
    }
    let stage = stage();
    stage.holm(["trust", "ask"]);
    stage.run(&["-p", "Go", "--session", "s", "--trust", "jail"]);
    assert!(made(&stage, "first"));
    fs::remove_dir_all(stage.data().join("began")).unwrap();
    let ran = stage.run(&["-p", "Go on", "--fork", "s"]);
    assert!(!made(&stage, "second"), "{ran:?}");
}

#[test]
fn a_mode_that_came_from_the_level_ends_with_it() {
    let write = |file: &str| {
        let call = json!({ "path": file, "content": "made" }).to_string();
        [Act::calls(&[("c", "write", &call)]), Act::says("Done.")]
    };
    for (level, expect) in [("edit", true), ("look", false)] {
        let stage = Stage::new([write("first"), write("second")].concat());
        stage.holm(["trust", "edit"]);
        stage.run(&["-p", "Go", "--session", "s", "--grant", "write:second"]);
        assert!(made(&stage, "first"));
        stage.holm(["trust", level]);
        let ran = stage.run(&["-p", "Go on", "--session", "s", "--resume"]);
        assert_eq!(made(&stage, "second"), expect, "{level}: {ran:?}");
    }
}

#[test]
fn a_fork_without_a_prompt_keeps_denials_and_takes_no_flag_that_it_would_pass_over() {
    let stage = stage();
    stage.holm(["trust", "jail"]);
    stage.run(&["-p", "Go", "--session", "s"]);
    assert!(made(&stage, "first"));
    for flag in [["--mode", "plan"], ["--grant", "read:**"], ["--budget", "1"], ["--trust", "ask"]] {
        let refused = stage.holm(["session", "fork", "s", flag[0], flag[1]]);
        refused.fails(2, &format!("{} has no effect on a fork without a prompt", flag[0]));
    }
    stage.holm(["session", "fork", "s", "--session", "f", "--deny-command", "echo"]).says("f\n");
    let ran = stage.run(&["-p", "Go on", "--session", "f", "--resume"]);
    assert!(!made(&stage, "second"), "{ran:?}");
}

#[test]
fn a_fork_of_an_earlier_record_has_no_more_than_its_session_has_now() {
    for (later, expect) in [("full", true), ("plan", false)] {
        let stage = Stage::new([stage_turn("first"), vec![Act::says("Hm.")], stage_turn("second")].concat());
        stage.run(&["-p", "Go", "--session", "s", "--trust", "jail", "--mode", "full"]);
        assert!(made(&stage, "first"));
        stage.run(&["-p", "Look", "--session", "s", "--resume", "--mode", later]);
        let ran = stage.run(&["-p", "Go on", "--fork", "s", "--at", "2"]);
        assert_eq!(made(&stage, "second"), expect, "{later}: {ran:?}");
    }
}
