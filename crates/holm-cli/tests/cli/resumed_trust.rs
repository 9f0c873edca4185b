//! Tests what a resumed or forked session may still do when the user trusts its folder less, or when
//! it runs without the jail.

use holm_testkit::double::Act;
use serde_json::json;

use crate::stage::Stage;

/// A model that runs a command in each turn: each makes a file.
fn stage() -> Stage {
    let turn = |file: &str| {
        let script = json!({ "script": format!("echo made > {file}") }).to_string();
        [Act::calls(&[("c", "shell", &script)]), Act::says("Done.")]
    };
    Stage::new([turn("first"), turn("second")].concat()).unasked()
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
