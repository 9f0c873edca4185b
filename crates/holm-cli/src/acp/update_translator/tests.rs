use std::path::Path;

use holm::kernel::{MessageId, ModelCallId, StopReason, Thinking, ToolCall as Wanted, ToolCallId};
use serde_json::json;

use super::{
    call_display::{DisplayFolder, FileFreshness},
    *,
};

fn telling(when: UpdateTiming) -> UpdateTranslator {
    UpdateTranslator::new(
        when,
        DisplayFolder::new(Path::new("/work"), FileFreshness::Past),
        NoticeSupport::Shown,
    )
}

fn call(number: u64) -> CallId {
    CallId::new(number)
}

fn proposed(number: u64, tool: &str, arguments: &Value) -> Event {
    Event::CallProposed {
        call: ToolCallId::new(number),
        tool: tool.into(),
        arguments: arguments.to_string().into(),
        fixes: Vec::new(),
    }
}

fn finished(number: u64, id: &str, outcome: Outcome) -> Event {
    Event::CallFinished {
        call: ToolCallId::new(number),
        id: id.into(),
        outcome,
        bytes: 0,
        millis: 0,
        metadata: None,
    }
}

fn added(role: Role, blocks: Vec<Block>) -> Event {
    Event::MessageAdded { message: Arc::new(Message::new(MessageId::new(1), role, blocks)) }
}

fn called(number: u64) -> Event {
    Event::ModelCalled { call: ModelCallId::new(number), turn: 1, model: "m".into(), messages: 1, tokens: 1 }
}

fn result(id: &str, text: &str, outcome: Outcome) -> Block {
    Block::ToolResult(ToolResult {
        call: id.into(),
        tool: "edit".into(),
        text: text.into(),
        outcome,
        parts: vec![],
    })
}

/// What comes of events, as it goes over the wire.
fn told(telling: &mut UpdateTranslator, events: &[Event]) -> Vec<Value> {
    let updates = events.iter().flat_map(|event| telling.event(event));
    updates.map(|update| serde_json::to_value(update).unwrap()).collect()
}

fn kinds(updates: &[Value]) -> Vec<&str> {
    updates.iter().filter_map(|update| update["sessionUpdate"].as_str()).collect()
}

#[test]
fn a_reply_is_told_once_however_it_came() {
    let reply = || {
        let thought = Thinking { text: "hm".into(), replay: None };
        added(Role::Assistant, vec![Block::Thinking(thought), Block::Text("hello".into())])
    };
    let mut live = telling(UpdateTiming::Now);
    live.event(&called(1));
    let piece = live.delta(call(1), ReplyDelta::Text { offset: 0, text: "hello" });
    assert!(matches!(piece, Some(SessionUpdate::AgentMessageChunk(_))));
    assert_eq!(kinds(&told(&mut live, &[reply()])), ["agent_thought_chunk"], "the thought did not stream");
    let again = told(&mut telling(UpdateTiming::Before), &[called(1), reply()]);
    assert_eq!(kinds(&again), ["agent_thought_chunk", "agent_message_chunk"]);
    assert_eq!(again[1]["messageId"], "reply-1");
}

#[test]
fn a_call_is_known_by_what_it_says_and_not_by_its_number_alone() {
    let mut live = telling(UpdateTiming::Now);
    let own = json!({ "script": "ls" });
    live.event(&proposed(3, "shell", &own));
    let is_known = |number: u64, tool: &str, arguments: &Value| {
        live.known(call(number), &call_digest(tool, &arguments.to_string())).is_some()
    };
    assert!(is_known(3, "shell", &own));
    assert!(!is_known(4, "shell", &own));
    assert!(!is_known(3, "run_program", &own));
    let of_a_helper = json!({ "script": "rm -r ." });
    assert!(!is_known(3, "shell", &of_a_helper), "another call of the same number is not shown as this one");
}

#[test]
fn text_that_is_taken_back_is_said_to_be() {
    let mut live = telling(UpdateTiming::Now);
    live.event(&called(1));
    assert!(
        told(&mut live, &[Event::Withdrawn { call: ModelCallId::new(1) }]).is_empty(),
        "nothing was shown"
    );
    live.delta(call(1), ReplyDelta::Text { offset: 0, text: "hel" });
    let taken = told(&mut live, &[Event::Withdrawn { call: ModelCallId::new(1) }]);
    assert!(taken[0]["content"]["text"].as_str().unwrap().contains("was withdrawn"));
}

#[test]
fn what_a_person_said_is_told_from_a_journal_alone() {
    let said = added(Role::User, vec![Block::Text("hi\u{1b}".into())]);
    assert!(told(&mut telling(UpdateTiming::Now), std::slice::from_ref(&said)).is_empty());
    let again = told(&mut telling(UpdateTiming::Before), &[said]);
    assert_eq!(again[0]["content"]["text"], "hi\\u{1b}");
}

#[test]
fn a_call_is_followed_to_its_end() {
    let arguments = json!({ "path": "a", "old": "1", "new": "2" });
    let check = |outcome: Outcome, status: &str, parts: usize| {
        let events = [
            proposed(3, "edit", &arguments),
            Event::CallStarted { call: ToolCallId::new(3) },
            finished(3, "x", outcome),
            added(Role::Tool, vec![result("x", "said", outcome)]),
        ];
        let updates = told(&mut telling(UpdateTiming::Now), &events);
        assert_eq!(
            kinds(&updates),
            ["tool_call", "tool_call_update", "tool_call_update", "tool_call_update"]
        );
        assert!(updates.iter().all(|update| update["toolCallId"] == "call-3"), "{updates:?}");
        assert_eq!((&updates[1]["status"], &updates[2]["status"]), (&json!("in_progress"), &json!(status)));
        assert_eq!(updates[3]["content"].as_array().unwrap().len(), parts, "{updates:?}");
    };
    check(Outcome::Succeeded, "completed", 2);
    check(Outcome::Failed, "failed", 1);
    check(Outcome::Refused, "failed", 1);
    check(Outcome::Stopped, "failed", 1);
}

#[test]
fn a_call_that_is_not_valid_is_told_as_failed_with_the_reason() {
    let wanted =
        Wanted { id: "c1".into(), name: "nosuch".into(), arguments: r#"{"a":1}"#.into(), replay: None };
    let events = [
        added(Role::Assistant, vec![Block::ToolCall(wanted)]),
        finished(4, "c1", Outcome::Refused),
        added(Role::Tool, vec![result("c1", "there is no tool `nosuch`", Outcome::Refused)]),
    ];
    let updates = told(&mut telling(UpdateTiming::Now), &events);
    assert_eq!(kinds(&updates), ["tool_call", "tool_call_update"]);
    assert_eq!((&updates[0]["toolCallId"], &updates[0]["status"]), (&json!("call-4"), &json!("failed")));
    assert_eq!(updates[0]["title"], r#"nosuch {"a":1}"#);
    assert!(updates[1]["content"].to_string().contains("there is no tool `nosuch`"), "{updates:?}");
}

#[test]
fn a_result_that_nobody_asked_for_is_not_told() {
    let events = [
        added(Role::Tool, vec![result("x", "said", Outcome::Succeeded)]),
        finished(9, "y", Outcome::Refused),
        added(Role::Assistant, vec![Block::ToolCall(Wanted::default())]),
    ];
    assert!(told(&mut telling(UpdateTiming::Now), &events).is_empty());
}

#[test]
fn a_long_result_is_cut_where_a_letter_ends() {
    let text = "é".repeat(MOST_RESULT);
    let shown = cut(&text);
    assert!(shown.ends_with(&format!("\n[{MOST_RESULT} more bytes]")), "{}", shown.len());
    assert_eq!(cut("short"), "short");
}

#[test]
fn the_models_list_is_the_plan() {
    let items = json!([
        { "text": "a", "progress": "completed" }, { "text": "b", "progress": "in_progress" }, { "text": "c", "progress": "pending" },
    ]);
    let updates = told(&mut telling(UpdateTiming::Now), &[proposed(1, TODO, &json!({ "items": items }))]);
    assert_eq!(kinds(&updates), ["plan"]);
    let statuses: Vec<_> =
        updates[0]["entries"].as_array().unwrap().iter().map(|entry| &entry["status"]).collect();
    assert_eq!(statuses, ["completed", "in_progress", "pending"]);
    assert!(told(&mut telling(UpdateTiming::Now), &[proposed(1, TODO, &json!({ "items": 7 }))]).is_empty());
}

#[test]
fn what_a_model_tells_people_comes_from_the_tool_now_and_from_the_journal_later() {
    let brief = proposed(1, BRIEF, &json!({ "text": "half way" }));
    assert!(told(&mut telling(UpdateTiming::Now), std::slice::from_ref(&brief)).is_empty());
    assert_eq!(told(&mut telling(UpdateTiming::Before), &[brief])[0]["content"]["text"], "half way");
}

#[test]
fn usage_is_told_where_the_window_is_known_and_costs_add_up() {
    let replied = |cost: u64| Event::ModelReplied {
        call: ModelCallId::new(1),
        usage: Usage { input: 90, output: 10, ..Usage::default() },
        cost: Some(NanoUsd::new(cost)),
        stop: StopReason::EndTurn,
        model: None,
    };
    let mut live = telling(UpdateTiming::Now);
    assert!(told(&mut live, &[replied(1_000_000)]).is_empty());
    live.window = Some(1_000);
    let updates = told(&mut live, &[replied(2_000_000)]);
    assert_eq!((&updates[0]["used"], &updates[0]["size"]), (&json!(100), &json!(1_000)));
    assert_eq!(updates[0]["cost"], json!({ "amount": 0.003, "currency": "USD" }));
}

#[test]
fn notices_go_to_editors_that_show_them() {
    let failed = Event::HookFailed { reason: "gone\u{1b}".into() };
    let updates = told(&mut telling(UpdateTiming::Now), std::slice::from_ref(&failed));
    assert_eq!(
        (kinds(&updates), &updates[0]["title"]),
        (vec!["notice"], &json!("A hook failed: gone\\u{1b}."))
    );
    let mut plain = UpdateTranslator::new(
        UpdateTiming::Now,
        DisplayFolder::new(Path::new("/"), FileFreshness::Past),
        NoticeSupport::Unknown,
    );
    assert!(told(&mut plain, &[failed]).is_empty());
}
