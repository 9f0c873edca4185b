//! Tests whole screens, from a state to its cells.

use holm::{grants::Mode, kernel::Event};
use ratatui::{Terminal, backend::TestBackend};

use crate::chat::{
    keys::KeyBindings,
    picker::{ListPicker, PickerAction, PickerRow},
    state::{ChatMessage, ChatState, ScreenOverlay, SessionOrigin},
    testing::{ChatHarness, answer, asked, called, ended, finished, prompted, words_asked, write_asked},
    theme::ThemeKind,
};

use crate::folder_trust::TrustLevel;

fn screen(state: &mut ChatState, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| super::render(state, frame)).unwrap();
    terminal.backend().to_string()
}

fn talked() -> ChatHarness {
    let mut chat = ChatHarness::open();
    chat.says("What is in the folder?");
    chat.hears(prompted(1, "What is in the folder?"));
    chat.hears(called(7, "shell", r#"{"command":"ls -la"}"#));
    chat.hears(finished(7, "c7", 42));
    chat.hears(called(8, "edit", r#"{"path":"a.rs","old":"one\ntwo","new":"one\n2"}"#));
    chat.hears(finished(8, "c8", 3));
    chat.hears(answer("## Files\n\n- `a.rs` was *changed*\n- 日本語 is wide\n\n```rust\nfn main() {}\n```"));
    chat.hears(ended());
    chat
}

#[test]
fn a_conversation_on_a_small_screen() {
    insta::assert_snapshot!(screen(&mut talked().state, 80, 24));
}

#[test]
fn a_conversation_on_a_large_screen() {
    insta::assert_snapshot!(screen(&mut talked().state, 200, 60));
}

#[test]
fn a_question_before_a_command_runs() {
    let mut chat = talked();
    chat.tells(asked(1, "rm -rf build", Some("git status")));
    insta::assert_snapshot!(screen(&mut chat.state, 80, 24));
}

#[test]
fn arguments_that_were_corrected_are_said_to_be() {
    let mut chat = talked();
    let mut call = called(9, "read", r#"{"path":"5"}"#);
    if let Event::CallProposed { fixes, .. } = &mut call {
        fixes.push("/path: a value was put in quotes".into());
    }
    chat.hears(call);
    let shown = screen(&mut chat.state, 80, 24);
    assert!(shown.contains("· read: corrected: /path: a value was put in quotes"), "{shown}");
}

#[test]
fn what_a_call_needs_is_shown_on_request() {
    let check = |messages: Vec<ChatMessage>, expect: &str| {
        let mut chat = talked();
        messages.into_iter().for_each(|message| drop(chat.tells(message)));
        let folded = screen(&mut chat.state, 100, 40);
        assert!(!folded.contains("needs ") && folded.contains(" · [d]etails"), "{folded}");
        chat.answers("d");
        let shown = screen(&mut chat.state, 100, 40);
        assert!(shown.contains(expect), "{shown}");
        chat.answers("d");
        assert_eq!(screen(&mut chat.state, 100, 40), folded);
    };
    check(vec![asked(1, "rm -rf build", None)], "  needs      exec:rm (not granted)");
    let two = vec![write_asked(1, 8, "src/b.rs"), write_asked(2, 7, "src/a.rs")];
    check(two, "  2. needs      write:src/b.rs (not granted)");
}

#[test]
fn a_long_rule_is_seen_whole_before_it_can_be_agreed_to() {
    let rule = format!("cargo run {}", "z".repeat(200));
    let mut chat = talked();
    chat.tells(asked(1, "cargo run", Some(&rule)));
    let shown = screen(&mut chat.state, 80, 24);
    assert!(shown.contains("p allows   exactly cargo run zzz"), "{shown}");
    assert_eq!(shown.matches('z').count(), 200, "{shown}");
    assert!(shown.contains("[p] all like it · ne[v]er · [n]o"), "every key is named: {shown}");
}

#[test]
fn several_calls_are_shown_as_one_numbered_question() {
    let mut chat = talked();
    chat.tells(write_asked(1, 8, "src/b.rs"));
    chat.tells(write_asked(2, 7, "src/a.rs"));
    let shown = screen(&mut chat.state, 100, 40);
    assert!(shown.contains("holm asks about 2 calls:"), "{shown}");
    let (first, second) = (shown.find("1. write").unwrap(), shown.find("2. write").unwrap());
    let at = |path: &str| shown.find(path).unwrap();
    assert!(first < at("src/a.rs") && at("src/a.rs") < second && second < at("src/b.rs"), "{shown}");
    assert!(shown.contains("f allows   writes under src/ (write:src/**)"), "{shown}");
    assert!(shown.contains("[y]es to all 2 once"), "{shown}");
    assert!(shown.contains("[o]ne by one · [n]o to all"), "{shown}");
}

#[test]
fn what_a_family_covers_stands_beside_its_key_where_it_fits() {
    let check = |width: u16, expect: &str| {
        let mut chat = talked();
        chat.tells(write_asked(1, 7, "src/a.rs"));
        let shown = screen(&mut chat.state, width, 40);
        assert!(shown.contains(expect), "{width}: {shown}");
    };
    check(100, "[f] all writes under src/ · ne[v]er · [n]o");
    check(70, "[f]amily · ne[v]er · [n]o");
}

#[test]
fn a_new_session_says_what_agents_may_do_in_it() {
    let mut chat = ChatHarness::open();
    let asks = "Holm asks before agents read, change or run anything here.";
    assert!(screen(&mut chat.state, 80, 24).contains(asks));
    chat.state.tabs[0].level = TrustLevel::Edit;
    assert!(screen(&mut chat.state, 80, 24).contains("Agents read and write files here. Holm asks before"));
    chat.state.tabs[0].mode = Mode::Plan;
    assert!(screen(&mut chat.state, 80, 24).contains("They change nothing."));
}

#[test]
fn a_question_of_the_model() {
    let mut chat = talked();
    chat.tells(words_asked(1, "Which one?", &["the first", "the second"]));
    insta::assert_snapshot!(screen(&mut chat.state, 80, 24));
}

#[test]
fn what_waits_and_what_runs() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.hears(prompted(1, "go"));
    chat.hears(called(7, "helper", r#"{"task":"look"}"#));
    chat.says("and be quick");
    insta::assert_snapshot!(screen(&mut chat.state, 60, 12));
}

#[test]
fn what_is_said_before_a_session_is_open_is_shown_until_it_is() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.says("do it");
    let shown = screen(&mut chat.state, 60, 12);
    assert!(shown.contains("once the session is open: do it"), "{shown}");
    chat.opened("session-2", Vec::new());
    let shown = screen(&mut chat.state, 60, 12);
    assert!(!shown.contains("once the session is open"), "{shown}");
}

#[test]
fn lists_and_help_stand_over_everything() {
    let mut chat = talked();
    let how = SessionOrigin::Resume { session: "s".into() };
    let row = PickerRow {
        label: "An older one".into(),
        about: "s openai/x".into(),
        pick: PickerAction::Open { how, typed: String::new() },
    };
    chat.state.over = Some(ScreenOverlay::Picker(ListPicker::new("resume a session", vec![row])));
    insta::assert_snapshot!(screen(&mut chat.state, 60, 8));
    chat.state.over = Some(ScreenOverlay::Help { scroll: 0 });
    insta::assert_snapshot!(screen(&mut chat.state, 80, 60));
}

#[test]
fn help_that_does_not_fit_is_not_cut_and_says_that_there_is_more() {
    let mut chat = talked();
    chat.state.over = Some(ScreenOverlay::Help { scroll: 0 });
    let shown = screen(&mut chat.state, 80, 24);
    assert!(shown.contains("37 more below: Down and PageDown go there, Esc closes"), "{shown}");
    assert!(shown.contains("its next step"), "{shown}");
    chat.state.over = Some(ScreenOverlay::Help { scroll: 9_999 });
    let shown = screen(&mut chat.state, 80, 24);
    for end in ["attach a file: text, or a picture", "end of the text; Up and PageUp go back, Esc closes"] {
        assert!(shown.contains(end), "{shown}");
    }
}

#[test]
fn completions_stand_above_what_is_typed() {
    let mut chat = talked();
    chat.types("/co");
    insta::assert_snapshot!(screen(&mut chat.state, 60, 12));
}

#[test]
fn a_screen_of_any_size_can_be_drawn() {
    for (width, height) in [(1, 1), (2, 2), (5, 3), (10, 5), (300, 4), (3, 100)] {
        let mut chat = talked();
        screen(&mut chat.state, width, height);
        chat.tells(asked(1, "ls", None));
        screen(&mut chat.state, width, height);
        chat.state.over = Some(ScreenOverlay::Help { scroll: 9_999 });
        screen(&mut chat.state, width, height);
    }
}

#[test]
fn no_control_character_is_ever_in_a_cell() {
    let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{7}\r\u{0}\u{200b}";
    let mut chat = ChatHarness::open();
    chat.says(hostile);
    chat.hears(prompted(1, hostile));
    chat.hears(called(7, hostile, &format!("{{\"command\":{hostile:?}}}")));
    chat.hears(finished(7, "c7", 1));
    chat.piece(hostile);
    chat.hears(answer(hostile));
    chat.tells(asked(1, hostile, Some("git status")));
    chat.tells(ChatMessage::Noted {
        tab: chat.tab(),
        tone: crate::chat::item::NoteTone::Error,
        text: hostile.into(),
    });
    chat.tells(ChatMessage::Pasted(hostile.into()));
    let mut terminal = Terminal::new(TestBackend::new(80, 40)).unwrap();
    terminal.draw(|frame| super::render(&mut chat.state, frame)).unwrap();
    for cell in terminal.backend().buffer().content() {
        // What is not seen, and what turns a line around.
        let hidden = ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
        let bad = |c: char| c.is_control() || hidden.iter().any(|range| range.contains(&c));
        assert!(!cell.symbol().contains(bad), "{:?}", cell.symbol());
    }
}

#[test]
fn a_question_that_does_not_fit_is_agreed_to_once_its_end_was_seen() {
    let mut chat = talked();
    let long = (0..60).map(|number| format!("echo {number}")).collect::<Vec<_>>().join("\n");
    chat.tells(asked(1, &long, None));
    screen(&mut chat.state, 80, 24);
    assert_eq!(chat.answers("y"), []);
    for _ in 0..20 {
        chat.presses("pagedown");
        screen(&mut chat.state, 80, 24);
    }
    assert_eq!(chat.answers("y").len(), 1);
}

#[test]
fn no_line_of_a_question_is_passed_over() {
    let mut chat = talked();
    let long = (0..60).map(|number| format!("echo {number}")).collect::<Vec<_>>().join("\n");
    chat.tells(asked(1, &long, None));
    screen(&mut chat.state, 80, 24);
    // Many keys before the next frame, as a held key or a slow line brings them.
    for _ in 0..50 {
        chat.presses("pagedown");
    }
    assert!(!screen(&mut chat.state, 80, 24).contains("echo 59"), "the middle comes before the end");
    assert_eq!(chat.answers("y"), [], "the end was not seen yet");
    let mut seen = String::new();
    for _ in 0..20 {
        chat.presses("pagedown");
        seen.push_str(&screen(&mut chat.state, 80, 24));
    }
    assert!((30..60).all(|number| seen.contains(&format!("echo {number}"))), "{seen}");
    assert_eq!(chat.answers("y").len(), 1);
}

#[test]
fn what_no_row_is_left_for_is_not_agreed_to() {
    let mut chat = talked();
    chat.tells(asked(1, "ls", None));
    screen(&mut chat.state, 80, 2);
    assert_eq!(chat.answers("y"), []);
    screen(&mut chat.state, 80, 24);
    assert_eq!(chat.answers("y").len(), 1);
}

#[test]
fn a_question_behind_something_else_was_not_seen() {
    let mut chat = talked();
    chat.state.over = Some(ScreenOverlay::Help { scroll: 0 });
    chat.tells(asked(1, "ls", None));
    screen(&mut chat.state, 80, 24);
    chat.presses("esc");
    assert_eq!(chat.answers("y"), [], "it has not been on the screen");
    screen(&mut chat.state, 80, 24);
    assert_eq!(chat.answers("y").len(), 1);
}

#[test]
fn without_colours_nothing_has_a_colour() {
    let mut chat = talked();
    let plain = ChatState::new(chat.state.size, ThemeKind::None, KeyBindings::default());
    chat.state.theme = plain.theme;
    let mut terminal = Terminal::new(TestBackend::new(80, 40)).unwrap();
    terminal.draw(|frame| super::render(&mut chat.state, frame)).unwrap();
    let reset = ratatui::style::Color::Reset;
    assert!(terminal.backend().buffer().content().iter().all(|cell| cell.fg == reset && cell.bg == reset));
}
