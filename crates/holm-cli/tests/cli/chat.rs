//! Tests `holm chat` on terminals, with a scripted provider.

use std::fs;

use holm_testkit::double::{Act, Fault, Seen};

use crate::{
    door::Door,
    pty::Pty,
    stage::{MODEL, Stage},
};

pub(crate) const SMALL: (u16, u16) = (24, 80);
pub(crate) const LARGE: (u16, u16) = (60, 200);

/// What Enter, Escape and their like send.
pub(crate) const ENTER: &str = "\r";
pub(crate) const ESC: &str = "\x1b";
pub(crate) const CTRL_B: &str = "\x02";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_G: &str = "\x07";
pub(crate) const CTRL_S: &str = "\x13";
pub(crate) const CTRL_T: &str = "\x14";

pub(crate) fn ready(stage: &Stage, size: (u16, u16), args: &[&str]) -> Pty {
    let chat = Pty::chat(stage, size, args);
    chat.shows("Type what you want done.");
    chat
}

/// Says something and waits until the run stands still behind an answer.
#[track_caller]
pub(crate) fn says(chat: &mut Pty, text: &str, answer: &str) {
    chat.types(text);
    chat.types(ENTER);
    chat.shows(answer);
    rests(chat);
}

/// Waits until the run stands still.
#[track_caller]
pub(crate) fn rests(chat: &Pty) {
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
}

#[track_caller]
pub(crate) fn leaves(mut chat: Pty) -> Vec<u8> {
    // Clears the input first.
    chat.types("\x15/quit ");
    chat.types(ENTER);
    let (code, left) = chat.ends();
    assert_eq!(code, Some(0), "{}", left.contents);
    left.is_as_before();
    left.bytes
}

#[test]
fn an_answer_streams_in_as_markdown_at_both_sizes() {
    for size in [SMALL, LARGE] {
        let text = "# Title\n\n- one **bold** word\n\n| a | b |\n|---|---|\n| 1 | 日本 |\n\n```rust\nfn main() {}\n```\nEnd.";
        let stage = Stage::new([Act::says(text)]);
        let mut chat = ready(&stage, size, &[]);
        chat.types("Tell me");
        chat.types(ENTER);
        chat.shows("End.");
        let screen = chat.screen();
        for line in ["› Tell me", "Title", "• one bold word", "1 │ 日本", "│ fn main() {}"] {
            assert!(screen.contains(line), "{line} at {size:?}:\n{screen}");
        }
        assert!(!screen.contains("**") && !screen.contains("```"), "{screen}");
        chat.until("the cost", |screen| screen.contents().contains('$'));
        leaves(chat);
    }
}

#[test]
fn a_screen_that_changes_its_size_in_mid_stream_shows_the_text_anew() {
    let text = format!("{} and the end", "several words in a row ".repeat(8));
    let stage = Stage::new([Act::says(&text).with(Fault::Stall(900))]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("go");
    chat.types(ENTER);
    chat.shows("several words in a row several");
    chat.resizes(LARGE);
    let wide = "several words in a row ".repeat(6);
    chat.until("a line as wide as the screen", |screen| screen.contents().contains(wide.trim_end()));
    chat.resizes((12, 40));
    chat.until("narrow lines", |screen| {
        screen.rows(0, 40).filter(|row| row.contains("several")).count() >= 4
    });
    chat.types(CTRL_C);
    chat.shows("Press Ctrl-C again to quit.");
    chat.types(CTRL_C);
    let (_, left) = chat.ends();
    left.is_as_before();
}

#[test]
fn a_call_runs_once_a_person_has_said_yes_to_exactly_it() {
    let write = r#"{"path":"new.txt","content":"hi\n"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Written.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("holm asks: write ");
    let screen = chat.screen();
    assert!(screen.contains("why        you have not allowed it to write new.txt"), "{screen}");
    assert!(!screen.contains("needs      "), "the grants are folded: {screen}");
    assert!(screen.contains("[y]es once") && screen.contains("+ hi"), "{screen}");
    chat.types("d");
    chat.shows("needs      write:new.txt (not granted)");
    assert!(!stage.work().join("new.txt").exists(), "nothing happens before the answer");
    chat.types("y");
    chat.shows("Written.");
    assert_eq!(fs::read_to_string(stage.work().join("new.txt")).unwrap(), "hi\n");
    leaves(chat);
}

#[test]
fn a_call_that_is_denied_does_not_run_and_the_model_is_told() {
    let write = r#"{"path":"new.txt","content":"hi"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Then not.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("holm asks: write ");
    chat.types("n");
    chat.shows("Then not.");
    assert!(!stage.work().join("new.txt").exists());
    assert!(stage.double.requests()[1].text().contains("the user said no"));
    leaves(chat);
}

#[test]
fn what_is_said_while_it_works_is_heard_and_what_waits_comes_last() {
    let door = Door::default();
    let held = door.clone();
    let stage = Stage::answering(move |seen: &Seen| {
        let text = seen.text();
        if text.contains("then rest") {
            return Act::says("Third.");
        }
        if text.contains("be quick") {
            return Act::says("Second.");
        }
        held.pass();
        Act::says("First.")
    });
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("begin");
    chat.types(ENTER);
    chat.until("that it works", |_| stage.double.requests().len() == 1);
    chat.types("be quick");
    chat.types(ENTER);
    chat.shows("before the next step: be quick");
    chat.types("then rest");
    chat.types(CTRL_S);
    chat.shows("when it is done: then rest");
    door.open();
    for text in ["First.", "› be quick", "Second.", "› then rest", "Third."] {
        chat.shows(text);
    }
    chat.hides("when it is done: then rest");
    leaves(chat);
}

#[test]
fn a_run_is_stopped_and_the_next_prompt_is_answered() {
    let stage = Stage::new([Act::says("never ends at all").with(Fault::Stall(700)), Act::says("Here I am.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("go");
    chat.types(ENTER);
    chat.shows("never");
    chat.types(CTRL_C);
    chat.shows("You stopped the answer.");
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    chat.types("again");
    chat.types(ENTER);
    chat.shows("Here I am.");
    let screen = chat.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    let order = ["› go", "never", "(stopped)", "You stopped the answer.", "› again", "Here I am."].map(at);
    assert!(order.is_sorted(), "what was read stays in its place: {screen}");
    let bytes = leaves(chat);
    let text = String::from_utf8_lossy(&bytes);
    let (_, after) = text.rsplit_once("--session ").unwrap();
    let shown = stage.holm(["session", "show", after.split_whitespace().next().unwrap()]);
    let at = |text: &str| shown.out.find(text).unwrap_or_else(|| panic!("{text}: {}", shown.out));
    assert!(at("> never") < at("*cancelled*"), "{}", shown.out);
}

#[test]
fn a_word_that_is_typed_at_a_question_goes_to_the_input() {
    let write = r#"{"path":"new.txt","content":"hi"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Then not.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("[y]es once");
    chat.types("again");
    chat.shows("› again");
    chat.shows("a question waits · Tab shows it");
    assert!(!stage.work().join("new.txt").exists(), "the first letter was not an answer");
    chat.types("\t");
    chat.shows("[y]es once");
    chat.types("n");
    chat.shows("Then not.");
    leaves(chat);
}

#[test]
fn calls_of_one_reply_take_one_answer() {
    let [one, two] = ["one", "two"].map(|name| format!(r#"{{"path":"{name}.txt","content":"hi"}}"#));
    let calls = [("c1", "write", one.as_str()), ("c2", "write", two.as_str())];
    let stage = Stage::new([Act::calls(&calls), Act::says("Written.")]);
    let mut chat = ready(&stage, LARGE, &[]);
    chat.types("write them");
    chat.types(ENTER);
    chat.shows("holm asks about 2 calls:");
    chat.shows("[y]es to all 2 once");
    chat.types("y");
    chat.shows("Written.");
    for name in ["one.txt", "two.txt"] {
        assert_eq!(fs::read_to_string(stage.work().join(name)).unwrap(), "hi");
    }
    leaves(chat);
}

/// Says a command and waits for what it shows.
#[track_caller]
fn commands(chat: &mut Pty, line: &str, shown: &str) {
    chat.types(&format!("{line} "));
    chat.types(ENTER);
    chat.shows(shown);
}

#[test]
fn a_level_that_is_chosen_holds_for_the_sessions_after_it() {
    let write = |name: &str| format!(r#"{{"path":"{name}","content":"hi"}}"#);
    let stage = Stage::new([
        Act::calls(&[("c1", "write", &write("first.txt"))]),
        Act::says("Written."),
        Act::calls(&[("c2", "write", &write("second.txt"))]),
        Act::says("Then not."),
    ]);
    let mut chat = ready(&stage, LARGE, &[]);
    commands(&mut chat, "/trust edit", "edit: Agents read and write files here.");
    chat.shows(" accept-edits ");
    commands(&mut chat, "/new", "Type what you want done.");
    says(&mut chat, "write it", "Written.");
    assert!(stage.work().join("first.txt").exists(), "nothing was asked");
    commands(&mut chat, "/trust look", "The other open tabs keep their level.");
    chat.shows(" default ");
    commands(&mut chat, "/new", "Type what you want done.");
    chat.types("write more");
    chat.types(ENTER);
    chat.shows("[y]es once");
    chat.types("n");
    chat.shows("Then not.");
    assert!(!stage.work().join("second.txt").exists());
    leaves(chat);
}

#[test]
fn a_level_that_is_chosen_in_a_chat_ends_when_it_is_lowered() {
    let write = r#"{"path":"new.txt","content":"hi"}"#;
    let stage =
        Stage::new([Act::says("Hello."), Act::calls(&[("c1", "write", write)]), Act::says("Then not.")]);
    stage.run(&["-p", "Hi.", "--session", "s"]).says("Hello.\n");
    let mut chat = Pty::chat(&stage, LARGE, &["--session", "s", "--resume"]);
    chat.shows("Hello.");
    commands(&mut chat, "/trust edit", "edit: Agents read and write files here.");
    chat.shows(" accept-edits ");
    leaves(chat);
    stage.holm(["trust", "look"]);
    let ran = stage.run(&["-p", "Write it.", "--session", "s", "--resume"]);
    assert!(!stage.work().join("new.txt").exists(), "{ran:?}");
}

#[test]
fn a_level_that_is_chosen_takes_the_place_of_the_flag() {
    let write = r#"{"path":"new.txt","content":"hi"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Then not.")]);
    let mut chat = ready(&stage, LARGE, &["--trust", "edit"]);
    commands(&mut chat, "/trust look", "look: Agents read files here.");
    commands(&mut chat, "/new", "Type what you want done.");
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("[y]es once");
    chat.types("n");
    chat.shows("Then not.");
    assert!(!stage.work().join("new.txt").exists());
    leaves(chat);
}

#[test]
fn a_chat_without_a_jail_refuses_the_level_that_needs_it() {
    let stage = Stage::new([]);
    let mut chat = ready(&stage, LARGE, &["--unconfined"]);
    commands(
        &mut chat,
        "/trust jail",
        "--trust jail runs commands in the jail, and --unconfined runs them without it",
    );
    commands(&mut chat, "/trust", "ask: Holm asks before agents read");
    leaves(chat);
}

#[test]
fn a_model_that_cannot_be_used_leaves_the_session_as_it_is() {
    let stage = Stage::new([Act::says("Still here.")]);
    let mut chat = ready(&stage, LARGE, &[]);
    commands(&mut chat, "/model nosuch", "the model of this session is still openai/gpt-5-mini");
    let screen = chat.screen();
    assert!(!screen.contains("cannot be used") && !screen.contains("2✗"), "{screen}");
    says(&mut chat, "hello", "Still here.");
    leaves(chat);
}

#[test]
fn a_call_of_an_unknown_tool_is_shown_with_the_reason() {
    let stage = Stage::new([Act::calls(&[("c1", "fly", "{}")]), Act::says("Then on foot.")]);
    let mut chat = ready(&stage, LARGE, &[]);
    says(&mut chat, "go", "Then on foot.");
    let screen = chat.screen();
    assert!(screen.contains("✗ fly   not run: there is no tool `fly`"), "{screen}");
    leaves(chat);
}

#[test]
fn a_turn_is_said_otherwise_in_a_session_of_its_own() {
    let stage = Stage::new([Act::says("One."), Act::says("Two."), Act::says("Other.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    for (said, answered) in [("first thing", "One."), ("second thing", "Two.")] {
        chat.types(said);
        chat.types(ENTER);
        chat.shows(answered);
        chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    }
    chat.types(CTRL_B);
    chat.shows("go back to before this message");
    chat.types(ENTER);
    chat.until("the second session", |screen| {
        let text = screen.contents();
        text.contains("› second thing") && text.contains("2  first thing") && !text.contains("Two.")
    });
    chat.types(" now");
    chat.types(ENTER);
    chat.shows("Other.");
    let asked = stage.double.requests()[2].text();
    assert!(asked.contains("first thing") && asked.contains("second thing now"), "{asked}");
    assert!(!asked.contains("Two."), "{asked}");
    leaves(chat);
}

#[test]
fn files_and_conversation_go_back_to_before_a_message_and_come_again() {
    let write = |id: &str, text: &str| {
        let arguments = format!(r#"{{"path":"a.txt","content":"{text}\n"}}"#);
        Act::calls(&[(id, "write", &arguments)])
    };
    let acts =
        [write("c1", "two"), Act::says("One."), write("c2", "three"), Act::says("Two."), Act::says("Other.")];
    let stage = Stage::new(acts);
    let mut chat = ready(&stage, LARGE, &["--grant", "read:**", "--grant", "write:**", "--mode", "full"]);
    says(&mut chat, "first thing", "One.");
    says(&mut chat, "second thing", "Two.");
    let text = || fs::read_to_string(stage.work().join("a.txt")).unwrap();
    assert_eq!(text(), "three\n");
    commands(&mut chat, "/rewind", "1 file, 0 commands · second thing");
    chat.types(ENTER);
    chat.shows("files and conversation");
    chat.shows("+1 −1");
    chat.types(ENTER);
    chat.shows("1 path restored as before message 2");
    chat.until("the fork", |screen| {
        let text = screen.contents();
        text.contains("› second thing") && !text.contains("Two.")
    });
    assert_eq!(text(), "two\n");
    chat.types("\x15");
    commands(&mut chat, "/redo", "1 path as before the rewind again");
    chat.shows("Two.");
    assert_eq!(text(), "three\n");
    // A file that the user changed meanwhile is named and left.
    fs::write(stage.work().join("a.txt"), "mine\n").unwrap();
    commands(&mut chat, "/rewind", "1 file, 0 commands · second thing");
    chat.types(ENTER);
    chat.shows("a.txt (changed since)");
    chat.types(ENTER);
    chat.shows("› second thing");
    assert_eq!(text(), "mine\n");
    chat.types(" now");
    chat.types(ENTER);
    chat.shows("Other.");
    let asked = stage.double.requests()[4].text();
    assert!(asked.contains("first thing") && asked.contains("second thing now"), "{asked}");
    leaves(chat);
}

#[test]
fn words_are_found_in_the_session_and_in_all_of_them() {
    let stage = Stage::new([Act::says("The needle lies here."), Act::says("Nothing.")]);
    stage.run(&["-p", "an older haystack question"]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("look");
    chat.types(ENTER);
    chat.shows("Nothing.");
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    chat.types("/search nothing");
    chat.types(ENTER);
    chat.until("the mark on what was found", |screen| {
        let at = (0..24).find(|row| screen.contents_between(*row, 0, *row, 80).contains("Nothing."));
        at.is_some_and(|row| screen.cell(row, 0).is_some_and(vt100::Cell::inverse))
    });
    chat.types(ESC);
    chat.hides("Esc ends the search");
    chat.types("/find needle");
    chat.types(ENTER);
    chat.shows("sessions with `needle`");
    chat.types(ENTER);
    chat.shows("The needle lies here.");
    chat.shows("› an older haystack question");
    leaves(chat);
}

#[test]
fn files_and_pictures_come_with_what_is_said() {
    let stage = Stage::new([Act::says("Seen.")]).file("notes.txt", "the content of the notes");
    fs::write(stage.work().join("dot.png"), [0x89, b'P', b'N', b'G', 13, 10, 26, 10]).unwrap();
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("look at @not");
    chat.shows("@notes.txt");
    chat.types("\t");
    chat.types("and @dot.png please");
    chat.types(ENTER);
    chat.shows("Seen.");
    chat.shows("with 2 attached");
    let asked = String::from_utf8_lossy(&stage.double.requests()[0].body).into_owned();
    assert!(asked.contains("the content of the notes"), "{asked}");
    assert!(asked.contains("image/png") && asked.contains("iVBORw0KGgo"), "{asked}");
    leaves(chat);
}

#[test]
fn a_helper_is_watched_while_it_works() {
    let door = Door::default();
    let held = door.clone();
    let stage = Stage::answering(move |seen: &Seen| {
        let text = seen.text();
        let is_helper = seen.asked.as_ref().is_some_and(|asked| asked.system.contains("You are counter"));
        match (is_helper, text.contains("one two three"), text.contains("I found")) {
            (true, false, _) => Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
            (true, true, _) => {
                held.pass();
                Act::says("I found three words.")
            }
            (false, _, false) => Act::calls(&[("p1", "counter", r#"{"task":"Count the notes."}"#)]),
            (false, _, true) => Act::says("There are three."),
        }
    })
    .file("notes.txt", "one two three\n");
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let agent = "---\nname: counter\ndescription: Counts.\ntools: [read]\ngrants: [\"read:notes.txt\"]\n---\nYou are counter.\n";
    fs::write(stage.data().join("tools/counter.md"), agent).unwrap();
    let mut chat = ready(&stage, SMALL, &["--grant", "read:**"]);
    chat.types("How many?");
    chat.types(ENTER);
    chat.shows("⎿ read {\"path\":\"notes.txt\"}");
    chat.shows("1 helper");
    door.open();
    chat.shows("There are three.");
    leaves(chat);
}

#[test]
fn two_sessions_work_side_by_side_and_an_old_one_is_taken_up() {
    let stage = Stage::new([Act::says("In the first."), Act::says("In the second."), Act::says("Again.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("one");
    chat.types(ENTER);
    chat.shows("In the first.");
    chat.types("/new ");
    chat.types(ENTER);
    chat.shows("Type what you want done.");
    chat.types("two");
    chat.types(ENTER);
    chat.shows("In the second.");
    chat.types(CTRL_T);
    chat.shows("In the first.");
    leaves(chat);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("/sessions ");
    chat.types(ENTER);
    chat.shows("resume a session");
    chat.types("one");
    chat.types(ENTER);
    chat.shows("In the first.");
    chat.types("and now");
    chat.types(ENTER);
    chat.shows("Again.");
    assert!(stage.double.requests()[2].text().contains("In the first."));
    leaves(chat);
}

#[test]
fn a_key_draws_few_bytes_and_nothing_is_drawn_for_nothing() {
    let stage =
        Stage::new([Act::says(&"a long answer with many words in it\n\n".repeat(40)), Act::says("x")]);
    let mut chat = ready(&stage, LARGE, &[]);
    chat.types("fill");
    chat.types(ENTER);
    chat.until("an end", |screen| {
        let text = screen.contents();
        text.contains("a long answer") && !text.contains("Ctrl-C stops") && text.contains('$')
    });
    chat.types("q");
    chat.shows("› q");
    let before = chat.count();
    for number in 1..=20 {
        chat.types("z");
        let typed = format!("› q{}", "z".repeat(number));
        chat.shows(&typed);
    }
    let drawn = chat.bytes_from(before);
    assert!(
        drawn.len() <= 20 * 96,
        "{} bytes for twenty keys: {:?}",
        drawn.len(),
        String::from_utf8_lossy(&drawn)
    );
    assert!(!drawn.windows(4).any(|bytes| bytes == b"\x1b[2J"), "nothing is wiped");
    leaves(chat);
}

#[test]
fn a_hostile_transcript_leaves_the_terminal_as_it_was() {
    let evil = format!(
        "start \x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[2J\x1b[?1049l\x1bc\u{9b}5n\u{202e}dlrow\u{2066}\r\x08 \
         \x1bP1$r\x1b\\ [x](javascript:alert(1)) {} finis",
        "A".repeat(1 << 20)
    );
    let write =
        serde_json::json!({ "path": "a\u{1b}[2Jb\u{202e}.txt", "content": evil.get(..200) }).to_string();
    let mut long = Act::says(&evil);
    long.piece = 4096;
    let stage = Stage::new([long, Act::calls(&[("c1", "write", &write)]), Act::says("Over.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("go");
    chat.types(ENTER);
    chat.shows("finis");
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    chat.types("\x1b[5~\x1b[5~");
    chat.types("more");
    chat.types(ENTER);
    chat.until("a question or the end", |screen| {
        let text = screen.contents();
        text.contains("holm asks: write ") || text.contains("Over.")
    });
    if chat.screen().contains("holm asks: write ") {
        chat.types("n");
    }
    chat.shows("Over.");
    let bytes = leaves(chat);
    let text = String::from_utf8(bytes).unwrap();
    for bad in ["\x1b]", "\x1bc", "\x1bP", "\u{9b}", "\u{202e}", "\u{2066}", "\x07"] {
        assert!(!text.contains(bad), "{bad:?} reached the terminal");
    }
    assert_eq!(text.matches("\x1b[?1049l").count(), 1, "only the chat itself leaves its screen");
}

#[test]
fn a_chat_that_is_ended_from_outside_gives_the_terminal_back_and_keeps_the_draft() {
    let stage = Stage::new([]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("half a thought");
    chat.shows("› half a thought");
    chat.terminates();
    let (_, left) = chat.ends();
    left.is_as_before();
    let mut again = Pty::chat(&stage, SMALL, &[]);
    again.shows("› half a thought");
    again.types(CTRL_C);
    again.hides("half a thought");
    leaves(again);
}

#[test]
fn a_plan_is_edited_and_carried_out_as_it_is_then() {
    let stage = Stage::answering(|seen: &Seen| {
        let text = seen.text();
        if text.contains("Carry out this plan") {
            return Act::says("Carried out.");
        }
        Act::says("1. look\n2. tidy")
    });
    let editor = stage.work().join("editor.sh");
    fs::write(&editor, "#!/bin/sh\nprintf '3. rest\\n' >> \"$1\"\n").unwrap();
    let editor = format!("sh {}", editor.display());
    let mut chat = Pty::start(
        &stage,
        SMALL,
        &["chat", "--model", MODEL],
        &[("GIT_EDITOR", &editor), ("EDITOR", "false")],
    );
    chat.shows("Type what you want done.");
    chat.types("/plan tidy up");
    chat.types(ENTER);
    chat.shows("2. tidy");
    // The plan is there when the run has ended, a moment after its last word is shown.
    chat.hides("Ctrl-C stops");
    chat.types("/build edit");
    chat.types(ENTER);
    chat.shows("Carried out.");
    let asked = stage.double.requests().last().unwrap().text();
    assert!(
        asked.contains("1. look\\n2. tidy\\n3. rest") || asked.contains("1. look\n2. tidy\n3. rest"),
        "{asked}"
    );
    leaves(chat);
}

#[test]
fn an_interrupt_while_an_editor_has_the_terminal_is_the_editors() {
    let stage = Stage::new([]);
    let editor = stage.work().join("editor.sh");
    fs::write(&editor, "#!/bin/sh\ntrap '' INT\nprintf 'another one\\n' > \"$1\"\nkill -INT 0\n").unwrap();
    let editor = format!("sh {}", editor.display());
    let mut chat = Pty::start(&stage, SMALL, &["chat", "--model", MODEL], &[("EDITOR", &editor)]);
    chat.shows("Type what you want done.");
    chat.types("a thought");
    chat.shows("› a thought");
    chat.types(CTRL_G);
    // Whether the shell around the editor lives through it is the shell's own affair.
    chat.until("the chat again", |screen| {
        let text = screen.contents();
        text.contains("› another one") || text.contains("nothing")
    });
    leaves(chat);
}

#[test]
fn what_is_under_way_when_somebody_leaves_is_written_down_as_stopped() {
    let stage = Stage::new([Act::says("never ends at all").with(Fault::Stall(700)), Act::says("Gone on.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("go");
    chat.types(ENTER);
    chat.shows("never");
    leaves(chat);
    let log = stage.holm(["log"]);
    assert!(log.code == Some(0) && log.out.contains("interrupted"), "{log:?}");
}

#[test]
fn what_is_exported_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new([Act::says("Noted.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("remember this");
    chat.types(ENTER);
    chat.shows("Noted.");
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    chat.types("/export out.md");
    chat.types(ENTER);
    chat.shows("written to");
    let file = stage.work().join("out.md");
    assert!(fs::read_to_string(&file).unwrap().contains("remember this"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    leaves(chat);
}

#[test]
fn without_a_terminal_holm_alone_shows_its_help() {
    let stage = Stage::new([]);
    let ran = stage.holm([] as [&str; 0]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("Usage: holm"), "{ran:?}");
    let ran = stage.holm(["chat"]);
    ran.fails(2, "the chat needs a terminal");
}

#[test]
fn holm_alone_at_a_terminal_is_a_chat() {
    let stage = Stage::new([]);
    let chat = Pty::start(&stage, SMALL, &[], &[("HOLM_MODEL", MODEL), ("NO_COLOR", "1")]);
    chat.shows("Type what you want done.");
    let bytes = leaves(chat);
    let text = String::from_utf8(bytes).unwrap();
    assert!(!text.contains("\x1b[36m") && !text.contains("\x1b[38;"), "NO_COLOR means no colours");
}

#[test]
fn whoever_leaves_is_told_the_command_that_leads_back() {
    let stage =
        Stage::new([]).file("script.json", r#"{"results":[{"replied":{"blocks":[{"text":"By heart."}]}}]}"#);
    let args = ["chat", "--data", "other data", "--script", "script.json", "--trust", "ask"];
    let mut chat = Pty::start(&stage, LARGE, &args, &[]);
    chat.shows("Type what you want done.");
    says(&mut chat, "hello", "By heart.");
    chat.types("/quit ");
    chat.types(ENTER);
    let (_, left) = chat.ends();
    let told = left.contents.lines().find_map(|line| line.split_once("to resume, run: ")).unwrap().1;
    let data = stage.work().join("other data").canonicalize().unwrap();
    let begins = format!("holm --data '{}' chat --session ", data.display());
    assert!(told.starts_with(&begins), "{told}");
    assert!(told.trim_end().ends_with(" --resume --script script.json"), "{told}");
}
