//! The first minute of Holm, in a pipe and at a terminal, with the real model.

use crate::{local::models, stage::Stage, terminal};

/// What everybody must have seen at the end.
const SHOWN: [&str; 7] = [
    "missing grant read:keys.txt",
    "missing grant fetch:http://collector.example/",
    "allowance lets it go on",
    "every value stands in the text",
    "allows it: it needs read:**, and read:** was granted",
    "byte-identical",
    "Next:",
];

#[test]
fn without_a_terminal_it_shows_everything_by_itself_and_spends_nothing() {
    let stage = Stage::new([]).file("harbour.txt", "boats\n").file("menu.md", "soup\n");
    let ran = {
        let mut command = stage.command(["tour"]);
        crate::stage::Ran::of(&command.env("HOLM_MODELS", models()).output().unwrap())
    };
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in SHOWN {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.contains("OPENAI_API_KEY is set, and is not used"), "{}", ran.out);
    assert!(ran.out.contains("Model: local/smollm2"), "{}", ran.out);
    assert!(ran.out.contains("harbour.txt"), "the look-up saw this folder: {}", ran.out);
    assert_eq!(ran.out.matches("byte-identical").count(), 2, "{}", ran.out);
    assert!(stage.double.requests().is_empty(), "nobody who costs anything was asked");
    assert!(!ran.out.contains("a-key-that-opens-nothing"), "{}", ran.out);
}

#[test]
fn at_a_terminal_one_key_shows_one_thing_and_a_key_is_asked_about() {
    let stage = Stage::new([]);
    let models = models();
    let arguments = format!("--data {} tour", stage.data().display());
    let line = format!("env HOLM_MODELS={} {}", models.display(), env!("CARGO_BIN_EXE_holm"));
    let keys = ["n", "3", "q"];
    let (code, screen) =
        terminal::pressing(&stage, &format!("{line} {arguments}"), &["[y/N]", "press a number"], &keys);
    assert_eq!(code, Some(0), "{screen}");
    for part in ["May this tour use openai/gpt-5-mini", "DENIED", "CUT", "byte-identical", "Next:"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(!screen.contains("every value stands in the text"), "only what was chosen is shown: {screen}");
    assert!(stage.double.requests().is_empty());
}
