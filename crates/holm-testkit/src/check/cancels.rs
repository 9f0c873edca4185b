//! Whoever says stop is heard at once.

use holm_kernel::{Ending, Event, Input};

use crate::{Outcome, Step, Violation};

/// A group that is cancelled ends in that very record, as cancelled, whatever was under way.
pub fn cancels_are_heard(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a cancelled group ends at once, as cancelled";
    let mut found = Vec::new();
    let mut open = false;
    for step in &outcome.steps {
        let cancelled = matches!(step.input, Input::Cancelled { .. });
        if open && cancelled && !ends_cancelled(step) {
            found.push(Violation::new(promise, step.seq, "its group did not end, or ended otherwise"));
        }
        for numbered in step.events() {
            match numbered.event {
                Event::GroupStarted { .. } => open = true,
                Event::GroupEnded { .. } => open = false,
                _ => {}
            }
        }
    }
    found
}

fn ends_cancelled(step: &Step) -> bool {
    let cancelled = |event: &Event| match event {
        Event::GroupEnded { ending, .. } => matches!(**ending, Ending::Cancelled { .. }),
        _ => false,
    };
    step.events().any(|numbered| cancelled(&numbered.event))
}
