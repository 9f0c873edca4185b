//! Tests the status line, on a terminal and in a pipe.

use holm_testkit::double::Act;

use crate::{
    pty::Pty,
    stage::{MODEL, Stage},
};

/// What the line that moves begins with.
const FRAMES: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/// Whether a text has any of the line that moves.
fn moves(text: &str) -> bool {
    text.chars().any(|c| FRAMES.contains(c))
}

#[test]
fn a_person_at_a_terminal_sees_which_tool_runs_and_for_how_long() {
    let stage = Stage::new([Act::calls(&[("c1", "sleep", r#"{"seconds":300}"#)]), Act::says("Never.")]);
    let mut run = Pty::start(&stage, (24, 80), &["run", "--model", MODEL, "-p", "Wait."], &[]);
    let counts = |text: &str| {
        let line = text.lines().find(|line| moves(line));
        line.is_some_and(|line| line.contains("sleep ") && line.ends_with(" s") && !line.ends_with(" 0 s"))
    };
    run.until("a tool that counts its seconds", |screen| counts(&screen.contents()));
    run.types("\u{3}");
    let (code, left) = run.ends();
    assert_eq!(code, Some(130), "{}", left.contents);
    assert!(!moves(&left.contents), "the line is gone when nothing runs: {}", left.contents);
    assert!(left.contents.contains("· sleep "), "{}", left.contents);
}

#[test]
fn nothing_moves_in_a_pipe_or_on_a_terminal_that_cannot_draw_over_a_line() {
    let stage = Stage::new([Act::calls(&[("c1", "sleep", r#"{"seconds":1}"#)]), Act::says("Slept.")]);
    stage.run(&["-p", "Wait."]).says("Slept.\n");
    let stage = Stage::new([Act::calls(&[("c1", "sleep", r#"{"seconds":1}"#)]), Act::says("Slept.")]);
    let dumb = [("TERM", "dumb")];
    let run = Pty::start(&stage, (24, 80), &["run", "--model", MODEL, "-p", "Wait."], &dumb);
    let (code, left) = run.ends();
    let bytes = String::from_utf8_lossy(&left.bytes).into_owned();
    assert_eq!(code, Some(0), "{bytes}");
    assert!(!moves(&bytes) && !bytes.contains('\u{1b}'), "{bytes}");
}
