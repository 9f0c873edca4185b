//! What has entered a run stays known, and from then on what leaves it is asked about.

use alloc::{boxed::Box, string::ToString, vec, vec::Vec};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;

use super::play::{Play, Say, answered, config_with, tool};
use crate::*;

const UNTRUSTED: Marks = Marks { untrusted: true, private: false };
const PRIVATE: Marks = Marks { untrusted: false, private: true };
const URL: &str = r#"{"url":"https://api.example.com/x"}"#;

/// `read` brings in what is untrusted, `keys` what is private, `send` lets data out, `fetch` too by what it needs,
/// `note` writes where no grant says, `save` where one does.
fn tools() -> Vec<ToolSpec> {
    let yields = |untrusted, private, egress| Yields { untrusted, private, egress };
    let mut fetch = tool("fetch");
    fetch.schema =
        Json::parse(r#"{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}"#)
            .expect("a schema");
    fetch.needs = vec!["fetch:{url}".parse().expect("a template")];
    let mut save = tool("save").level(Level::Write);
    save.needs = vec!["write:out/a".parse().expect("a template")];
    let mut peek = tool("peek").level(Level::Write);
    peek.needs = vec!["read:src/a".parse().expect("a template")];
    let mut post = tool("post").level(Level::Execute);
    post.needs = vec!["fetch:https://api.example.com/".parse().expect("a template")];
    vec![
        post,
        ToolSpec { yields: yields(true, false, false), ..tool("read") },
        ToolSpec { yields: yields(false, true, false), ..tool("keys") },
        ToolSpec { yields: yields(false, false, true), ..tool("send") },
        fetch,
        tool("note").level(Level::Write),
        save,
        peek,
    ]
}

fn marked() -> Config {
    let grants =
        GrantSet::parse(["fetch:https://api.example.com", "write:out/**", "read:src/**"]).expect("grants");
    Config { grants, ..config_with(tools()) }
}

fn play(config: Config, calls: &[(&'static str, &'static str)]) -> Play {
    let script = calls.iter().map(|(name, arguments)| Say::Call(name, arguments)).collect();
    Play::new(config, script)
}

fn reasons(play: &Play) -> Vec<AskReason> {
    play.asked.iter().flat_map(|proposal| proposal.reasons.clone()).collect()
}

fn marked_events(play: &Play) -> Vec<Marks> {
    let marks = play.events.iter().filter_map(|event| match event {
        Event::Marked { marks } => Some(*marks),
        _ => None,
    });
    marks.collect()
}

#[test]
fn before_anything_enters_nothing_is_asked() {
    let calls = [("send", "{}"), ("fetch", URL), ("note", "{}"), ("save", "{}"), ("peek", "{}")];
    let mut play = play(marked(), &calls);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!((play.asked.len(), play.ran.len()), (0, 5));
}

#[test]
fn after_a_mark_egress_and_writes_that_no_grant_names_are_asked_in_every_mode() {
    for (source, marks) in [("read", UNTRUSTED), ("keys", PRIVATE)] {
        let calls =
            [(source, "{}"), ("send", "{}"), ("fetch", URL), ("note", "{}"), ("save", "{}"), ("peek", "{}")];
        let mut play = play(marked(), &calls);
        play.prompt("go");
        let (out, write) = (AskReason::EgressAfterMark, AskReason::WriteAfterMark);
        assert_eq!(reasons(&play), [out, out, write, write], "{source}");
        assert!(play.asked.iter().all(|proposal| proposal.marks == marks), "{source}");
        assert_eq!((play.run.marks(), marked_events(&play)), (marks, vec![marks]));
    }
}

#[test]
fn the_rule_says_what_follows_from_marks() {
    let check = |rule: MarkRule, sources: &[&'static str], then: &'static str, asks: bool| {
        let mut calls: Vec<(&str, &str)> = sources.iter().map(|name| (*name, "{}")).collect();
        calls.push((then, "{}"));
        let mut play = play(Config { mark_rule: rule, ..marked() }, &calls);
        play.prompt("go");
        assert_eq!(!play.asked.is_empty(), asks, "{rule:?} {sources:?} {then}");
    };
    check(MarkRule::AskAfterAny, &["read"], "send", true);
    check(MarkRule::AskAfterBoth, &["read"], "send", false);
    check(MarkRule::AskAfterBoth, &["keys"], "send", false);
    check(MarkRule::AskAfterBoth, &["read", "keys"], "send", true);
    // A page alone must not be able to order a change, with or without an address that it names.
    check(MarkRule::AskAfterBoth, &["read"], "note", true);
    check(MarkRule::AskAfterBoth, &["read"], "post", true);
    check(MarkRule::AskAfterBoth, &[], "post", false);
    check(MarkRule::ShowOnly, &["read", "keys"], "send", false);
    check(MarkRule::ShowOnly, &["read", "keys"], "post", false);
}

#[test]
fn where_nobody_answers_what_would_leave_is_refused() {
    let mut play = play(Config { approvals: Approvals::Deny, ..marked() }, &[("read", "{}"), ("send", "{}")]);
    play.prompt("go");
    assert_eq!(play.ran, ["read"]);
    assert_eq!(play.results()[1].0, Outcome::Refused);
}

fn lease() -> Verdict {
    let grants = GrantSet::parse(["tool:send", "tool:act"]).expect("grants");
    Verdict::Allow { grants, until: None }
}

#[test]
fn a_lease_answers_for_what_had_entered_when_it_was_given_and_not_for_more() {
    // Given after the mark: it holds.
    let mut after = play(marked(), &[("read", "{}"), ("send", "{}"), ("send", r#"{"text":"b"}"#)]);
    after.judge = Box::new(|_| lease());
    after.prompt("go");
    assert_eq!(after.asked.len(), 1);
    // Given before: who gave it did not know what would leave.
    let mut before = play(
        Config {
            mode: Mode::Default,
            tools: {
                let mut all = tools();
                all.push(tool("act").level(Level::Execute));
                all
            },
            ..marked()
        },
        &[("act", "{}"), ("read", "{}"), ("send", "{}")],
    );
    before.judge = Box::new(|_| lease());
    before.prompt("go");
    let reasons = reasons(&before);
    assert_eq!(reasons, [AskReason::Level, AskReason::EgressAfterMark]);
}

#[test]
fn a_second_mark_asks_again_about_what_was_leased_under_the_first() {
    let calls = [("read", "{}"), ("send", "{}"), ("keys", "{}"), ("send", r#"{"text":"b"}"#)];
    let mut play = play(marked(), &calls);
    play.judge = Box::new(|_| lease());
    play.prompt("go");
    assert_eq!(play.asked.len(), 2);
    assert_eq!(play.asked[1].marks, UNTRUSTED.join(PRIVATE));
}

#[test]
fn a_call_that_waits_is_looked_at_again_when_a_mark_is_set() {
    let mut play = Play::new(
        Config { batch: BatchOrder::Sequential, ..marked() },
        vec![Say::Calls(vec![("read", "{}"), ("send", "{}")])],
    );
    play.prompt("go");
    assert_eq!(reasons(&play), [AskReason::EgressAfterMark]);
}

#[test]
fn marks_come_in_by_prompts_steering_results_hooks_and_children() {
    let check = |give: &dyn Fn(&mut Play)| {
        let mut config = marked();
        config.consult = [ConsultPoint::AfterTool].into();
        let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
        config.tools.push(ToolSpec { kind, ..tool("helper") });
        config.tools.push(tool("plain"));
        let mut play = Play::new(config, vec![]);
        give(&mut play);
        play.prompt("go");
        assert_eq!(play.run.marks(), UNTRUSTED);
    };
    let said = || Prompt { marks: UNTRUSTED, ..Prompt::text("read this mail") };
    let output = || ToolOutput { marks: UNTRUSTED, ..ToolOutput::text("a line of mail") };
    check(&|play| {
        play.give(Input::Prompted(said()));
        play.play();
    });
    check(&|play| {
        let mut once = Some(Input::Steered(said()));
        play.script = vec![Say::Call("plain", "{}")].into();
        play.interrupt = Box::new(move |_| once.take().into_iter().collect());
    });
    check(&|play| {
        play.script = vec![Say::Call("plain", "{}")].into();
        play.tool = Box::new(move |_| output());
    });
    check(&|play| {
        play.script = vec![Say::Call("plain", "{}")].into();
        play.consult = Box::new(move |_| Answer::Output(output()));
    });
    check(&|play| {
        play.script = vec![Say::Call("helper", "{}")].into();
        let result = ChildResult {
            output: ToolOutput::text("child done"),
            marks: UNTRUSTED,
            ..ChildResult::default()
        };
        play.child = Box::new(move |_| result.clone());
    });
}

#[test]
fn a_result_that_is_not_believed_has_entered_all_the_same() {
    for output in [ToolOutput::failed("boom"), ToolOutput::text("")] {
        let mut play = play(marked(), &[("read", "{}")]);
        play.tool = Box::new(move |_| output.clone());
        play.prompt("go");
        assert_eq!(play.run.marks(), UNTRUSTED);
    }
}

#[test]
fn a_result_that_comes_too_late_has_not_entered() {
    let mut play = play(marked(), &[("read", "{}")]);
    let [Effect::RunTool { call, .. }] = play.first_effects()[..] else { panic!("it is handed out") };
    play.give(Input::Dispatched { call });
    play.give(Input::Cancelled { reason: "no".into() });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("obey me") });
    assert_eq!(play.run.marks(), Marks::default());
    let holds = play.run.transcript().iter().any(|message| alloc::format!("{message:?}").contains("obey"));
    assert!(!holds);
}

#[test]
fn a_mark_outlives_its_prompt_and_is_said_once() {
    let mut play = play(marked(), &[("read", "{}"), ("read", r#"{"text":"b"}"#)]);
    play.prompt("go");
    play.script = vec![Say::Call("send", "{}")].into();
    play.prompt("now send it");
    assert_eq!(reasons(&play), [AskReason::EgressAfterMark]);
    assert_eq!(marked_events(&play), [UNTRUSTED]);
}

#[test]
fn a_host_narrows_the_rule_as_it_takes_a_run_over_and_never_widens_it() {
    let narrowed = |mark_rule, marks| {
        Input::Narrowed(Box::new(Narrowing { mark_rule: Some(mark_rule), marks, ..Narrowing::default() }))
    };
    let mut lax =
        play(Config { mark_rule: MarkRule::AskAfterBoth, ..marked() }, &[("keys", "{}"), ("send", "{}")]);
    lax.give(narrowed(MarkRule::AskAfterAny, Marks::default()));
    lax.prompt("go");
    assert_eq!(reasons(&lax), [AskReason::EgressAfterMark]);
    let mut strict = play(marked(), &[("keys", "{}"), ("send", "{}")]);
    strict.give(narrowed(MarkRule::ShowOnly, Marks::default()));
    strict.prompt("go");
    assert_eq!(reasons(&strict), [AskReason::EgressAfterMark]);
    // What came from elsewhere has entered.
    let mut brought = play(marked(), &[("send", "{}")]);
    brought.give(narrowed(MarkRule::AskAfterAny, UNTRUSTED));
    brought.prompt("go");
    assert_eq!((brought.run.marks(), brought.asked.len()), (UNTRUSTED, 1));
}

#[test]
fn a_question_that_is_open_as_a_host_narrows_the_rule_is_asked_again() {
    let config = Config { mark_rule: MarkRule::ShowOnly, marks: PRIVATE, mode: Mode::Default, ..marked() };
    let mut play = play(config, &[("note", "{}")]);
    let [Effect::Judge(first)] = &play.first_effects()[..] else { panic!("it is asked") };
    assert_eq!(first.reasons, [AskReason::Level]);
    let narrowing = Narrowing { mark_rule: Some(MarkRule::AskAfterAny), ..Narrowing::default() };
    play.give(Input::Narrowed(Box::new(narrowing)));
    let effects = play.drain();
    let [Effect::Abort(_), Effect::Judge(second)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(second.reasons, [AskReason::Level, AskReason::WriteAfterMark]);
}

#[test]
fn a_run_may_begin_with_marks() {
    let mut play = play(Config { marks: PRIVATE, ..marked() }, &[("send", "{}")]);
    play.judge = Box::new(|proposal| Verdict::deny(proposal.marks.private.to_string()));
    play.prompt("go");
    assert_eq!(play.results()[0].1, "denied: true");
}

#[test]
fn what_the_run_holds_reaches_tools_that_run_programs_and_a_host_only_until_something_enters() {
    let mut start = tool("start").level(Level::Execute);
    start.needs = vec!["exec:*".parse().expect("a template")];
    let held = ["exec:*", "tool:start", "read:/data/**", "fetch:https://api.example.com", "read:/keys/**"];
    let grants = GrantSet::parse(held).expect("grants");
    let denial: holm_grants::Denial = "read:/keys/**".parse().expect("a denial");
    let denials = [denial].into_iter().collect();
    let tools = tools().into_iter().chain([start]).collect();
    let config = Config { grants, denials, ..config_with(tools) };
    let mut play = play(config, &[("start", "{}"), ("read", "{}"), ("start", "{}")]);
    // What a tool was given is what it says.
    play.tool = Box::new(|request| {
        let grants: Vec<_> = request.grants.iter().map(ToString::to_string).collect();
        ToolOutput::text(alloc::format!("held: {}", grants.join(" ")))
    });
    assert_eq!(play.prompt("go"), answered("done"));
    let told = play.results();
    let has = |at: usize, grant: &str| told[at].1.contains(grant);
    assert!(has(0, "read:/data/**") && has(0, "fetch:https://api.example.com"), "{told:?}");
    assert!(!has(0, "read:/keys/**"), "what is denied is not handed on: {told:?}");
    assert!(!has(1, "read:/data/**"), "it runs no programs: {told:?}");
    assert!(has(2, "read:/data/**") && !has(2, "fetch:https://api.example.com"), "{told:?}");
}
