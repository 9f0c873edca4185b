//! The calls of one reply: side by side or in turn, answered in their order, bounded in number.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::Level;

use super::play::{Play, Say, answered, config, config_with, tool};
use crate::*;

const ARGS: &str = r#"{"text":"x"}"#;

/// The calls that the effects hand to the host, with the tool's name.
fn handed_out(effects: &[Effect]) -> Vec<(ToolCallId, String)> {
    let run = |effect: &Effect| match effect {
        Effect::RunTool { call, request } => Some((*call, request.tool.to_string())),
        _ => None,
    };
    effects.iter().filter_map(run).collect()
}

fn names(effects: &[Effect]) -> Vec<String> {
    handed_out(effects).into_iter().map(|(_, name)| name).collect()
}

fn finish(play: &mut Play, call: ToolCallId, output: ToolOutput) -> Vec<Effect> {
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: output });
    play.drain()
}

fn three(order: BatchOrder, tools: Vec<ToolSpec>) -> (Play, Vec<Effect>) {
    let calls = tools.iter().map(|tool| (&*tool.name.clone().leak(), ARGS)).collect();
    let mut play = Play::new(Config { batch: order, ..config_with(tools) }, vec![Say::Calls(calls)]);
    let effects = play.first_effects();
    (play, effects)
}

fn exclusive(name: &str) -> ToolSpec {
    ToolSpec { pace: Pace::Exclusive, ..tool(name) }
}

fn outcomes(play: &Play) -> Vec<Outcome> {
    play.results().into_iter().map(|(outcome, _)| outcome).collect()
}

#[test]
fn the_calls_of_one_reply_overlap() {
    let (_, effects) = three(BatchOrder::Parallel, vec![tool("a"), tool("b"), tool("c")]);
    assert_eq!(names(&effects), ["a", "b", "c"]);
}

#[test]
fn results_keep_the_order_of_the_calls_whatever_finishes_first() {
    let (mut play, effects) = three(BatchOrder::Parallel, vec![tool("a"), tool("b"), tool("c")]);
    for (call, name) in handed_out(&effects).into_iter().rev() {
        finish(&mut play, call, ToolOutput::text(alloc::format!("result of {name}")));
    }
    let texts: Vec<String> = play.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["result of a", "result of b", "result of c"]);
}

#[test]
fn a_call_that_may_change_something_runs_between_what_is_before_and_after_it() {
    let writes = |name| tool(name).level(Level::Write);
    let look = |name| tool(name).level(Level::ReadOnly);
    for middle in
        [writes("m"), look("m").level(Level::Execute), ToolSpec { pace: Pace::Exclusive, ..look("m") }]
    {
        let tools = vec![look("a"), look("b"), middle, look("c"), look("d")];
        let (mut play, effects) = three(BatchOrder::Parallel, tools);
        assert_eq!(names(&effects), ["a", "b"]);
        let [(a, _), (b, _)] = handed_out(&effects)[..] else { panic!("two calls") };
        assert_eq!(names(&finish(&mut play, b, ToolOutput::text("done"))), [""; 0]);
        let effects = finish(&mut play, a, ToolOutput::text("done"));
        assert_eq!(names(&effects), ["m"]);
        let effects = finish(&mut play, handed_out(&effects)[0].0, ToolOutput::text("done"));
        assert_eq!(names(&effects), ["c", "d"]);
    }
}

#[test]
fn a_sequential_run_never_overlaps_its_calls() {
    let (mut play, mut effects) = three(BatchOrder::Sequential, vec![tool("a"), tool("b"), tool("c")]);
    for expected in ["a", "b", "c"] {
        assert_eq!(names(&effects), [expected]);
        let call = handed_out(&effects)[0].0;
        effects = finish(&mut play, call, ToolOutput::text("done well"));
    }
}

#[test]
fn a_call_in_order_that_cannot_run_slows_nobody_down() {
    let config = config_with(vec![exclusive("a"), tool("b"), tool("c")]);
    let calls = vec![("a", r#"{"wrong":1}"#), ("b", ARGS), ("c", ARGS)];
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    let effects = play.first_effects();
    assert_eq!(names(&effects), ["b", "c"]);
}

#[test]
fn a_failed_tool_stays_in_the_context_and_the_run_goes_on() {
    let mut play = Play::new(config(), vec![Say::Call("echo", ARGS), Say::Text("understood")]);
    play.tool = Box::new(|_| ToolOutput::failed("error: the tool panicked: index out of bounds"));
    assert_eq!(play.prompt("go"), answered("understood"));
    let blocks: Vec<Block> =
        play.run.transcript().iter().flat_map(|message| message.blocks.iter().cloned()).collect();
    let result = blocks.iter().find_map(|block| match block {
        Block::ToolResult(result) => Some(result.clone()),
        _ => None,
    });
    let result = result.expect("a result");
    assert_eq!((result.call.as_str(), result.tool.as_str()), ("c0", "echo"));
    assert_eq!(result.outcome, Outcome::Failed);
    assert!(result.text.contains("panicked"), "{}", result.text);
}

#[test]
fn a_host_that_gives_up_over_a_fatal_tool_loses_no_result() {
    let (mut play, effects) = three(BatchOrder::Parallel, vec![tool("a"), tool("b")]);
    let calls = handed_out(&effects);
    finish(&mut play, calls[0].0, ToolOutput::text("kept result"));
    finish(&mut play, calls[1].0, ToolOutput::failed("fatal: the disk is gone"));
    play.give(Input::Cancelled { reason: "the disk is gone".into() });
    play.play();
    assert_eq!(play.endings, [Ending::Cancelled { reason: "the disk is gone".into() }]);
    assert_eq!(outcomes(&play), [Outcome::Succeeded, Outcome::Failed]);
}

#[test]
fn a_failure_that_aborts_its_siblings_stops_those_that_run() {
    let fatal = ToolSpec { aborts_siblings: true, ..tool("a") };
    let (mut play, effects) = three(BatchOrder::Parallel, vec![fatal, tool("b"), tool("c")]);
    let calls = handed_out(&effects);
    play.give(Input::Dispatched { call: calls[1].0 });
    let after = finish(&mut play, calls[0].0, ToolOutput::failed("broken"));
    assert_eq!(outcomes(&play), [Outcome::Failed, Outcome::Stopped, Outcome::Refused]);
    let aborted: Vec<&Effect> = after.iter().filter(|effect| matches!(effect, Effect::Abort(_))).collect();
    assert_eq!(aborted, [&Effect::Abort(calls[1].0.into()), &Effect::Abort(calls[2].0.into())]);
    assert!(play.results()[1].1.contains("another call of the same reply failed"));
}

#[test]
fn a_failure_that_aborts_its_siblings_skips_those_that_wait() {
    let fatal = ToolSpec { aborts_siblings: true, ..tool("a") };
    let (mut play, effects) = three(BatchOrder::Sequential, vec![fatal, tool("b"), tool("c")]);
    let after = finish(&mut play, handed_out(&effects)[0].0, ToolOutput::failed("broken"));
    assert_eq!(outcomes(&play), [Outcome::Failed, Outcome::Refused, Outcome::Refused]);
    assert_eq!(names(&after), [""; 0]);
}

#[test]
fn a_success_of_such_a_tool_and_a_failure_of_another_abort_nobody() {
    let fatal = ToolSpec { aborts_siblings: true, ..tool("a") };
    let (mut play, effects) = three(BatchOrder::Parallel, vec![fatal, tool("b"), tool("c")]);
    let calls = handed_out(&effects);
    finish(&mut play, calls[0].0, ToolOutput::text("went well"));
    finish(&mut play, calls[1].0, ToolOutput::failed("broken"));
    finish(&mut play, calls[2].0, ToolOutput::text("went well"));
    assert_eq!(outcomes(&play), [Outcome::Succeeded, Outcome::Failed, Outcome::Succeeded]);
}

#[test]
fn a_call_past_its_deadline_is_stopped_and_aborts_its_siblings_like_any_failure() {
    let fatal = ToolSpec { aborts_siblings: true, timeout_ms: Some(50), ..tool("a") };
    let (mut play, effects) = three(BatchOrder::Parallel, vec![fatal, tool("b")]);
    for (call, _) in handed_out(&effects) {
        play.give(Input::Dispatched { call });
    }
    assert!(matches!(play.run.poll(), Effect::Emit(_)));
    play.drain();
    assert_eq!(play.run.poll(), Effect::Wait(Some(Timestamp::new(50))));
    play.now = 50;
    play.give(Input::TimePassed);
    play.drain();
    assert_eq!(outcomes(&play), [Outcome::Stopped, Outcome::Stopped]);
    assert!(play.results()[0].1.contains("it may already have had effects"));
}

#[test]
fn a_result_that_comes_after_the_deadline_changes_nothing() {
    let mut play = Play::new(config(), vec![Say::Call("echo", ARGS)]);
    let effects = play.first_effects();
    let call = handed_out(&effects)[0].0;
    play.give(Input::Dispatched { call });
    play.now = 600_000;
    play.give(Input::TimePassed);
    play.drain();
    assert_eq!(outcomes(&play), [Outcome::Stopped]);
    play.give(Input::ToolFinished { call, result: ToolOutput::terminal("too late") });
    play.drain();
    assert_eq!(outcomes(&play), [Outcome::Stopped]);
    assert!(matches!(play.events.last(), Some(Event::Ignored { call: Some(ignored) }) if *ignored == call));
}

#[test]
fn calls_beyond_the_cap_are_answered_and_not_run() {
    let mut config = config_with(vec![tool("a"), tool("b"), tool("c")]);
    config.limits.calls_per_turn = Bound::AtMost(2);
    let calls = vec![("a", ARGS), ("b", ARGS), ("c", ARGS)];
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran, ["a", "b"]);
    assert_eq!(outcomes(&play), [Outcome::Succeeded, Outcome::Succeeded, Outcome::Refused]);
    assert!(play.results()[2].1.contains("too many calls in one reply"));
}

#[test]
fn calls_that_cannot_run_do_not_use_the_cap() {
    let mut config = config_with(vec![tool("a"), tool("b")]);
    config.limits.calls_per_turn = Bound::AtMost(2);
    let calls = vec![("nosuch", ARGS), ("a", "{broken"), ("a", ARGS), ("b", ARGS)];
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    play.prompt("go");
    assert_eq!(play.ran, ["a", "b"]);
}

#[test]
fn a_hook_that_says_no_blocks_the_call_and_the_model_reads_why() {
    let mut config = config();
    config.approvals = Approvals::AskAlways;
    let mut play = Play::new(config, vec![Say::Call("echo", ARGS), Say::Text("fine")]);
    play.judge = Box::new(|_| Verdict::deny("not on a Sunday"));
    assert_eq!(play.prompt("go"), answered("fine"));
    assert_eq!(play.ran, [""; 0]);
    assert_eq!(play.results(), [(Outcome::Refused, "denied: not on a Sunday".to_string())]);
    let started = play.events.iter().any(|event| matches!(event, Event::CallStarted { .. }));
    assert!(!started, "a call that was blocked never started");
}

#[test]
fn a_call_starts_only_after_it_was_found_valid_and_allowed_and_dispatched() {
    let mut config = config_with(vec![tool("write").level(Level::Write)]);
    config.approvals = Approvals::AskAlways;
    let mut play = Play::new(config, vec![Say::Call("write", ARGS)]);
    play.prompt("go");
    let order: Vec<&str> = play
        .events
        .iter()
        .filter_map(|event| match event {
            Event::CallProposed { .. } => Some("proposed"),
            Event::ApprovalAsked { .. } => Some("asked"),
            Event::ApprovalGiven { .. } => Some("given"),
            Event::CallStarted { .. } => Some("started"),
            Event::CallFinished { .. } => Some("finished"),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["proposed", "asked", "given", "started", "finished"]);
}

#[test]
fn a_tool_that_answers_before_its_dispatch_is_a_mistake_of_the_host() {
    let mut play = Play::new(config(), vec![Say::Call("echo", ARGS)]);
    let effects = play.first_effects();
    let call = handed_out(&effects)[0].0;
    let early = Input::ToolFinished { call, result: ToolOutput::text("early bird") };
    assert_eq!(play.run.handle(Timestamp::new(0), early), Err(KernelMisuse::NotDispatched(call)));
    let unknown = ToolCallId::new(99);
    let stray = Input::ToolFinished { call: unknown, result: ToolOutput::text("who?") };
    assert_eq!(play.run.handle(Timestamp::new(0), stray), Err(KernelMisuse::UnknownCall(unknown.into())));
    finish(&mut play, call, ToolOutput::text("in time"));
    assert_eq!(outcomes(&play), [Outcome::Succeeded]);
}

proptest::proptest! {
    /// Two calls may overlap only if neither can change what the other sees.
    #[test]
    fn no_change_is_seen_out_of_order(
        changes in proptest::collection::vec(proptest::bool::ANY, 1..8),
        picks in proptest::collection::vec(0_usize..8, 8),
    ) {
        let level = |changes: bool| if changes { Level::Write } else { Level::ReadOnly };
        let named = |(at, changes): (usize, &bool)| tool(&alloc::format!("t{at}")).level(level(*changes));
        let tools: Vec<ToolSpec> = changes.iter().enumerate().map(named).collect();
        let (mut play, effects) = three(BatchOrder::Parallel, tools);
        let mut open = handed_out(&effects);
        let (mut finished, mut picks) = (Vec::new(), picks.into_iter());
        while !open.is_empty() {
            for (_, name) in &open {
                let at: usize = name[1..].parse().unwrap();
                for before in 0..at {
                    let may_overlap = !changes[before] && !changes[at];
                    proptest::prop_assert!(may_overlap || finished.contains(&before), "{before} and {at}");
                }
            }
            let (call, name) = open.remove(picks.next().unwrap() % open.len());
            finished.push(name[1..].parse().unwrap());
            open.extend(handed_out(&finish(&mut play, call, ToolOutput::text("done"))));
        }
        proptest::prop_assert_eq!(finished.len(), changes.len());
    }
}
