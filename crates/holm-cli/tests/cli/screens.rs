//! Tests whole screens on terminals of 80 by 24 and of 200 by 60, as a user sees them.

use std::fs;

use holm_testkit::double::{Act, Seen};

use crate::{
    chat::{CTRL_B, CTRL_S, ENTER, ESC, LARGE, SMALL, leaves, ready, rests, says},
    door::Door,
    pty::Pty,
    stage::Stage,
};

/// Holds a screen against the one that was looked at.
#[track_caller]
fn shot(chat: &Pty, name: &str, (rows, columns): (u16, u16)) {
    insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), chat.picture());
}

/// Says something and waits until something is shown.
#[track_caller]
fn asks(chat: &mut Pty, text: &str, shown: &str) {
    chat.types(text);
    chat.shows(text);
    chat.types(ENTER);
    chat.shows(shown);
}

#[test]
fn an_answer() {
    let text = "# Title\n\n- one **bold** word\n\n| a | b |\n|---|---|\n| 1 | 日本 |\n\n```rust\nfn main() {}\n```\nEnd.";
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says(text)]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "Tell me", "End.");
        shot(&chat, "an_answer", size);
        leaves(chat);
    }
}

#[test]
fn a_change_before_and_after_a_yes() {
    let write = r#"{"path":"new.txt","content":"hi\n日本\n"}"#;
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Written.")]);
        let mut chat = ready(&stage, size, &[]);
        asks(&mut chat, "write it", "[y]es once");
        chat.shows("calls write");
        shot(&chat, "a_question_about_a_change", size);
        chat.types("y");
        chat.shows("Written.");
        rests(&chat);
        shot(&chat, "a_change", size);
        leaves(chat);
    }
}

#[test]
fn a_question_of_the_model() {
    let question = r#"{"question":"Which port?","choices":["north","south"]}"#;
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::calls(&[("q", "ask_user", question)]), Act::says("South it is.")]);
        let mut chat = ready(&stage, size, &[]);
        asks(&mut chat, "sail", "a number or your own text");
        chat.shows("calls ask_user");
        chat.until("a call that runs", |screen| screen.contents().contains("◐ ask_user"));
        shot(&chat, "a_question_of_the_model", size);
        chat.types("2");
        chat.types(ENTER);
        chat.shows("South it is.");
        rests(&chat);
        leaves(chat);
    }
}

#[test]
fn turns_to_go_back_to() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("One."), Act::says("Two.")]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "first thing", "One.");
        says(&mut chat, "second thing", "Two.");
        chat.types(CTRL_B);
        chat.shows("go back to before this message");
        shot(&chat, "turns_to_go_back_to", size);
        chat.types(ESC);
        chat.hides("go back to before this message");
        leaves(chat);
    }
}

#[test]
fn a_search() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("The needle lies here, beside the hay.")]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "look", "needle");
        asks(&mut chat, "/search needle", "1 of 1");
        shot(&chat, "a_search", size);
        chat.types(ESC);
        chat.hides("1 of 1");
        leaves(chat);
    }
}

#[test]
fn what_waits() {
    for size in [SMALL, LARGE] {
        let door = Door::default();
        let held = door.clone();
        let stage = Stage::answering(move |seen: &Seen| {
            let text = seen.text();
            if !text.contains("be quick") {
                held.pass();
            }
            Act::says(if text.contains("then rest") { "Third." } else { "Now." })
        });
        let mut chat = ready(&stage, size, &[]);
        asks(&mut chat, "begin", "waits for the model");
        asks(&mut chat, "be quick", "before the next step: be quick");
        chat.types("then rest");
        chat.types(CTRL_S);
        chat.shows("when it is done: then rest");
        shot(&chat, "what_waits", size);
        door.open();
        chat.shows("Third.");
        rests(&chat);
        leaves(chat);
    }
}

#[test]
fn a_plan() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("1. look\n2. tidy")]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "/plan tidy up", "2. tidy");
        shot(&chat, "a_plan", size);
        leaves(chat);
    }
}

#[test]
fn attachments() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("Seen.")]).file("notes.txt", "the content of the notes");
        fs::write(stage.work().join("dot.png"), [0x89, b'P', b'N', b'G', 13, 10, 26, 10]).unwrap();
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "look at @notes.txt and @dot.png please", "Seen.");
        shot(&chat, "attachments", size);
        leaves(chat);
    }
}

#[test]
fn helpers_and_theirs() {
    for size in [SMALL, LARGE] {
        let door = Door::default();
        let stage = helpers(&door);
        let mut chat = ready(&stage, size, &["--grant", "read:**"]);
        asks(&mut chat, "How many?", "⎿   read {\"path\":\"notes.txt\"}");
        chat.shows("2 helpers");
        shot(&chat, "helpers_and_theirs", size);
        door.open();
        chat.shows("There are three.");
        rests(&chat);
        leaves(chat);
    }
}

/// A run whose helper has a helper of its own, which has looked at the notes and says so once a door is open.
pub(crate) fn helpers(door: &Door) -> Stage {
    let held = door.clone();
    let stage = Stage::answering(move |seen: &Seen| {
        let (text, system) = (seen.text(), seen.asked.as_ref().map(|asked| asked.system.clone()));
        let is =
            |name: &str| system.as_ref().is_some_and(|system| system.contains(&format!("You are {name}.")));
        match (is("counter"), is("scout")) {
            (true, _) if text.contains("one two three") => {
                held.pass();
                Act::says("Three words.")
            }
            (true, _) => Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
            (false, true) if text.contains("Three words.") => Act::says("Scouted."),
            (false, true) => Act::calls(&[("s1", "counter", r#"{"task":"Count the notes."}"#)]),
            (false, false) if text.contains("Scouted.") => Act::says("There are three."),
            (false, false) => Act::calls(&[("p1", "scout", r#"{"task":"Have them counted."}"#)]),
        }
    })
    .file("notes.txt", "one two three\n");
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    for (name, tool) in [("scout", "counter"), ("counter", "read")] {
        let head = format!("name: {name}\ndescription: Helps.\ntools: [{tool}]");
        let grants = "grants: [\"read:notes.txt\", \"spawn:counter\"]";
        let file = format!("---\n{head}\n{grants}\n---\nYou are {name}.\n");
        fs::write(stage.data().join(format!("tools/{name}.md")), file).unwrap();
    }
    stage
}
