//! A run comes to its end once the world lets it.
//!
//! The other promises hold whatever goes wrong, and a run that waits for ever breaks none of them. This one is asked of a script that
//! was played for liveness ([`Sim::lively`](crate::Sim::lively)): after its last fault everybody answers.

use holm_kernel::Event;

use super::stops::under_way;
use crate::sim::PATIENCE;
use crate::{Line, Mishap, Outcome, Rest, Script, Violation};

/// Records that one model turn may take besides its calls: hooks, tries, fallbacks, summaries, a view that is made smaller.
const RECORDS_PER_TURN: u64 = 64;

/// Records that one call may take: questions, rewrites, dispatch, result, review, checks, tries of a skill, late answers.
const RECORDS_PER_CALL: u64 = 16;

/// Since the world behaves, the run has come to rest within its bounds of records and of time; every group has its ending, and
/// nothing that was asked for is still under way.
pub fn comes_to_rest(outcome: &Outcome) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut say = |message: String| {
        found.push(Violation::new("a run comes to rest once the world behaves", None, message));
    };
    let Some(calm) = outcome.calm else {
        say("the world never began to behave".into());
        return found;
    };
    if outcome.rest != Rest::Idle {
        say(format!("it came to rest as {:?}", outcome.rest));
    }
    let is_start = |event: &Event| matches!(event, Event::GroupStarted { .. });
    let begun = outcome.events().filter(|numbered| is_start(&numbered.event)).count();
    if begun != outcome.endings.len() {
        say(format!("{begun} groups began and {} ended", outcome.endings.len()));
    }
    let left = under_way(outcome);
    if left > 0 {
        say(format!("{left} answers are still waited for"));
    }
    let after = outcome.steps.iter().filter(|step| step.seq.value() > calm).count() as u64;
    let allowed = records_allowed(outcome, calm);
    if after > allowed {
        say(format!("it took {after} records, of {allowed}"));
    }
    let took = time_since(outcome, calm);
    let allowed = longest_wait(outcome).saturating_mul(after + 1).saturating_add(delays(&outcome.script));
    if took > allowed {
        say(format!("it took {took} ms, of {allowed}"));
    }
    found
}

/// As many as the limits of all groups that can still come allow, with an answer to all that was asked before.
fn records_allowed(outcome: &Outcome, calm: u64) -> u64 {
    let (limits, script) = (outcome.run.config().limits, &outcome.script);
    let groups = (script.prompts.len() + script.interrupts.len() + 1) as u64;
    let turns = limits.turns.limit().unwrap_or(script.model.len() as u64) + 1;
    let asked = script.model.iter().map(asks).max().unwrap_or_default().max(1);
    let calls = limits.calls_per_turn.limit().map_or(asked, |limit| asked.min(limit));
    let turn = RECORDS_PER_TURN.saturating_add(calls.saturating_mul(RECORDS_PER_CALL));
    groups.saturating_mul(turns).saturating_mul(turn).saturating_add(calm)
}

fn asks(line: &Line) -> u64 {
    match line {
        Line::Calls(_, asks) | Line::Cut(_, asks) => asks.len() as u64,
        Line::Says(_)
        | Line::Thinks(_)
        | Line::Silent
        | Line::Declines(_)
        | Line::Fails(_)
        | Line::FailsFor(..)
        | Line::Stops => 1,
    }
}

fn time_since(outcome: &Outcome, calm: u64) -> u64 {
    let began = outcome.steps.iter().rfind(|step| step.seq.value() <= calm).map(|step| step.at);
    let ended = outcome.steps.last().map(|step| step.at);
    ended.unwrap_or_default().since(began.unwrap_or_default())
}

/// The longest that a run may wait for one thing: an answer that is lost, a pause, a tool.
fn longest_wait(outcome: &Outcome) -> u64 {
    let config = outcome.run.config();
    let tools = config.tools.iter().filter_map(|tool| tool.timeout_ms);
    let waits = [PATIENCE, config.retry.cap_ms, config.retry.patience_ms, config.limits.tool_ms];
    tools.chain(waits).max().unwrap_or(PATIENCE)
}

/// What the script itself holds up; some of it may still be under way.
fn delays(script: &Script) -> u64 {
    let held = script.faults.iter().map(|fault| match fault.mishap {
        Mishap::Late(millis) | Mishap::Slow(millis) => millis,
        _ => 0,
    });
    held.fold(0, u64::saturating_add)
}
