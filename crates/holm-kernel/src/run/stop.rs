//! Ends a group: at a natural stop, at a limit, or on a person's request. It also keeps the queues
//! of prompts and the deadlines of the run.
//!
//! Every group ends through `finish`: the transcript is complete, children are stopped, and one
//! terminal event says how it ended. Which ending applies is decided where the cause is found
//! (`run/turn.rs`, `run/reply.rs`, `run/batch.rs` and others). Stopping one call is in
//! `run/call.rs`. There is no timer here: the host waits until the time that
//! [`Effect::Wait`](crate::Effect::Wait) names and reports that it has passed.

use alloc::string::String;

use super::{
    Run,
    batch::{CallBatch, CallSlot, SlotState},
    state::{ConsultationSubject, RunPhase},
};
use crate::loops::CallImpact;
use crate::{
    CallId, ChildrenAtEnd, ConsultPoint, Effect, Ending, Event, Prompt, Question, Queue, Timestamp,
    ToolOutput,
};

/// The message for a call that was stopped by its deadline.
const OVERDUE: &str = "stopped: the call timed out";

/// The message for a child that its run did not wait for.
const LEFT: &str = "stopped: the run that made the call has ended";

/// Tells the model why its last prompt has no complete answer.
const UNFINISHED: &str = "[Your answer was stopped here, before it was complete.]";

impl Run {
    pub(super) fn steered(&mut self, phase: RunPhase, prompt: Prompt) -> RunPhase {
        if matches!(phase, RunPhase::Idle) {
            // Steering that arrives just after the end starts a new group; otherwise it would be
            // lost.
            return self.prompted(phase, prompt);
        }
        self.state.steering.push_back(prompt);
        let waiting = self.state.steering.len() as u64;
        self.emit(Event::Queued { queue: Queue::Steering, waiting });
        self.look_around(phase)
    }

    pub(super) fn followed_up(&mut self, phase: RunPhase, prompt: Prompt) -> RunPhase {
        if matches!(phase, RunPhase::Idle) {
            return self.prompted(phase, prompt);
        }
        self.queue_follow_up(phase, prompt)
    }

    pub(super) fn queue_follow_up(&mut self, phase: RunPhase, prompt: Prompt) -> RunPhase {
        self.state.follow_ups.push_back(prompt);
        let waiting = self.state.follow_ups.len() as u64;
        self.emit(Event::Queued { queue: Queue::FollowUp, waiting });
        self.look_around(phase)
    }

    /// The run would stop by itself, unless a hook or a queued prompt has more to do.
    pub(super) fn natural_stop(&mut self, ending: Ending) -> RunPhase {
        if self.wants(ConsultPoint::Stop) && !self.has_more_to_hear() {
            return self.consult(Question::Stop, ConsultationSubject::Stop(ending));
        }
        self.stop_unless_more(ending)
    }

    fn has_more_to_hear(&self) -> bool {
        !self.state.arrived.is_empty() || !self.state.steering.is_empty() || !self.state.follow_ups.is_empty()
    }

    /// Stops, unless a prompt or a child's result has arrived in the meantime.
    pub(super) fn stop_unless_more(&mut self, ending: Ending) -> RunPhase {
        if !self.state.steering.is_empty() || !self.state.arrived.is_empty() {
            return self.next_turn();
        }
        if let Some(prompt) = self.state.follow_ups.pop_front() {
            self.hear(prompt);
            return self.next_turn();
        }
        if !self.state.background.is_empty() && self.config().children_at_end == ChildrenAtEnd::Wait {
            return RunPhase::Awaiting { ending };
        }
        self.finish(ending)
    }

    /// Ends the group. Running work is stopped. Queued prompts stay for the next prompt, unless
    /// the group is cancelled.
    pub(super) fn finish(&mut self, ending: Ending) -> RunPhase {
        self.stop_children(&|_, _| true, LEFT);
        self.emit(Event::GroupEnded {
            ending: ending.clone().into(),
            last: self.state.history.last(),
            usage: self.state.usage,
            spent: self.state.spent,
        });
        self.issue(Effect::Finish(ending.into()));
        RunPhase::Idle
    }

    pub(super) fn cancelled(&mut self, phase: RunPhase, reason: String) -> RunPhase {
        let dropped = self.drop_queues();
        if dropped && matches!(phase, RunPhase::Idle) {
            return phase;
        }
        // A call that is stopped says so in its result.
        if matches!(phase, RunPhase::Calling(_) | RunPhase::Summarising { .. } | RunPhase::Backoff { .. }) {
            self.note(UNFINISHED.into());
        }
        self.stop_with(phase, Ending::Cancelled { reason }, "cancelled")
    }

    /// Drops queued prompts: they were meant for the work that is stopped. Returns
    /// whether there were any.
    fn drop_queues(&mut self) -> bool {
        let steering = core::mem::take(&mut self.state.steering);
        let follow_ups = core::mem::take(&mut self.state.follow_ups);
        let mut dropped = false;
        for (queue, prompts) in [(Queue::Steering, steering), (Queue::FollowUp, follow_ups)] {
            if !prompts.is_empty() {
                dropped = true;
                self.emit(Event::QueueDropped { queue, prompts: prompts.into() });
            }
        }
        dropped
    }

    /// Stops everything under way and ends the group.
    fn stop_with(&mut self, phase: RunPhase, ending: Ending, message: &str) -> RunPhase {
        let abort: Option<CallId> = match phase {
            RunPhase::Idle => {
                self.emit(Event::Ignored { call: None });
                return RunPhase::Idle;
            }
            RunPhase::Consulting(consulting) => Some(consulting.call.into()),
            RunPhase::Calling(calling) => {
                self.emit(Event::Withdrawn { call: calling.call });
                self.owe(calling.call, calling.tokens);
                Some(calling.call.into())
            }
            RunPhase::Summarising { call, tokens, .. } => {
                self.owe(call, tokens);
                Some(call.into())
            }
            RunPhase::Backoff { .. } | RunPhase::Awaiting { .. } => None,
            RunPhase::Working(mut batch) => {
                for slot in &mut batch.slots {
                    self.stop_call(slot, message);
                }
                batch.ending = Some(ending);
                return self.close_batch(batch);
            }
        };
        if let Some(call) = abort {
            self.issue(Effect::Abort(call));
        }
        self.finish(ending)
    }

    /// The next time at which something must happen without an input.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        if self.is_idle() {
            return None;
        }
        let wall = self.config().limits.wall_ms.limit().map(|millis| self.state.group.started.plus(millis));
        let armed = match &self.state.phase {
            RunPhase::Backoff { until, .. } => Some(*until),
            RunPhase::Working(batch) => batch.slots.iter().filter_map(CallSlot::deadline).min(),
            RunPhase::Awaiting { ending: Ending::OverBudget { .. } | Ending::OverLimit { .. } } => {
                // The time for the last bills may have passed while no host drove the run.
                let nothing_comes = self.state.background.is_empty();
                self.bills_due().or_else(|| nothing_comes.then_some(self.state.now))
            }
            RunPhase::Idle
            | RunPhase::Consulting(_)
            | RunPhase::Calling(_)
            | RunPhase::Summarising { .. }
            | RunPhase::Awaiting { .. } => None,
        };
        let children = self.state.background.iter().filter_map(CallSlot::deadline);
        wall.into_iter().chain(armed).chain(children).min()
    }

    pub(super) fn time_passed(&mut self, phase: RunPhase) -> RunPhase {
        let now = self.state.now;
        if let Some(allowed) = self.config().limits.wall_ms.limit() {
            let used = now.since(self.state.group.started);
            if !matches!(phase, RunPhase::Idle) && used >= allowed {
                let ending = Ending::OverLimit { limit: crate::Limit::WallClock, used, allowed };
                return self.stop_with(phase, ending, "stopped: the task's time limit was reached");
            }
        }
        self.stop_children(&|_, child| child.deadline().is_some_and(|deadline| now >= deadline), OVERDUE);
        match phase {
            RunPhase::Backoff { until, draft } if now >= until => {
                self.advance_turn(super::state::PreparationStep::Plan, draft)
            }
            RunPhase::Working(mut batch) => {
                self.stop_overdue(&mut batch, now);
                self.advance_batch(batch)
            }
            other => self.look_around(other),
        }
    }

    /// A call that takes too long has failed. It counts as a repeat, and may stop the other calls.
    fn stop_overdue(&mut self, batch: &mut CallBatch, now: Timestamp) {
        let mut stops_siblings = false;
        for slot in &mut batch.slots {
            if slot.deadline().is_some_and(|deadline| now >= deadline) {
                let message = overdue(slot);
                self.stop_call(slot, &message);
                self.observe_result(slot, &ToolOutput::failed(message), CallImpact::None);
                stops_siblings |= slot.aborts_siblings();
            }
        }
        if stops_siblings {
            self.stop_siblings(batch);
        }
    }
}

/// The message for a call that was stopped by its deadline, with the time that it had.
fn overdue(slot: &CallSlot) -> String {
    let since = match &slot.state {
        SlotState::Running { since, .. } | SlotState::Delegated { since, .. } => Some(*since),
        SlotState::Judging
        | SlotState::Ready
        | SlotState::Issued { .. }
        | SlotState::Skilled(_)
        | SlotState::SkillDue(_)
        | SlotState::Reviewing { .. }
        | SlotState::Checking { .. }
        | SlotState::Done(_) => None,
    };
    since.zip(slot.deadline()).map_or_else(
        || OVERDUE.into(),
        |(since, deadline)| {
            let seconds = deadline.since(since).div_ceil(1_000);
            alloc::format!("{OVERDUE} after {seconds} s")
        },
    )
}
