//! Decides what to do about a job: a pure function of the job, its state, its open runs and the
//! time.
//!
//! It reads no clock, does no I/O and changes nothing; `job_scheduler.rs` carries the plan out. The
//! same input must give the same plan, because a process that crashed half-way asks again.
//!
//! Due times come from `schedule.rs`, what a user may write from `spec.rs`, and `job_repository.rs`
//! stores jobs and their runs. An attempt is run in `attempt_runner.rs`.

use holm_kernel::{NanoUsd, Timestamp};

use super::{
    Cause, JobRunKey, JobState, Misfire, Outcome, Overlap, Phase, Run, ScheduledJob, Stopped,
    job_state::{OffReason, SkipReason, Switch},
    spec::MOST_MISSED,
};

/// How late a start may be and still count as on time, because of a busy machine or a locked store.
const LATE_MS: u64 = 60_000;
/// The window in which starts are counted.
const HOUR_MS: u64 = 3_600_000;
/// The number of runs of one job that may wait.
const MOST_WAITING: usize = MOST_MISSED as usize;
/// The longest pause before a retry: after that, the next scheduled time is nearer.
const LONGEST_PAUSE_MS: u64 = HOUR_MS;
/// Failed runs in a row after which the schedule backs off.
const PATIENT_FAILURES: u32 = 3;
/// The first back-off pause; it doubles with each further failure.
const FIRST_BACK_OFF_MS: u64 = 300_000;
/// The longest back-off: a job that fails all the time still runs about once a day.
const LONGEST_BACK_OFF_MS: u64 = 24 * HOUR_MS;
/// How long a run waits for a user's answer before it is given up.
const MOST_ASKED_MS: u64 = 24 * HOUR_MS;

/// The next actions for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPlan {
    /// The state of the job after these actions.
    pub standing: JobState,
    /// The actions, in order.
    pub steps: Vec<JobPlanStep>,
    /// When to plan again, if nothing happens before; `None` if only an event can change the plan.
    pub wake: Option<Timestamp>,
}

/// One action of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobPlanStep {
    /// Store a new waiting run.
    Queue {
        /// The key of the run.
        slot: JobRunKey,
        /// When it was due.
        due: Timestamp,
    },
    /// Start an attempt of a waiting run.
    Begin { slot: JobRunKey },
    /// Stop the running attempt.
    Stop {
        slot: JobRunKey,
        /// The outcome to store.
        outcome: Outcome,
    },
    /// End a waiting run.
    Drop { slot: JobRunKey, why: Stopped },
}

/// Decides what to do about a job now. `open` are its unfinished runs, oldest first.
///
/// A job has one running attempt at a time. The same input gives the same plan, so a process that
/// crashed half-way simply asks again.
pub fn plan(job: &ScheduledJob, standing: &JobState, open: &[Run], now: Timestamp) -> JobPlan {
    let mut planner = JobPlanner::new(job, standing, open, now);
    planner.stop_what_takes_too_long();
    planner.take_what_is_due();
    planner.begin_the_next();
    planner.plan()
}

struct JobPlanner<'a> {
    job: &'a ScheduledJob,
    now: Timestamp,
    standing: JobState,
    waiting: Vec<PendingRun>,
    working: Option<&'a Run>,
    steps: Vec<JobPlanStep>,
}

struct PendingRun {
    slot: JobRunKey,
    not_before: Timestamp,
    cause: Cause,
}

impl<'a> JobPlanner<'a> {
    fn new(job: &'a ScheduledJob, standing: &JobState, open: &'a [Run], now: Timestamp) -> Self {
        let mut standing = standing.clone();
        standing.starts.retain(|began| now.since(*began) < HOUR_MS);
        let waits = |run: &Run| match run.phase {
            Phase::Waiting { not_before } => {
                Some(PendingRun { slot: run.slot.clone(), not_before, cause: run.cause })
            }
            Phase::Working { .. } | Phase::Ended { .. } => None,
        };
        let working = open.iter().find(|run| matches!(run.phase, Phase::Working { .. }));
        let waiting = open.iter().filter_map(waits).collect();
        Self { job, now, standing, waiting, working, steps: Vec::new() }
    }

    fn stop_what_takes_too_long(&mut self) {
        let Some((run, deadline)) = self.working.zip(self.deadline()) else { return };
        if deadline <= self.now {
            self.steps.push(JobPlanStep::Stop { slot: run.slot.clone(), outcome: Outcome::TimedOut });
        }
    }

    fn take_what_is_due(&mut self) {
        if self.standing.switch != Switch::On {
            // Switching the job on again sets the time from which its schedule counts.
            self.drop_scheduled(Stopped::Off);
            return;
        }
        let since = self.standing.settled;
        let due = self.job.schedule.due(since, self.now, MOST_WAITING);
        // Unchanged if nothing was due, so that an idle check writes nothing.
        if !due.times.is_empty() {
            self.standing.settled = since.max(self.now);
        }
        let on_time = due.times.partition_point(|at| self.now.since(*at) > LATE_MS);
        let (missed, on_time) = due.times.split_at(on_time);
        let caught_up = match self.job.spec.misfire {
            Misfire::Skip => 0,
            // A run that is on time also covers the missed ones.
            Misfire::Once => usize::from(on_time.is_empty()),
            Misfire::All { most } => most as usize,
        };
        let (gone, late) = missed.split_at(missed.len().saturating_sub(caught_up));
        if let Some(last) = gone.last().or_else(|| late.first().filter(|_| due.older > 0)) {
            self.standing.skip(*last, SkipReason::Missed, due.older + gone.len() as u64);
        }
        for at in late.iter().filter(|at| !self.is_open(**at)).copied().collect::<Vec<_>>() {
            self.queue_late(at);
        }
        for at in on_time.iter().filter(|at| !self.is_open(**at)).copied().collect::<Vec<_>>() {
            self.queue_on_time(at);
        }
    }

    /// Whether a time has its run already: the process stored it and then ended.
    fn is_open(&self, at: Timestamp) -> bool {
        let slot = JobRunKey::at(at);
        let works = self.working.is_some_and(|run| run.slot == slot);
        works || self.waiting.iter().any(|waiting| waiting.slot == slot)
    }

    /// A missed time waits for its turn even if overlaps are skipped, because the
    /// runs did not overlap.
    fn queue_late(&mut self, at: Timestamp) {
        match self.held_back() {
            Some(reason) => self.standing.skip(at, reason, 1),
            None if self.waiting.len() >= MOST_WAITING => self.standing.skip(at, SkipReason::Full, 1),
            None => self.queue(at),
        }
    }

    fn queue_on_time(&mut self, at: Timestamp) {
        if let Some(reason) = self.held_back() {
            return self.standing.skip(at, reason, 1);
        }
        if self.working.is_none() && self.waiting.is_empty() {
            return self.queue(at);
        }
        match self.job.spec.overlap {
            Overlap::Skip => self.standing.skip(at, SkipReason::Overlap, 1),
            Overlap::Queue if self.waiting.len() >= MOST_WAITING => {
                self.standing.skip(at, SkipReason::Full, 1);
            }
            Overlap::Queue => self.queue(at),
            Overlap::Replace => {
                self.replace_working();
                self.drop_scheduled(Stopped::Replaced);
                self.queue(at);
            }
        }
    }

    /// Why a scheduled time starts nothing now, if so.
    fn held_back(&self) -> Option<SkipReason> {
        if self.guard().is_some() {
            return Some(SkipReason::TooOften);
        }
        let until = self.standing.failed_at?.plus(back_off(self.standing.failures)?);
        (self.now < until).then_some(SkipReason::BackingOff)
    }

    /// When the next start is allowed, if the hourly limit is reached.
    fn guard(&self) -> Option<Timestamp> {
        let most = self.job.spec.per_hour as usize;
        let past_it = self.standing.starts.len().checked_sub(most)?;
        self.standing.starts.get(past_it).map(|began| began.plus(HOUR_MS))
    }

    fn queue(&mut self, due: Timestamp) {
        let slot = JobRunKey::at(due);
        self.waiting.push(PendingRun { slot: slot.clone(), not_before: due, cause: Cause::Schedule });
        self.steps.push(JobPlanStep::Queue { slot, due });
    }

    fn replace_working(&mut self) {
        let Some(run) = self.working else { return };
        let stopped = |step: &JobPlanStep| matches!(step, JobPlanStep::Stop { .. });
        if !self.steps.iter().any(stopped) {
            let outcome = Outcome::Stopped { why: Stopped::Replaced };
            self.steps.push(JobPlanStep::Stop { slot: run.slot.clone(), outcome });
        }
    }

    /// Ends scheduled runs that wait; runs that a user or a message started keep their turn.
    fn drop_scheduled(&mut self, reason: Stopped) {
        let (gone, kept): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|waiting| waiting.cause == Cause::Schedule);
        self.waiting = kept;
        for waiting in gone {
            let before = self.steps.len();
            let queued =
                |step: &JobPlanStep| matches!(step, JobPlanStep::Queue { slot, .. } if *slot == waiting.slot);
            self.steps.retain(|step| !queued(step));
            // A run that was never stored need not be ended.
            if self.steps.len() == before {
                self.steps.push(JobPlanStep::Drop { slot: waiting.slot, why: reason });
            }
        }
    }

    fn begin_the_next(&mut self) {
        if self.working.is_some() || self.guard().is_some() {
            return;
        }
        let ready = self.waiting.iter().position(|waiting| waiting.not_before <= self.now);
        if let Some(ready) = ready {
            let waiting = self.waiting.remove(ready);
            self.standing.starts.push(self.now);
            self.steps.push(JobPlanStep::Begin { slot: waiting.slot });
        }
    }

    /// The deadline of the running attempt.
    fn deadline(&self) -> Option<Timestamp> {
        let run = self.working?;
        let Phase::Working { since, held_ms, asked } = run.phase else { return None };
        let timeout = self.job.spec.timeout_s.saturating_mul(1_000);
        Some(asked.map_or(since.plus(held_ms).plus(timeout), |asked| asked.plus(MOST_ASKED_MS)))
    }

    fn plan(self) -> JobPlan {
        let began = self.steps.iter().any(|step| matches!(step, JobPlanStep::Begin { .. }));
        let idle = self.working.is_none() && !began;
        let scheduled = match self.standing.switch {
            Switch::On => self.job.schedule.next(self.now),
            Switch::Off { .. } => None,
        };
        // An attempt that starts now has a deadline too. It is known at the next planning, once the
        // start is stored.
        let turn = self.waiting.iter().map(|waiting| waiting.not_before).min().filter(|_| idle);
        let turn = turn.map(|at| self.guard().map_or(at, |free| free.max(at)));
        let wake = [scheduled, self.deadline(), turn].into_iter().flatten().filter(|at| *at > self.now).min();
        JobPlan { standing: self.standing, steps: self.steps, wake }
    }
}

/// The consequences of an ended attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptSettlement {
    pub run: Run,
    /// The state of the job.
    pub standing: JobState,
    /// Which notification to send.
    pub tell: FailureNotice,
}

/// The notification about an ended attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureNotice {
    Nothing,
    /// The run has failed finally.
    Failed,
    /// The run has failed finally, and the job was switched off because of it.
    SwitchedOff,
}

/// Decides what follows an ended attempt: a retry, or the end of the run.
pub fn settle(
    job: &ScheduledJob,
    standing: &JobState,
    run: &Run,
    outcome: Outcome,
    spent: NanoUsd,
    now: Timestamp,
) -> AttemptSettlement {
    let (mut run, mut standing) = (run.clone(), standing.clone());
    if let Some(last) = run.tries.last_mut() {
        (last.ended, last.outcome, last.spent) = (Some(now), Some(outcome.clone()), spent);
    }
    let again = matches!(outcome, Outcome::Failed { .. } | Outcome::TimedOut | Outcome::Lost);
    let wanted = standing.switch == Switch::On || run.cause != Cause::Schedule;
    if again && wanted && run.tries.len() <= job.spec.retry.most as usize {
        run.phase = Phase::Waiting { not_before: now.plus(pause(job, run.tries.len())) };
        return AttemptSettlement { run, standing, tell: FailureNotice::Nothing };
    }
    let tell = match &outcome {
        Outcome::Answered { .. } => {
            (standing.failures, standing.failed_at) = (0, None);
            FailureNotice::Nothing
        }
        Outcome::Stopped { .. } => FailureNotice::Nothing,
        Outcome::Failed { .. } | Outcome::Refused { .. } | Outcome::TimedOut | Outcome::Lost => {
            standing.failures = standing.failures.saturating_add(1);
            standing.failed_at = Some(now);
            let too_often = standing.failures >= job.spec.off_after && standing.switch == Switch::On;
            if too_often {
                standing = standing.off(now, OffReason::Failing);
                FailureNotice::SwitchedOff
            } else {
                FailureNotice::Failed
            }
        }
    };
    run.phase = Phase::Ended { at: now, outcome };
    AttemptSettlement { run, standing, tell }
}

/// The pause in milliseconds before the next attempt, after `tries` attempts.
fn pause(job: &ScheduledJob, tries: usize) -> u64 {
    let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(u32::MAX).min(20);
    (job.spec.retry.first_s.saturating_mul(1_000) << doublings).min(LONGEST_PAUSE_MS)
}

/// How long the schedule backs off after this many failures in a row; `None` after only a few.
fn back_off(failures: u32) -> Option<u64> {
    let doublings = failures.checked_sub(PATIENT_FAILURES)?.min(20);
    Some((FIRST_BACK_OFF_MS << doublings).min(LONGEST_BACK_OFF_MS))
}
