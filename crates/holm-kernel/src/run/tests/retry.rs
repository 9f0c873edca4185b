//! What follows a failed model call: a pause, another model, a smaller request, or an honest end.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::play::{Play, Say, answered, config, different_turns, failure, reply};
use crate::*;

fn two_models() -> Config {
    let mut config = config();
    config.models.push(ModelSpec::named("scripted/two"));
    config
}

fn failures(class: FailureClass, count: usize) -> Vec<Say> {
    (0..count).map(|_| failure(class)).collect()
}

fn asked_to_wait(class: FailureClass, millis: u64) -> Say {
    Say::Result(ModelResult::Failed(Failure {
        class,
        message: "later".into(),
        retry_after_ms: Some(millis),
        usage: Usage::default(),
    }))
}

fn failed(class: FailureClass, attempts: u64) -> Ending {
    Ending::Failed { class, message: "no".into(), attempts }
}

/// The pauses that were made, one after the other.
fn pauses(play: &Play) -> Vec<u64> {
    let mut last = 0;
    let pause = |event: &Event| match event {
        Event::ModelFailed { next: NextTry::Retry { at }, .. } => {
            let pause = at.value() - last;
            last = at.value();
            Some(pause)
        }
        _ => None,
    };
    play.events.iter().filter_map(pause).collect()
}

fn models(play: &Play) -> Vec<String> {
    play.requests.iter().map(|(_, request)| request.model.name.clone()).collect()
}

#[test]
fn every_transient_failure_is_tried_again_until_the_tries_are_used_up() {
    for class in [
        FailureClass::RateLimited,
        FailureClass::Overloaded,
        FailureClass::Server,
        FailureClass::Network,
        FailureClass::Truncated,
        FailureClass::Empty,
    ] {
        let mut play = Play::new(config(), failures(class, 4));
        assert_eq!(play.prompt("go"), answered("done"), "{class:?}");
        let mut play = Play::new(config(), failures(class, 9));
        assert_eq!(play.prompt("go"), failed(class, 5), "{class:?}");
        assert_eq!(play.requests.len(), 5, "{class:?}");
    }
}

#[test]
fn what_cannot_get_better_is_not_tried_again() {
    for class in [FailureClass::Auth, FailureClass::Quota, FailureClass::BadRequest] {
        let mut play = Play::new(config(), vec![failure(class)]);
        assert_eq!(play.prompt("go"), failed(class, 1), "{class:?}");
        assert_eq!(play.now, 0, "{class:?}: there was no pause");
    }
    let mut play = Play::new(config(), vec![failure(FailureClass::ContentFilter)]);
    assert_eq!(play.prompt("go"), Ending::Refused { reason: "no".into() });
}

#[test]
fn pauses_double_up_to_their_cap() {
    let mut config = config();
    config.retry = RetryPolicy { attempts: 9, base_ms: 500, cap_ms: 4_000, jitter_milli: 0, ..config.retry };
    let mut play = Play::new(config, failures(FailureClass::Server, 8));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(pauses(&play), [500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000]);
}

#[test]
fn jitter_takes_off_a_part_within_its_bounds_and_comes_from_the_seed() {
    let pauses_of = |seed: u64| {
        let mut play = Play::seeded(seed, config(), failures(FailureClass::Server, 4));
        play.prompt("go");
        pauses(&play)
    };
    let mut seen = Vec::new();
    for seed in 0..40 {
        let pauses = pauses_of(seed);
        for (pause, full) in pauses.iter().zip([500, 1_000, 2_000, 4_000]) {
            assert!((full * 3 / 4..=full).contains(pause), "{pause} of {full}");
        }
        assert_eq!(pauses, pauses_of(seed), "the same seed gives the same pauses");
        seen.push(pauses);
    }
    seen.sort();
    seen.dedup();
    assert!(seen.len() > 30, "different seeds give different pauses");
}

#[test]
fn extreme_policies_neither_overflow_nor_divide_by_nothing() {
    for (base_ms, cap_ms, jitter_milli) in [(0, 0, 0), (u64::MAX, u64::MAX, u64::MAX), (1, 0, 1_000)] {
        let mut config = config();
        config.retry = RetryPolicy { attempts: 70, base_ms, cap_ms, jitter_milli, ..config.retry };
        let mut play = Play::new(config, failures(FailureClass::Server, 3));
        assert_eq!(play.prompt("go"), answered("done"));
    }
}

#[test]
fn what_the_provider_asks_for_is_a_floor_also_above_the_cap() {
    let mut config = config();
    config.retry = RetryPolicy { cap_ms: 1_000, jitter_milli: 0, ..config.retry };
    let script =
        vec![asked_to_wait(FailureClass::RateLimited, 45_000), asked_to_wait(FailureClass::RateLimited, 1)];
    let mut play = Play::new(config, script);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(pauses(&play), [45_000, 1_000]);
}

#[test]
fn a_provider_that_asks_for_too_much_patience_is_left() {
    let wait = || asked_to_wait(FailureClass::RateLimited, 120_001);
    let mut play = Play::new(two_models(), vec![wait()]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(models(&play), ["scripted/one", "scripted/two"]);
    let mut play = Play::new(config(), vec![wait()]);
    assert!(matches!(
        play.prompt("go"),
        Ending::Failed { class: FailureClass::RateLimited, attempts: 1, .. }
    ));
}

#[test]
fn a_model_that_gives_up_is_followed_by_the_next_and_that_one_has_all_its_tries() {
    let mut script = failures(FailureClass::Server, 5);
    script.extend(failures(FailureClass::Network, 4));
    let mut play = Play::new(two_models(), script);
    assert_eq!(play.prompt("go"), answered("done"));
    let tried = models(&play);
    assert_eq!(tried.iter().filter(|name| *name == "scripted/one").count(), 5);
    assert_eq!(tried.iter().filter(|name| *name == "scripted/two").count(), 5);
    let falls = play.events.iter().filter_map(|event| match event {
        Event::ModelFailed { next: NextTry::Fallback { model }, .. } => Some(model.as_str()),
        _ => None,
    });
    assert_eq!(falls.collect::<Vec<_>>(), ["scripted/two"]);
}

#[test]
fn the_last_model_to_fail_ends_the_run() {
    let mut play = Play::new(two_models(), failures(FailureClass::Quota, 9));
    assert_eq!(play.prompt("go"), failed(FailureClass::Quota, 1));
    assert_eq!(models(&play), ["scripted/one", "scripted/two"]);
}

#[test]
fn a_fallback_lasts_for_the_group_and_the_next_prompt_begins_with_the_first_model() {
    let mut script = vec![failure(FailureClass::Auth)];
    script.extend(different_turns(1));
    let mut play = Play::new(two_models(), script);
    play.prompt("go");
    play.prompt("again");
    assert_eq!(models(&play), ["scripted/one", "scripted/two", "scripted/two", "scripted/one"]);
}

#[test]
fn an_overloaded_model_is_left_at_once_where_there_is_another() {
    let mut play = Play::new(two_models(), vec![failure(FailureClass::Overloaded)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(models(&play), ["scripted/one", "scripted/two"]);
    assert_eq!(play.now, 0);
}

#[test]
fn an_empty_reply_is_a_failure_that_is_tried_again() {
    let thinking = || Block::Thinking(Thinking { text: "hmm".into(), replay: None });
    for blocks in [Vec::new(), vec![Block::Text(" \n".into())], vec![thinking()]] {
        let mut play = Play::new(config(), vec![reply(blocks, StopReason::EndTurn), Say::Text("4")]);
        assert_eq!(play.prompt("go"), answered("4"));
        assert_eq!(play.run.transcript().len(), 2, "what was empty is not kept");
        assert_eq!(pauses(&play).len(), 1);
    }
}

#[test]
fn a_call_that_the_host_broke_off_is_tried_again_and_its_text_withdrawn() {
    let partial = Reply { blocks: vec![Block::Text("half a".into())], ..Reply::default() };
    let mut play = Play::new(config(), vec![Say::Result(ModelResult::Aborted(partial)), Say::Text("4")]);
    assert_eq!(play.prompt("go"), answered("4"));
    let withdrawn = play.events.iter().filter(|event| matches!(event, Event::Withdrawn { .. })).count();
    assert_eq!(withdrawn, 1);
    assert!(play.run.transcript().iter().all(|message| message.plain_text() != "half a"));
}

#[test]
fn every_failure_withdraws_what_was_streamed() {
    let mut play = Play::new(config(), failures(FailureClass::Truncated, 3));
    play.prompt("go");
    let withdrawn = play.events.iter().filter(|event| matches!(event, Event::Withdrawn { .. })).count();
    assert_eq!(withdrawn, 3);
}

#[test]
fn a_retry_does_not_count_as_a_turn() {
    let mut config = config();
    config.limits.turns = Bound::AtMost(1);
    assert_eq!(Play::new(config, failures(FailureClass::Server, 4)).prompt("go"), answered("done"));
}

#[test]
fn a_retry_before_its_time_is_not_made() {
    let mut play = Play::new(config(), vec![failure(FailureClass::Server)]);
    play.first_effects();
    let Effect::Wait(Some(until)) = play.run.poll() else { panic!("it waits for its time") };
    play.now = until.value() - 1;
    play.give(Input::TimePassed);
    assert_eq!(play.drain(), []);
    assert_eq!(play.run.poll(), Effect::Wait(Some(until)));
    play.now = until.value();
    play.give(Input::TimePassed);
    assert!(matches!(play.drain().as_slice(), [Effect::CallModel { .. }]));
}

/// A run whose view is large and old enough to shrink.
fn grown(after: Vec<Say>) -> Play {
    let mut script = different_turns(12);
    script.extend(after);
    let mut play = Play::new(config(), script);
    play.tool = Box::new(|request| {
        ToolOutput::text(alloc::format!("{} {}", request.arguments, "line of output\n".repeat(200)))
    });
    play
}

#[test]
fn a_request_that_is_too_long_is_made_smaller_and_the_transcript_stays_whole() {
    let mut play = grown(vec![failure(FailureClass::ContextOverflow), Say::Text("4")]);
    assert_eq!(play.prompt("go"), answered("4"));
    let planned = play.events.iter().filter_map(|event| match event {
        Event::ContextPlanned { before, after, .. } => Some((*before, *after)),
        _ => None,
    });
    let planned: Vec<(u64, u64)> = planned.collect();
    assert!(!planned.is_empty());
    assert!(planned.iter().all(|(before, after)| after < before), "{planned:?}");
    assert_eq!(play.results().len(), 12);
    assert!(play.results().iter().all(|(_, text)| text.len() > 2_000), "nothing was rewritten");
    assert_eq!(play.now, 0, "there is nothing to wait for");
}

#[test]
fn recovery_goes_on_as_long_as_it_helps_and_does_not_use_up_the_tries() {
    let mut after = failures(FailureClass::ContextOverflow, 2);
    after.extend(failures(FailureClass::Server, 4));
    after.push(Say::Text("4"));
    assert_eq!(grown(after).prompt("go"), answered("4"));
}

#[test]
fn a_request_that_cannot_get_smaller_ends_the_run_with_its_figures() {
    let mut play = grown(failures(FailureClass::ContextOverflow, 500));
    let ending = play.prompt("go");
    let Ending::OverLimit { limit: Limit::ContextWindow, used, allowed: 128_000 } = ending else {
        panic!("{ending:?}")
    };
    assert!(used > 0);
    assert!(play.requests.len() < 60, "{} requests", play.requests.len());
}

#[test]
fn a_request_that_cannot_get_smaller_goes_to_the_next_model_first() {
    let mut play = Play::new(two_models(), failures(FailureClass::ContextOverflow, 1));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(models(&play), ["scripted/one", "scripted/two"]);
}

#[test]
fn the_figures_of_a_failure_are_told_to_people() {
    let mut play = Play::new(config(), vec![failure(FailureClass::Auth)]);
    play.prompt("go");
    let told = play.events.iter().find_map(|event| match event {
        Event::ModelFailed { class, message, next, .. } => Some((*class, message.clone(), next.clone())),
        _ => None,
    });
    assert_eq!(told, Some((FailureClass::Auth, "no".to_string(), NextTry::GiveUp)));
}
