//! A result is checked before it is believed: plausibility, postconditions, executable checks, one correction.

use alloc::{
    boxed::Box,
    collections::VecDeque,
    rc::Rc,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::cell::RefCell;

use holm_guards::json::Json;
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_guards::postcondition::{Must, Postcondition, Rule};
use holm_guards::ruling::Severity;

use super::play::{Play, Say, answered, config_with, echo, tool};
use crate::*;

const GOOD: &str = "seven files were copied";

/// Calls that differ, so that no test trips over the loop detector.
const CALLS: [&str; 4] = [r#"{"text":"a"}"#, r#"{"text":"b"}"#, r#"{"text":"c"}"#, r#"{"text":"d"}"#];

/// A run in which the tool is called once for each of these outputs, one after the other.
fn giving(tool: ToolSpec, outputs: Vec<ToolOutput>) -> Play {
    let script = CALLS.iter().take(outputs.len()).map(|arguments| Say::Call("echo", arguments)).collect();
    let mut play = Play::new(config_with(vec![tool]), script);
    let mut outputs = VecDeque::from(outputs);
    play.tool = Box::new(move |_| outputs.pop_front().expect("an output"));
    play
}

fn promising(rule: Rule) -> ToolSpec {
    ToolSpec { postconditions: vec![Postcondition::new("the promise", rule)], ..echo() }
}

fn program() -> Rule {
    Rule::Executable { command: "verify".into(), arguments: Vec::new() }
}

fn pattern(regex: &str) -> Rule {
    Rule::Pattern { regex: regex.into(), must: Must::Match }
}

fn rulings(play: &Play) -> Vec<(bool, String)> {
    let ruled = play.events.iter().filter_map(|event| match event {
        Event::Ruled { rejected, guard, .. } => Some((*rejected, guard.clone())),
        _ => None,
    });
    ruled.collect()
}

/// Runs one call and says what the model was told it came to, and which guards spoke.
fn judge(tool: ToolSpec, output: ToolOutput) -> (Outcome, Vec<(bool, String)>) {
    let mut play = giving(tool, vec![output]);
    assert_eq!(play.prompt("go"), answered("done"));
    (play.results().remove(0).0, rulings(&play))
}

#[test]
fn a_plausible_result_is_believed_without_a_word() {
    assert_eq!(judge(echo(), ToolOutput::text(GOOD)), (Outcome::Succeeded, vec![]));
}

#[test]
fn an_empty_result_is_fine_only_where_the_tool_says_so() {
    let silent = ToolSpec { empty: EmptyOutput::Allowed, ..echo() };
    assert_eq!(judge(silent, ToolOutput::text("")), (Outcome::Succeeded, vec![]));
    let (outcome, ruled) = judge(echo(), ToolOutput::text(" \n"));
    assert_eq!((outcome, ruled.len()), (Outcome::Failed, 1));
    assert!(ruled[0].0);
}

#[test]
fn an_error_message_is_a_result_only_where_the_tool_says_so() {
    let output = || ToolOutput::text("cat: notes.txt: No such file or directory");
    let reader = ToolSpec { error_text: ErrorText::Allowed, ..echo() };
    assert_eq!(judge(reader, output()), (Outcome::Succeeded, vec![]));
    let (outcome, ruled) = judge(echo(), output());
    assert_eq!((outcome, ruled.len()), (Outcome::Failed, 1));
    assert!(ruled[0].0);
}

#[test]
fn a_failed_tool_passes_through_as_the_failure_it_is() {
    let strict = promising(pattern("^never$"));
    let mut play = giving(strict, vec![ToolOutput::failed("")]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.results(), [(Outcome::Failed, String::new())]);
    assert_eq!(rulings(&play), []);
}

#[test]
fn a_warning_is_told_to_people_and_the_result_is_believed() {
    let mild = ToolSpec { severity: Severity::Warn, ..echo() };
    let (outcome, ruled) = judge(mild, ToolOutput::text("total 0"));
    assert_eq!(outcome, Outcome::Succeeded);
    assert!(!ruled.is_empty() && ruled.iter().all(|(rejected, _)| !rejected), "{ruled:?}");
}

#[test]
fn every_kind_of_promise_is_held_to() {
    let check = |rule: Rule, output: &str, believed: bool| {
        let (outcome, ruled) = judge(promising(rule.clone()), ToolOutput::text(output));
        assert_eq!(outcome == Outcome::Succeeded, believed, "{rule:?} of {output:?}");
        assert_eq!(ruled.is_empty(), believed, "{rule:?} of {output:?}");
    };
    let object = Json::parse(r#"{"type":"object","required":["id"]}"#).expect("a schema");
    check(Rule::Schema(object.clone()), r#"{"id":7,"name":"seven"}"#, true);
    check(Rule::Schema(object), r#"{"name":"seven"}"#, false);
    check(pattern("copied$"), GOOD, true);
    check(pattern("^copied"), GOOD, false);
    check(Rule::Pattern { regex: "files".into(), must: Must::NotMatch }, GOOD, false);
    let lines = |min, max| Rule::Lines { min, max, each: None, none: None };
    check(lines(Some(2), None), "first line\nsecond line", true);
    check(lines(Some(3), None), "first line\nsecond line", false);
    check(lines(None, Some(1)), "first line\nsecond line", false);
    check(Rule::Length { min: Some(100), max: None }, GOOD, false);
}

#[test]
fn one_correction_with_the_reason_then_the_run_says_that_it_was_rejected() {
    let mut play = giving(promising(pattern("copied$")), vec![ToolOutput::text("nothing to see"); 2]);
    let Ending::Rejected { what, reason } = play.prompt("go") else { panic!("rejected") };
    assert_eq!(what, "echo");
    assert!(reason.contains("the promise"), "{reason}");
    // The model had read the reason before it tried again, and the second result is in the transcript too.
    let told = play.results();
    assert_eq!(told.len(), 2);
    assert!(told[0].1.contains(&reason) && told[0].1.contains("try once more"), "{told:?}");
    assert_eq!(play.requests.len(), 2);
}

#[test]
fn a_correction_that_helps_lets_the_run_go_on() {
    let outputs =
        vec![ToolOutput::text("nothing to see"), ToolOutput::text(GOOD), ToolOutput::text("no more")];
    let mut play = giving(promising(pattern("copied$")), outputs);
    // The third is a first rejection again: a good result lies between.
    assert_eq!(play.prompt("go"), answered("done"));
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Succeeded, Outcome::Failed]);
}

#[test]
fn two_rejections_in_one_reply_are_one_for_there_was_no_correction_between_them() {
    let script = vec![Say::Calls(vec![("echo", CALLS[0]), ("echo", CALLS[1])]), Say::Text("done")];
    let mut play = Play::new(config_with(vec![echo()]), script);
    play.tool = Box::new(|_| ToolOutput::text(""));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(rulings(&play).len(), 2);
}

#[test]
fn another_prompt_starts_with_a_clean_sheet() {
    let mut play = giving(echo(), vec![ToolOutput::text(""), ToolOutput::text("")]);
    play.script.insert(1, Say::Text("one"));
    assert_eq!(play.prompt("go"), answered("one"));
    assert_eq!(play.prompt("again"), answered("done"));
}

#[test]
fn a_rejected_result_has_no_vote_to_end_the_run() {
    let mut play = giving(echo(), vec![ToolOutput::terminal("")]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.requests.len(), 2);
}

#[test]
fn pictures_are_content_and_need_no_words() {
    let media =
        Media { media_type: "image/png".into(), source: Source::Reference("blob:1".into()), name: None };
    let output = ToolOutput { parts: vec![Block::Image(media)], ..ToolOutput::default() };
    assert_eq!(judge(echo(), output), (Outcome::Succeeded, vec![]));
}

/// Plays one call and answers its checks in turn; gives back what the call came to and which checks were asked for.
fn checked(tool: ToolSpec, output: ToolOutput, answers: Vec<CheckRuling>) -> (Play, Vec<Check>) {
    let mut play = giving(tool, vec![output]);
    let asked: Rc<RefCell<Vec<Check>>> = Rc::default();
    let mut answers = VecDeque::from(answers);
    let log = asked.clone();
    play.check = Box::new(move |request| {
        log.borrow_mut().push(request.check.clone());
        answers.pop_front().expect("no further check is asked for")
    });
    assert_eq!(play.prompt("go"), answered("done"));
    let asked = asked.borrow().clone();
    (play, asked)
}

fn no(reason: &str) -> CheckRuling {
    CheckRuling::Failed { reason: reason.into() }
}

#[test]
fn a_chain_of_promises_stops_at_the_first_that_is_broken() {
    let postconditions =
        vec![Postcondition::new("first", pattern("^never$")), Postcondition::new("second", program())];
    // The program would be asked for if the chain went on.
    let (play, asked) = checked(ToolSpec { postconditions, ..echo() }, ToolOutput::text(GOOD), vec![]);
    assert_eq!(asked, []);
    assert_eq!(rulings(&play), [(true, "first".to_string())]);
}

#[test]
fn a_broken_promise_that_only_warns_does_not_stop_the_chain() {
    let mild = Postcondition { severity: Severity::Warn, ..Postcondition::new("first", pattern("^never$")) };
    let postconditions = vec![mild, Postcondition::new("second", pattern("^never$"))];
    let (outcome, ruled) = judge(ToolSpec { postconditions, ..echo() }, ToolOutput::text(GOOD));
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(ruled, [(false, "first".to_string()), (true, "second".to_string())]);
}

#[test]
fn a_program_decides_by_its_answer_and_by_the_weight_of_its_promise() {
    let check = |severity: Severity, answer: CheckRuling, outcome: Outcome, ruled: &[(bool, String)]| {
        let promise = Postcondition { severity, ..Postcondition::new("tests pass", program()) };
        let tool = ToolSpec { postconditions: vec![promise], ..echo() };
        let (play, asked) = checked(tool, ToolOutput::text(GOOD), vec![answer.clone()]);
        assert_eq!(asked.len(), 1);
        assert_eq!(play.results()[0].0, outcome, "{severity:?} {answer:?}");
        assert_eq!(rulings(&play), ruled, "{severity:?} {answer:?}");
    };
    let name = || "tests pass".to_string();
    let broken = || CheckRuling::Broken { reason: "no such program".into() };
    check(Severity::Reject, CheckRuling::Passed, Outcome::Succeeded, &[]);
    check(Severity::Reject, no("2 failures"), Outcome::Failed, &[(true, name())]);
    // What could not be checked is not believed.
    check(Severity::Reject, broken(), Outcome::Failed, &[(true, name())]);
    check(Severity::Warn, no("2 failures"), Outcome::Succeeded, &[(false, name())]);
    check(Severity::Warn, broken(), Outcome::Succeeded, &[(false, name())]);
}

#[test]
fn the_reason_of_a_failed_program_reaches_the_model() {
    let (play, _) = checked(promising(program()), ToolOutput::text(GOOD), vec![no("2 of 9 tests fail")]);
    assert!(play.results()[0].1.contains("2 of 9 tests fail"), "{:?}", play.results());
}

#[test]
fn programs_run_one_after_the_other_until_one_says_no() {
    let postconditions = ["one", "two", "three"].map(|name| Postcondition::new(name, program())).to_vec();
    let tool = ToolSpec { postconditions, ..echo() };
    let (play, asked) = checked(tool, ToolOutput::text(GOOD), vec![CheckRuling::Passed, no("bad")]);
    assert_eq!(asked.len(), 2);
    assert_eq!(rulings(&play), [(true, "two".to_string())]);
}

fn spilled() -> ToolOutput {
    let spill = Spill {
        head: "[1,".into(),
        tail: ",9]".into(),
        bytes: 1_000_000,
        sha256: "00".into(),
        reference: "blob:whole".into(),
    };
    ToolOutput { spill: Some(spill.into()), ..ToolOutput::default() }
}

#[test]
fn the_whole_of_a_spilled_result_is_checked_by_the_host() {
    let array = Json::parse(r#"{"type":"array"}"#).expect("a schema");
    let tool = promising(Rule::Schema(array));
    let (play, asked) = checked(tool.clone(), spilled(), vec![CheckRuling::Passed; 2]);
    assert_eq!(play.results()[0].0, Outcome::Succeeded);
    let kinds: Vec<bool> = asked.iter().map(|check| matches!(check, Check::Plausibility(_))).collect();
    // Plausibility comes first, then the promise itself.
    assert_eq!(kinds, [true, false]);
    let (play, asked) = checked(tool.clone(), spilled(), vec![no("only headers")]);
    assert_eq!((play.results()[0].0, asked.len()), (Outcome::Failed, 1));
    assert_eq!(rulings(&play), [(true, "plausibility".to_string())]);
    let (play, _) = checked(tool, spilled(), vec![CheckRuling::Passed, no("not an array")]);
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn a_check_counts_once_and_only_under_its_own_id() {
    let mut play = giving(promising(program()), vec![ToolOutput::text(GOOD)]);
    for effect in play.first_effects() {
        play.perform(effect);
    }
    let [Effect::Check { call, request }] = &play.drain()[..] else { panic!("one check") };
    let (call, tool_call) = (*call, request.tool_call);
    assert_eq!(
        play.run.checked_output(tool_call),
        Some(&ToolOutput::text(GOOD)),
        "what the host is to check"
    );
    assert_eq!(play.run.checked_output(ToolCallId::new(call.value())), None);
    let passed = |call| Input::Checked { call, ruling: CheckRuling::Passed };
    play.give(passed(CheckId::new(tool_call.value())));
    assert_eq!(play.drain(), []);
    assert_eq!(play.events.last(), Some(&Event::Ignored { call: Some(tool_call.into()) }));
    play.give(passed(call));
    assert!(matches!(play.drain()[..], [Effect::CallModel { .. }]));
    assert_eq!(play.run.checked_output(tool_call), None);
    play.give(Input::Checked { call, ruling: no("changed my mind") });
    play.drain();
    assert_eq!(play.events.last(), Some(&Event::Ignored { call: Some(call.into()) }));
    assert_eq!(play.results()[0].0, Outcome::Succeeded);
}

fn reviewed(output: ToolOutput, answer: Answer) -> Play {
    let mut config = config_with(vec![echo(), tool("other")]);
    config.consult = [ConsultPoint::AfterTool].into();
    let mut play = Play::new(config, vec![Say::Call("echo", CALLS[0])]);
    play.tool = Box::new(move |_| output.clone());
    play.consult = Box::new(move |_| answer.clone());
    assert_eq!(play.prompt("go"), answered("done"));
    play
}

#[test]
fn guards_see_what_the_hooks_have_made_of_a_result() {
    let play = reviewed(ToolOutput::text(""), Answer::Output(ToolOutput::text(GOOD)));
    assert_eq!(play.results(), [(Outcome::Succeeded, GOOD.to_string())]);
    let play = reviewed(ToolOutput::text(GOOD), Answer::Output(ToolOutput::text("")));
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn a_hook_that_fails_or_misunderstands_changes_nothing() {
    for answer in [Answer::Failed { reason: "crashed".into() }, Answer::Nothing, Answer::Model("x".into())] {
        let play = reviewed(ToolOutput::text(GOOD), answer.clone());
        assert_eq!(play.results(), [(Outcome::Succeeded, GOOD.to_string())], "{answer:?}");
        let told = play.events.contains(&Event::HookFailed { reason: "crashed".into() });
        assert_eq!(told, matches!(answer, Answer::Failed { .. }));
    }
}

#[test]
fn a_tool_whose_promises_do_not_compile_is_never_run() {
    let mut play = giving(promising(pattern("(")), vec![ToolOutput::text(GOOD)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert!(play.ran.is_empty());
    assert_eq!(play.results()[0].0, Outcome::Refused);
}
