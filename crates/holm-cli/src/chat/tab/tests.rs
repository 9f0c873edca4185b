//! Tests how the events of a run change its tab.

use std::sync::Arc;

use holm::kernel::{
    Block, CallId, Ending, Event, Message, MessageId, ModelCallId, Outcome, Role, StopReason, ToolCall,
    ToolCallId, ToolResult,
};

use super::*;
use crate::chat::{
    item::{DetailLevel, ToolCallState},
    testing::{answer, called, ended, finished, numbered, prompted},
    theme::{ChatTheme, ThemeKind},
};

fn seen(events: &[Event]) -> SessionTab {
    let mut tab = SessionTab::new(TabId(1), Mode::Default);
    for (record, event) in (1..).zip(events) {
        tab.hear(&numbered(record, event.clone()));
    }
    tab
}

fn shown(tab: &mut SessionTab) -> String {
    let theme = ChatTheme::of(ThemeKind::None);
    let lines = tab.items.iter_mut().flat_map(|item| item.lines(60, &theme, DetailLevel::Few).to_vec());
    lines.map(|line| line.to_string()).collect::<Vec<_>>().join("\n")
}

fn result(id: &str, text: &str) -> Event {
    let result = ToolResult { call: id.into(), tool: "t".into(), text: text.into(), ..ToolResult::default() };
    let message = Message {
        id: MessageId::new(5),
        role: Role::Tool,
        blocks: vec![Block::ToolResult(result)],
        author: holm::kernel::Author::Speaker,
    };
    Event::MessageAdded { message: std::sync::Arc::new(message) }
}

#[test]
fn a_result_finds_its_call_whichever_comes_first() {
    for events in [
        vec![called(1, "look", "{}"), finished(1, "c1", 5), result("c1", "found")],
        vec![called(1, "look", "{}"), result("c1", "found"), finished(1, "c1", 5)],
    ] {
        assert_eq!(shown(&mut seen(&events)), "● look   5 ms\n  found");
    }
}

#[test]
fn a_to_do_list_is_shown_once_and_moves_along() {
    let list = |first: &str, second: &str| {
        format!(
            r#"{{"items":[{{"text":"read \u001b[2J","progress":"{first}"}},{{"text":"write","progress":"{second}"}}]}}"#
        )
    };
    let begun = [called(1, "todo", &list("in_progress", "pending")), finished(1, "c1", 5), result("c1", "x")];
    let shown_first = "● todo 0 of 2 done; now: read \\u{1b}[2J  5 ms\n  ◐ read \\u{1b}[2J\n  ○ write";
    assert_eq!(shown(&mut seen(&begun)), shown_first);
    let next =
        [called(2, "todo", &list("completed", "in_progress")), finished(2, "c2", 5), result("c2", "x")];
    let events = [begun.as_slice(), next.as_slice()].concat();
    let last = "● todo 1 of 2 done; now: write  5 ms\n  ● read \\u{1b}[2J\n  ◐ write";
    let first = shown_first.lines().next().unwrap();
    assert_eq!(shown(&mut seen(&events)), format!("{first}\n{last}"));
    // A list that was refused replaces nothing.
    let failed = Event::CallFinished {
        call: ToolCallId::new(3),
        id: "c3".into(),
        outcome: Outcome::Failed,
        bytes: 1,
        millis: 5,
        metadata: None,
    };
    let refused = [called(3, "todo", &list("pending", "pending")), failed, result("c3", "too long")];
    let shown = shown(&mut seen(&[begun.as_slice(), refused.as_slice()].concat()));
    assert!(shown.starts_with(shown_first) && shown.ends_with("too long"), "{shown}");
}

#[test]
fn a_streamed_answer_stands_once() {
    let mut tab = seen(&[prompted(1, "hi")]);
    tab.piece(CallId::new(3), &ReplyPiece::Text("Hel".into()));
    tab.piece(CallId::new(3), &ReplyPiece::Text("lo".into()));
    tab.hear(&numbered(9, answer("Hello")));
    assert_eq!(shown(&mut tab), "› hi\nHello");
}

#[test]
fn a_line_end_that_comes_in_two_pieces_is_one() {
    let mut tab = seen(&[prompted(1, "hi")]);
    for piece in ["one\r", "\ntwo ❤", "\u{fe0f}"] {
        tab.piece(CallId::new(3), &ReplyPiece::Text(piece.into()));
        tab.piece(CallId::new(3), &ReplyPiece::Thinking(piece.into()));
    }
    let shown = shown(&mut tab);
    assert!(!shown.contains("\\u{"), "{shown}");
    assert_eq!(shown.matches("two ❤").count(), 2, "{shown}");
}

#[test]
fn what_the_finished_answer_says_counts() {
    let mut tab = seen(&[]);
    tab.piece(CallId::new(3), &ReplyPiece::Text("the key is abc".into()));
    tab.hear(&numbered(9, answer("the key is ‹secret:key›")));
    assert_eq!(shown(&mut tab), "the key is ‹secret:key›");
}

fn cancelled(reason: &str) -> Event {
    Event::GroupEnded {
        ending: Box::new(Ending::Cancelled { reason: reason.into() }),
        last: None,
        usage: Usage::default(),
        spent: NanoUsd::new(0),
    }
}

#[test]
fn what_was_read_of_a_stopped_answer_stays_where_it_was() {
    let mut tab = seen(&[prompted(1, "hi")]);
    tab.piece(CallId::new(3), &ReplyPiece::Text("half an ans".into()));
    tab.hear(&numbered(9, Event::Withdrawn { call: ModelCallId::new(3) }));
    tab.piece(CallId::new(3), &ReplyPiece::Text("too late".into()));
    tab.hear(&numbered(9, cancelled(INTERRUPTED)));
    tab.ended(None);
    assert_eq!(shown(&mut tab), "› hi\nhalf an ans\n(stopped)\nYou stopped the answer.");
    assert_eq!(tab.last_reply(), None, "half an answer is not a plan or a summary");
    tab.hear(&numbered(10, prompted(2, "again")));
    tab.piece(CallId::new(4), &ReplyPiece::Text("whole".into()));
    assert!(shown(&mut tab).ends_with("(stopped)\nYou stopped the answer.\n› again\nwhole"));
}

#[test]
fn a_stopped_answer_is_there_again_when_its_session_is_resumed() {
    let withdrawn = Event::Withdrawn { call: ModelCallId::new(3) };
    let events = [prompted(1, "hi"), withdrawn, cancelled(INTERRUPTED)];
    let events = (1..).zip(events).map(|(record, event)| numbered(record, event)).collect();
    let stopped = BTreeMap::from([(ModelCallId::new(3), "half an ans".to_owned())]);
    let mut tab = SessionTab::new(TabId(2), Mode::Default);
    tab.recall(&SessionPast { events, stopped });
    assert_eq!(shown(&mut tab), "› hi\nhalf an ans\n(stopped)\nYou stopped the answer.");
}

#[test]
fn text_before_another_try_is_withdrawn() {
    let mut tab = seen(&[]);
    tab.piece(CallId::new(3), &ReplyPiece::Text("half an ans".into()));
    tab.hear(&numbered(9, Event::Withdrawn { call: ModelCallId::new(3) }));
    tab.hear(&numbered(9, Event::OutputCapRaised { attempt: 1, from: Some(1), to: Some(2) }));
    assert_eq!(shown(&mut tab), "(this text was withdrawn)");
}

#[test]
fn a_call_that_is_not_valid_is_shown_with_its_name_and_the_reason() {
    let call = ToolCall { id: "c1".into(), name: "fly".into(), arguments: "{}".into(), replay: None };
    let message = Message {
        id: MessageId::new(4),
        role: Role::Assistant,
        blocks: vec![Block::ToolCall(call)],
        author: holm::kernel::Author::Speaker,
    };
    let asked = Event::MessageAdded { message: std::sync::Arc::new(message) };
    let mut refused = finished(1, "c1", 0);
    if let Event::CallFinished { outcome, .. } = &mut refused {
        *outcome = Outcome::Refused;
    }
    let mut tab = seen(&[asked, refused, result("c1", "there is no tool `fly`")]);
    assert_eq!(shown(&mut tab), "✗ fly   not run: there is no tool `fly`");
}

#[test]
fn a_problem_of_a_tool_is_told_once() {
    let flawed =
        Event::ToolFlawed { tool: "fly".into(), usable: true, problems: vec!["its schema is odd".into()] };
    let mut tab = seen(&[flawed.clone(), answer("done"), flawed]);
    assert_eq!(shown(&mut tab), "fly: its schema is odd\ndone");
}

#[test]
fn what_is_withdrawn_is_gone() {
    let mut tab = seen(&[]);
    tab.piece(CallId::new(3), &ReplyPiece::Text("half an ans".into()));
    tab.hear(&numbered(9, Event::Withdrawn { call: ModelCallId::new(3) }));
    tab.piece(CallId::new(4), &ReplyPiece::Text("whole".into()));
    assert_eq!(shown(&mut tab), "(this text was withdrawn)\nwhole");
}

#[test]
fn a_denied_call_says_why() {
    let denied = Event::ApprovalGiven { call: ToolCallId::new(1), allowed: false, reason: "not now".into() };
    let mut tab = seen(&[called(1, "shell", r#"{"command":"ls"}"#), denied, finished(1, "c1", 0)]);
    assert_eq!(shown(&mut tab), "✗ shell ls  denied: not now");
}

#[test]
fn helpers_and_theirs_stand_below_the_call() {
    let mut tab = seen(&[
        called(1, "scout", r#"{"task":"look"}"#),
        Event::CallStarted { call: ToolCallId::new(1) },
        Event::ChildStarted { call: ToolCallId::new(1), child: "child-a".into() },
    ]);
    tab.child("child-a", &numbered(1, called(7, "grep", r#"{"pattern":"x"}"#)));
    tab.child(
        "child-a",
        &numbered(2, Event::ChildStarted { call: ToolCallId::new(8), child: "child-b".into() }),
    );
    tab.child("child-b", &numbered(1, answer("found it")));
    tab.child("child-b", &numbered(2, ended()));
    tab.child("nobody", &numbered(1, answer("never")));
    assert_eq!(tab.at_work(), (1, 2));
    insta::assert_snapshot!(shown(&mut tab), @r#"
    ◐ scout look  …
      ⎿ grep {"pattern":"x"}
      ⎿ starts its own helper
      ⎿   says: found it
      ⎿   is done
    "#);
}

#[test]
fn a_helper_is_known_whichever_is_told_first() {
    let mut tab =
        seen(&[called(1, "scout", r#"{"task":"look"}"#), Event::CallStarted { call: ToolCallId::new(1) }]);
    tab.child("child-b", &numbered(1, answer("found it")));
    tab.child("child-a", &numbered(1, called(7, "grep", r#"{"pattern":"x"}"#)));
    tab.child(
        "child-a",
        &numbered(2, Event::ChildStarted { call: ToolCallId::new(8), child: "child-b".into() }),
    );
    tab.hear(&numbered(9, Event::ChildStarted { call: ToolCallId::new(1), child: "child-a".into() }));
    insta::assert_snapshot!(shown(&mut tab), @r#"
    ◐ scout look  …
      ⎿ grep {"pattern":"x"}
      ⎿ starts its own helper
      ⎿   says: found it
    "#);
    assert!(tab.strays.is_empty());
}

#[test]
fn a_past_that_is_told_again_looks_as_it_did() {
    let events = [prompted(1, "hi"), called(1, "look", "{}"), finished(1, "c1", 5), answer("done"), ended()];
    let mut lived = seen(&events);
    let mut recalled = SessionTab::new(TabId(2), Mode::Default);
    let history: Vec<Numbered> =
        (1..).zip(&events).map(|(record, event)| numbered(record, event.clone())).collect();
    recalled.recall(&SessionPast { events: history, stopped: BTreeMap::new() });
    assert_eq!(shown(&mut recalled), shown(&mut lived));
    assert_eq!(recalled.meter, lived.meter);
}

#[test]
fn a_reply_without_a_price_is_not_one_for_nothing() {
    let usage = Usage { input: 11, output: 5, ..Usage::default() };
    let replied = Event::ModelReplied {
        call: ModelCallId::new(3),
        usage,
        cost: None,
        stop: StopReason::EndTurn,
        model: None,
    };
    let meter = seen(&[prompted(1, "hi"), replied]).meter;
    assert_eq!(meter.priced.show(meter.spent, meter.usage), "price not known");
}

#[test]
fn a_call_that_ended_badly_says_so() {
    let check = |outcome: Outcome, expect: &str| {
        let mut event = finished(1, "c1", 5);
        if let Event::CallFinished { outcome: of, .. } = &mut event {
            *of = outcome;
        }
        assert_eq!(shown(&mut seen(&[called(1, "t", "{}"), event])), expect);
    };
    check(Outcome::Failed, "✗ t   failed after 5 ms");
    check(Outcome::Refused, "✗ t   not run");
    check(Outcome::Unknown, "? t   unknown whether it happened");
    check(Outcome::Stopped, "■ t   stopped");
}

#[test]
fn a_call_of_a_helper_that_is_not_valid_is_shown_with_its_name_and_the_reason() {
    let call = ToolCall { id: "c1".into(), name: "nosuch".into(), arguments: "{}".into(), replay: None };
    let mut event = finished(1, "c1", 0);
    if let Event::CallFinished { outcome, .. } = &mut event {
        *outcome = Outcome::Refused;
    }
    let result = ToolResult {
        call: "c1".into(),
        tool: "nosuch".into(),
        text: "there is no tool `nosuch`".into(),
        outcome: Outcome::Refused,
        parts: Vec::new(),
    };
    let message = |role: Role, block: Block| Event::MessageAdded {
        message: Arc::new(Message::new(MessageId::new(1), role, vec![block])),
    };
    let events = [
        message(Role::Assistant, Block::ToolCall(call)),
        event,
        message(Role::Tool, Block::ToolResult(result)),
    ];
    let mut tab = seen(&[called(1, "scout", "{}"), Event::CallStarted { call: ToolCallId::new(1) }]);
    tab.hear(&numbered(9, Event::ChildStarted { call: ToolCallId::new(1), child: "child-a".into() }));
    for (record, event) in (1..).zip(&events) {
        tab.child("child-a", &numbered(record, event.clone()));
    }
    assert!(shown(&mut tab).ends_with("⎿ nosuch not run: there is no tool `nosuch`"), "{}", shown(&mut tab));
}

#[test]
fn an_open_call_is_told_apart_from_an_ended_one() {
    let mut tab = seen(&[called(1, "t", "{}")]);
    assert!(matches!(tab.call(CallId::new(1)).map(|call| call.state.clone()), Some(ToolCallState::Proposed)));
    tab.hear(&numbered(4, finished(1, "c1", 1)));
    assert_eq!(tab.at_work(), (0, 0));
}

#[test]
fn of_a_long_thought_the_end_is_seen_however_long_it_is() {
    for thought in ["word ".repeat(200_000), "a line\n".repeat(100_000), "é".repeat(500_000)] {
        let mut tab = SessionTab::new(TabId(1), Mode::Default);
        tab.piece(CallId::new(9), &ReplyPiece::Thinking(thought));
        tab.piece(CallId::new(9), &ReplyPiece::Thinking("and so to THE END".into()));
        let seen = shown(&mut tab);
        assert!(seen.lines().count() <= 6 && seen.ends_with("THE END"), "{seen}");
        let item = tab.items.first_mut().unwrap();
        let all = item.lines(60, &ChatTheme::of(ThemeKind::None), DetailLevel::All);
        assert!(all.len() > 6 && all.len() <= 2_000, "{}", all.len());
        assert!(all.last().is_some_and(|line| line.to_string().ends_with("THE END")));
    }
}
