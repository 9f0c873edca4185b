//! A ladder of models: who goes on when the work of one is not good enough.

use alloc::{
    boxed::Box,
    collections::VecDeque,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_guards::postcondition::{Must, Postcondition, Rule};
use holm_guards::skill::extract;

use super::play::{Play, Say, answered, config_with, echo, failure, tool};
use crate::*;

const GOOD: &str = "seven files were copied";
const BAD: &str = "nothing to see";
const HINT: &str = "Take smaller steps.";

/// Calls that differ, so that no test trips over the loop detector.
const CALLS: [&str; 6] = [
    r#"{"text":"a"}"#,
    r#"{"text":"b"}"#,
    r#"{"text":"c"}"#,
    r#"{"text":"d"}"#,
    r#"{"text":"e"}"#,
    r#"{"text":"f"}"#,
];

fn ladder() -> Ladder {
    Ladder { hint: HINT.into(), ..Ladder::of_kind("copying") }
}

fn climbing(ladder: Ladder) -> Config {
    let promise = Rule::Pattern { regex: "copied$".into(), must: Must::Match };
    let tool = ToolSpec { postconditions: vec![Postcondition::new("the promise", promise)], ..echo() };
    let models = ["small", "middle", "large"].map(ModelSpec::named).into();
    Config { models, ladder: Some(ladder), ..config_with(vec![tool]) }
}

/// A run whose tool is called once for each of these outputs, one after the other.
fn giving(ladder: Ladder, outputs: &[&'static str]) -> Play {
    let script = CALLS.iter().take(outputs.len()).map(|arguments| Say::Call("echo", arguments)).collect();
    let mut play = Play::new(climbing(ladder), script);
    let mut outputs: VecDeque<_> = outputs.iter().copied().collect();
    play.tool = Box::new(move |_| ToolOutput::text(outputs.pop_front().expect("an output")));
    play
}

fn called(play: &Play) -> Vec<String> {
    play.requests.iter().map(|(_, request)| request.model.name.clone()).collect()
}

fn steps(play: &Play) -> Vec<(String, String, StepCause)> {
    let steps = play.events.iter().filter_map(|event| match event {
        Event::SteppedUp { from, to, cause, .. } => Some((from.to_string(), to.to_string(), *cause)),
        Event::LadderExhausted { model, cause, .. } => Some((model.to_string(), String::new(), *cause)),
        _ => None,
    });
    steps.collect()
}

fn hints(play: &Play) -> usize {
    play.run.transcript().iter().filter(|message| message.plain_text() == HINT).count()
}

fn step(from: &str, to: &str, cause: StepCause) -> (String, String, StepCause) {
    (from.into(), to.into(), cause)
}

#[test]
fn a_rejection_that_the_correction_did_not_cure_brings_the_next_model() {
    let mut play = giving(ladder(), &[BAD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(called(&play), ["small", "small", "middle", "middle"]);
    assert_eq!(steps(&play), [step("small", "middle", StepCause::Rejected)]);
    let said = play
        .events
        .iter()
        .any(|event| matches!(event, Event::SteppedUp { reason, .. } if reason.contains("the promise")));
    assert!(said, "the event says why");
    assert_eq!(hints(&play), 0);
}

#[test]
fn a_rejection_that_was_cured_changes_nothing() {
    let mut play = giving(ladder(), &[BAD, GOOD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!((called(&play), steps(&play)), (vec![String::from("small"); 5], vec![]));
}

#[test]
fn each_model_gets_a_correction_of_its_own() {
    let mut play = giving(ladder(), &[BAD, BAD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(called(&play), ["small", "small", "middle", "middle", "middle"]);
}

#[test]
fn a_call_that_is_repeated_to_no_avail_brings_the_next_model_and_ends_the_run_with_the_last() {
    let repeated = |times: usize| (0..times).map(|_| Say::Call("echo", CALLS[0])).collect::<Vec<_>>();
    let mut play = Play::new(Config { ladder: None, ..climbing(ladder()) }, repeated(12));
    play.tool = Box::new(|_| ToolOutput::failed("no such file"));
    assert!(matches!(play.prompt("go"), Ending::Looping { .. }));
    let alone = play.requests.len();

    let script = repeated(alone).into_iter().chain([Say::Text("found it")]).collect();
    let mut play = Play::new(climbing(ladder()), script);
    play.tool = Box::new(|_| ToolOutput::failed("no such file"));
    assert_eq!(play.prompt("go"), answered("found it"));
    assert_eq!(steps(&play), [step("small", "middle", StepCause::Looping)]);

    let mut play = Play::new(climbing(ladder()), repeated(40));
    play.tool = Box::new(|_| ToolOutput::failed("no such file"));
    assert!(matches!(play.prompt("go"), Ending::Looping { .. }), "{:?}", play.endings);
    assert_eq!(called(&play).last().map(String::as_str), Some("large"));
    assert_eq!(hints(&play), 1, "the last model had its hint");
}

#[test]
fn a_ladder_that_steps_up_at_once_leaves_the_correction_to_the_last_rung() {
    let policy = StepUp { rejection: OnRejection::AtOnce, ..StepUp::default() };
    let mut play = giving(Ladder { step_up: policy, ..ladder() }, &[BAD, BAD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(called(&play), ["small", "middle", "large", "large", "large"]);
    assert_eq!(hints(&play), 0);
}

#[test]
fn a_ladder_may_leave_rejections_alone() {
    let policy = StepUp { rejection: OnRejection::Never, ..StepUp::default() };
    let mut play = giving(Ladder { step_up: policy, ..ladder() }, &[BAD, BAD]);
    assert!(matches!(play.prompt("go"), Ending::Rejected { .. }));
    assert_eq!((called(&play).len(), steps(&play)), (2, vec![]));
}

#[test]
fn the_last_model_gets_the_hint_once_and_then_the_failure_carries_it() {
    let last = Ladder { start: 2, ..ladder() };
    let mut play = giving(last.clone(), &[BAD, BAD, BAD]);
    let Ending::Rejected { what, reason } = play.prompt("go") else { panic!("rejected") };
    assert_eq!((what.as_str(), hints(&play)), ("echo", 1));
    assert!(reason.contains("the promise") && reason.ends_with(HINT), "{reason}");
    assert_eq!(called(&play), ["large"; 3]);
    assert_eq!(steps(&play), [step("large", "", StepCause::Rejected)]);
    // The hint came before the last try.
    let texts: Vec<String> = play.run.view().iter().map(|message| message.plain_text()).collect();
    assert!(texts.iter().position(|text| text == HINT).expect("a hint") < texts.len() - 2, "{texts:?}");

    let mut play = giving(last.clone(), &[BAD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(hints(&play), 1);

    let mut play = giving(Ladder { hint: String::new(), ..last }, &[BAD, BAD]);
    let Ending::Rejected { reason, .. } = play.prompt("go") else { panic!("rejected") };
    assert!(!reason.contains("smaller"), "{reason}");
}

#[test]
fn calls_that_are_invalid_turn_after_turn_bring_the_next_model() {
    let policy = StepUp { invalid_turns: 2, ..StepUp::default() };
    let script = vec![
        Say::Call("nothing", "{}"),
        Say::Calls(vec![("echo", r#"{"txt":1}"#), ("none", "{}")]),
        Say::Call("echo", CALLS[0]),
    ];
    let mut play = Play::new(climbing(Ladder { step_up: policy, ..ladder() }), script);
    play.tool = Box::new(|_| ToolOutput::text(GOOD));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(called(&play), ["small", "small", "middle", "middle"]);
    assert_eq!(steps(&play), [step("small", "middle", StepCause::InvalidCalls)]);
}

#[test]
fn a_valid_call_in_between_is_a_fresh_start() {
    let policy = StepUp { invalid_turns: 2, ..StepUp::default() };
    let script = vec![
        Say::Call("nothing", "{}"),
        Say::Calls(vec![("none", "{}"), ("echo", CALLS[0])]),
        Say::Call("nowhere", "{}"),
    ];
    let mut play = Play::new(climbing(Ladder { step_up: policy, ..ladder() }), script);
    play.tool = Box::new(|_| ToolOutput::text(GOOD));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(called(&play), ["small"; 4]);
}

#[test]
fn what_a_hook_made_of_a_valid_call_is_not_the_models_doing() {
    let policy = StepUp { invalid_turns: 1, ..StepUp::default() };
    let config = climbing(Ladder { step_up: policy, ..ladder() });
    let config = Config { approvals: Approvals::AskAlways, ..config };
    let mut play = Play::new(config, vec![Say::Call("echo", CALLS[0])]);
    play.judge = Box::new(|_| Verdict::Rewrite { arguments: r#"{"txt":1}"#.into() });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.results()[0].0, Outcome::Refused);
    assert_eq!((called(&play), steps(&play)), (vec![String::from("small"); 2], vec![]));
}

#[test]
fn announcing_twice_brings_the_next_model_which_is_told_to_act() {
    let config = Config { protocol: Protocol::Text, ..climbing(ladder()) };
    let script = vec![Say::Text("I will look."), Say::Text("Let me see."), Say::Text("It is 7.")];
    let mut play = Play::new(config, script);
    assert_eq!(play.prompt("go"), answered("It is 7."));
    assert_eq!(called(&play), ["small", "small", "middle"]);
    assert_eq!(steps(&play), [step("small", "middle", StepCause::Inconclusive)]);

    let config = Config { protocol: Protocol::Text, ..climbing(Ladder { start: 2, ..ladder() }) };
    let mut play = Play::new(config, (0..3).map(|_| Say::Text("I will look.")).collect());
    let Ending::Rejected { what, reason } = play.prompt("go") else { panic!("rejected") };
    assert_eq!((what.as_str(), hints(&play)), ("reply", 1));
    assert!(reason.ends_with(HINT), "{reason}");
}

#[test]
fn a_skill_whose_contract_was_broken_twice_brings_the_next_model() {
    const ARGUMENTS: &str = r#"{"target":"email","text":"Write to ann@holm.example today."}"#;
    const INVENTED: &str = r#"{"email":["bob@holm.example"]}"#;
    const FOUND: &str = r#"{"email":["ann@holm.example"]}"#;
    let config = Config { tools: vec![ToolSpec::skill(extract())], ..climbing(ladder()) };
    let script = vec![
        Say::Call("extract", ARGUMENTS),
        Say::Text(INVENTED),
        Say::Text(INVENTED),
        Say::Call("extract", ARGUMENTS),
        Say::Text(FOUND),
    ];
    let mut play = Play::new(config, script);
    assert_eq!(play.prompt("who?"), answered("done"));
    assert_eq!(called(&play), ["small", "small", "small", "middle", "middle", "middle"]);
    assert_eq!(play.results().last().expect("a result").0, Outcome::Succeeded);
}

#[test]
fn a_run_that_had_to_step_up_begins_its_next_group_there() {
    let mut play = giving(ladder(), &[BAD, BAD, GOOD]);
    play.prompt("go");
    play.prompt("and again");
    assert_eq!(called(&play).last().map(String::as_str), Some("middle"));
}

#[test]
fn a_group_begins_on_the_rung_that_the_configuration_names() {
    let check = |rungs: &[&str], start: u64, first: &str| {
        let rungs = rungs.iter().map(ToString::to_string).collect();
        let mut play = Play::new(climbing(Ladder { rungs, start, ..ladder() }), vec![]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(called(&play), [first], "start {start}");
    };
    check(&[], 0, "small");
    check(&[], 1, "middle");
    check(&[], 9, "large");
    check(&["large", "small"], 0, "large");
    check(&["large", "small"], 1, "small");
    check(&["gone", "middle"], 0, "middle");
    check(&["gone"], 3, "small");
}

#[test]
fn a_provider_that_fails_is_a_fallback_and_no_step_of_the_ladder() {
    let mut play = Play::new(climbing(ladder()), vec![failure(FailureClass::Auth)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!((called(&play), steps(&play)), (vec!["small".into(), "middle".into()], vec![]));
}

#[test]
fn the_bill_of_a_turn_is_paid_at_the_price_of_the_model_that_began_it() {
    let mut config = climbing(ladder());
    for (model, price) in config.models.iter_mut().zip([1_u64, 1_000, 1_000_000]) {
        model.price = Some(Price { input: price * 1_000_000, output: 0, ..Price::default() });
    }
    let script = CALLS.iter().take(2).map(|arguments| Say::Call("echo", arguments)).collect();
    let mut play = Play::new(config, script);
    play.tool = Box::new(|_| ToolOutput::text(BAD));
    assert_eq!(play.prompt("go"), answered("done"));
    // Two replies of `small` and one of `middle`, 100 tokens each.
    assert_eq!(play.run.spent(), NanoUsd::new(100 + 100 + 100_000));
}

#[test]
fn a_model_without_a_price_is_passed_over_where_a_budget_holds() {
    let check = |budget: Option<u64>, next: &str| {
        let mut config = climbing(ladder());
        for model in [0, 2] {
            config.models[model].price = Some(Price { input: 1_000, ..Price::default() });
        }
        config.limits.budget = Budget { usd: budget.map(NanoUsd::new) };
        let script = CALLS.iter().take(2).map(|arguments| Say::Call("echo", arguments)).collect();
        let mut play = Play::new(config, script);
        play.tool = Box::new(|_| ToolOutput::text(BAD));
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(called(&play), ["small", "small", next], "{budget:?}");
    };
    check(None, "middle");
    check(Some(1_000_000), "large");
}

#[test]
fn no_group_begins_with_a_model_without_a_price_where_a_budget_holds() {
    let begins = |priced: &[usize], start: u64| {
        let mut config = climbing(Ladder { start, ..ladder() });
        for model in priced {
            config.models[*model].price = Some(Price { input: 1_000, ..Price::default() });
        }
        config.limits.budget = Budget { usd: Some(NanoUsd::new(1_000_000)) };
        let mut play = Play::new(config, vec![]);
        play.prompt("go");
        called(&play).pop()
    };
    let check = |priced: &[usize], start: u64, expected: Option<&str>| {
        assert_eq!(begins(priced, start).as_deref(), expected, "{priced:?} from {start}");
    };
    check(&[0], 1, Some("small"));
    check(&[0, 2], 1, Some("large"));
    check(&[0, 1], 9, Some("middle"));
    check(&[0, 1, 2], 1, Some("middle"));
    // Then the run fails and says why.
    check(&[], 1, None);
}

#[test]
fn a_climb_replays_from_its_facts() {
    let mut play = giving(ladder(), &[BAD, BAD, BAD, BAD, GOOD]);
    assert_eq!(play.prompt("go"), answered("done"));
    let started = Started::new("run-1", 7, climbing(ladder()));
    let mut again = Run::start(started, Timestamp::new(0));
    while !matches!(again.poll(), Effect::Wait(_)) {}
    for (at, input) in &play.log {
        again.handle(Timestamp::new(*at), input.clone()).expect("the same facts");
        while !matches!(again.poll(), Effect::Wait(_)) {}
    }
    assert_eq!(again.receipt(), play.run.receipt());
}

#[test]
fn kinds_of_task_have_one_form() {
    let check = |text: &str, kind: &str| assert_eq!(TaskKind::new(text).as_str(), kind, "{text:?}");
    check("", "general");
    check("  --- ", "general");
    check("Code Review", "code-review");
    check("code_review", "code-review");
    check("Übersetzung, kurz", "Übersetzung-kurz");
    check("a\u{2003}b", "a-b");
    check(&"x ".repeat(100), &"x-".repeat(24)[..47]);
    for text in ["Code Review", "a--b", "ä ö"] {
        let kind = TaskKind::new(text);
        assert_eq!(TaskKind::new(kind.as_str()), kind, "the form is stable");
    }
}

fn announcing(models: &[&str]) -> Config {
    let mut config = laddered(models);
    config.policy.announcements = Announcements::Corrected;
    config
}

fn laddered(models: &[&str]) -> Config {
    let mut config = config_with(vec![tool("echo")]);
    config.models = models.iter().map(|name| ModelSpec::named(*name)).collect();
    config.ladder = (models.len() > 1).then(|| Ladder { hint: String::new(), ..Ladder::of_kind("x") });
    config
}

const ANNOUNCES: Say = Say::Text("Let me read the file now.");

#[test]
fn a_native_model_that_announces_an_action_is_corrected_once() {
    let script = vec![ANNOUNCES, Say::Call("echo", r#"{"text":"x"}"#), Say::Text("It says x.")];
    let mut play = Play::new(announcing(&["one"]), script);
    assert_eq!(play.prompt("go"), answered("It says x."));
    assert_eq!(play.ran, ["echo"]);
    let corrected = play.run.transcript().iter().filter(|message| message.author == Author::Kernel).count();
    assert_eq!(corrected, 1);
}

#[test]
fn a_native_model_that_announces_twice_hands_over_or_is_taken_at_its_word() {
    let mut play =
        Play::new(announcing(&["one", "two"]), vec![ANNOUNCES, ANNOUNCES, Say::Text("It says x.")]);
    assert_eq!(play.prompt("go"), answered("It says x."));
    let stepped =
        play.events.iter().any(|event| matches!(event, Event::SteppedUp { to, .. } if &**to == "two"));
    assert!(stepped);
    let mut play = Play::new(announcing(&["one"]), vec![ANNOUNCES, ANNOUNCES]);
    assert_eq!(play.prompt("go"), answered("Let me read the file now."), "no answer is lost");
}

#[test]
fn an_announcement_is_the_answer_where_nobody_asks_for_more_or_no_turn_is_left() {
    let mut play = Play::new(laddered(&["one", "two"]), vec![ANNOUNCES]);
    assert_eq!(play.prompt("go"), answered("Let me read the file now."));
    let mut config = announcing(&["one"]);
    config.limits.turns = Bound::AtMost(1);
    assert_eq!(Play::new(config, vec![ANNOUNCES]).prompt("go"), answered("Let me read the file now."));
    let mut config = announcing(&["one"]);
    config.tools.clear();
    let mut play = Play::new(config, vec![ANNOUNCES]);
    assert_eq!(play.prompt("go"), answered("Let me read the file now."), "there is nothing to call");
}
