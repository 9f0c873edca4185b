//! Tests of the plan over several days, without waiting for a real clock.

use std::collections::BTreeSet;

use holm_kernel::{NanoUsd, Timestamp};

use super::{at, cron, job};
use crate::jobs::{
    Cause, JobPlan, JobPlanStep, JobRunKey, JobState, Misfire, OffReason, Outcome, Overlap, Phase, Run,
    RunQuestionState, ScheduledJob, SkipReason, Spec, Stopped, Switch, When, plan, settle,
};

const HOUR: u64 = 3_600_000;
const MINUTE: u64 = 60_000;

/// A job, a clock, and a world in which a try takes so long and ends so.
struct World {
    job: ScheduledJob,
    now: Timestamp,
    standing: JobState,
    open: Vec<Run>,
    ended: Vec<Run>,
    slots: BTreeSet<JobRunKey>,
    /// When tries began, and what for.
    began: Vec<(Timestamp, Timestamp)>,
    takes: u64,
    outcome: Outcome,
}

impl World {
    fn new(job: ScheduledJob, start: &str) -> Self {
        let now = at(start);
        let (open, ended, slots, began) = (Vec::new(), Vec::new(), BTreeSet::new(), Vec::new());
        let outcome = Outcome::answered("done");
        Self { job, now, standing: JobState::new(now), open, ended, slots, began, takes: 1_000, outcome }
    }

    fn failing(mut self) -> Self {
        self.outcome = Outcome::Failed { reason: "no".into() };
        self
    }

    fn taking(mut self, millis: u64) -> Self {
        self.takes = millis;
        self
    }

    /// A user starts a run now.
    fn ask(&mut self, name: &str) {
        self.open.push(Run::new(JobRunKey::message(name), self.now, Cause::Person));
    }

    /// Asks the plan and does what it says.
    fn look(&mut self) -> JobPlan {
        let made = plan(&self.job, &self.standing, &self.open, self.now);
        let again = plan(&self.job, &self.standing, &self.open, self.now);
        assert_eq!(made, again, "the same question has the same answer");
        self.standing = made.standing.clone();
        for step in made.steps.clone() {
            match step {
                JobPlanStep::Queue { slot, due } => {
                    assert!(self.slots.insert(slot.clone()), "{slot} was made twice");
                    self.open.push(Run::new(slot, due, Cause::Schedule));
                }
                JobPlanStep::Begin { slot } => {
                    let (id, now) = (self.job.id.clone(), self.now);
                    let run = self.open.iter_mut().find(|run| run.slot == slot).unwrap();
                    run.begin(&id, now).unwrap();
                    self.began.push((now, run.due));
                }
                JobPlanStep::Stop { slot, outcome } => self.end(&slot, outcome),
                JobPlanStep::Drop { slot, why: reason } => {
                    let run = self.open.iter_mut().find(|run| run.slot == slot).unwrap();
                    run.phase = Phase::Ended { at: self.now, outcome: Outcome::Stopped { why: reason } };
                    self.sweep();
                }
            }
        }
        made
    }

    fn end(&mut self, slot: &JobRunKey, outcome: Outcome) {
        let run = self.open.iter_mut().find(|run| run.slot == *slot).unwrap();
        let settled = settle(&self.job, &self.standing, run, outcome, NanoUsd::ZERO, self.now);
        (*run, self.standing) = (settled.run, settled.standing);
        self.sweep();
    }

    fn sweep(&mut self) {
        let (ended, open): (Vec<_>, Vec<_>) =
            self.open.drain(..).partition(|run| matches!(run.phase, Phase::Ended { .. }));
        self.open = open;
        self.ended.extend(ended);
    }

    /// The run that works, and when it will be done.
    fn working(&self) -> Option<(JobRunKey, Timestamp)> {
        self.open.iter().find_map(|run| match run.phase {
            Phase::Working { since, .. } => Some((run.slot.clone(), since.plus(self.takes))),
            Phase::Waiting { .. } | Phase::Ended { .. } => None,
        })
    }

    /// Lets time pass from one thing that happens to the next.
    fn until(&mut self, end: Timestamp) {
        for _ in 0..50_000 {
            let made = self.look();
            // What was begun has a deadline, and what was stopped makes room: asked again before time passes.
            if made.steps.iter().any(|step| !matches!(step, JobPlanStep::Queue { .. })) {
                continue;
            }
            let done = self.working();
            let next = [made.wake, done.as_ref().map(|(_, at)| *at)].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else {
                self.now = end;
                return;
            };
            self.now = next.max(self.now);
            if let Some((slot, _)) = done.filter(|(_, at)| *at <= self.now) {
                self.end(&slot, self.outcome.clone());
            }
        }
        panic!("it never comes to rest: {:?}", self.began.last());
    }

    /// Nothing runs until then.
    fn down_until(&mut self, end: Timestamp) {
        self.now = end;
    }

    fn dues(&self) -> Vec<Timestamp> {
        self.began.iter().map(|(_, due)| *due).collect()
    }
}

fn times(texts: &[&str]) -> Vec<Timestamp> {
    texts.iter().map(|text| at(text)).collect()
}

fn every_minute(change: impl FnOnce(&mut Spec)) -> ScheduledJob {
    job(cron("* * * * *", "UTC"), change)
}

fn hourly(misfire: Misfire) -> World {
    let job = job(cron("0 * * * *", "UTC"), |spec| spec.misfire = misfire);
    let mut world = World::new(job, "2026-01-01T00:30:00Z");
    world.until(at("2026-01-01T02:30:00Z"));
    assert_eq!(world.dues(), times(&["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"]));
    world.began.clear();
    world
}

#[test]
fn a_nightly_job_runs_once_a_night_while_clocks_are_set_forward() {
    let mut world = World::new(job(cron("30 2 * * *", "Europe/Berlin"), |_| {}), "2025-03-28T12:00:00Z");
    world.until(at("2025-03-31T12:00:00Z"));
    let nights = times(&["2025-03-29T01:30:00Z", "2025-03-30T01:00:00Z", "2025-03-31T00:30:00Z"]);
    assert_eq!(world.began, nights.iter().map(|night| (*night, *night)).collect::<Vec<_>>());
    assert_eq!(world.standing.skipped, 0);
}

#[test]
fn a_nightly_job_runs_once_a_night_while_clocks_are_set_back() {
    let mut world = World::new(job(cron("30 2 * * *", "Europe/Berlin"), |_| {}), "2025-10-24T12:00:00Z");
    world.until(at("2025-10-27T12:00:00Z"));
    let nights = times(&["2025-10-25T00:30:00Z", "2025-10-26T00:30:00Z", "2025-10-27T01:30:00Z"]);
    assert_eq!(world.dues(), nights);
}

#[test]
fn a_job_of_every_half_hour_takes_no_notice_of_clocks() {
    for day in ["2025-03-30", "2025-10-26"] {
        let start = format!("{day}T00:00:00Z");
        let mut world = World::new(job(cron("*/30 * * * *", "Europe/Berlin"), |_| {}), &start);
        world.until(at(&format!("{day}T06:00:00Z")));
        let dues = world.dues();
        assert_eq!(dues.len(), 12, "{day}");
        assert!(dues.windows(2).all(|pair| pair[1].since(pair[0]) == 30 * MINUTE), "{day}: {dues:?}");
    }
}

#[test]
fn a_downtime_over_the_change_of_clocks_is_caught_up_with_once() {
    let job = job(cron("30 2 * * *", "Europe/Berlin"), |_| {});
    let mut world = World::new(job, "2025-10-25T12:00:00Z");
    world.look();
    // Down while 02:30 came, and came again.
    world.down_until(at("2025-10-26T04:00:00Z"));
    world.until(at("2025-10-26T12:00:00Z"));
    assert_eq!(world.began, [(at("2025-10-26T04:00:00Z"), at("2025-10-26T00:30:00Z"))]);
}

#[test]
fn what_a_downtime_missed_is_let_go_caught_up_with_once_or_each() {
    let up = "2026-01-01T08:10:30Z";
    let check = |misfire, expect: &[&str], skipped| {
        let mut world = hourly(misfire);
        world.down_until(at(up));
        world.until(at("2026-01-01T08:40:00Z"));
        assert_eq!(world.dues(), times(expect), "{misfire:?}");
        assert_eq!(world.standing.skipped, skipped, "{misfire:?}");
        // Then it continues.
        world.began.clear();
        world.until(at("2026-01-01T09:30:00Z"));
        assert_eq!(world.dues(), times(&["2026-01-01T09:00:00Z"]), "{misfire:?}");
    };
    check(Misfire::Skip, &[], 6);
    check(Misfire::Once, &["2026-01-01T08:00:00Z"], 5);
    let last = ["2026-01-01T06:00:00Z", "2026-01-01T07:00:00Z", "2026-01-01T08:00:00Z"];
    check(Misfire::All { most: 3 }, &last, 3);
}

#[test]
fn a_run_on_time_stands_for_those_that_were_missed() {
    let mut world = hourly(Misfire::Once);
    world.down_until(at("2026-01-01T08:00:20Z"));
    world.until(at("2026-01-01T08:40:00Z"));
    assert_eq!(world.dues(), times(&["2026-01-01T08:00:00Z"]));
    let skip = world.standing.last_skip.unwrap();
    assert_eq!((skip.due, skip.why, skip.count), (at("2026-01-01T07:00:00Z"), SkipReason::Missed, 5));
}

#[test]
fn a_clock_that_is_set_back_starts_nothing_twice() {
    let mut world = hourly(Misfire::All { most: 10 });
    world.down_until(at("2026-01-01T00:45:00Z"));
    world.until(at("2026-01-01T02:45:00Z"));
    assert_eq!(world.dues(), []);
    world.until(at("2026-01-01T03:30:00Z"));
    assert_eq!(world.dues(), times(&["2026-01-01T03:00:00Z"]));
}

#[test]
fn a_job_of_one_time_runs_once_also_when_it_was_missed() {
    let noon = at("2026-01-01T12:00:00Z");
    let once = || job(When::Once { at: noon }, |_| {});
    let mut world = World::new(once(), "2026-01-01T11:00:00Z");
    world.until(at("2026-01-09T00:00:00Z"));
    assert_eq!(world.began, [(noon, noon)]);
    assert_eq!(world.look().wake, None);
    let mut late = World::new(once(), "2026-01-01T11:00:00Z");
    late.down_until(at("2026-01-03T00:00:00Z"));
    late.until(at("2026-01-04T00:00:00Z"));
    assert_eq!(late.began, [(at("2026-01-03T00:00:00Z"), noon)]);
}

#[test]
fn overlapping_times_are_skipped_queued_or_replace() {
    let run = |overlap| {
        let mut world = World::new(every_minute(|spec| spec.overlap = overlap), "2026-01-01T00:00:30Z");
        world.takes = 150_000;
        world.until(at("2026-01-01T00:06:30Z"));
        let started: Vec<u64> = world.began.iter().map(|(at, _)| at.value() / 1_000 % 3_600).collect();
        let due: Vec<u64> = world.began.iter().map(|(_, due)| due.value() / MINUTE % 60).collect();
        (started, due, world)
    };
    let (started, due, world) = run(Overlap::Skip);
    assert_eq!((started, due), (vec![60, 240], vec![1, 4]));
    assert_eq!(world.standing.last_skip.unwrap().why, SkipReason::Overlap);
    let (started, due, world) = run(Overlap::Queue);
    assert_eq!((started, due), (vec![60, 210, 360], vec![1, 2, 3]));
    assert_eq!(world.standing.skipped, 0);
    let (started, due, world) = run(Overlap::Replace);
    assert_eq!((started, due), (vec![60, 120, 180, 240, 300, 360], vec![1, 2, 3, 4, 5, 6]));
    let replaced = Outcome::Stopped { why: Stopped::Replaced };
    assert!(world.ended.iter().all(|run| run.tries[0].outcome.as_ref() == Some(&replaced)));
    assert_eq!(world.standing.failures, 0, "what was replaced has not failed");
}

#[test]
fn a_job_starts_no_more_often_in_an_hour_than_it_may() {
    let mut world = World::new(every_minute(|spec| spec.per_hour = 5), "2026-01-01T00:00:30Z");
    world.until(at("2026-01-01T06:00:30Z"));
    let starts: Vec<Timestamp> = world.began.iter().map(|(at, _)| *at).collect();
    assert!(starts.len() > 20, "{}", starts.len());
    assert!(starts.windows(6).all(|six| six[5].since(six[0]) >= HOUR), "{starts:?}");
    assert_eq!(world.standing.last_skip.unwrap().why, SkipReason::TooOften);
}

#[test]
fn whoever_asks_for_too_many_runs_waits_for_them() {
    let mut world = World::new(job(When::Asked, |spec| spec.per_hour = 3), "2026-01-01T00:00:00Z");
    for name in ["a", "b", "c", "d", "e"] {
        world.ask(name);
    }
    world.until(at("2026-01-01T00:59:00Z"));
    assert_eq!(world.began.len(), 3);
    world.until(at("2026-01-01T01:30:00Z"));
    assert_eq!(world.began.len(), 5, "they have not been forgotten");
}

#[test]
fn retries_of_a_failing_job_count_as_starts() {
    let job = every_minute(|spec| {
        (spec.per_hour, spec.retry.most, spec.retry.first_s, spec.off_after) = (4, 10, 1, 1_000);
    });
    let mut world = World::new(job, "2026-01-01T00:00:30Z").failing();
    world.until(at("2026-01-01T05:00:30Z"));
    let starts: Vec<Timestamp> = world.began.iter().map(|(at, _)| *at).collect();
    assert!(starts.windows(5).all(|five| five[4].since(five[0]) >= HOUR), "{starts:?}");
}

#[test]
fn a_failed_run_is_tried_again_after_longer_and_longer() {
    let once = job(When::Once { at: at("2026-01-01T00:01:00Z") }, |spec| {
        (spec.retry.most, spec.retry.first_s) = (3, 30);
    });
    let mut world = World::new(once, "2026-01-01T00:00:00Z").failing().taking(0);
    world.until(at("2026-01-01T02:00:00Z"));
    let starts: Vec<u64> = world.began.iter().map(|(at, _)| at.value() / 1_000 % 3_600).collect();
    assert_eq!(starts, [60, 90, 150, 270]);
    let [run] = &world.ended[..] else { panic!("{:?}", world.ended) };
    assert_eq!(run.tries.len(), 4);
    assert_eq!(world.standing.failures, 1, "it is one run that has failed");
    let sessions: BTreeSet<_> = run.tries.iter().map(|tried| &tried.session).collect();
    assert_eq!(sessions.len(), 4, "each try is a session of its own");
}

#[test]
fn what_would_fail_again_is_not_tried_again() {
    let job = job(When::Asked, |spec| spec.retry.most = 3);
    let mut world = World::new(job, "2026-01-01T00:00:00Z");
    world.outcome = Outcome::Refused { reason: "there is no such agent".into() };
    world.ask("a");
    world.until(at("2026-01-01T02:00:00Z"));
    assert_eq!((world.began.len(), world.standing.failures), (1, 1));
}

#[test]
fn a_failing_job_backs_off_and_is_switched_off() {
    let five = |off_after| job(cron("*/5 * * * *", "UTC"), |spec| spec.off_after = off_after);
    let mut patient = World::new(five(1_000), "2026-01-01T00:01:00Z").failing();
    patient.until(at("2026-01-02T00:01:00Z"));
    // 288 times came; without a pause each would have failed.
    assert!((8..=13).contains(&patient.began.len()), "{:?}", patient.began);
    assert_eq!(patient.standing.last_skip.unwrap().why, SkipReason::BackingOff);
    let mut ended = World::new(five(4), "2026-01-01T00:01:00Z").failing();
    ended.until(at("2026-01-03T00:01:00Z"));
    assert_eq!(ended.began.len(), 4);
    assert!(matches!(ended.standing.switch, Switch::Off { why: OffReason::Failing, .. }));
    assert_eq!(ended.look().wake, None);
    // Switched on again, it starts again, without what came meanwhile.
    ended.standing = ended.standing.on(ended.now);
    ended.outcome = Outcome::answered("done");
    ended.began.clear();
    ended.until(at("2026-01-03T00:11:00Z"));
    assert_eq!(ended.dues(), times(&["2026-01-03T00:05:00Z", "2026-01-03T00:10:00Z"]));
}

#[test]
fn an_answer_makes_failures_forgotten() {
    let mut world = World::new(every_minute(|spec| spec.off_after = 3), "2026-01-01T00:00:30Z").failing();
    world.until(at("2026-01-01T00:02:30Z"));
    assert_eq!(world.standing.failures, 2);
    world.outcome = Outcome::answered("done");
    world.until(at("2026-01-01T00:03:30Z"));
    assert_eq!((world.standing.failures, world.standing.failed_at), (0, None));
}

#[test]
fn what_takes_too_long_is_stopped() {
    let job = job(When::Asked, |spec| spec.timeout_s = 60);
    let mut world = World::new(job, "2026-01-01T00:00:00Z").taking(HOUR);
    world.ask("a");
    world.until(at("2026-01-01T00:30:00Z"));
    let Phase::Ended { at: ended, outcome } = &world.ended[0].phase else { panic!("{:?}", world.ended) };
    assert_eq!((*ended, outcome), (at("2026-01-01T00:01:00Z"), &Outcome::TimedOut));
    assert_eq!(world.standing.failures, 1);
}

#[test]
fn time_in_which_somebody_is_asked_does_not_count() {
    let job = job(When::Asked, |spec| spec.timeout_s = 60);
    let mut world = World::new(job, "2026-01-01T00:00:00Z");
    world.ask("a");
    world.look();
    world.open[0].asking(RunQuestionState::Begun, at("2026-01-01T00:00:30Z"));
    world.now = at("2026-01-01T08:00:00Z");
    assert_eq!(world.look().steps, []);
    world.open[0].asking(RunQuestionState::Over, world.now);
    assert_eq!(world.look().wake, Some(at("2026-01-01T08:00:30Z")));
    // The wait for a user's answer is limited.
    world.open[0].asking(RunQuestionState::Begun, world.now);
    world.now = world.now.plus(24 * HOUR);
    let slot = world.open[0].slot.clone();
    assert_eq!(world.look().steps, [JobPlanStep::Stop { slot, outcome: Outcome::TimedOut }]);
}

#[test]
fn switched_off_what_the_schedule_wanted_ends_and_what_people_want_runs() {
    let mut world = World::new(every_minute(|spec| spec.overlap = Overlap::Queue), "2026-01-01T00:00:30Z");
    world.takes = HOUR;
    world.until(at("2026-01-01T00:03:30Z"));
    assert_eq!(world.open.len(), 3);
    world.standing = world.standing.off(world.now, OffReason::Person);
    world.ask("a");
    world.until(at("2026-01-01T03:00:00Z"));
    let stopped = |run: &&Run| {
        matches!(run.phase, Phase::Ended { outcome: Outcome::Stopped { why: Stopped::Off }, .. })
    };
    assert_eq!(world.ended.iter().filter(stopped).count(), 2);
    assert_eq!(world.began.len(), 2, "the one that worked, and the one that was asked for");
}

#[test]
fn a_crash_between_keeping_a_run_and_keeping_that_it_was_makes_no_second_one() {
    for overlap in [Overlap::Skip, Overlap::Queue, Overlap::Replace] {
        let job = every_minute(|spec| spec.overlap = overlap);
        let (standing, now) = (JobState::new(at("2026-01-01T00:00:30Z")), at("2026-01-01T00:01:05Z"));
        let first = plan(&job, &standing, &[], now);
        let [JobPlanStep::Queue { slot, due }, JobPlanStep::Begin { .. }] = &first.steps[..] else {
            panic!("{first:?}")
        };
        let kept = Run::new(slot.clone(), *due, Cause::Schedule);
        let again = plan(&job, &standing, &[kept], now.plus(5_000));
        assert_eq!(again.steps, [JobPlanStep::Begin { slot: slot.clone() }], "{overlap:?}");
        assert_eq!(again.standing.skipped, 0, "{overlap:?}");
    }
}
