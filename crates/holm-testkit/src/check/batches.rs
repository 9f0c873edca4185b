//! A failure that takes the other calls of its reply with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use holm_kernel::{Event, Input, Outcome as Came, ToolCallId, ToolKind};

use crate::{Outcome, Step, Violation};

/// When a call fails whose tool says so, the other calls of the same reply end in that very record.
pub fn failures_stop_their_siblings(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a failure that stops the others of its reply stops them";
    let tools = &outcome.run.config().tools;
    let takes_along = |name: &Arc<str>| {
        tools.iter().any(|tool| {
            let runs = matches!(tool.kind, ToolKind::Host | ToolKind::Agent { .. });
            runs && tool.aborts_siblings && tool.name == **name
        })
    };
    let mut found = Vec::new();
    if !tools.iter().any(|tool| tool.aborts_siblings) {
        return found;
    }
    let mut named: BTreeMap<ToolCallId, Arc<str>> = BTreeMap::new();
    let mut open: BTreeSet<ToolCallId> = BTreeSet::new();
    for step in &outcome.steps {
        let mut stops = false;
        for numbered in step.events() {
            match &numbered.event {
                Event::CallProposed { call, tool, .. } => {
                    named.insert(*call, tool.clone());
                    open.insert(*call);
                }
                Event::CallFinished { call, outcome, .. } => {
                    open.remove(call);
                    stops |= fails(step, *call, *outcome) && named.get(call).is_some_and(takes_along);
                }
                _ => {}
            }
        }
        if let Some(left) = open.first().filter(|_| stops) {
            found.push(Violation::new(promise, step.seq, format!("call {left} goes on")));
        }
    }
    found
}

/// Whether a call failed or overran its time. What a guard rejects may end the group instead, once all is answered.
fn fails(step: &Step, call: ToolCallId, came: Came) -> bool {
    let rejected =
        |event: &Event| matches!(event, Event::Ruled { call: of, rejected: true, .. } if *of == call);
    match came {
        Came::Failed => !step.events().any(|numbered| rejected(&numbered.event)),
        Came::Stopped => matches!(step.input, Input::TimePassed),
        Came::Succeeded | Came::Refused | Came::Unknown => false,
    }
}
