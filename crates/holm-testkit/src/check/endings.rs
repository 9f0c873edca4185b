//! A run ends, in time, and says so once.

use holm_kernel::{Effect, Ending, Event, Input, Purpose, Timestamp};

use crate::{Outcome, Rest, Step, Violation};

/// The run came to rest, and no group went beyond its turns or its wall clock.
pub fn ends_within_limits(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a run ends within its limits";
    let mut found = Vec::new();
    match outcome.rest {
        Rest::Idle | Rest::AwaitsPerson => {}
        Rest::Stuck => found.push(Violation::new(promise, None, "nothing is under way and it has not ended")),
        Rest::Endless => found.push(Violation::new(promise, None, "it goes on and on")),
    }
    let limits = outcome.run.config().limits;
    let mut begun = Timestamp::new(0);
    for step in &outcome.steps {
        for effect in &step.effects {
            match effect {
                Effect::Emit(numbered) => match &numbered.event {
                    Event::GroupStarted { .. } => begun = step.at,
                    Event::ModelCalled { turn, .. } if limits.turns.exceeded_by(*turn) => {
                        found.push(Violation::new(promise, step.seq, format!("turn {turn} is begun")));
                    }
                    _ => {}
                },
                Effect::CallModel { request, .. } if request.purpose == Purpose::Turn => {
                    let used = step.at.since(begun);
                    if limits.wall_ms.limit().is_some_and(|allowed| used >= allowed) {
                        found.push(Violation::new(promise, step.seq, format!("a call after {used} ms")));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// However the host's clock jumps, time never runs backwards in a run.
pub fn time_runs_forward(outcome: &Outcome) -> Vec<Violation> {
    let pairs = outcome.steps.iter().zip(outcome.steps.iter().skip(1));
    let back = pairs.filter(|(before, step)| step.at < before.at);
    back.map(|(before, step)| {
        let message = format!("{} comes after {}", step.at, before.at);
        Violation::new("time runs forward", step.seq, message)
    })
    .collect()
}

/// Each group ends with one terminal event, its last, and one `Finish` that says the same.
pub fn one_end_per_group(outcome: &Outcome) -> Vec<Violation> {
    let mut watch = Watch { groups: 0, open: false, ended: None, found: Vec::new() };
    for step in &outcome.steps {
        for effect in &step.effects {
            watch.see(step, effect);
        }
        if watch.ended.take().is_some() {
            watch.say(step, "a group ended without `Finish`");
        }
    }
    if outcome.rest == Rest::Idle && watch.open {
        watch.found.push(Violation::new(PROMISE, None, "the run is idle and its group has not ended"));
    }
    watch.found
}

const PROMISE: &str = "a group has one end, and it comes last";

struct Watch {
    groups: u64,
    open: bool,
    ended: Option<Ending>,
    found: Vec<Violation>,
}

impl Watch {
    fn say(&mut self, step: &Step, message: impl Into<String>) {
        self.found.push(Violation::new(PROMISE, step.seq, message));
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::Emit(numbered) => self.hear(step, &numbered.event),
            Effect::Finish(ending) => {
                if self.ended.take().as_ref() != Some(&**ending) {
                    self.say(step, "`Finish` does not follow its event, or says something else");
                }
            }
            Effect::CallModel { .. }
            | Effect::RunTool { .. }
            | Effect::Spawn { .. }
            | Effect::Judge(_)
            | Effect::Consult(_)
            | Effect::Check { .. }
            | Effect::Summarise { .. } => {
                if !self.open {
                    self.say(step, format!("no group is open, and yet {effect:?}"));
                }
            }
            Effect::Abort(_) | Effect::Wait(_) => {}
        }
    }

    fn hear(&mut self, step: &Step, event: &Event) {
        match event {
            Event::GroupStarted { group } => {
                if self.open || *group != self.groups + 1 {
                    self.say(step, format!("group {group} begins where it should not"));
                }
                self.groups = *group;
                self.open = true;
            }
            Event::GroupEnded { ending, .. } => {
                if !self.open {
                    self.say(step, "a second end");
                }
                self.open = false;
                self.ended = Some((**ending).clone());
            }
            Event::RunStarted { .. }
            | Event::RunResumed { .. }
            | Event::ToolsChanged { .. }
            | Event::ModeChanged { .. }
            | Event::Narrowed { .. }
            | Event::QueueDropped { .. }
            | Event::GrantsChanged
            | Event::BudgetChanged { .. }
            | Event::Marked { .. }
            | Event::Ignored { .. } => {}
            other => {
                if !self.open {
                    self.say(step, format!("no group is open, and yet {other:?}"));
                }
            }
        }
        if self.ended.is_some() && !matches!(event, Event::GroupEnded { .. }) {
            self.say(step, format!("{event:?} comes after the end"));
        }
        if matches!(step.input, Input::Resumed { .. }) && matches!(event, Event::GroupStarted { .. }) {
            self.say(step, "a takeover began a group");
        }
    }
}
