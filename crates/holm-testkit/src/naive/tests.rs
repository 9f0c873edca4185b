use holm_grants::{GrantSet, Level, Mode, NeedTemplate};
use holm_guards::json::Json;
use holm_kernel::{
    Answer, Bound, Budget, Config, ConsultPoint, Effect, FailureClass, ModelSpec, NanoUsd, Price, Prompt,
    Protocol, Repeat, ToolOutput, ToolSpec,
};

use super::{Comparison, Left, compare};
use crate::{Ask, Fault, Interrupt, Line, Mishap, Outcome, Ruling, Script, Sim, What, Work};

fn tool(name: &str, level: Level) -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    ToolSpec::new(name, "A tool.", Json::parse(schema).expect("a schema")).level(level)
}

fn needs(template: &str) -> Vec<NeedTemplate> {
    vec![template.parse().expect("a template")]
}

fn config() -> Config {
    let price = Some(Price { input: 1_000_000, output: 5_000_000, ..Price::default() });
    let mut config = Config::new(ModelSpec { price, ..ModelSpec::named("scripted/one") });
    config.mode = Mode::Full;
    config.grants = GrantSet::parse(["read:**", "write:out/**"]).expect("grants");
    config.tools = vec![
        ToolSpec { needs: needs("read:{path}"), ..tool("look", Level::ReadOnly) },
        ToolSpec { needs: needs("write:{path}"), ..tool("write", Level::Write) },
        ToolSpec { repeat: Repeat::Idempotent, ..tool("put", Level::Write) },
        ToolSpec { aborts_siblings: true, ..tool("fragile", Level::ReadOnly) },
    ];
    config
}

fn two() -> Vec<Line> {
    let asks = vec![Ask::new("look", r#"{"path":"src/a.rs"}"#), Ask::new("write", r#"{"path":"out/b"}"#)];
    vec![Line::Calls(String::new(), asks), Line::says("done")]
}

/// Plays a script in which tools give something different each time, unless it says otherwise.
fn play(config: &Config, mut script: Script) -> Outcome {
    script.tools.extend((0..8).map(|number| Work::Gives(format!("line number {number}"))));
    Sim::new(config.clone(), script, 3).run()
}

/// Both kernels decide the same to the end.
fn agrees(config: &Config, script: Script) -> Outcome {
    let outcome = play(config, script);
    let whole = Comparison { records: outcome.steps.len() as u64, ..Comparison::default() };
    assert_eq!(outcome.naive, whole, "{:?}", outcome.steps);
    outcome
}

#[test]
fn calls_side_by_side_and_in_turn_are_decided_alike() {
    for order in [holm_kernel::BatchOrder::Parallel, holm_kernel::BatchOrder::Sequential] {
        let mut config = config();
        config.batch = order;
        let outcome = agrees(&config, Script { model: two(), ..Script::prompted("go") });
        assert_eq!(outcome.ran.len(), 2);
    }
}

#[test]
fn what_is_asked_denied_and_rewritten_is_decided_alike() {
    let mut config = config();
    config.mode = Mode::Default;
    let given = GrantSet::parse(["tool:write"]).expect("grants");
    let answers = [
        Ruling::Allows,
        Ruling::Denies("no".into()),
        Ruling::Grants(given, Some(50)),
        Ruling::Rewrites(r#"{"path":"out/c"}"#.into()),
        Ruling::Silent,
    ];
    for answer in answers {
        let model = vec![
            Line::calls("write", r#"{"path":"out/b"}"#),
            Line::calls("write", r#"{"path":"out/d"}"#),
            Line::calls("write", r#"{"path":"elsewhere"}"#),
        ];
        agrees(&config, Script { model, people: vec![answer], ..Script::prompted("go") });
    }
}

#[test]
fn a_crash_at_every_record_is_recovered_from_alike() {
    for at in 1..12 {
        for mishap in [
            Mishap::CrashBefore,
            Mishap::CrashAfter,
            Mishap::CrashLeaving,
            Mishap::CrashPerformed,
            Mishap::Twice,
        ] {
            let faults = vec![Fault { at, mishap }];
            agrees(&config(), Script { model: two(), faults, ..Script::prompted("go") });
        }
    }
}

#[test]
fn whatever_somebody_says_in_between_is_heard_alike() {
    let said = [
        What::Steers("left".into()),
        What::FollowsUp("and then".into()),
        What::Prompts("also".into()),
        What::Cancels,
        What::Mode(Mode::Plan),
        What::Grants(GrantSet::default()),
        What::Budget(Some(0)),
        What::Tools(vec!["look".into()]),
        What::ClockForward(700_000),
        What::ClockBack(10),
        What::HandOver,
    ];
    for after in 1..8 {
        for what in said.clone() {
            let interrupts = vec![Interrupt { after, what }];
            agrees(&config(), Script { model: two(), interrupts, ..Script::prompted("go") });
        }
    }
}

#[test]
fn failures_pauses_fallbacks_and_limits_are_decided_alike() {
    let mut config = config();
    config.models.push(ModelSpec { name: "scripted/two".into(), ..config.models[0].clone() });
    config.limits.turns = Bound::AtMost(3);
    config.limits.budget = Budget { usd: Some(NanoUsd::new(1_000)) };
    let lines = [
        Line::Fails(FailureClass::Server),
        Line::FailsFor(FailureClass::RateLimited, 2_000),
        Line::Fails(FailureClass::Overloaded),
        Line::Fails(FailureClass::Auth),
        Line::Fails(FailureClass::ContentFilter),
        Line::Cut("half".into(), Vec::new()),
        Line::Silent,
        Line::Declines("no".into()),
        Line::Stops,
    ];
    for line in lines {
        for times in [1, 4, 12] {
            let model = std::iter::repeat_n(line.clone(), times).chain(two()).collect();
            agrees(&config, Script { model, ..Script::prompted("go") });
        }
    }
}

#[test]
fn hooks_are_asked_and_heard_alike() {
    use ConsultPoint::{AfterTool, Context, Model as Choice, PlainAnswer, Stop, Tools};
    let mut config = config();
    config.models.push(ModelSpec { name: "scripted/two".into(), ..config.models[0].clone() });
    let answers = [
        Answer::Nothing,
        Answer::Tools(vec![["look".to_owned()].into()]),
        Answer::Model("scripted/two".into()),
        Answer::Output(ToolOutput::text("changed by a hook")),
        Answer::Continue(Prompt::text("go on")),
        Answer::Failed { reason: "broken".into() },
    ];
    for point in [AfterTool, Context, Choice, PlainAnswer, Stop, Tools] {
        config.consult = [point, Stop].into();
        for answer in &answers {
            for at in 1..10 {
                let faults = vec![Fault { at, mishap: Mishap::CrashAfter }];
                let hooks = vec![answer.clone(); 2];
                agrees(&config, Script { model: two(), hooks, faults, ..Script::prompted("go") });
            }
        }
    }
}

#[test]
fn a_failure_that_takes_the_others_with_it_is_decided_alike() {
    let asks = vec![Ask::new("fragile", "{}"), Ask::new("write", r#"{"path":"out/b"}"#)];
    let model = vec![Line::Calls(String::new(), asks)];
    agrees(&config(), Script { model, tools: vec![Work::Fails("no".into())], ..Script::prompted("go") });
}

#[test]
fn every_effect_that_is_left_out_is_a_difference_at_its_record() {
    let config = config();
    let outcome = agrees(&config, Script { model: two(), ..Script::prompted("go") });
    let mut noticed = 0;
    for (place, step) in outcome.steps.iter().enumerate() {
        let commands = step.effects.iter().enumerate().filter(|(_, effect)| {
            matches!(effect, Effect::CallModel { .. } | Effect::RunTool { .. } | Effect::Judge(_))
        });
        for (which, _) in commands {
            let mut steps = outcome.steps.clone();
            steps[place].effects.remove(which);
            let difference = compare(&config, &steps).difference.expect("a difference");
            assert_eq!(difference.seq, step.seq.value(), "{}", difference.message);
            noticed += 1;
        }
    }
    assert_eq!(noticed, 4, "two calls of the model and two tools");
}

#[test]
fn an_effect_too_many_is_a_difference_too() {
    let config = config();
    let mut steps = agrees(&config, Script { model: two(), ..Script::prompted("go") }).steps;
    let place = steps
        .iter()
        .position(|step| step.effects.iter().any(|effect| matches!(effect, Effect::RunTool { .. })));
    let step = &mut steps[place.expect("a tool runs")];
    let doubled = step.effects.iter().find(|effect| matches!(effect, Effect::RunTool { .. })).cloned();
    let seq = step.seq.value();
    step.effects.extend(doubled);
    assert_eq!(compare(&config, &steps).difference.map(|difference| difference.seq), Some(seq));
}

#[test]
fn a_timer_that_nobody_armed_is_a_difference() {
    let config = config();
    let model = vec![Line::Fails(FailureClass::Server)];
    let mut steps = agrees(&config, Script { model, ..Script::prompted("go") }).steps;
    let armed = steps.iter_mut().find(|step| step.wait.is_some()).expect("a pause");
    armed.wait = None;
    assert!(compare(&config, &steps).difference.is_some());
}

#[test]
fn what_is_not_known_ends_the_comparison_and_is_no_difference() {
    let mut text = config();
    text.protocol = Protocol::Text;
    let outcome = play(&text, Script::prompted("go"));
    assert_eq!(outcome.naive.left, Some((0, Left::Text)));
    let model = vec![Line::Fails(FailureClass::ContextOverflow)];
    let outcome = play(&config(), Script { model, ..Script::prompted("go") });
    assert!(matches!(
        outcome.naive,
        Comparison { left: Some((2, Left::Overflow)), records: 2, difference: None }
    ));
}
