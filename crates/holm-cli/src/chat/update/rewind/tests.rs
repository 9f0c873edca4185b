use holm::kernel::Seq;

use crate::chat::{
    picker::{ListPicker, PickerAction, PickerRow},
    rewind::{RewindScope, RewindTarget, RewindTask, RewoundFiles},
    state::{ChatCommand, ChatMessage, ScreenOverlay, SessionOrigin},
    tab::{TabId, TabPhase},
    testing::{ChatHarness, answer, ended, prompted},
};

const TAB: TabId = TabId(1);

/// A chat in which this was said and answered.
fn said(prompts: &[&str]) -> ChatHarness {
    let mut chat = ChatHarness::open();
    for prompt in prompts {
        chat.says(prompt);
        chat.hears(prompted(1, prompt));
        chat.hears(answer("done"));
        chat.hears(ended());
        chat.tells(ChatMessage::Ended { tab: TAB, problem: None });
    }
    chat
}

fn targets(commands: &[ChatCommand]) -> Vec<RewindTarget> {
    let [ChatCommand::Rewind(RewindTask::List { session, targets })] = commands else {
        panic!("{commands:?}")
    };
    assert_eq!(session, "session-1");
    targets.clone()
}

/// Chooses what goes back to before the second of two messages.
fn choose(chat: &mut ChatHarness, scope: RewindScope) -> (RewindTarget, Vec<ChatCommand>) {
    let target = targets(&chat.says("/rewind")).pop().unwrap();
    let row = |pick| PickerRow { label: "2".into(), about: "second".into(), pick };
    let listed = ListPicker::new("rewind", vec![row(PickerAction::RewindTo(target.clone()))]);
    chat.tells(ChatMessage::Found(listed));
    let preview = ChatCommand::Rewind(RewindTask::Preview(target.clone()));
    assert_eq!(chat.presses("enter"), [preview]);
    let rows = vec![row(PickerAction::Rewind { target: target.clone(), scope }), row(PickerAction::Nothing)];
    chat.tells(ChatMessage::Found(ListPicker::new("what", rows)));
    chat.presses("down");
    assert_eq!(chat.presses("enter"), [], "a row that only says something");
    assert!(matches!(chat.state.over, Some(ScreenOverlay::Picker(_))), "the choice stays open");
    chat.presses("up");
    let commands = chat.presses("enter");
    (target, commands)
}

fn restored(target: &RewindTarget, scope: RewindScope) -> ChatMessage {
    let files = Ok(RewoundFiles { is_changed: true, text: "2 paths restored".into() });
    ChatMessage::Rewound { target: target.clone(), scope, files }
}

fn fork(target: &RewindTarget, tab: u64) -> ChatCommand {
    let how = SessionOrigin::Fork { session: "session-1".into(), at: target.before };
    ChatCommand::Open { tab: TabId(tab), how }
}

#[test]
fn every_message_is_offered_with_its_number() {
    let mut chat = ChatHarness::open();
    assert_eq!(chat.says("/rewind"), [], "nothing was said yet");
    let mut chat = said(&["first", "second"]);
    let found = targets(&chat.says("/rewind"));
    let named: Vec<(u64, &str)> =
        found.iter().map(|target| (target.number, target.prompt.as_str())).collect();
    assert_eq!(named, [(1, "first"), (2, "second")]);
    assert_eq!(found[0].before, Seq::new(1));
}

#[test]
fn nothing_goes_back_while_a_turn_runs() {
    let mut chat = said(&["first"]);
    let target = targets(&chat.says("/rewind")).pop().unwrap();
    chat.says("go on");
    assert_eq!(chat.state.tabs[0].phase, TabPhase::Running);
    assert_eq!((chat.says("/rewind"), chat.says("/redo")), (Vec::new(), Vec::new()));
    // A list that was open when the run began.
    for scope in [RewindScope::Files, RewindScope::Conversation, RewindScope::Both] {
        let pick = PickerAction::Rewind { target: target.clone(), scope };
        let row = PickerRow { label: "x".into(), about: String::new(), pick };
        chat.state.over = Some(ScreenOverlay::Picker(ListPicker::new("what", vec![row])));
        assert_eq!(chat.presses("enter"), []);
        assert!(chat.state.flash.contains("stop it first"), "{}", chat.state.flash);
    }
    assert_eq!(chat.state.tabs.len(), 1);
}

#[test]
fn a_conversation_goes_back_in_a_new_session_and_the_old_one_stays() {
    let mut chat = said(&["first", "second"]);
    let (target, commands) = choose(&mut chat, RewindScope::Conversation);
    assert_eq!(commands, [fork(&target, 2)]);
    assert_eq!((chat.state.draft(), chat.state.tabs.len()), ("second", 2));
    // And forward again: the fork, in which nothing was said, closes.
    assert_eq!(chat.says("/redo"), [ChatCommand::Close(TabId(2))]);
    assert_eq!((chat.tab(), chat.state.tabs.len()), (TAB, 1));
    assert_eq!(chat.says("/redo"), [], "there is nothing more to take back");
}

#[test]
fn files_go_back_and_the_conversation_stays() {
    let mut chat = said(&["first", "second"]);
    let (target, commands) = choose(&mut chat, RewindScope::Files);
    let restore = RewindTask::Restore { target: target.clone(), scope: RewindScope::Files };
    assert_eq!(commands, [ChatCommand::Rewind(restore)]);
    assert_eq!(chat.state.tabs[0].phase, TabPhase::Rewinding);
    // What is sent meanwhile was meant for the files as they were.
    assert_eq!(chat.says("now test it"), []);
    assert_eq!(chat.tells(restored(&target, RewindScope::Files)), []);
    assert_eq!((chat.state.tabs[0].phase, chat.state.draft()), (TabPhase::Idle, "now test it"));
    assert_eq!(chat.state.tabs.len(), 1);
    let commands = chat.says("/redo");
    let [ChatCommand::Rewind(RewindTask::Redo { tab: TAB, done })] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    assert_eq!((&done.target, done.has_files, done.fork), (&target, true, None));
    let failed = Err("changed since then: a.txt".to_owned());
    chat.tells(ChatMessage::Redone { tab: TAB, done: done.clone(), files: failed });
    assert_eq!(chat.says("/redo"), commands, "it can be tried again");
    chat.tells(ChatMessage::Redone { tab: TAB, done: done.clone(), files: Ok("2 paths".into()) });
    assert_eq!(chat.says("/redo"), []);
}

#[test]
fn a_redo_takes_back_one_of_two_rewinds_to_the_same_message() {
    let mut chat = said(&["first", "second"]);
    for _ in 0..2 {
        let (target, _) = choose(&mut chat, RewindScope::Files);
        chat.tells(restored(&target, RewindScope::Files));
    }
    for _ in 0..2 {
        let commands = chat.says("/redo");
        let [ChatCommand::Rewind(RewindTask::Redo { tab: TAB, done })] = commands.as_slice() else {
            panic!("{commands:?}")
        };
        chat.tells(ChatMessage::Redone { tab: TAB, done: done.clone(), files: Ok("2 paths".into()) });
    }
    assert_eq!(chat.says("/redo"), []);
}

#[test]
fn both_go_back_files_first_and_both_come_again() {
    let mut chat = said(&["first", "second"]);
    let (target, _) = choose(&mut chat, RewindScope::Both);
    assert_eq!(chat.state.tabs.len(), 1, "the files come first");
    assert_eq!(chat.tells(restored(&target, RewindScope::Both)), [fork(&target, 2)]);
    assert_eq!(chat.state.draft(), "second");
    chat.opened_in(TabId(2), "session-2");
    let commands = chat.says("/redo");
    let [ChatCommand::Rewind(RewindTask::Redo { tab: TabId(2), done })] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    assert_eq!((done.has_files, done.fork), (true, Some(TabId(2))));
    let redone = ChatMessage::Redone { tab: TabId(2), done: done.clone(), files: Ok("2 paths".into()) };
    assert_eq!(chat.tells(redone), [ChatCommand::Close(TabId(2))]);
    assert_eq!((chat.tab(), chat.state.tabs[0].phase), (TAB, TabPhase::Idle));
}

#[test]
fn a_conversation_stays_if_the_files_cannot_be_restored() {
    let mut chat = said(&["first", "second"]);
    let (target, _) = choose(&mut chat, RewindScope::Both);
    let files = Err("another undo is running".to_owned());
    assert_eq!(chat.tells(ChatMessage::Rewound { target, scope: RewindScope::Both, files }), []);
    assert_eq!((chat.state.tabs.len(), chat.state.tabs[0].phase), (1, TabPhase::Idle));
    assert!(chat.state.rewinds.is_empty());
}

#[test]
fn a_fork_in_which_something_was_said_stays_open_and_a_closed_session_opens_again() {
    let mut chat = said(&["first"]);
    let target = targets(&chat.says("/rewind")).pop().unwrap();
    assert_eq!(chat.state.rewind_now(target.clone(), RewindScope::Conversation), [fork(&target, 2)]);
    chat.opened_in(TabId(2), "session-2");
    chat.hears(prompted(1, "otherwise"));
    chat.hears(ended());
    chat.tells(ChatMessage::Ended { tab: TabId(2), problem: None });
    chat.state.tabs.remove(0);
    chat.state.current = 0;
    let how = SessionOrigin::Resume { session: "session-1".into() };
    assert_eq!(chat.says("/redo"), [ChatCommand::Open { tab: TabId(3), how }]);
    assert_eq!(chat.state.tabs.len(), 2);
}
