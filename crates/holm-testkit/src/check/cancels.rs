//! Whoever says stop is heard at once.

use holm_kernel::{Block, Ending, Event, Input, Role};

use crate::{Outcome, Step, Violation};

/// A group that is cancelled ends in that very record, as cancelled, whatever was under way. Nothing that was said before
/// is heard afterwards.
pub fn cancels_are_heard(outcome: &Outcome) -> Vec<Violation> {
    let mut found = groups_end(outcome);
    found.extend(what_waits_is_dropped(outcome));
    found
}

/// Messages that a person said before a cancel join the transcript before it, or never.
fn what_waits_is_dropped(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a cancel drops what waits to be said";
    let mut found = Vec::new();
    let mut waiting: Vec<&[Block]> = Vec::new();
    let mut dropped: Vec<&[Block]> = Vec::new();
    for step in &outcome.steps {
        match &step.input {
            Input::Prompted(prompt) | Input::Steered(prompt) | Input::FollowedUp(prompt) => {
                waiting.push(&prompt.blocks);
            }
            Input::Cancelled { .. } => dropped.append(&mut waiting),
            _ => {}
        }
        for numbered in step.events() {
            let Event::MessageAdded { message } = &numbered.event else { continue };
            waiting.retain(|blocks| *blocks != message.blocks);
            if message.role == Role::User && dropped.contains(&&*message.blocks) {
                found.push(Violation::new(promise, step.seq, format!("{:?} is heard", message.blocks)));
            }
        }
    }
    found
}

fn groups_end(outcome: &Outcome) -> Vec<Violation> {
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
