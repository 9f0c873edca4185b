//! Tests the update function: which keys and events return which commands.

use crossterm::event::MouseEventKind;
use holm::{
    grants::Mode,
    kernel::{Event, Seq},
};
use holm_tools::shell::ApprovalAnswer;

use crate::chat::{
    item::TranscriptItemKind,
    picker::{ListPicker, PickerAction, PickerRow},
    question::{ChatQuestionId, QuestionReadState, QuestionReply},
    state::{
        ChatCommand, ChatMessage, CustomCommand, CustomCommandText, EditPurpose, ScreenOverlay,
        SessionOrigin, UserText,
    },
    tab::{DeliveryTiming, QueuedMessage, ScrollPosition, TabId, TabPhase},
    testing::{ChatHarness, answer, asked, called, ended, plan_asked, prompted, words_asked, write_asked},
    view_state::{ScrollAnchor, SessionViewState},
};

use crate::folder_trust::TrustLevel;

const TAB: TabId = TabId(1);

fn typed(text: &str) -> UserText {
    UserText::typed(text.to_owned())
}

fn prompt(text: &str) -> ChatCommand {
    ChatCommand::Prompt { tab: TAB, words: typed(text), past: None }
}

fn end(chat: &mut ChatHarness) -> Vec<ChatCommand> {
    let tab = chat.tab();
    chat.tells(ChatMessage::Ended { tab, problem: None })
}

/// A chat that has worked, and whose model is asked for a summary.
fn summarising() -> ChatHarness {
    let mut chat = ChatHarness::open();
    chat.says("work");
    chat.hears(prompted(1, "work"));
    chat.hears(answer("worked"));
    end(&mut chat);
    assert!(matches!(chat.says("/compact").as_slice(), [ChatCommand::Prompt { .. }]));
    chat
}

#[test]
fn the_first_thing_is_a_prompt_and_the_next_steers() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.says("do it"), [prompt("do it")]);
    assert_eq!(chat.says("but gently"), [ChatCommand::Steer { tab: TAB, words: typed("but gently") }]);
    chat.types("then rest");
    assert_eq!(chat.presses("ctrl-s"), [ChatCommand::FollowUp { tab: TAB, words: typed("then rest") }]);
    let waiting: Vec<DeliveryTiming> =
        chat.state.tabs[0].waiting.iter().map(|waiting| waiting.when).collect();
    assert_eq!(waiting, [DeliveryTiming::Soon, DeliveryTiming::Afterwards]);
    chat.hears(prompted(1, "but gently"));
    assert_eq!(chat.state.tabs[0].waiting.len(), 1, "what entered the run waits no longer");
}

#[test]
fn ctrl_c_stops_the_run_and_then_leaves() {
    let mut chat = ChatHarness::open();
    chat.says("do it");
    assert_eq!(chat.presses("ctrl-c"), [ChatCommand::Cancel(TAB)]);
    assert_eq!(chat.presses("ctrl-c"), [ChatCommand::Leave]);
}

#[test]
fn ctrl_c_takes_back_what_is_typed_and_another_key_disarms_it() {
    let mut chat = ChatHarness::open();
    chat.types("abc");
    assert_eq!(chat.presses("ctrl-c"), []);
    assert_eq!(chat.state.draft(), "");
    chat.types("x");
    assert_eq!(chat.presses("ctrl-c"), []);
    assert_eq!(chat.presses("ctrl-c"), [ChatCommand::Leave]);
}

#[test]
fn who_leaves_by_ctrl_c_finds_again_what_was_typed() {
    let mut chat = ChatHarness::open();
    chat.types("half");
    assert_eq!(chat.presses("ctrl-c"), []);
    assert_eq!(chat.state.unsaid(), "", "one alone takes it back");
    assert_eq!(chat.presses("ctrl-c"), [ChatCommand::Leave]);
    assert_eq!(chat.state.unsaid(), "half");
    let mut other = ChatHarness::open();
    other.types("half");
    other.presses("ctrl-c");
    other.types("x");
    other.presses("backspace");
    other.presses("ctrl-c");
    assert_eq!(other.presses("ctrl-c"), [ChatCommand::Leave]);
    assert_eq!(other.state.unsaid(), "", "what was taken back before something else stays so");
}

#[test]
fn a_call_is_answered_by_one_key() {
    let check = |key: &str, expect: Option<ApprovalAnswer>| {
        let mut chat = ChatHarness::open();
        chat.says("go");
        chat.tells(asked(3, "rm x", Some("git status")));
        if let Some(question) = chat.state.tabs[0].questions.front_mut() {
            question.seen = QuestionReadState::Whole;
        }
        let expect: Vec<ChatCommand> = expect
            .map(|answer| ChatCommand::Answer {
                question: ChatQuestionId(3),
                reply: QuestionReply::Call(answer),
            })
            .into_iter()
            .collect();
        assert_eq!(chat.answers(key), expect, "{key}");
    };
    check("y", Some(ApprovalAnswer::Once));
    check("a", Some(ApprovalAnswer::Session));
    check("p", Some(ApprovalAnswer::Prefix));
    check("v", Some(ApprovalAnswer::Never));
    check("n", Some(ApprovalAnswer::No { reason: "the user said no".into() }));
    check("enter", None);
    check("x", None);
    // These mean something else wherever else they are pressed.
    for key in ["ctrl-y", "ctrl-a", "ctrl-p", "alt-y", "alt-a", "ctrl-alt-p"] {
        check(key, None);
    }
}

/// All questions were on the screen.
fn read_all(chat: &mut ChatHarness) {
    let questions = chat.state.tabs[0].questions.iter_mut();
    questions.for_each(|question| question.seen = QuestionReadState::Whole);
}

/// A chat with a question about a command, which was on the screen.
fn asked_for_one() -> ChatHarness {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(asked(3, "rm x", Some("git status")));
    read_all(&mut chat);
    chat
}

fn replies(questions: &[u64], answer: &ApprovalAnswer) -> Vec<ChatCommand> {
    let reply = |id: &u64| ChatCommand::Answer {
        question: ChatQuestionId(*id),
        reply: QuestionReply::Call(answer.clone()),
    };
    questions.iter().map(reply).collect()
}

#[test]
fn a_word_that_is_typed_at_a_question_answers_nothing() {
    for word in ["/grant write:docs/**", "again", "yes please", "/undo", "no, wait", "v2", "perhaps", "xy"] {
        let mut chat = asked_for_one();
        assert_eq!(chat.types(word), [], "{word}");
        chat.rests(250);
        assert_eq!(chat.tells(ChatMessage::TimePassed), [], "{word}");
        assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), (word, 1));
        assert!(chat.state.tabs[0].asks().is_none(), "the question waits");
    }
    let mut chat = asked_for_one();
    chat.types("/grant write:docs/**");
    let grant = "write:docs/**".parse().unwrap();
    let mode = Mode::Default;
    assert_eq!(chat.presses("enter"), [ChatCommand::Grant { tab: TAB, grant, mode }]);
    assert_eq!(chat.presses("tab"), []);
    assert_eq!(chat.answers("y"), replies(&[3], &ApprovalAnswer::Once));
}

#[test]
fn a_letter_that_the_question_does_not_offer_leaves_the_next_answer_alone() {
    let mut chat = asked_for_one();
    assert_eq!(chat.answers("f"), []);
    assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), ("", 1));
    assert_eq!(chat.state.flash, "`f` is not an answer here; nothing was answered");
    assert_eq!(chat.answers("y"), replies(&[3], &ApprovalAnswer::Once));
}

#[test]
fn a_letter_counts_if_no_other_key_follows_it_for_a_moment_or_with_enter() {
    let yes = replies(&[3], &ApprovalAnswer::Once);
    let mut chat = asked_for_one();
    assert_eq!(chat.presses("y"), []);
    chat.rests(249);
    assert_eq!(chat.tells(ChatMessage::TimePassed), []);
    chat.rests(1);
    assert_eq!(chat.tells(ChatMessage::TimePassed), yes);
    let mut chat = asked_for_one();
    assert_eq!((chat.presses("y"), chat.presses("enter")), (Vec::new(), yes.clone()));
    // A key that comes before the clock is looked at.
    let mut chat = asked_for_one();
    chat.presses("y");
    chat.rests(300);
    assert_eq!(chat.presses("z"), yes);
    assert_eq!(chat.state.draft(), "z");
    for other in ["esc", "backspace", "down", "ctrl-a"] {
        let mut chat = asked_for_one();
        assert_eq!((chat.presses("y"), chat.presses(other)), (Vec::new(), Vec::new()), "{other}");
        chat.rests(250);
        assert_eq!(chat.tells(ChatMessage::TimePassed), [], "{other}");
        assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), ("", 1), "{other}");
    }
}

#[test]
fn a_letter_that_was_pressed_before_a_question_was_shown_does_not_count_once_it_is() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(asked(3, "rm x", None));
    chat.presses("y");
    read_all(&mut chat);
    chat.rests(250);
    assert_eq!(chat.tells(ChatMessage::TimePassed), []);
    assert_eq!(chat.answers("y"), replies(&[3], &ApprovalAnswer::Once));
}

/// A chat with a question about two writes of one reply, the later one first.
fn asked_for_two() -> ChatHarness {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(write_asked(3, 8, "src/b.rs"));
    chat.rests(80);
    chat.tells(write_asked(4, 7, "src/a.rs"));
    chat
}

#[test]
fn questions_of_one_reply_are_one_question_in_the_order_of_their_calls() {
    for (key, answer) in [
        ("y", ApprovalAnswer::Once),
        ("f", ApprovalAnswer::Family),
        ("n", ApprovalAnswer::No { reason: "the user said no".into() }),
    ] {
        let mut chat = asked_for_two();
        chat.rests(1);
        chat.tells(write_asked(5, 9, "src/c.rs"));
        assert_eq!(chat.state.tabs[0].questions.len(), 2, "what comes later is asked later");
        read_all(&mut chat);
        assert_eq!(chat.answers(key), replies(&[4, 3], &answer), "{key}");
        assert_eq!(chat.state.tabs[0].questions.len(), 1, "{key}");
    }
}

#[test]
fn a_group_is_not_approved_before_it_was_seen_whole() {
    let mut chat = asked_for_two();
    assert_eq!((chat.answers("y"), chat.answers("f")), (Vec::new(), Vec::new()));
    let no = ApprovalAnswer::No { reason: "the user said no".into() };
    assert_eq!(chat.answers("n"), replies(&[4, 3], &no));
}

#[test]
fn a_group_is_answered_one_by_one() {
    let mut chat = asked_for_two();
    assert_eq!(chat.answers("o"), []);
    assert_eq!(chat.state.tabs[0].questions.len(), 2);
    assert_eq!(chat.answers("y"), [], "the first one was not seen by itself");
    read_all(&mut chat);
    assert_eq!(chat.answers("y"), replies(&[4], &ApprovalAnswer::Once));
    assert_eq!(chat.answers("v"), replies(&[3], &ApprovalAnswer::Never));
}

#[test]
fn what_is_withdrawn_leaves_its_group() {
    let mut chat = asked_for_two();
    read_all(&mut chat);
    chat.presses("y");
    chat.tells(ChatMessage::Withdrawn { question: ChatQuestionId(4) });
    read_all(&mut chat);
    chat.rests(250);
    assert_eq!(chat.tells(ChatMessage::TimePassed), [], "the yes was for both");
    assert_eq!(chat.answers("y"), replies(&[3], &ApprovalAnswer::Once));
}

#[test]
fn a_yes_covers_no_question_that_joined_after_it() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(write_asked(3, 7, "src/a.rs"));
    read_all(&mut chat);
    chat.presses("y");
    chat.rests(10);
    chat.tells(write_asked(4, 8, "src/b.rs"));
    read_all(&mut chat);
    chat.rests(250);
    assert_eq!(chat.tells(ChatMessage::TimePassed), []);
    assert_eq!(chat.answers("y"), replies(&[3, 4], &ApprovalAnswer::Once));
}

#[test]
fn a_plan_is_asked_about_alone() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(plan_asked(3, "1. look"));
    chat.tells(write_asked(4, 8, "src/b.rs"));
    assert_eq!(chat.state.tabs[0].questions.len(), 2);
}

#[test]
fn a_level_has_its_mode_at_once_and_leaves_plan_mode_on() {
    let mut chat = ChatHarness::open();
    let trust = |mode| [ChatCommand::Trust { tab: TAB, level: Some(TrustLevel::Edit), mode }];
    assert_eq!(chat.says("/trust edit"), trust(Mode::Default));
    chat.tells(ChatMessage::LevelChosen { tab: TAB, level: TrustLevel::Edit, mode: Mode::AcceptEdits });
    assert_eq!(chat.state.tabs[0].mode, Mode::AcceptEdits);
    chat.says("/mode plan");
    assert_eq!(chat.says("/trust edit"), trust(Mode::Plan));
    chat.tells(ChatMessage::LevelChosen { tab: TAB, level: TrustLevel::Look, mode: Mode::Default });
    let tab = &chat.state.tabs[0];
    assert_eq!((tab.mode, tab.before_plan), (Mode::Plan, Mode::Default));
}

#[test]
fn a_model_that_cannot_be_used_changes_nothing() {
    let mut chat = ChatHarness::open();
    let how = SessionOrigin::New { model: Some("nosuch".into()) };
    assert_eq!(chat.says("/model nosuch"), [ChatCommand::Open { tab: TabId(2), how }]);
    chat.types("half");
    let commands = chat.tells(ChatMessage::Failed { tab: TabId(2), why: "no such model".into() });
    assert_eq!(commands, [ChatCommand::Close(TabId(2))]);
    assert_eq!((chat.state.tabs.len(), chat.state.current, chat.state.draft()), (1, 0, "half"));
    assert!(is_told(&chat, "no such model", "model"));
    assert_eq!(chat.says("hello"), [prompt("hello")]);
}

#[test]
fn a_list_that_comes_late_takes_no_keys_until_tab_shows_it() {
    let found = || {
        let how = SessionOrigin::Resume { session: "old".into() };
        let pick = PickerAction::Open { how, typed: String::new() };
        let row = PickerRow { label: "old".into(), about: String::new(), pick };
        ChatMessage::Found(ListPicker::new("sessions", vec![row]))
    };
    let mut chat = ChatHarness::open();
    chat.says("/find big");
    chat.types("hel");
    chat.tells(found());
    assert!(chat.state.over.is_none());
    chat.types("lo");
    assert_eq!(chat.state.draft(), "hello");
    chat.presses("tab");
    assert!(matches!(chat.state.over, Some(ScreenOverlay::Picker(_))));
    let mut chat = ChatHarness::open();
    chat.says("/find big");
    chat.tells(found());
    assert!(matches!(chat.state.over, Some(ScreenOverlay::Picker(_))), "who waits for it sees it");
}

#[test]
fn what_is_pasted_answers_no_call() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(asked(3, "rm x", None));
    assert_eq!(chat.tells(ChatMessage::Pasted("y".into())), []);
    assert_eq!(chat.state.tabs[0].questions.len(), 1);
}

#[test]
fn what_is_being_typed_when_a_question_comes_answers_nothing() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.types("pla");
    chat.tells(asked(3, "rm x", Some("git status")));
    if let Some(question) = chat.state.tabs[0].questions.front_mut() {
        question.seen = QuestionReadState::Whole;
    }
    assert_eq!(chat.types("y a pavane"), []);
    assert_eq!(chat.tells(ChatMessage::Pasted(" now".into())), []);
    assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), ("play a pavane now", 1));
    assert_eq!(chat.presses("tab"), []);
    let reply = QuestionReply::Call(ApprovalAnswer::Once);
    assert_eq!(chat.answers("y"), [ChatCommand::Answer { question: ChatQuestionId(3), reply }]);
    assert_eq!(chat.state.draft(), "play a pavane now", "what was typed is still there");
}

/// A question that came while a line was typed, which is sent now.
fn passed_by(question: ChatMessage) -> ChatHarness {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.types("more");
    chat.tells(question);
    if let Some(question) = chat.state.tabs[0].questions.front_mut() {
        question.seen = QuestionReadState::Whole;
    }
    assert_eq!(chat.presses("enter"), [ChatCommand::Steer { tab: TAB, words: typed("more") }]);
    assert!(chat.state.tabs[0].asks().is_some(), "it is shown");
    chat
}

#[test]
fn the_next_line_answers_no_question_that_came_while_the_last_one_was_typed() {
    for key in ["y", "a", "n", "v"] {
        let mut chat = passed_by(asked(3, "rm x", None));
        chat.rests(699);
        assert_eq!(chat.presses(key), [], "{key}");
        assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), (key, 1));
        // Each key begins the rest anew.
        chat.rests(500);
        assert_eq!(chat.presses("backspace"), []);
        chat.rests(500);
        assert_eq!(chat.presses(key), [], "{key}");
        assert_eq!(chat.tells(ChatMessage::Pasted("!".into())), []);
        assert_eq!(chat.state.draft(), format!("{key}!"));
    }
}

#[test]
fn a_question_that_came_amid_typing_is_answered_after_a_rest_or_after_tab() {
    let yes = [ChatCommand::Answer {
        question: ChatQuestionId(3),
        reply: QuestionReply::Call(ApprovalAnswer::Once),
    }];
    let mut chat = passed_by(asked(3, "rm x", None));
    chat.rests(700);
    assert_eq!(chat.answers("y"), yes);
    let mut chat = passed_by(asked(3, "rm x", None));
    assert_eq!((chat.presses("tab"), chat.answers("y")), (Vec::new(), yes.to_vec()));
    // A user who has begun an answer may type it fast.
    let mut chat = passed_by(words_asked(4, "Which?", &[]));
    chat.rests(700);
    chat.types("blue");
    let reply = QuestionReply::Words(Some("blue".into()));
    assert_eq!(chat.presses("enter"), [ChatCommand::Answer { question: ChatQuestionId(4), reply }]);
}

#[test]
fn questions_behind_one_that_was_passed_by_wait_for_a_rest_too() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.types("more");
    chat.tells(asked(3, "rm x", None));
    chat.rests(81);
    chat.tells(asked(4, "rm y", None));
    chat.state.tabs[0].questions.iter_mut().for_each(|question| question.seen = QuestionReadState::Whole);
    chat.presses("enter");
    chat.rests(700);
    assert_eq!(chat.answers("y").len(), 1);
    assert_eq!(chat.presses("y"), []);
    assert_eq!((chat.state.draft(), chat.state.tabs[0].questions.len()), ("y", 1));
}

#[test]
fn a_question_is_gone_when_nobody_waits_for_it() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(asked(3, "rm x", None));
    chat.tells(ChatMessage::Withdrawn { question: ChatQuestionId(3) });
    assert!(chat.state.tabs[0].questions.is_empty());
}

#[test]
fn the_model_is_answered_in_words_or_by_a_number() {
    let check = |keys: &[&str], expect: Option<&str>| {
        let mut chat = ChatHarness::open();
        chat.says("go");
        chat.tells(words_asked(4, "Which?", &["red", "blue"]));
        let commands: Vec<ChatCommand> = keys.iter().flat_map(|key| chat.presses(key)).collect();
        let reply = QuestionReply::Words(expect.map(str::to_owned));
        assert_eq!(commands, [ChatCommand::Answer { question: ChatQuestionId(4), reply }], "{keys:?}");
    };
    check(&["2", "enter"], Some("blue"));
    check(&["n", "o", "enter"], Some("no"));
    check(&["n", "ctrl-a", "o", "enter"], Some("no"));
    check(&["enter"], None);
    check(&["esc"], None);
}

#[test]
fn a_plan_is_built_in_the_mode_before_it_and_only_where_there_is_one() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.says("/build"), [], "nothing was planned");
    chat.says("/plan tidy up");
    chat.hears(answer("1. look"));
    chat.hears(ended());
    chat.tells(ChatMessage::Ended { tab: TAB, problem: None });
    let words = UserText::around("Carry out this plan:\n\n1. look".to_owned(), "");
    let expect = [
        ChatCommand::Mode { tab: TAB, mode: Mode::Default },
        ChatCommand::Prompt { tab: TAB, words, past: None },
    ];
    assert_eq!(chat.says("/build"), expect);
}

#[test]
fn a_plan_that_was_edited_is_asked_about_as_it_is_now() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.says("/plan tidy up").first(), Some(&ChatCommand::Mode { tab: TAB, mode: Mode::Plan }));
    chat.tells(plan_asked(5, "1. look\n2. tidy"));
    let purpose = EditPurpose::Plan { tab: TAB, question: ChatQuestionId(5) };
    let edit = ChatCommand::Edit { purpose, text: "1. look\n2. tidy".into() };
    assert_eq!(chat.answers("e"), [edit]);
    let commands = chat.tells(ChatMessage::Edited { purpose, text: Some("1. look twice\n".into()) });
    let answer = ApprovalAnswer::Rewrite { arguments: r#"{"plan":"1. look twice"}"#.into() };
    let expect = [
        ChatCommand::Repaint,
        ChatCommand::Answer { question: ChatQuestionId(5), reply: QuestionReply::Call(answer) },
    ];
    assert_eq!(commands, expect);
    let tab = &chat.state.tabs[0];
    assert_eq!((tab.mode, tab.questions.len()), (Mode::Plan, 0), "nothing is agreed to by changing it");
    assert_eq!(
        chat.tells(ChatMessage::Edited { purpose, text: Some("again".into()) }),
        [ChatCommand::Repaint]
    );
}

#[test]
fn a_plan_of_the_models_own_is_built_in_the_mode_that_it_was_made_from() {
    let mut chat = ChatHarness::open();
    for line in ["/mode full", "/mode plan", "/mode default"] {
        chat.says(line);
    }
    chat.says("go");
    chat.hears(Event::ModeChanged { mode: Mode::Plan });
    chat.hears(answer("1. look"));
    chat.hears(ended());
    chat.tells(ChatMessage::Ended { tab: TAB, problem: None });
    let commands = chat.says("/build");
    assert!(commands.contains(&ChatCommand::Mode { tab: TAB, mode: Mode::Default }), "{commands:?}");
}

#[test]
fn a_plan_that_was_emptied_is_not_carried_out() {
    let mut chat = ChatHarness::open();
    chat.says("/plan tidy up");
    chat.tells(plan_asked(5, "1. look"));
    let purpose = EditPurpose::Plan { tab: TAB, question: ChatQuestionId(5) };
    assert_eq!(chat.tells(ChatMessage::Edited { purpose, text: Some("\n".into()) }), [ChatCommand::Repaint]);
    let tab = &chat.state.tabs[0];
    assert_eq!((tab.mode, tab.questions.len()), (Mode::Plan, 1), "it still waits for an answer");
    let purpose = EditPurpose::Build(TAB);
    assert_eq!(
        chat.tells(ChatMessage::Edited { purpose, text: Some(String::new()) }),
        [ChatCommand::Repaint]
    );
}

#[test]
fn a_plan_that_was_not_changed_still_waits() {
    let mut chat = ChatHarness::open();
    chat.says("/plan tidy up");
    chat.tells(plan_asked(5, "1. look"));
    chat.tells(ChatMessage::Edited {
        purpose: EditPurpose::Plan { tab: TAB, question: ChatQuestionId(5) },
        text: None,
    });
    assert_eq!(chat.state.tabs[0].questions.len(), 1);
}

#[test]
fn commands_do_what_they_say() {
    let check = |line: &str, expect: &[ChatCommand]| {
        let mut chat = ChatHarness::open();
        chat.state.customs = vec![CustomCommand {
            name: "hi".into(),
            about: String::new(),
            says: CustomCommandText::Text("Say hi".into()),
        }];
        assert_eq!(chat.says(line), expect, "{line}");
    };
    let open = |how: SessionOrigin| ChatCommand::Open { tab: TabId(2), how };
    check("/new", &[open(SessionOrigin::New { model: None })]);
    check("/model a/b", &[open(SessionOrigin::New { model: Some("a/b".into()) })]);
    check("/resume old", &[open(SessionOrigin::Resume { session: "old".into() })]);
    check("/sessions", &[ChatCommand::List]);
    check("/find some words", &[ChatCommand::Find("some words".into())]);
    check("/undo", &[ChatCommand::Undo { tab: TAB, session: "session-1".into() }]);
    check("/mode full", &[ChatCommand::Mode { tab: TAB, mode: Mode::Full }]);
    check(
        "/export out.md",
        &[ChatCommand::Export { tab: TAB, session: "session-1".into(), path: Some("out.md".into()) }],
    );
    check("/quit", &[ChatCommand::Leave]);
    let words = UserText::around("Say hi".to_owned(), "");
    check("/hi", &[ChatCommand::Prompt { tab: TAB, words, past: None }]);
    check("/nonsense", &[]);
}

#[test]
fn an_alias_is_said_once_its_variables_are_known() {
    let mut chat = ChatHarness::open();
    let says = CustomCommandText::Alias("On {{git_branch}}: {{content}}".into());
    chat.state.customs = vec![CustomCommand { name: "on".into(), about: String::new(), says }];
    let Some(ChatCommand::Fill { alias, typed }) = chat.says("/on look").into_iter().next() else {
        panic!("something is to be looked up")
    };
    assert_eq!((alias.alias.as_str(), typed.as_str()), ("on", "look"));
    chat.tells(ChatMessage::Filled(Err("there is no branch".into())));
    assert_eq!(chat.state.tabs[0].phase, TabPhase::Idle, "nothing was said");
    let words = UserText::around("On main: look".to_owned(), "look");
    let expect = [ChatCommand::Prompt { tab: TAB, words: words.clone(), past: None }];
    assert_eq!(chat.tells(ChatMessage::Filled(Ok(words))), expect);
}

#[test]
fn no_file_is_put_back_while_a_run_works_with_it() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    assert_eq!(chat.says("/undo"), []);
    end(&mut chat);
    assert_eq!(chat.says("/undo"), [ChatCommand::Undo { tab: TAB, session: "session-1".into() }]);
}

#[test]
fn an_administrator_bounds_the_mode() {
    let mut chat = ChatHarness::open();
    chat.state.widest = Mode::Default;
    assert_eq!(chat.says("/mode full"), []);
    assert_eq!(chat.state.tabs[0].mode, Mode::Default);
    assert_eq!(chat.presses("shift-tab"), [ChatCommand::Mode { tab: TAB, mode: Mode::Plan }]);
}

#[test]
fn a_key_alone_never_leads_to_the_mode_that_asks_nothing() {
    let mut chat = ChatHarness::open();
    for _ in 0..10 {
        chat.presses("shift-tab");
        assert_ne!(chat.state.tabs[0].mode, Mode::Full);
    }
}

#[test]
fn a_turn_can_be_gone_back_to_in_a_new_session() {
    let mut chat = ChatHarness::open();
    chat.says("first");
    chat.hears(prompted(1, "first"));
    chat.hears(answer("done"));
    chat.hears(ended());
    end(&mut chat);
    chat.says("/fork");
    assert!(matches!(&chat.state.over, Some(ScreenOverlay::Picker(picker)) if picker.shown().len() == 1));
    let commands = chat.presses("enter");
    let how = SessionOrigin::Fork { session: "session-1".into(), at: Seq::new(1) };
    assert_eq!(commands, [ChatCommand::Open { tab: TabId(2), how }]);
    assert_eq!(chat.state.draft(), "first", "what was said can be said otherwise");
}

#[test]
fn a_summary_begins_a_new_session() {
    let mut chat = summarising();
    chat.hears(answer("It was work."));
    assert_eq!(
        end(&mut chat),
        [ChatCommand::Open { tab: TabId(2), how: SessionOrigin::New { model: None } }]
    );
    chat.opened("session-2", Vec::new());
    let past = Some("It was work.".to_owned());
    assert_eq!(chat.says("go on"), [ChatCommand::Prompt { tab: TabId(2), words: typed("go on"), past }]);
}

#[test]
fn an_older_answer_is_no_summary() {
    let mut chat = summarising();
    chat.hears(prompted(2, "Summarise"));
    chat.hears(answer(" "));
    assert_eq!(end(&mut chat), []);
    assert_eq!((chat.state.tabs.len(), chat.state.tabs[0].phase), (1, TabPhase::Idle));
    // What was to come after it is forgotten with it.
    chat.says("go on");
    chat.hears(prompted(3, "go on"));
    chat.hears(answer("gone on"));
    assert_eq!(end(&mut chat), []);
}

#[test]
fn words_are_found_from_the_end_to_the_beginning() {
    let mut chat = ChatHarness::open();
    for number in 0..40 {
        chat.hears(answer(&format!("answer {number} {}", if number % 10 == 0 { "needle" } else { "hay" })));
    }
    chat.says("/search NEEDLE");
    let at = |chat: &ChatHarness| chat.state.search.as_ref().map(|search| search.hits[search.at]);
    assert_eq!(at(&chat), Some(30));
    assert_eq!(chat.state.tabs[0].look, ScrollPosition::End, "it is seen there already");
    chat.presses("enter");
    assert_eq!(at(&chat), Some(20));
    assert_eq!(chat.state.tabs[0].look, ScrollPosition::At { item: 20, row: 0 });
    chat.presses("down");
    assert_eq!(at(&chat), Some(30));
    chat.presses("esc");
    assert_eq!(chat.state.search, None);
}

#[test]
fn the_wheel_scrolls_and_more_text_does_not_move_what_is_read() {
    let mut chat = ChatHarness::open();
    (0..40).for_each(|number| chat.hears(answer(&format!("answer {number}"))));
    chat.wheel(MouseEventKind::ScrollUp);
    let look = chat.state.tabs[0].look;
    assert_ne!(look, ScrollPosition::End);
    chat.piece("more");
    assert_eq!(chat.state.tabs[0].look, look);
    chat.presses("ctrl-end");
    assert_eq!(chat.state.tabs[0].look, ScrollPosition::End);
}

#[test]
fn files_are_completed_once_they_are_known() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.types("see @ma"), [ChatCommand::Files]);
    chat.tells(ChatMessage::Files(vec!["src/main.rs".into(), "README.md".into()]));
    chat.presses("tab");
    assert_eq!(chat.state.draft(), "see @src/main.rs ");
}

#[test]
fn a_file_with_a_blank_in_its_name_is_completed_in_quotes() {
    for begun in ["see @my", "see @\"my f"] {
        let mut chat = ChatHarness::open();
        chat.types(begun);
        chat.tells(ChatMessage::Files(vec!["my file.txt".into(), "README.md".into()]));
        chat.presses("tab");
        assert_eq!(chat.state.draft(), "see @\"my file.txt\" ");
    }
}

#[test]
fn commands_are_completed_and_sent_when_they_are_whole() {
    let mut chat = ChatHarness::open();
    chat.types("/sess");
    chat.presses("enter");
    assert_eq!(chat.state.draft(), "/sessions ");
    assert_eq!(chat.presses("enter"), [ChatCommand::List]);
}

#[test]
fn what_was_said_comes_back() {
    let mut chat = ChatHarness::open();
    chat.says("one");
    chat.says("two");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "two");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "one");
    chat.presses("down");
    chat.presses("down");
    assert_eq!(chat.state.draft(), "");
}

#[test]
fn what_was_typed_is_never_lost_by_a_key() {
    let mut chat = ChatHarness::open();
    chat.says("one");
    chat.types("half");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "one");
    chat.presses("down");
    assert_eq!(chat.state.draft(), "half", "what was typed stands behind what was said");
    end(&mut chat);
    chat.presses("ctrl-c");
    assert_eq!(chat.state.draft(), "");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "half", "what was taken back can be had again");
}

#[test]
fn what_another_session_has_typed_is_kept_too() {
    let mut chat = ChatHarness::open();
    chat.types("half");
    chat.presses("ctrl-n");
    assert_eq!((chat.state.draft(), chat.state.unsaid().as_str()), ("", "half"));
    chat.types("other");
    assert_eq!(chat.state.unsaid(), "other");
}

#[test]
fn each_session_keeps_what_is_typed_and_what_is_looked_at() {
    let mut chat = ChatHarness::open();
    (0..40).for_each(|number| chat.hears(answer(&format!("answer {number}"))));
    chat.types("half");
    chat.presses("pageup");
    let look = chat.state.tabs[0].look;
    chat.presses("ctrl-n");
    assert_eq!((chat.state.current, chat.state.draft()), (1, ""));
    chat.presses("ctrl-t");
    assert_eq!((chat.state.current, chat.state.draft(), chat.state.tabs[0].look), (0, "half", look));
}

#[test]
fn a_tab_closes_unless_it_is_the_last() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.says("/close"), []);
    chat.says("/new");
    chat.opened("session-2", Vec::new());
    assert_eq!(chat.says("/close"), [ChatCommand::Close(TabId(2))]);
    assert_eq!(chat.state.tabs.len(), 1);
}

#[test]
fn what_cannot_be_opened_is_told_and_cannot_be_spoken_to() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.tells(ChatMessage::Failed { tab: TabId(2), why: "no key".into() });
    assert_eq!(chat.state.tabs[1].phase, TabPhase::Broken);
    assert_eq!(chat.says("hello"), []);
}

#[test]
fn what_is_said_to_a_session_that_cannot_be_used_stays_where_it_was_typed() {
    for line in ["hello", "/plan tidy up", "/review src"] {
        let mut chat = ChatHarness::open();
        let says = CustomCommandText::Text("Review {{content}} closely.".into());
        chat.state.customs = vec![CustomCommand { name: "review".into(), about: String::new(), says }];
        chat.says("/new");
        chat.tells(ChatMessage::Failed { tab: TabId(2), why: "no key".into() });
        assert_eq!(chat.says(line), [], "{line}");
        assert_eq!((chat.state.draft(), chat.state.tabs[1].mode), (line, Mode::Default));
        assert!(chat.state.flash.contains("/new starts another"), "{}", chat.state.flash);
    }
}

#[test]
fn an_end_leaves_no_question_and_nothing_unsaid() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("late");
    chat.hears(called(7, "shell", "{}"));
    chat.tells(asked(1, "ls", None));
    assert_eq!(end(&mut chat), [ChatCommand::CatchUp(TAB)]);
    assert_eq!(standing(&chat), (TabPhase::Running, vec!["late"]), "it is seen until it is heard");
    assert!(chat.state.tabs[0].questions.is_empty());
}

/// How far the first session is, and what waits in it.
fn standing(chat: &ChatHarness) -> (TabPhase, Vec<&str>) {
    let tab = &chat.state.tabs[0];
    (tab.phase, tab.waiting.iter().map(|waiting| waiting.text.as_str()).collect())
}

/// Whether something of this end is told in the first session.
fn is_told(chat: &ChatHarness, begins: &str, ends: &str) -> bool {
    let told = |text: &str| text.starts_with(begins) && text.ends_with(ends);
    let mut items = chat.state.tabs[0].items.iter();
    items.any(|item| matches!(item.kind(), TranscriptItemKind::Note { text, .. } if told(text)))
}

#[test]
fn what_is_said_just_as_a_turn_ends_begins_the_next_one() {
    for keys in ["enter", "ctrl-s"] {
        let mut chat = ChatHarness::open();
        chat.says("go");
        chat.hears(prompted(1, "go"));
        chat.hears(answer("went"));
        // The turn has ended, and the chat has not heard of it.
        chat.hears(ended());
        chat.types("more");
        assert!(matches!(
            chat.presses(keys).as_slice(),
            [ChatCommand::Steer { .. } | ChatCommand::FollowUp { .. }]
        ));
        assert_eq!(end(&mut chat), [ChatCommand::CatchUp(TAB)], "{keys}");
        chat.hears(prompted(2, "more"));
        assert_eq!(standing(&chat), (TabPhase::Running, Vec::new()));
        chat.hears(answer("went on"));
        chat.hears(ended());
        assert_eq!(end(&mut chat), [], "{keys}");
        assert_eq!(standing(&chat), (TabPhase::Idle, Vec::new()));
        assert_eq!(chat.says("next"), [prompt("next")]);
        assert!(!is_told(&chat, "", "more"), "nothing is to be told of what was heard");
    }
}

#[test]
fn what_is_said_while_a_session_catches_up_is_caught_up_with_too() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("first");
    assert_eq!(end(&mut chat), [ChatCommand::CatchUp(TAB)]);
    chat.hears(prompted(1, "first"));
    chat.hears(ended());
    chat.says("second");
    assert_eq!(end(&mut chat), [ChatCommand::CatchUp(TAB)]);
    // This comes when the session has looked already, and stands still.
    chat.says("third");
    assert_eq!(chat.tells(ChatMessage::CaughtUp { tab: TAB }), [ChatCommand::CatchUp(TAB)]);
    assert_eq!(standing(&chat), (TabPhase::Running, vec!["second", "third"]));
    assert_eq!(chat.tells(ChatMessage::CaughtUp { tab: TAB }), [], "it ends where nothing more is said");
    assert_eq!(standing(&chat), (TabPhase::Idle, Vec::new()));
    assert!(
        is_told(&chat, "the run ended before the agent read this", "third"),
        "whatever waits in the run is told"
    );
}

#[test]
fn what_was_said_before_a_stop_begins_nothing_and_what_is_said_after_it_does() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("before");
    chat.presses("ctrl-c");
    assert_eq!(end(&mut chat), []);
    assert_eq!(standing(&chat), (TabPhase::Idle, Vec::new()));
    assert!(is_told(
        &chat,
        "the run ended before the agent read this; it goes along with your next message",
        "before"
    ));
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.presses("ctrl-c");
    chat.says("after");
    assert_eq!(end(&mut chat), [ChatCommand::CatchUp(TAB)]);
}

#[test]
fn a_session_that_is_lost_catches_up_with_nothing_and_says_what_it_may_not_have_heard() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("late");
    assert_eq!(chat.tells(ChatMessage::Ended { tab: TAB, problem: Some("the disk is full".into()) }), []);
    assert_eq!(standing(&chat), (TabPhase::Idle, Vec::new()));
    assert!(
        is_told(&chat, "the disk is full", "full")
            && is_told(&chat, "the agent may not have read this", "late")
    );
    chat.presses("up");
    assert_eq!(chat.state.draft(), "late");
}

#[test]
fn what_is_refused_as_a_turn_ends_leaves_nothing_to_catch_up_with() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("late");
    let refused = QueuedMessage { when: DeliveryTiming::Soon, text: "late".into() };
    chat.tells(ChatMessage::NotHeard { tab: TAB, refused, why: "too much waits".into() });
    assert_eq!(end(&mut chat), []);
    assert_eq!(standing(&chat), (TabPhase::Idle, Vec::new()));
}

#[test]
fn a_click_chooses_what_a_key_could() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.opened("session-2", Vec::new());
    for (column, expect) in [(1, 0), (9, 1), (79, 1), (0, 0)] {
        assert_eq!(chat.clicks(column, 0), []);
        assert_eq!(chat.state.current, expect, "column {column}");
    }
    let row = |session: &str| PickerRow {
        label: session.into(),
        about: String::new(),
        pick: PickerAction::Open {
            how: SessionOrigin::Resume { session: session.into() },
            typed: String::new(),
        },
    };
    chat.tells(ChatMessage::Found(ListPicker::new("go on", vec![row("alpha"), row("beta")])));
    for nothing in [0, 1, 4, 23] {
        assert_eq!(chat.clicks(4, nothing), [], "row {nothing}");
    }
    let how = SessionOrigin::Resume { session: "beta".into() };
    assert_eq!(chat.clicks(4, 3), [ChatCommand::Open { tab: TabId(3), how }]);
    chat.opened("beta", Vec::new());
    chat.types("/co");
    let rows = chat.state.completion.as_ref().unwrap().rows.clone();
    // The line of state, what is typed, and the line above it.
    let first = 24 - 3 - u16::try_from(rows.len()).unwrap();
    assert_eq!(chat.clicks(4, first - 1), [], "above the first one");
    assert_eq!(chat.clicks(4, first), []);
    assert_eq!(chat.state.draft(), format!("{} ", rows[0].0));
}

#[test]
fn a_click_is_never_a_yes() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.tells(asked(3, "rm x", None));
    if let Some(question) = chat.state.tabs[0].questions.front_mut() {
        question.seen = QuestionReadState::Whole;
    }
    for row in 0..24 {
        assert_eq!(chat.clicks(1, row), [], "row {row}");
    }
    assert_eq!(chat.state.tabs[0].questions.len(), 1);
}

#[test]
fn a_session_is_found_as_it_was_left() {
    let mut chat = ChatHarness::open();
    (0..40).for_each(|number| chat.hears(answer(&format!("answer {number}"))));
    chat.types("half");
    chat.presses("pageup");
    let left = chat.state.tabs[0].left();
    assert!(left.spot.is_some() && left.draft == "half", "{left:?}");
    let mut again = ChatHarness::open();
    // Notes are said once, and move nothing.
    again.says("/cost");
    again.says("/cost");
    (0..40).for_each(|number| again.hears(answer(&format!("answer {number}"))));
    again.state.tabs[0].look_at(left.spot.unwrap());
    assert_eq!(again.state.tabs[0].left().spot, left.spot);
    assert_ne!(again.state.tabs[0].look, chat.state.tabs[0].look, "two notes stand above");
    again.state.tabs[0].look_at(ScrollAnchor { above: 1_000, row: 0 });
    assert_eq!(again.state.tabs[0].left().spot, left.spot, "what is not there is not looked at");
    assert_eq!(ChatHarness::open().state.tabs[0].left(), SessionViewState::default());
}

#[test]
fn what_is_typed_when_a_session_opens_stays_and_what_was_typed_there_comes_back() {
    let check = |typed: &str, expect: &str, then: &str| {
        let mut chat = ChatHarness::open();
        chat.says("/resume old");
        chat.types(typed);
        chat.opened_as("old", SessionViewState { draft: "before".into(), spot: None });
        assert_eq!(chat.state.draft(), expect, "{typed}");
        chat.presses("up");
        assert_eq!(chat.state.draft(), then, "{typed}");
    };
    check("", "before", "/resume old");
    check("now", "now", "before");
}

#[test]
fn what_was_typed_in_a_tab_that_is_closed_can_be_had_again() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.opened("session-2", Vec::new());
    chat.types("half");
    assert_eq!(chat.presses("ctrl-x"), [ChatCommand::Close(TabId(2))]);
    chat.presses("up");
    assert_eq!(chat.state.draft(), "half");
}

#[test]
fn what_is_not_heard_waits_no_longer_and_can_be_had_again() {
    let mut chat = ChatHarness::open();
    chat.says("go");
    chat.says("first");
    chat.says("second");
    let refused = QueuedMessage { when: DeliveryTiming::Soon, text: "first".into() };
    chat.tells(ChatMessage::NotHeard { tab: TAB, refused: refused.clone(), why: "too much waits".into() });
    let waiting = |chat: &ChatHarness| -> Vec<String> {
        chat.state.tabs[0].waiting.iter().map(|waiting| waiting.text.clone()).collect()
    };
    assert_eq!(waiting(&chat), ["second"], "the one that was refused, and no other");
    chat.tells(ChatMessage::NotHeard { tab: TAB, refused, why: "too much waits".into() });
    assert_eq!(waiting(&chat), ["second"], "what waits no longer takes nothing else along");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "second");
    chat.presses("up");
    assert_eq!(chat.state.draft(), "first");
}

#[test]
fn what_is_said_before_a_session_is_open_waits_and_is_said_then() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    assert_eq!(chat.says("do it"), []);
    assert_eq!(chat.says("gently"), []);
    assert_eq!(chat.state.tabs[1].held.texts().collect::<Vec<_>>(), ["do it", "gently"]);
    assert_eq!((chat.state.draft(), chat.state.unsaid().as_str()), ("", "do it\ngently"));
    let said = chat.opened("session-2", Vec::new());
    let words = typed("do it\n\ngently");
    assert_eq!(said, [ChatCommand::Prompt { tab: TabId(2), words, past: None }]);
    let tab = &chat.state.tabs[1];
    assert_eq!((tab.phase, tab.held.is_empty(), tab.unsaid().as_str()), (TabPhase::Running, true, ""));
}

#[test]
fn what_waits_is_said_to_its_own_session_wherever_the_person_looks() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.says("do it");
    let opening = chat.tab();
    chat.says("/new");
    let said = chat.opened_in(opening, "session-2");
    assert_eq!(said, [ChatCommand::Prompt { tab: opening, words: typed("do it"), past: None }]);
    assert_eq!(chat.state.tabs[2].phase, TabPhase::Opening);
}

#[test]
fn what_was_said_to_a_session_that_cannot_be_opened_stands_where_it_was_typed() {
    let mut chat = ChatHarness::open();
    let says = CustomCommandText::Text("Review {{content}} closely.".into());
    chat.state.customs = vec![CustomCommand { name: "review".into(), about: String::new(), says }];
    chat.says("/new");
    assert_eq!(chat.says("/review src"), []);
    chat.types("and");
    chat.tells(ChatMessage::Failed { tab: TabId(2), why: "no key".into() });
    assert_eq!(chat.state.draft(), "/review src\nand");
    let tab = &chat.state.tabs[1];
    assert_eq!((tab.phase, tab.held.is_empty()), (TabPhase::Broken, true));
}

#[test]
fn what_waits_for_a_session_can_be_taken_back() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    chat.says("not yet");
    assert_eq!(chat.presses("ctrl-c"), []);
    assert_eq!((chat.state.draft(), chat.state.tabs[1].held.is_empty()), ("not yet", true));
    assert_eq!(chat.opened("session-2", Vec::new()), []);
    assert_eq!(chat.state.draft(), "not yet");
}

#[test]
fn a_mode_that_is_chosen_while_a_session_opens_is_its_own_before_anything_is_said() {
    let mut chat = ChatHarness::open();
    chat.says("/new");
    assert_eq!(chat.says("/mode plan"), []);
    chat.says("look");
    let done = chat.opened("session-2", Vec::new());
    let (tab, words) = (TabId(2), typed("look"));
    let mode = ChatCommand::Mode { tab, mode: Mode::Plan };
    assert_eq!(done, [mode, ChatCommand::Prompt { tab, words, past: None }]);
    assert_eq!((chat.state.tabs[1].mode, chat.state.tabs[1].before_plan), (Mode::Plan, Mode::Default));
}
