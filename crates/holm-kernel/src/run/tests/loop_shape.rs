//! What must hold of the machine as a whole: its types, its stack, its time.

extern crate std;

use alloc::{boxed::Box, format, vec, vec::Vec};

use super::play::{Play, Say, answered, call_block, config, different_turns, reply};
use crate::*;

/// Small enough that anything which recurses with its input would not fit.
const SMALL_STACK: usize = 256 * 1024;

/// How many things happen in one step.
const MANY: usize = 2_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(test).expect("a thread");
    thread.join().expect("the stack was enough");
}

#[test]
fn run_is_send() {
    fn is_send<T: Send>() {}
    is_send::<Run>();
    is_send::<Effect>();
    is_send::<Input>();
}

#[test]
fn effect_is_small() {
    assert!(size_of::<Effect>() <= 160, "{} bytes", size_of::<Effect>());
}

#[test]
fn a_reply_of_many_calls_is_answered_in_one_step_without_recursion() {
    on_a_small_stack(|| {
        let mut config = config();
        config.limits.calls_per_turn = Bound::Unbounded;
        let blocks = (0..MANY).map(|index| call_block(&format!("id{index}"), "nosuch", "{}")).collect();
        let mut play = Play::new(config, vec![reply(blocks, StopReason::ToolUse)]);
        play.prompt("go");
        assert_eq!(play.results().len(), MANY);
        assert_eq!(play.ran.len(), 0);
    });
}

#[test]
fn many_waiting_words_are_said_in_one_step_without_recursion() {
    on_a_small_stack(|| {
        let mut play = Play::new(config(), vec![Say::Text("first"), Say::Text("second")]);
        let mut once = true;
        play.interrupt = Box::new(move |effect| match effect {
            Effect::CallModel { .. } if core::mem::take(&mut once) => {
                (0..MANY).map(|index| Input::Steered(Prompt::text(format!("word {index}")))).collect()
            }
            _ => Vec::new(),
        });
        assert_eq!(play.prompt("go"), answered("second"));
        assert_eq!(play.run.transcript().len(), MANY + 3);
    });
}

#[test]
fn a_batch_that_is_refused_at_the_last_moment_is_walked_without_recursion() {
    on_a_small_stack(|| {
        let mut config = config();
        config.limits.calls_per_turn = Bound::Unbounded;
        config.batch = BatchOrder::Sequential;
        let blocks = (0..MANY)
            .map(|index| call_block(&format!("id{index}"), "echo", &format!(r#"{{"text":"{index}"}}"#)))
            .collect();
        let mut play = Play::new(config, vec![reply(blocks, StopReason::ToolUse)]);
        let effects = play.first_effects();
        assert_eq!(effects.len(), 1, "one at a time");
        // Nothing but looking is allowed from here on, and then not even that: every waiting call is looked at again.
        play.give(Input::Cancelled { reason: "enough".into() });
        play.drain();
        assert_eq!(play.results().len(), MANY);
        assert_eq!(play.endings.len(), 1);
    });
}

#[test]
fn a_long_run_needs_no_more_stack_than_a_short_one() {
    on_a_small_stack(|| {
        let mut config = config();
        config.limits.turns = Bound::Unbounded;
        let mut script = different_turns(500);
        script.push(Say::Text("at last"));
        let mut play = Play::new(config, script);
        assert_eq!(play.prompt("go"), answered("at last"));
        assert_eq!(play.ran.len(), 500);
    });
}

#[test]
fn a_wait_with_nothing_under_way_has_no_deadline() {
    let mut play = Play::new(config(), vec![Say::Text("4")]);
    play.prompt("go");
    assert_eq!(play.run.poll(), Effect::Wait(None));
    let records = play.run.receipt().seq;
    play.give(Input::TimePassed);
    assert_eq!(play.run.poll(), Effect::Wait(None));
    assert_eq!(play.run.receipt().seq, Seq::new(records.value() + 1), "it is a record all the same");
}

#[test]
fn time_never_runs_backwards() {
    let mut play = Play::new(config(), vec![Say::Text("4")]);
    play.now = 1_000;
    play.give(Input::Prompted(Prompt::text("go")));
    play.now = 10;
    play.play();
    assert_eq!(play.run.receipt().at, Timestamp::new(1_000));
}
