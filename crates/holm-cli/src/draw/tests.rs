use holm::kernel::{
    Ending, EventId, FailureClass, Message, MessageId, ModelCallId, NanoUsd, Timestamp, ToolCall, ToolCallId,
    ToolResult, Usage,
};

use super::*;

fn drawing(pieces: bool) -> ProgressPrinter {
    ProgressPrinter::new(Arc::default(), DisplayOptions { pieces, ..DisplayOptions::NOTHING })
}

fn numbered(event: Event) -> Numbered {
    Numbered { id: EventId::default(), at: Timestamp::new(0), event }
}

#[test]
fn a_reply_that_is_taken_back_does_not_count_as_shown() {
    let (drawing, call) = (drawing(true), CallId::new(3));
    drawing.delta(call, ReplyDelta::Text { offset: 0, text: "half an ans" });
    assert!(drawing.has_written());
    drawing.event(&numbered(Event::Withdrawn { call: ModelCallId::new(3) }));
    assert!(!drawing.has_written());
}

#[test]
fn pieces_are_only_shown_to_those_who_want_them() {
    let drawing = drawing(false);
    drawing.delta(CallId::new(3), ReplyDelta::Text { offset: 0, text: "quiet" });
    assert!(!drawing.has_written());
}

#[test]
fn calls_and_failures_are_worth_a_line_and_most_events_are_not() {
    let check = |event: &Event, expect: Option<&str>| {
        assert_eq!(progress(event, |_| "read_file").as_deref(), expect, "{event:?}");
    };
    let call = ToolCallId::new(1);
    let finished = |outcome| Event::CallFinished {
        call,
        id: "c".into(),
        outcome,
        bytes: 12,
        millis: 40,
        metadata: None,
    };
    check(&finished(Outcome::Succeeded), Some("  read_file: 12 bytes in 40 ms"));
    check(&finished(Outcome::Refused), Some("  read_file: not run"));
    let failed = |next| Event::ModelFailed {
        call: ModelCallId::new(1),
        class: FailureClass::Server,
        message: "500".into(),
        next,
    };
    check(&failed(NextTry::Retry { at: Timestamp::new(1) }), Some("  the model failed: 500; retrying"));
    check(&failed(NextTry::GiveUp), None);
    check(&Event::GroupStarted { group: 1 }, None);
    let long = Event::CallProposed {
        call,
        tool: "read_file".into(),
        arguments: "x".repeat(500).into(),
        fixes: Vec::new(),
    };
    assert!(progress(&long, |_| "").unwrap().ends_with("x…"));
}

/// What a run tells of calls that were not run or failed.
fn explained(detail: ProgressDetail, events: &[Event]) -> Vec<String> {
    let mut state = ProgressState::default();
    let mut lines = Vec::new();
    for event in events {
        match event {
            Event::CallProposed { call, tool, arguments, .. } => {
                state.tools.insert(*call, Arc::clone(tool));
                state.calls.insert(*call, described(tool, arguments));
            }
            Event::MessageAdded { message } if message.role == Role::Assistant => {
                state.reply = WrittenCalls::of(message);
            }
            Event::ApprovalGiven { call, allowed: false, reason } => {
                state.denied.insert(*call, denied(reason));
            }
            _ => {}
        }
        lines.extend(state.explained_lines(event, detail));
    }
    lines
}

#[test]
fn a_call_that_was_not_run_or_failed_is_told_with_its_name_and_the_reason() {
    let message = |role: Role, blocks: Vec<Block>| Event::MessageAdded {
        message: Arc::new(Message::new(MessageId::new(1), role, blocks)),
    };
    let written = |name: &str, arguments: &str| {
        let call = ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into(), replay: None };
        message(Role::Assistant, vec![Block::ToolCall(call)])
    };
    let finished = |outcome| Event::CallFinished {
        call: ToolCallId::new(1),
        id: "c".into(),
        outcome,
        bytes: 0,
        millis: 4,
        metadata: None,
    };
    let refused = || finished(Outcome::Refused);
    let came = |text: &str, outcome| {
        let result =
            ToolResult { call: "c".into(), tool: "t".into(), text: text.into(), outcome, parts: Vec::new() };
        message(Role::Tool, vec![Block::ToolResult(result)])
    };
    let result = |text: &str| came(text, Outcome::Refused);
    let proposed = || Event::CallProposed {
        call: ToolCallId::new(1),
        tool: "write".into(),
        arguments: "{}".into(),
        fixes: Vec::new(),
    };
    let check = |detail: ProgressDetail, events: &[Event], expect: &[&str]| {
        assert_eq!(explained(detail, events), expect);
    };
    let unknown = [written("nosuch", "{\"a\":1}"), refused(), result("there is no\n tool `nosuch`")];
    let told = ["· nosuch {\"a\":1}: not run: there is no tool `nosuch`"];
    check(ProgressDetail::CallByCall, &unknown, &told);
    check(ProgressDetail::StepByStep, &unknown, &told);
    let denied = [written("write", "{}"), proposed(), refused(), result("plan mode only reads")];
    check(ProgressDetail::CallByCall, &denied, &["· write {}: not run: plan mode only reads"]);
    check(ProgressDetail::StepByStep, &denied, &["  write: not run: plan mode only reads"]);
    let failing =
        |text| [written("write", "{}"), proposed(), finished(Outcome::Failed), came(text, Outcome::Failed)];
    let told = ["· write {}: failed after 4 ms: a.txt: read it first"];
    check(ProgressDetail::CallByCall, &failing("\na.txt: read it first\nand more"), &told);
    check(ProgressDetail::StepByStep, &failing(""), &["  write: failed after 4 ms"]);
    let said = Event::ApprovalGiven { call: ToolCallId::new(1), allowed: false, reason: "no".into() };
    check(ProgressDetail::CallByCall, &[proposed(), said, refused(), result("no")], &[]);
    let ended = Event::GroupEnded {
        ending: Box::new(Ending::Answered { text: String::new() }),
        last: None,
        usage: Usage::default(),
        spent: NanoUsd::ZERO,
    };
    check(
        ProgressDetail::CallByCall,
        &[written("nosuch", "{}"), refused(), ended],
        &["· nosuch {}: not run"],
    );
}

#[test]
fn helpers_in_the_background_and_lists_are_worth_a_line_of_their_own() {
    let call = ToolCallId::new(1);
    let ended = |outcome| Event::ChildFinished { call, outcome, bytes: 12, millis: 4_200 };
    let check = |event: &Event, tool: &'static str, expect: Option<&str>| {
        assert_eq!(progress(event, |_| tool).as_deref(), expect, "{event:?}");
    };
    let ready = Some("  scout: ready in the background, 12 bytes after 4 s");
    check(&ended(Outcome::Succeeded), "scout", ready);
    check(&ended(Outcome::Failed), "scout", Some("  scout: failed in the background after 4 s"));
    let proposed = |tool: &str, arguments: &str| Event::CallProposed {
        call,
        tool: tool.into(),
        arguments: arguments.into(),
        fixes: Vec::new(),
    };
    let list = r#"{"items":[{"text":"a","progress":"completed"},{"text":"b","progress":"in_progress"}]}"#;
    check(&proposed("todo", list), "todo", Some("· todo: 1 of 2 done; now: b"));
    check(&proposed("todo", "{}"), "todo", Some("· todo {}"));
    check(&proposed("brief", r#"{"text":"Half way."}"#), "brief", None);
}
