//! What tools did in the world, against what the run says that they did.

use std::collections::{BTreeMap, BTreeSet};

use holm_kernel::{Effect, Event, IdempotencyKey, Input, Outcome as Came, ToolCallId, ToolSpec};

use super::background::left_working;
use crate::{Outcome, Rest, Step, Violation};

/// A side effect that must not happen twice does not, and whatever was dispatched is accounted for.
pub fn nothing_runs_twice_or_is_lost(outcome: &Outcome) -> Vec<Violation> {
    let promise = "nothing with side effects runs twice, and nothing is lost";
    let mut found = Vec::new();
    let book = Book::of(outcome);
    let mut times: BTreeMap<IdempotencyKey, u64> = BTreeMap::new();
    for ran in &outcome.ran {
        let count = times.entry(ran.key).or_default();
        *count += 1;
        if *count > 1 && !book.harmless.contains(&ran.key) {
            let message = format!("{} ran {count} times under one key", ran.tool);
            found.push(Violation::new(promise, ran.seq, message));
        }
        match book.dispatched.get(&ran.call) {
            None => found.push(Violation::new(promise, ran.seq, format!("{} ran undispatched", ran.tool))),
            Some(step) if step.seq > ran.seq => {
                let message = format!("{} ran before it was written down that it runs", ran.tool);
                found.push(Violation::new(promise, ran.seq, message));
            }
            Some(_) => {}
        }
    }
    for (call, step) in &book.dispatched {
        match book.finished.get(call) {
            None if outcome.rest == Rest::AwaitsPerson => {}
            None => found.push(Violation::new(promise, step.seq, format!("call {call} was never answered"))),
            Some(Came::Refused) => {
                let message = format!("call {call} was dispatched and is said not to have run");
                found.push(Violation::new(promise, step.seq, message));
            }
            Some(came @ (Came::Succeeded | Came::Failed)) if !book.reported.contains(call) => {
                let message = format!("call {call} is said to have {came:?}, and nobody reported it");
                found.push(Violation::new(promise, step.seq, message));
            }
            Some(Came::Succeeded | Came::Failed | Came::Unknown | Came::Stopped) => {}
        }
    }
    found
}

/// What the records say.
struct Book<'a> {
    /// Keys of calls that may run again.
    harmless: BTreeSet<IdempotencyKey>,
    /// Calls that were written down as running.
    dispatched: BTreeMap<ToolCallId, &'a Step>,
    /// Calls whose result a host reported.
    reported: BTreeSet<ToolCallId>,
    finished: BTreeMap<ToolCallId, Came>,
}

impl<'a> Book<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let tools = &outcome.run.config().tools;
        let may_run_again =
            |name: &str| tools.iter().find(|tool| tool.name == name).is_some_and(ToolSpec::may_run_again);
        let mut book = Self {
            harmless: BTreeSet::new(),
            dispatched: BTreeMap::new(),
            reported: BTreeSet::new(),
            finished: BTreeMap::new(),
        };
        for step in &outcome.steps {
            match &step.input {
                Input::Dispatched { call } | Input::ChildStarted { call, .. } => {
                    book.dispatched.entry(*call).or_insert(step);
                }
                Input::ToolFinished { call, .. } | Input::ChildFinished { call, .. } => {
                    book.reported.insert(*call);
                }
                _ => {}
            }
            for effect in &step.effects {
                match effect {
                    Effect::RunTool { request, .. } if may_run_again(&request.tool) => {
                        book.harmless.insert(request.key);
                    }
                    Effect::Emit(numbered) => {
                        book.hear(step, &numbered.event);
                    }
                    _ => {}
                }
            }
        }
        book
    }

    fn hear(&mut self, step: &Step, event: &Event) {
        match event {
            // What became of its child is said later.
            Event::CallFinished { call, outcome, .. } if left_working(step, *call, *outcome) => {}
            Event::CallFinished { call, outcome, .. } | Event::ChildFinished { call, outcome, .. } => {
                self.finished.insert(*call, *outcome);
            }
            _ => {}
        }
    }
}
