//! An answer counts for what was shown: a question is asked again when there is more to know.

use alloc::{vec, vec::Vec};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;

use super::play::{Play, Say, config_with, tool};
use crate::*;

const URL: &str = r#"{"url":"https://api.example.com/x"}"#;
const STEAL: &str = r#"{"url":"https://api.example.com/x?steal=everything"}"#;

/// `keys` brings in what is private and `page` what is untrusted; `fetch` lets data out; `save` writes where a grant says so.
fn tools() -> Vec<ToolSpec> {
    let schema = |name: &str| {
        let text = alloc::format!(r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}}}}"#);
        Json::parse(&text).expect("a schema")
    };
    let fetch = ToolSpec {
        schema: schema("url"),
        needs: vec!["fetch:{url}".parse().expect("a template")],
        ..tool("fetch")
    };
    let save = ToolSpec { needs: vec!["write:out/a".parse().expect("a template")], ..tool("save") };
    vec![
        ToolSpec { yields: Yields { private: true, ..Yields::default() }, ..tool("keys") },
        ToolSpec { yields: Yields { untrusted: true, ..Yields::default() }, ..tool("page") },
        fetch,
        save.level(Level::Write),
    ]
}

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).expect("grants")
}

fn always(texts: &[&str], until: Option<u64>) -> Verdict {
    Verdict::Allow { grants: grants(texts), until: until.map(Timestamp::new) }
}

fn questions(effects: &[Effect]) -> Vec<Proposal> {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Judge(proposal) => Some((**proposal).clone()),
        _ => None,
    });
    asked.collect()
}

/// The calls that are handed out to run.
fn handed_out(effects: &[Effect]) -> Vec<ToolCallId> {
    let calls = effects.iter().filter_map(|effect| match effect {
        Effect::RunTool { call, .. } => Some(*call),
        _ => None,
    });
    calls.collect()
}

fn finish(play: &mut Play, call: ToolCallId) -> Vec<Effect> {
    end(play, call);
    play.drain()
}

fn end(play: &mut Play, call: ToolCallId) {
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("a line of text") });
}

/// Ends the last call of a batch; the model calls this next.
fn then_calls(play: &mut Play, call: ToolCallId, tool: &'static str, arguments: &'static str) -> Vec<Effect> {
    play.script = vec![Say::Call(tool, arguments)].into();
    end(play, call);
    play.next_effects()
}

/// One reply that asks for both calls, and what is handed out then.
fn both(config: Config, calls: Vec<(&'static str, &'static str)>) -> (Play, Vec<Effect>) {
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    let effects = play.first_effects();
    (play, effects)
}

#[test]
fn a_question_about_what_leaves_is_asked_again_when_a_mark_is_set() {
    let (mut play, effects) = both(config_with(tools()), vec![("keys", "{}"), ("fetch", URL)]);
    let first = questions(&effects).remove(0);
    assert_eq!((&first.reasons, first.marks), (&vec![AskReason::MissingGrant], Marks::default()));
    let effects = finish(&mut play, handed_out(&effects)[0]);
    let second = questions(&effects).remove(0);
    assert!(effects.contains(&Effect::Abort(first.call.into())) && second.call != first.call);
    assert_eq!(second.reasons, [AskReason::MissingGrant, AskReason::EgressAfterMark]);
    assert!(second.marks.private && second.tool_call == first.tool_call);
    // The answer to what was shown first gives nothing.
    let given = always(&["fetch:https://api.example.com/x"], None);
    play.give(Input::Judged { call: first.call, verdict: given });
    assert_eq!(play.drain(), []);
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    let effects = play.drain();
    let call = handed_out(&effects)[0];
    let later = questions(&then_calls(&mut play, call, "fetch", STEAL));
    assert_eq!(later.len(), 1, "what was given with the late answer does not count");
}

#[test]
fn a_second_mark_asks_again_what_was_asked_under_the_first() {
    let config = Config { marks: Marks { untrusted: true, private: false }, ..config_with(tools()) };
    let (mut play, effects) = both(config, vec![("keys", "{}"), ("fetch", URL)]);
    let first = questions(&effects).remove(0);
    let second = questions(&finish(&mut play, handed_out(&effects)[0])).remove(0);
    assert_eq!(first.reasons, second.reasons);
    assert!(first.call != second.call && second.marks.untrusted && second.marks.private);
}

#[test]
fn a_question_that_a_mark_does_not_change_stays_and_its_grants_do_not_know_of_the_mark() {
    let (mut play, effects) = both(config_with(tools()), vec![("keys", "{}"), ("save", "{}")]);
    let asked = questions(&effects).remove(0);
    assert_eq!(finish(&mut play, handed_out(&effects)[0]), [], "the question says all there is to know");
    let given = always(&["write:out/a", "fetch:https://api.example.com/x", "tool:fetch"], None);
    play.give(Input::Judged { call: asked.call, verdict: given });
    let effects = play.drain();
    let call = handed_out(&effects)[0];
    let later = questions(&then_calls(&mut play, call, "fetch", STEAL)).remove(0);
    assert_eq!(later.reasons, [AskReason::EgressAfterMark]);
}

#[test]
fn grants_that_answer_the_new_question_are_given_in_knowledge_of_the_mark() {
    let (mut play, effects) = both(config_with(tools()), vec![("keys", "{}"), ("fetch", URL)]);
    let asked = questions(&finish(&mut play, handed_out(&effects)[0])).remove(0);
    let given = always(&["fetch:https://api.example.com/x"], None);
    play.give(Input::Judged { call: asked.call, verdict: given });
    let effects = play.drain();
    let call = handed_out(&effects)[0];
    assert_eq!(handed_out(&then_calls(&mut play, call, "fetch", STEAL)).len(), 1);
}

#[test]
fn a_yes_that_waits_for_its_turn_does_not_cover_a_mark_that_is_set_meanwhile() {
    let config = Config { batch: BatchOrder::Sequential, ..config_with(tools()) };
    let (mut play, effects) = both(config, vec![("keys", "{}"), ("fetch", URL)]);
    let asked = questions(&effects).remove(0);
    play.give(Input::Judged { call: asked.call, verdict: Verdict::allow() });
    assert_eq!(play.drain(), []);
    let effects = finish(&mut play, handed_out(&effects)[0]);
    assert_eq!(handed_out(&effects), []);
    assert_eq!(questions(&effects)[0].reasons, [AskReason::MissingGrant, AskReason::EgressAfterMark]);
}

#[test]
fn a_lease_that_ends_while_a_question_is_open_is_asked_for_too() {
    let mut config = config_with(tools());
    config.mode = Mode::Default;
    let (mut play, effects) = both(config, vec![("save", "{}"), ("save", r#"{"text":"b"}"#)]);
    let asked = questions(&effects);
    // The first answer leases the write for a second; the second question then misses nothing.
    play.give(Input::Judged { call: asked[0].call, verdict: always(&["write:out/a"], Some(1_000)) });
    let effects = play.drain();
    assert_eq!(questions(&effects), [], "less is missing than was shown");
    play.now = 2_000;
    play.give(Input::Judged { call: asked[1].call, verdict: Verdict::allow() });
    assert_eq!(handed_out(&play.drain()), [], "it waits for the first");
    let effects = finish(&mut play, handed_out(&effects)[0]);
    assert_eq!(
        (handed_out(&effects).len(), questions(&effects).len()),
        (1, 0),
        "a yes to more is a yes to less"
    );
}

#[test]
fn a_lease_that_was_there_when_the_question_was_shown_and_ends_is_asked_for() {
    let mut config = config_with(tools());
    config.mode = Mode::Default;
    let mut play = Play::new(config, vec![Say::Call("save", "{}"), Say::Call("save", r#"{"text":"b"}"#)]);
    let first = questions(&play.first_effects()).remove(0);
    play.give(Input::Judged { call: first.call, verdict: always(&["write:out/a"], Some(1_000)) });
    let call = handed_out(&play.drain())[0];
    end(&mut play, call);
    let second = questions(&play.next_effects());
    let [second] = &second[..] else { panic!("it is asked: {second:?}") };
    assert_eq!(second.reasons, [AskReason::Level]);
    play.now = 2_000;
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    let third = questions(&play.drain()).remove(0);
    assert_eq!((third.missing.len(), third.call == second.call), (1, false));
}

#[test]
fn a_helper_that_would_hold_more_is_asked_about_again() {
    let kind = ToolKind::Agent { grants: grants(&["write:out/**"]), reserve: NanoUsd::ZERO, tokens: 0 };
    let mut config = config_with(tools());
    config.tools.push(ToolSpec { kind, ..tool("helper").level(Level::Execute) });
    config.mode = Mode::Default;
    let (mut play, effects) = both(config, vec![("helper", "{}"), ("save", "{}")]);
    let asked = questions(&effects);
    assert_eq!(asked[0].hands_on, [""; 0]);
    play.give(Input::Judged { call: asked[1].call, verdict: always(&["write:out/a"], None) });
    let again = questions(&play.drain()).remove(0);
    assert_eq!((again.tool_call, again.hands_on.len()), (asked[0].tool_call, 1));
    assert!(again.call != asked[0].call);
}

#[test]
fn grants_of_an_answer_to_what_was_shown_before_a_change_of_grants_count_for_nothing() {
    let mut play = Play::new(config_with(tools()), vec![Say::Call("fetch", URL)]);
    let asked = questions(&play.first_effects()).remove(0);
    play.give(Input::GrantsChanged(grants(&["fetch:https://api.example.com"])));
    assert_eq!(play.drain(), [], "it misses nothing any more, and still waits for its answer");
    play.give(Input::Judged { call: asked.call, verdict: always(&["tool:save", "write:out/a"], None) });
    let effects = play.drain();
    let call = handed_out(&effects)[0];
    assert_eq!(questions(&then_calls(&mut play, call, "save", "{}"))[0].missing, ["write:out/a"]);
}

#[test]
fn a_narrower_mode_asks_every_open_question_again() {
    let mut config = config_with(tools());
    config.mode = Mode::Full;
    let mut play = Play::new(config, vec![Say::Call("save", "{}")]);
    let first = questions(&play.first_effects()).remove(0);
    play.give(Input::ModeChanged(Mode::Default));
    let second = questions(&play.drain()).remove(0);
    assert_eq!(first.reasons, [AskReason::MissingGrant]);
    assert_eq!(second.reasons, [AskReason::MissingGrant, AskReason::Level]);
}

#[test]
fn what_a_helper_brings_in_asks_again_what_is_open() {
    let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    let mut config = config_with(tools());
    config.tools.push(ToolSpec { kind, background: Background::Always, ..tool("helper") });
    let (mut play, effects) = both(config, vec![("helper", "{}"), ("fetch", URL)]);
    let asked = questions(&effects).remove(0);
    let child = effects.iter().find_map(|effect| match effect {
        Effect::Spawn { call, .. } => Some(*call),
        _ => None,
    });
    let call = child.expect("a child is started");
    play.give(Input::ChildStarted { call, child: "child-1".into() });
    let marks = Marks { untrusted: true, private: false };
    let result = ChildResult { output: ToolOutput::text("it is done"), marks, ..ChildResult::default() };
    play.give(Input::ChildFinished { call, result });
    let again = questions(&play.drain()).remove(0);
    assert!(again.call != asked.call && again.marks.untrusted);
}
