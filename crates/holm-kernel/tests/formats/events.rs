//! One line for every kind of event.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use holm_grants::Mode;
use holm_kernel::{
    Ending, Event, EventId, FailureClass, Limit, MarkRule, Marks, Message, MessageId, ModelCallId, NanoUsd,
    NextTry, Numbered, Outcome, PlanStep, Prompt, Queue, Role, Seq, StepCause, StopReason, Timestamp,
    ToolCallId, Usage,
};

use crate::json;

/// The name that a kind of event has. A new kind needs a sample too.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::RunStarted { .. } => "run_started",
        Event::RunResumed { .. } => "run_resumed",
        Event::GroupStarted { .. } => "group_started",
        Event::MessageAdded { .. } => "message_added",
        Event::Queued { .. } => "queued",
        Event::QueueDropped { .. } => "queue_dropped",
        Event::ModelCalled { .. } => "model_called",
        Event::ModelReplied { .. } => "model_replied",
        Event::ModelFailed { .. } => "model_failed",
        Event::SteppedUp { .. } => "stepped_up",
        Event::LadderExhausted { .. } => "ladder_exhausted",
        Event::Withdrawn { .. } => "withdrawn",
        Event::OutputCapRaised { .. } => "output_cap_raised",
        Event::CallProposed { .. } => "call_proposed",
        Event::ApprovalAsked { .. } => "approval_asked",
        Event::ApprovalGiven { .. } => "approval_given",
        Event::CallStarted { .. } => "call_started",
        Event::CallFinished { .. } => "call_finished",
        Event::Ruled { .. } => "ruled",
        Event::ChildStarted { .. } => "child_started",
        Event::ChildFinished { .. } => "child_finished",
        Event::LoopSeen { .. } => "loop_seen",
        Event::Marked { .. } => "marked",
        Event::ContextPlanned { .. } => "context_planned",
        Event::ToolsChanged { .. } => "tools_changed",
        Event::ToolFlawed { .. } => "tool_flawed",
        Event::ModeChanged { .. } => "mode_changed",
        Event::GrantsChanged => "grants_changed",
        Event::BudgetChanged { .. } => "budget_changed",
        Event::Narrowed { .. } => "narrowed",
        Event::LimitNear { .. } => "limit_near",
        Event::HookFailed { .. } => "hook_failed",
        Event::Ignored { .. } => "ignored",
        Event::GroupEnded { .. } => "group_ended",
    }
}

const KINDS: usize = 34;

fn of_models(call: ModelCallId) -> Vec<Event> {
    let failed = |class, next| Event::ModelFailed { call, class, message: "no".into(), next };
    vec![
        Event::ModelCalled { call, turn: 1, model: "scripted/echo".into(), messages: 3, tokens: 120 },
        Event::ModelReplied {
            call,
            usage: Usage { input: 9, output: 2, ..Usage::default() },
            cost: Some(NanoUsd::new(31)),
            stop: StopReason::EndTurn,
            model: None,
        },
        failed(FailureClass::Overloaded, NextTry::Retry { at: Timestamp::new(2_000) }),
        failed(FailureClass::Quota, NextTry::Fallback { model: "scripted/other".into() }),
        failed(FailureClass::ContextOverflow, NextTry::Compact),
        failed(FailureClass::Auth, NextTry::GiveUp),
        Event::Withdrawn { call },
        Event::OutputCapRaised { attempt: 1, from: Some(1_024), to: None },
    ]
}

fn of_calls(call: ToolCallId) -> Vec<Event> {
    vec![
        Event::CallProposed {
            call,
            tool: "read".into(),
            arguments: r#"{"path":"a"}"#.into(),
            fixes: vec!["`path` was a number".into()],
        },
        Event::ApprovalAsked { call },
        Event::ApprovalGiven { call, allowed: true, reason: String::new() },
        Event::ApprovalGiven { call, allowed: false, reason: "not here".into() },
        Event::CallStarted { call },
        Event::CallFinished {
            call,
            id: "c1".into(),
            outcome: Outcome::Succeeded,
            bytes: 12,
            millis: 40,
            metadata: Some(Arc::new(json(r#"{"exit":0}"#))),
        },
        Event::Ruled { call, guard: "plausibility".into(), rejected: true, reason: "empty".into() },
        Event::ChildStarted { call, child: "run-2".into() },
        Event::ChildFinished { call, outcome: Outcome::Stopped, bytes: 9, millis: 70 },
        Event::LoopSeen { tool: "read".into(), times: 3 },
        Event::Ignored { call: Some(call.into()) },
        Event::Ignored { call: None },
    ]
}

fn of_changes() -> Vec<Event> {
    vec![
        Event::Marked { marks: Marks { untrusted: true, private: false } },
        Event::ContextPlanned { step: PlanStep::Elided, before: 900, after: 300 },
        Event::ToolsChanged { tools: 2 },
        Event::ModeChanged { mode: Mode::Plan },
        Event::GrantsChanged,
        Event::BudgetChanged { limit: None },
        Event::LimitNear { limit: Limit::Turns, left: 2 },
        Event::HookFailed { reason: "timeout".into() },
    ]
}

fn endings() -> [Ending; 8] {
    let text = String::from;
    [
        Ending::Answered { text: text("4") },
        Ending::Refused { reason: text("no") },
        Ending::Rejected { what: text("read"), reason: text("empty") },
        Ending::Looping { tool: text("read"), times: 4 },
        Ending::OverBudget { spent: NanoUsd::new(6), limit: NanoUsd::new(5) },
        Ending::OverLimit { limit: Limit::WallClock, used: 11, allowed: 10 },
        Ending::Cancelled { reason: text("enough") },
        Ending::Failed { class: FailureClass::Server, message: text("500"), attempts: 5 },
    ]
}

fn samples() -> Vec<Event> {
    let message = Arc::new(Message::text(MessageId::new(0), Role::User, "hi"));
    let mut events = vec![
        Event::RunStarted { name: "echo".into() },
        Event::RunResumed { host: "native".into() },
        Event::GroupStarted { group: 1 },
        Event::MessageAdded { message },
        Event::Queued { queue: Queue::Steering, waiting: 1 },
        Event::Queued { queue: Queue::FollowUp, waiting: 2 },
    ];
    events.extend(of_models(ModelCallId::new(5)));
    events.extend(of_calls(ToolCallId::new(5)));
    events.extend(of_changes());
    events.extend(endings().map(|ending| Event::GroupEnded {
        ending: ending.into(),
        last: Some(MessageId::new(8)),
        usage: Usage::default(),
        spent: NanoUsd::new(6),
    }));
    let problems = vec!["`contentSchema` is not enforced".into()];
    events.push(Event::ToolFlawed { tool: "read".into(), usable: true, problems });
    events.push(Event::ModelReplied {
        call: ModelCallId::new(5),
        usage: Usage::default(),
        cost: None,
        stop: StopReason::ToolUse,
        model: Some("echo-2026-01".into()),
    });
    events.push(Event::SteppedUp {
        from: "scripted/small".into(),
        to: "scripted/large".into(),
        cause: StepCause::Rejected,
        reason: "empty".into(),
    });
    let cause = StepCause::InvalidCalls;
    events.push(Event::LadderExhausted { model: "scripted/large".into(), cause, reason: "no tool".into() });
    events.push(Event::QueueDropped { queue: Queue::FollowUp, prompts: vec![Prompt::text("then deploy")] });
    events.push(Event::Narrowed { mark_rule: MarkRule::AskAfterAny });
    events
}

fn numbered() -> Vec<Numbered> {
    let number = |(index, event)| Numbered {
        id: EventId { record: Seq::new(3), index },
        at: Timestamp::new(1_700),
        event,
    };
    (0..).zip(samples()).map(number).collect()
}

#[test]
fn every_kind_of_event_has_a_sample_under_its_name() -> Result<(), Box<dyn Error>> {
    let samples = samples();
    let kinds: BTreeSet<_> = samples.iter().map(kind).collect();
    assert_eq!(kinds.len(), KINDS);
    for event in &samples {
        let text = serde_json::to_string(event)?;
        let name = text.trim_start_matches(['{', '"']);
        assert!(name.starts_with(&format!("{}\"", kind(event))), "{text}");
    }
    Ok(())
}

#[test]
fn events_keep_their_form() -> Result<(), Box<dyn Error>> {
    let lines = numbered().iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"id":{"record":3,"index":0},"at":1700,"event":{"run_started":{"name":"echo"}}}
    {"id":{"record":3,"index":1},"at":1700,"event":{"run_resumed":{"host":"native"}}}
    {"id":{"record":3,"index":2},"at":1700,"event":{"group_started":{"group":1}}}
    {"id":{"record":3,"index":3},"at":1700,"event":{"message_added":{"message":{"id":0,"role":"user","blocks":[{"text":"hi"}]}}}}
    {"id":{"record":3,"index":4},"at":1700,"event":{"queued":{"queue":"steering","waiting":1}}}
    {"id":{"record":3,"index":5},"at":1700,"event":{"queued":{"queue":"follow_up","waiting":2}}}
    {"id":{"record":3,"index":6},"at":1700,"event":{"model_called":{"call":5,"turn":1,"model":"scripted/echo","messages":3,"tokens":120}}}
    {"id":{"record":3,"index":7},"at":1700,"event":{"model_replied":{"call":5,"usage":{"input":9,"output":2},"cost":31,"stop":"end_turn"}}}
    {"id":{"record":3,"index":8},"at":1700,"event":{"model_failed":{"call":5,"class":"overloaded","message":"no","next":{"retry":{"at":2000}}}}}
    {"id":{"record":3,"index":9},"at":1700,"event":{"model_failed":{"call":5,"class":"quota","message":"no","next":{"fallback":{"model":"scripted/other"}}}}}
    {"id":{"record":3,"index":10},"at":1700,"event":{"model_failed":{"call":5,"class":"context_overflow","message":"no","next":"compact"}}}
    {"id":{"record":3,"index":11},"at":1700,"event":{"model_failed":{"call":5,"class":"auth","message":"no","next":"give_up"}}}
    {"id":{"record":3,"index":12},"at":1700,"event":{"withdrawn":{"call":5}}}
    {"id":{"record":3,"index":13},"at":1700,"event":{"output_cap_raised":{"attempt":1,"from":1024,"to":null}}}
    {"id":{"record":3,"index":14},"at":1700,"event":{"call_proposed":{"call":5,"tool":"read","arguments":"{\"path\":\"a\"}","fixes":["`path` was a number"]}}}
    {"id":{"record":3,"index":15},"at":1700,"event":{"approval_asked":{"call":5}}}
    {"id":{"record":3,"index":16},"at":1700,"event":{"approval_given":{"call":5,"allowed":true}}}
    {"id":{"record":3,"index":17},"at":1700,"event":{"approval_given":{"call":5,"allowed":false,"reason":"not here"}}}
    {"id":{"record":3,"index":18},"at":1700,"event":{"call_started":{"call":5}}}
    {"id":{"record":3,"index":19},"at":1700,"event":{"call_finished":{"call":5,"id":"c1","outcome":"succeeded","bytes":12,"millis":40,"metadata":{"exit":0}}}}
    {"id":{"record":3,"index":20},"at":1700,"event":{"ruled":{"call":5,"guard":"plausibility","rejected":true,"reason":"empty"}}}
    {"id":{"record":3,"index":21},"at":1700,"event":{"child_started":{"call":5,"child":"run-2"}}}
    {"id":{"record":3,"index":22},"at":1700,"event":{"child_finished":{"call":5,"outcome":"stopped","bytes":9,"millis":70}}}
    {"id":{"record":3,"index":23},"at":1700,"event":{"loop_seen":{"tool":"read","times":3}}}
    {"id":{"record":3,"index":24},"at":1700,"event":{"ignored":{"call":5}}}
    {"id":{"record":3,"index":25},"at":1700,"event":{"ignored":{"call":null}}}
    {"id":{"record":3,"index":26},"at":1700,"event":{"marked":{"marks":{"untrusted":true,"private":false}}}}
    {"id":{"record":3,"index":27},"at":1700,"event":{"context_planned":{"step":"elided","before":900,"after":300}}}
    {"id":{"record":3,"index":28},"at":1700,"event":{"tools_changed":{"tools":2}}}
    {"id":{"record":3,"index":29},"at":1700,"event":{"mode_changed":{"mode":"plan"}}}
    {"id":{"record":3,"index":30},"at":1700,"event":"grants_changed"}
    {"id":{"record":3,"index":31},"at":1700,"event":{"budget_changed":{"limit":null}}}
    {"id":{"record":3,"index":32},"at":1700,"event":{"limit_near":{"limit":"turns","left":2}}}
    {"id":{"record":3,"index":33},"at":1700,"event":{"hook_failed":{"reason":"timeout"}}}
    {"id":{"record":3,"index":34},"at":1700,"event":{"group_ended":{"ending":{"answered":{"text":"4"}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":35},"at":1700,"event":{"group_ended":{"ending":{"refused":{"reason":"no"}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":36},"at":1700,"event":{"group_ended":{"ending":{"rejected":{"what":"read","reason":"empty"}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":37},"at":1700,"event":{"group_ended":{"ending":{"looping":{"tool":"read","times":4}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":38},"at":1700,"event":{"group_ended":{"ending":{"over_budget":{"spent":6,"limit":5}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":39},"at":1700,"event":{"group_ended":{"ending":{"over_limit":{"limit":"wall_clock","used":11,"allowed":10}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":40},"at":1700,"event":{"group_ended":{"ending":{"cancelled":{"reason":"enough"}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":41},"at":1700,"event":{"group_ended":{"ending":{"failed":{"class":"server","message":"500","attempts":5}},"last":8,"usage":{"input":0,"output":0},"spent":6}}}
    {"id":{"record":3,"index":42},"at":1700,"event":{"tool_flawed":{"tool":"read","usable":true,"problems":["`contentSchema` is not enforced"]}}}
    {"id":{"record":3,"index":43},"at":1700,"event":{"model_replied":{"call":5,"usage":{"input":0,"output":0},"cost":null,"stop":"tool_use","model":"echo-2026-01"}}}
    {"id":{"record":3,"index":44},"at":1700,"event":{"stepped_up":{"from":"scripted/small","to":"scripted/large","cause":"rejected","reason":"empty"}}}
    {"id":{"record":3,"index":45},"at":1700,"event":{"ladder_exhausted":{"model":"scripted/large","cause":"invalid_calls","reason":"no tool"}}}
    {"id":{"record":3,"index":46},"at":1700,"event":{"queue_dropped":{"queue":"follow_up","prompts":[{"blocks":[{"text":"then deploy"}],"marks":{"untrusted":false,"private":false}}]}}}
    {"id":{"record":3,"index":47},"at":1700,"event":{"narrowed":{"mark_rule":"ask_after_any"}}}
    "#);
    Ok(())
}

#[test]
fn events_are_read_back_as_they_were() -> Result<(), Box<dyn Error>> {
    for event in numbered() {
        let text = serde_json::to_string(&event)?;
        assert_eq!(serde_json::from_str::<Numbered>(&text)?, event, "{text}");
    }
    Ok(())
}

#[test]
fn what_a_later_version_adds_to_an_event_is_ignored() -> Result<(), Box<dyn Error>> {
    let event: Event = serde_json::from_str(r#"{"withdrawn":{"call":5,"since":{"at":[1]}}}"#)?;
    assert_eq!(event, Event::Withdrawn { call: ModelCallId::new(5) });
    Ok(())
}
