//! Children in the background.

use std::collections::BTreeMap;

use holm_kernel::{Author, Effect, Event, Outcome as Came, ToolCallId};

use crate::{Outcome, Rest, Step, Violation};

/// Each child in the background ends once and is heard once at the most; none is left when the run rests.
pub fn children_end_once(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a child in the background ends once, and is heard once";
    let mut ends: BTreeMap<ToolCallId, u64> = BTreeMap::new();
    for step in &outcome.steps {
        for numbered in step.events() {
            match &numbered.event {
                Event::CallFinished { call, outcome, .. } if left_working(step, *call, *outcome) => {
                    ends.entry(*call).or_default();
                }
                Event::ChildFinished { call, .. } => *ends.entry(*call).or_default() += 1,
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for (call, times) in ends {
        let number = format!("(child {call})");
        let messages = outcome.run.transcript().iter().filter(|message| message.author == Author::Kernel);
        let is_report = |text: &String| text.starts_with("The background helper ") && text.contains(&number);
        let heard = messages.map(|message| message.plain_text()).filter(is_report).count();
        if times > 1 || heard > 1 || (times == 0 && outcome.rest == Rest::Idle) {
            let message = format!("child {call} ended {times} times and was heard {heard} times");
            found.push(Violation::new(promise, None, message));
        }
    }
    found
}

/// Whether a call was answered because its child works on.
pub(super) fn left_working(step: &Step, call: ToolCallId, came: Came) -> bool {
    let is_its = |effect: &Effect| matches!(effect, Effect::Spawn { call: of, .. } if *of == call);
    came == Came::Succeeded && step.effects.iter().any(is_its)
}
