//! A text that was shown while it was written and does not count is taken back.

use std::collections::BTreeSet;

use holm_kernel::{Effect, Event, ModelCallId, Purpose};

use crate::{Outcome, Step, Violation};

/// Each model call of a turn is answered, or said not to count before the next one begins and before its group ends.
pub fn what_does_not_count_is_withdrawn(outcome: &Outcome) -> Vec<Violation> {
    let mut watch = Watch::default();
    for step in &outcome.steps {
        watch.taken_back = false;
        for effect in &step.effects {
            watch.see(step, effect);
        }
    }
    watch.found
}

#[derive(Default)]
struct Watch {
    /// Calls that were neither answered nor taken back.
    open: BTreeSet<ModelCallId>,
    /// Whether this record takes something back.
    taken_back: bool,
    found: Vec<Violation>,
}

impl Watch {
    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::CallModel { call, request } if request.purpose == Purpose::Turn => {
                self.close(step);
                self.open.insert(*call);
            }
            Effect::Emit(numbered) => self.hear(step, &numbered.event),
            _ => {}
        }
    }

    fn hear(&mut self, step: &Step, event: &Event) {
        match event {
            Event::ModelReplied { call, .. } => {
                self.open.remove(call);
            }
            Event::Withdrawn { call } => {
                self.open.remove(call);
                self.taken_back = true;
            }
            // A reply that is tried again with more room does not count either.
            Event::OutputCapRaised { from, to, .. } if from != to && !self.taken_back => {
                self.say(step, "a reply that is tried again still counts".into());
            }
            Event::GroupEnded { .. } => self.close(step),
            _ => {}
        }
    }

    fn close(&mut self, step: &Step) {
        for call in std::mem::take(&mut self.open) {
            self.say(step, format!("the text of call {call} still counts"));
        }
    }

    fn say(&mut self, step: &Step, message: String) {
        self.found.push(Violation::new("a text that does not count is withdrawn", step.seq, message));
    }
}
