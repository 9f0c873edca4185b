//! Contract skills from end to end: the model carries them out, the contract is checked, one correction is given.

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::Mode;
use holm_guards::skill::extract;

use super::play::{Play, Say, answered, config_with, failure, reply};
use crate::*;

const ARGUMENTS: &str = r#"{"target":"email","text":"Write to ann@holm.example today."}"#;
const FOUND: &str = r#"{"email":["ann@holm.example"]}"#;
const INVENTED: &str = r#"{"email":["bob@holm.example"]}"#;

fn skilled() -> Config {
    config_with(vec![ToolSpec::skill(extract())])
}

/// A native run that asks for the skill once; the model then says these lines.
fn asking(lines: Vec<Say>) -> Play {
    let mut script = vec![Say::Call("extract", ARGUMENTS)];
    script.extend(lines);
    Play::new(skilled(), script)
}

fn texts(play: &Play, request: usize) -> Vec<String> {
    let (_, request) = &play.requests[request];
    play.run.messages(request).iter().map(|message| message.plain_text()).collect()
}

#[test]
fn a_skill_is_a_request_of_its_own_and_its_checked_value_is_the_result() {
    let mut play = asking(vec![Say::Text(FOUND), Say::Text("ann@holm.example")]);
    assert_eq!(play.prompt("who?"), answered("ann@holm.example"));
    assert_eq!(play.results(), [(Outcome::Succeeded, FOUND.to_string())]);
    let purposes: Vec<Purpose> = play.requests.iter().map(|(_, request)| request.purpose).collect();
    assert_eq!(purposes, [Purpose::Turn, Purpose::Skill, Purpose::Turn]);
    let request = &play.requests[1].1;
    assert!(request.format.is_some() && request.tools.tools.is_empty() && request.system.is_empty());
    assert!(texts(&play, 1)[0].contains("ann@holm.example"));
    // The talk about the skill is not part of the transcript.
    let roles: Vec<Role> = play.run.transcript().iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
}

#[test]
fn the_text_protocol_runs_the_same_skill_and_seals_its_result() {
    let mut config = skilled();
    config.protocol = Protocol::Text;
    let call = r#"{"skill":"extract","target":"email","text":"Write to ann@holm.example today."}"#;
    let mut play =
        Play::new(config, vec![Say::Text(call), Say::Text(INVENTED), Say::Text(FOUND), Say::Text("Ann.")]);
    assert_eq!(play.prompt("who?"), answered("Ann."));
    assert_eq!(play.requests.len(), 4);
    let told = play.run.transcript()[2].plain_text();
    assert!(told.starts_with("<tool_output seal=\"") && told.contains(FOUND), "{told}");
}

#[test]
fn an_invented_value_gets_one_correction_with_the_reason() {
    let mut play = asking(vec![Say::Text(INVENTED), Say::Text(FOUND)]);
    assert_eq!(play.prompt("who?"), answered("done"));
    assert_eq!(play.results(), [(Outcome::Succeeded, FOUND.to_string())]);
    let second = texts(&play, 2);
    assert_eq!(second.len(), 3);
    assert_eq!(second[1], INVENTED);
    assert!(
        second[2].contains("HallucinationDetected") && second[2].contains("bob@holm.example"),
        "{second:?}"
    );
    assert!(play.events.iter().any(|event| matches!(event, Event::Ruled { rejected: true, .. })));
}

#[test]
fn after_the_correction_the_failure_is_explicit_and_names_its_kind() {
    let check = |line: &'static str, kind: &str| {
        let mut play = asking(vec![Say::Text(line), Say::Text(line)]);
        assert_eq!(play.prompt("who?"), answered("done"), "{line}");
        let (outcome, text) = play.results().remove(0);
        assert_eq!(outcome, Outcome::Failed, "{line}");
        assert!(text.starts_with(kind), "{line} gave {text}");
        assert_eq!(play.requests.len(), 4, "{line}");
    };
    check(INVENTED, "HallucinationDetected");
    check("I found nothing", "MalformedOutput");
    check(r#"{"mail":[]}"#, "SchemaViolation");
    check(r#"{"email":["Write"]}"#, "FormatViolation");
    // A part of a value is not the value.
    check(r#"{"email":["nn@holm.example"]}"#, "HallucinationDetected");
}

#[test]
fn an_input_that_breaks_the_contract_never_reaches_the_model() {
    let check = |arguments: &'static str, says: &str| {
        let mut play = Play::new(skilled(), vec![Say::Call("extract", arguments)]);
        assert_eq!(play.prompt("who?"), answered("done"));
        let (outcome, text) = play.results().remove(0);
        assert_eq!(outcome, Outcome::Refused, "{arguments}");
        assert!(text.contains(says), "{arguments} gave {text}");
        assert!(play.requests.iter().all(|(_, request)| request.purpose == Purpose::Turn));
    };
    check(r#"{"text":"call 555","target":"phone"}"#, "InvalidTarget");
    check(r#"{"target":"email"}"#, "text");
    check(r#"{"text":"  ","target":"email"}"#, "EmptyInput");
}

#[test]
fn nothing_found_is_an_empty_list() {
    let mut play = asking(vec![Say::Text(r#"{"email":[]}"#)]);
    play.prompt("who?");
    assert_eq!(play.results(), [(Outcome::Succeeded, r#"{"email":[]}"#.to_string())]);
}

#[test]
fn a_model_call_that_fails_is_a_failed_skill_and_not_the_end() {
    let mut play = asking(vec![failure(FailureClass::Server), Say::Text("sorry")]);
    assert_eq!(play.prompt("who?"), answered("sorry"));
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn a_skill_can_do_nothing_so_every_mode_allows_it() {
    for mode in Mode::ALL {
        let mut play =
            Play::new(Config { mode, ..skilled() }, vec![Say::Call("extract", ARGUMENTS), Say::Text(FOUND)]);
        play.prompt("who?");
        assert!(play.asked.is_empty());
        assert_eq!(play.results()[0].0, Outcome::Succeeded, "{mode}");
    }
}

#[test]
fn what_a_skill_uses_counts_and_a_spent_budget_leaves_no_second_try() {
    let mut config = skilled();
    config.models[0].price = Some(Price { input: 1_000_000, output: 0, ..Price::default() });
    // A request costs 100; two of them are the whole budget.
    config.limits.budget.usd = Some(NanoUsd::new(200));
    let mut play = Play::new(config, vec![Say::Call("extract", ARGUMENTS), Say::Text(INVENTED)]);
    let ending = play.prompt("who?");
    assert_eq!(ending, Ending::OverBudget { spent: NanoUsd::new(200), limit: NanoUsd::new(200) });
    assert_eq!(play.requests.len(), 2);
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn tokens_of_a_skill_count_and_their_limit_leaves_no_second_try() {
    let mut config = skilled();
    config.limits.tokens = Bound::AtMost(220);
    let mut play = Play::new(config, vec![Say::Call("extract", ARGUMENTS), Say::Text(INVENTED)]);
    let ending = play.prompt("who?");
    assert_eq!(ending, Ending::OverLimit { limit: Limit::Tokens, used: 220, allowed: 220 });
    assert_eq!(play.requests.len(), 2);
}

#[test]
fn an_answer_to_an_earlier_try_is_ignored() {
    let mut play = asking(vec![]);
    let [Effect::CallModel { call, .. }] = play.first_effects()[..] else { panic!("the skill's request") };
    let say = |text: &str| {
        let blocks = vec![Block::Text(text.into())];
        ModelResult::Replied(Reply { blocks, ..Reply::default() })
    };
    play.give(Input::ModelFinished { call, result: say(INVENTED) });
    let [Effect::CallModel { call: second, .. }] = play.drain()[..] else { panic!("a second try") };
    play.give(Input::ModelFinished { call, result: say(FOUND) });
    assert_eq!(play.drain(), []);
    assert_eq!(play.events.last(), Some(&Event::Ignored { call: Some(call.into()) }));
    play.give(Input::ModelFinished { call: second, result: say(INVENTED) });
    play.drain();
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn a_cancelled_skill_is_stopped_and_its_late_bill_is_paid_once() {
    let mut play = asking(vec![]);
    let [Effect::CallModel { call, .. }] = play.first_effects()[..] else { panic!("the skill's request") };
    play.give(Input::Cancelled { reason: "enough".into() });
    assert_eq!(play.drain(), [Effect::Abort(call.into())]);
    let before = play.run.usage().total();
    let usage = Usage { input: 50, output: 5, ..Usage::default() };
    let late =
        || Input::ModelFinished { call, result: ModelResult::Replied(Reply { usage, ..Reply::default() }) };
    play.give(late());
    play.give(late());
    assert_eq!(play.run.usage().total(), before + 55);
}

#[test]
fn words_of_a_skill_reply_around_its_object_are_not_the_value() {
    let blocks = vec![Block::Text("Here it is: ".into()), Block::Text(FOUND.into())];
    let mut play = asking(vec![reply(blocks, StopReason::EndTurn), Say::Text(FOUND)]);
    play.prompt("who?");
    let (outcome, text) = play.results().remove(0);
    assert_eq!((outcome, text.as_str()), (Outcome::Succeeded, FOUND));
}
