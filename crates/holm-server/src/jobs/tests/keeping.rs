//! Tests of the scheduler loop, with a manual clock, a real store, and attempts that end when the
//! test says so.

use std::sync::{Arc, Mutex};

use holm_kernel::Timestamp;
use holm_runtime::{BoxFuture, CancellationToken, Clock};
use holm_store::Store;
use tokio::sync::{mpsc, oneshot, watch};

use super::{at, cron};
use crate::{
    auth::UserName,
    jobs::{
        Approval, AttemptOutcome, AttemptRunner, AttemptStart, Door, HookKey, JobAttempt, JobId,
        JobNotification, JobNotificationKind, JobRepository, JobRepositoryError, JobRunKey, JobScheduler,
        NotificationSender, Outcome, Phase, Run, RunQuestionState, ScheduledJob, SchedulerServices, Spec,
        Stopped, Switch, TriggerOutcome, WebhookDelivery, WebhookDeliveryError, WebhookHeaders, When,
        job_repository::MOST_JOBS, webhook_delivery::DeliveryRetry,
    },
};

const START: &str = "2026-01-01T00:00:30Z";

/// A clock that stops until it is set.
#[derive(Clone)]
struct SetClock(watch::Sender<Timestamp>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let mut set = self.0.subscribe();
        Box::pin(async move {
            let _ = set.wait_for(|now| *now >= at).await;
        })
    }
}

/// A try that has begun, and how to end it.
struct Begun {
    errand: JobAttempt,
    end: oneshot::Sender<AttemptOutcome>,
}

/// Hands tries to the test.
struct Handed(mpsc::UnboundedSender<Begun>);

impl AttemptRunner for Handed {
    fn run(&self, errand: JobAttempt) -> BoxFuture<'static, AttemptOutcome> {
        let (end, ended) = oneshot::channel();
        let stop = errand.stop.clone();
        self.0.send(Begun { errand, end }).unwrap();
        Box::pin(async move {
            tokio::select! {
                finished = ended => finished.unwrap_or(AttemptOutcome::Parked),
                () = stop.cancelled() => AttemptOutcome::ended(Outcome::Failed { reason: "cancelled".into() }),
            }
        })
    }
}

/// Keeps what is told, and answers as it is set to.
#[derive(Clone)]
struct Ear(Arc<Mutex<Vec<JobNotification>>>, Arc<Mutex<Result<(), WebhookDeliveryError>>>);

impl Default for Ear {
    fn default() -> Self {
        Self(Arc::default(), Arc::new(Mutex::new(Ok(()))))
    }
}

impl NotificationSender for Ear {
    fn tell(&self, news: JobNotification) -> BoxFuture<'static, Result<(), WebhookDeliveryError>> {
        self.0.lock().unwrap().push(news);
        let answer = self.1.lock().unwrap().clone();
        Box::pin(async { answer })
    }
}

struct Stage {
    _folder: tempfile::TempDir,
    store: Store,
    clock: SetClock,
    ear: Ear,
    starter: Arc<Handed>,
    begun: mpsc::UnboundedReceiver<Begun>,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("holm.db")).await.unwrap();
        let (sender, begun) = mpsc::unbounded_channel();
        let clock = SetClock(watch::Sender::new(at(START)));
        Self { _folder: folder, store, clock, ear: Ear::default(), starter: Arc::new(Handed(sender)), begun }
    }

    /// A process that keeps the jobs.
    fn keeper(&self) -> Arc<JobScheduler> {
        let with = SchedulerServices {
            clock: Arc::new(self.clock.clone()),
            starter: self.starter.clone(),
            messenger: Arc::new(self.ear.clone()),
        };
        JobScheduler::new(UserName::owner(), JobRepository::new(self.store.clone()), with)
    }

    fn set(&self, time: &str) {
        self.clock.0.send_replace(at(time));
    }

    /// Nothing has begun.
    fn nothing(&mut self) {
        assert!(self.begun.try_recv().is_err(), "something has begun");
    }

    async fn next(&mut self) -> Begun {
        soon(self.begun.recv()).await.unwrap()
    }

    /// Looks until something begins: a try that ended a moment ago may still be put away, and rings once it is.
    async fn looks(&mut self, keeper: &Arc<JobScheduler>) -> Begun {
        found(async || {
            keeper.look().await.unwrap();
            self.begun.try_recv().ok()
        })
        .await
    }
}

/// Waits, but not for ever.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(std::time::Duration::from_secs(30), work).await.unwrap()
}

/// What a look finds, as soon as it finds something.
async fn found<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    soon(async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Waits until a keeper has no message left to send.
async fn told(keeper: &JobScheduler) {
    found(async || keeper.shelf().letters().await.unwrap().is_empty().then_some(())).await;
}

fn id() -> JobId {
    "nightly".parse().unwrap()
}

async fn add(keeper: &JobScheduler, when: When, change: impl FnOnce(&mut Spec)) -> ScheduledJob {
    let mut spec = Spec::new(when, "work");
    change(&mut spec);
    let job = ScheduledJob::new(id(), spec, HookKey::new().unwrap(), at(START)).unwrap();
    keeper.add(&job).await.unwrap();
    job
}

/// The only run, as soon as it is so.
async fn run(keeper: &JobScheduler, wanted: impl Fn(&Run) -> bool) -> Run {
    found(async || keeper.shelf().runs(&id(), 10).await.unwrap().into_iter().find(|run| wanted(run))).await
}

fn has_ended(run: &Run) -> bool {
    matches!(run.phase, Phase::Ended { .. })
}

fn minutely() -> When {
    cron("* * * * *", "UTC")
}

/// Fails as nothing should.
struct Broken;

impl AttemptRunner for Broken {
    fn run(&self, errand: JobAttempt) -> BoxFuture<'static, AttemptOutcome> {
        Box::pin(async move {
            assert!(errand.stop.is_cancelled(), "a bug");
            AttemptOutcome::Parked
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_try_that_panics_has_failed() {
    let stage = Stage::new().await;
    let with = SchedulerServices {
        clock: Arc::new(stage.clock.clone()),
        starter: Arc::new(Broken),
        messenger: Arc::new(stage.ear.clone()),
    };
    let keeper = JobScheduler::new(UserName::owner(), JobRepository::new(stage.store.clone()), with);
    add(&keeper, minutely(), |spec| spec.retry.most = 0).await;
    stage.set("2026-01-01T00:01:00Z");
    keeper.look().await.unwrap();
    let run = run(&keeper, has_ended).await;
    assert!(matches!(&run.phase, Phase::Ended { outcome: Outcome::Failed { .. }, .. }), "{run:?}");
    assert_eq!(keeper.shelf().under_way().await.unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_start_a_run_once() {
    let mut stage = Stage::new().await;
    let (first, second) = (stage.keeper(), stage.keeper());
    add(&first, minutely(), |_| {}).await;
    for keeper in [&first, &second] {
        assert_eq!(keeper.look().await.unwrap(), Some(at("2026-01-01T00:01:00Z")));
    }
    stage.nothing();
    stage.set("2026-01-01T00:01:00Z");
    let (_, _) = tokio::join!(first.look(), second.look());
    for keeper in [&first, &second] {
        keeper.look().await.unwrap();
    }
    let mut all = vec![stage.next().await];
    all.extend(std::iter::from_fn(|| stage.begun.try_recv().ok()));
    // A process that did not start the attempt may take it for a leftover and ask its session,
    // which knows its owner.
    let (mut anew, again): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|first| first.errand.begin == AttemptStart::Anew);
    let begun = if anew.is_empty() { stage.next().await } else { anew.remove(0) };
    assert!(anew.is_empty(), "it was begun once");
    assert_eq!(begun.errand.session.as_str(), "job.nightly.at-1767225660000.1");
    assert_eq!(begun.errand.begin, AttemptStart::Anew);
    for second in again {
        assert_eq!(second.errand.session, begun.errand.session);
        second.end.send(AttemptOutcome::Elsewhere).unwrap();
    }
    begun.end.send(AttemptOutcome::ended(Outcome::answered("all is well"))).unwrap();
    let run = run(&first, has_ended).await;
    assert_eq!(run.tries[0].outcome, Some(Outcome::answered("all is well")));
    assert_eq!(first.shelf().runs(&id(), 10).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_loop_looks_when_the_time_has_come() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    add(&keeper, minutely(), |_| {}).await;
    let stop = CancellationToken::new();
    let looping = tokio::spawn(Arc::clone(&keeper).keep(stop.clone()));
    for minute in ["01", "02", "03"] {
        stage.set(&format!("2026-01-01T00:{minute}:00Z"));
        let begun = stage.next().await;
        begun.end.send(AttemptOutcome::ended(Outcome::answered("done"))).unwrap();
        // The end is kept before the next time comes.
        found(async || keeper.shelf().open(&id()).await.unwrap().is_empty().then_some(())).await;
    }
    keeper.run_now(&id()).await.unwrap();
    assert!(stage.next().await.errand.session.as_str().contains(".now-"));
    stop.cancel();
    soon(looping).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_under_way_when_a_process_ended_is_taken_up_by_the_next() {
    let mut stage = Stage::new().await;
    let first = stage.keeper();
    add(&first, When::Asked, |spec| spec.retry.most = 1).await;
    first.run_now(&id()).await.unwrap();
    first.look().await.unwrap();
    let begun = stage.next().await;
    begun.end.send(AttemptOutcome::Parked).unwrap();
    drop(first);
    let second = stage.keeper();
    let again = stage.looks(&second).await;
    assert_eq!((again.errand.begin, &again.errand.session), (AttemptStart::Rejoin, &begun.errand.session));
    // Its session is gone: that is a failure, and it is retried in another.
    again.end.send(AttemptOutcome::ended(Outcome::Lost)).unwrap();
    run(&second, |run| matches!(run.phase, Phase::Waiting { .. })).await;
    stage.set("2026-01-01T00:05:00Z");
    let tried = stage.looks(&second).await;
    assert_eq!(tried.errand.begin, AttemptStart::Anew);
    assert_ne!(tried.errand.session, begun.errand.session);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_survives_its_process_and_catches_up() {
    let mut stage = Stage::new().await;
    let first = stage.keeper();
    add(&first, cron("0 * * * *", "UTC"), |_| {}).await;
    first.look().await.unwrap();
    drop(first);
    stage.set("2026-01-01T05:20:00Z");
    let second = stage.keeper();
    second.look().await.unwrap();
    let begun = stage.next().await;
    assert_eq!(begun.errand.session.as_str(), "job.nightly.at-1767243600000.1");
    second.look().await.unwrap();
    stage.nothing();
    drop(begun);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_takes_too_long_is_stopped_and_told() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    let job = add(&keeper, When::Asked, |spec| {
        spec.timeout_s = 60;
        spec.notify = Some("https://example.com/hook".into());
    })
    .await;
    keeper.run_now(&id()).await.unwrap();
    keeper.look().await.unwrap();
    let begun = stage.next().await;
    assert_eq!(keeper.look().await.unwrap(), Some(at("2026-01-01T00:01:30Z")));
    stage.set("2026-01-01T00:01:30Z");
    keeper.look().await.unwrap();
    soon(begun.errand.stop.cancelled()).await;
    let run = run(&keeper, has_ended).await;
    assert!(matches!(run.phase, Phase::Ended { outcome: Outcome::TimedOut, .. }), "{run:?}");
    let news = found(async || stage.ear.0.lock().unwrap().first().cloned()).await;
    assert_eq!((news.kind, news.key.reveal()), (JobNotificationKind::Failed, job.key.reveal()));
    assert!(!String::from_utf8(news.body()).unwrap().contains(&job.key.reveal()));
}

/// A job that failed, with a notification that no recipient accepts.
async fn untold(stage: &mut Stage) -> (Arc<JobScheduler>, ScheduledJob) {
    *stage.ear.1.lock().unwrap() = Err(WebhookDeliveryError::Status(503));
    let keeper = stage.keeper();
    let job = add(&keeper, When::Asked, |spec| spec.notify = Some("https://example.com/hook".into())).await;
    keeper.run_now(&id()).await.unwrap();
    keeper.look().await.unwrap();
    let failed = AttemptOutcome::ended(Outcome::Failed { reason: "it broke".into() });
    stage.next().await.end.send(failed).unwrap();
    heard(stage, 1).await;
    letter(&keeper, 1).await;
    (keeper, job)
}

/// Waits until this many messages were sent.
async fn heard(stage: &Stage, count: usize) {
    found(async || (stage.ear.0.lock().unwrap().len() >= count).then_some(())).await;
    assert_eq!(stage.ear.0.lock().unwrap().len(), count);
}

/// The only message, once a try is over and was written down.
async fn letter(keeper: &JobScheduler, tries: u32) -> WebhookDelivery {
    found(async || {
        let letter = keeper.shelf().letters().await.unwrap().into_iter().next().map(|held| held.letter);
        // While a try is under way it is claimed for a minute, which no pause before the third is.
        let is_free = |letter: &WebhookDelivery| letter.not_before != letter.at.plus(60_000);
        letter.filter(|it| it.tries == tries && is_free(it) && keeper.untold(&id()).is_some())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_nobody_took_outlives_its_process_and_is_the_same_later() {
    let mut stage = Stage::new().await;
    let (keeper, _) = untold(&mut stage).await;
    assert_eq!(keeper.untold(&id()).as_deref(), Some("the recipient answered with status 503"));
    keeper.look().await.unwrap();
    heard(&stage, 1).await;
    drop(keeper);
    *stage.ear.1.lock().unwrap() = Ok(());
    stage.set("2026-01-01T00:00:40Z");
    let next = stage.keeper();
    next.look().await.unwrap();
    heard(&stage, 2).await;
    let ids: Vec<_> = stage.ear.0.lock().unwrap().iter().map(JobNotification::id).collect();
    assert_eq!(ids[0], ids[1], "whoever gets it twice knows that it is one");
    told(&next).await;
    assert_eq!(next.untold(&id()), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_tells_and_what_would_never_be_taken_is_given_up() {
    let mut stage = Stage::new().await;
    let (keeper, _) = untold(&mut stage).await;
    let other = stage.keeper();
    *stage.ear.1.lock().unwrap() = Err(WebhookDeliveryError::Address);
    stage.set("2026-01-01T00:00:40Z");
    let (one, two) = tokio::join!(keeper.look(), other.look());
    one.unwrap();
    two.unwrap();
    told(&keeper).await;
    heard(&stage, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_removed_job_had_to_tell_is_told_to_nobody() {
    let mut stage = Stage::new().await;
    let (keeper, _) = untold(&mut stage).await;
    keeper.remove(&id()).await.unwrap();
    stage.set("2026-01-01T00:00:40Z");
    keeper.look().await.unwrap();
    told(&keeper).await;
    heard(&stage, 1).await;
}

#[test]
fn a_message_is_tried_ten_times_within_a_day_and_not_again() {
    let now = at(START);
    let job = super::job(When::Asked, |spec| spec.notify = Some("https://example.com/hook".into()));
    let made = WebhookDelivery::new(
        &job,
        &JobRunKey::message("x"),
        JobNotificationKind::Failed,
        None,
        "it broke".into(),
        now,
    );
    let (mut delivery, mut time) = (made.unwrap(), now);
    let mut tries = 0;
    loop {
        delivery.claim(time);
        tries += 1;
        match delivery.after(&WebhookDeliveryError::Status(503), time) {
            DeliveryRetry::Again(later) => time = later,
            DeliveryRetry::GivenUp => break,
        }
    }
    assert_eq!(tries, 10);
    assert!(time.since(now) <= 24 * 3_600_000);
    delivery.tries = 1;
    assert_eq!(
        delivery.after(&WebhookDeliveryError::Address, now),
        DeliveryRetry::GivenUp,
        "it would be the same again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_was_changed_counts_beside_the_new_one_for_a_while() {
    let stage = Stage::new().await;
    let keeper = stage.keeper();
    let job = add(&keeper, When::Asked, |spec| spec.hook = Door::Open).await;
    let new = keeper.rekey(&id(), 60_000).await.unwrap();
    assert_ne!(new.reveal(), job.key.reveal());
    let check = async |key: &HookKey, message: &str, time: &str| {
        stage.set(time);
        let signed = signed(key, message, at(time).value() / 1_000, b"{}");
        keeper.trigger(&id(), &signed, b"{}").await.is_ok()
    };
    assert!(check(&job.key, "msg_1", "2026-01-01T00:01:00Z").await);
    assert!(check(&new, "msg_2", "2026-01-01T00:01:00Z").await);
    assert!(!check(&job.key, "msg_3", "2026-01-01T00:01:31Z").await, "its time is over");
    assert!(check(&new, "msg_4", "2026-01-01T00:01:31Z").await);
    // What the job is to do has nothing to do with its key.
    keeper.respecify(&id(), Spec { hook: Door::Open, ..Spec::new(When::Asked, "other") }).await.unwrap();
    assert!(check(&new, "msg_5", "2026-01-01T00:01:31Z").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_is_told_that_a_run_waits_for_them() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    add(&keeper, When::Asked, |spec| {
        spec.approval = Approval::Notify;
        spec.notify = Some("https://example.com/hook".into());
    })
    .await;
    keeper.run_now(&id()).await.unwrap();
    keeper.look().await.unwrap();
    let begun = stage.next().await;
    begun.errand.asks.send(RunQuestionState::Begun).unwrap();
    run(&keeper, |run| matches!(run.phase, Phase::Working { asked: Some(_), .. })).await;
    let asks = |news: &JobNotification| news.kind == JobNotificationKind::Asks;
    found(async || stage.ear.0.lock().unwrap().iter().any(asks).then_some(())).await;
    begun.errand.asks.send(RunQuestionState::Over).unwrap();
    run(&keeper, |run| matches!(run.phase, Phase::Working { asked: None, .. })).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_somebody_stops_has_not_failed() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    add(&keeper, When::Asked, |_| {}).await;
    assert!(!keeper.stop(&id()).await.unwrap());
    keeper.run_now(&id()).await.unwrap();
    keeper.look().await.unwrap();
    let _begun = stage.next().await;
    assert!(keeper.stop(&id()).await.unwrap());
    let run = run(&keeper, has_ended).await;
    let stopped = Outcome::Stopped { why: Stopped::Person };
    assert_eq!(run.tries[0].outcome, Some(stopped));
    assert_eq!(keeper.shelf().job(&id()).await.unwrap().standing.failures, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_is_removed_runs_no_more() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    add(&keeper, minutely(), |_| {}).await;
    stage.set("2026-01-01T00:01:00Z");
    keeper.look().await.unwrap();
    let begun = stage.next().await;
    keeper.remove(&id()).await.unwrap();
    soon(begun.errand.stop.cancelled()).await;
    stage.set("2026-01-01T00:05:00Z");
    assert_eq!(keeper.look().await.unwrap(), None);
    stage.nothing();
}

fn signed(key: &HookKey, message: &str, at_s: u64, body: &[u8]) -> WebhookHeaders {
    let mut headers = http::HeaderMap::new();
    let signature = key.sign(message, at_s, body);
    for (name, value) in
        [("webhook-id", message), ("webhook-timestamp", &at_s.to_string()), ("webhook-signature", &signature)]
    {
        headers.insert(name, value.parse().unwrap());
    }
    WebhookHeaders::of(&headers).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_comes_again_starts_nothing_again() {
    let mut stage = Stage::new().await;
    let (keeper, other) = (stage.keeper(), stage.keeper());
    let job = add(&keeper, When::Asked, |spec| spec.hook = Door::Open).await;
    let at_s = at(START).value() / 1_000;
    let message = signed(&job.key, "msg_1", at_s, b"{}");
    assert!(matches!(keeper.trigger(&id(), &message, b"{}").await, Ok(TriggerOutcome::New(_))));
    keeper.look().await.unwrap();
    stage.next().await.end.send(AttemptOutcome::ended(Outcome::answered("done"))).unwrap();
    run(&keeper, has_ended).await;
    // Also to another process, and also after its run has ended.
    for keeper in [&keeper, &other] {
        assert!(matches!(keeper.trigger(&id(), &message, b"{}").await, Ok(TriggerOutcome::Again(_))));
        keeper.look().await.unwrap();
    }
    stage.nothing();
    let next = signed(&job.key, "msg_2", at_s, b"{}");
    assert!(matches!(keeper.trigger(&id(), &next, b"{}").await, Ok(TriggerOutcome::New(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_not_believed_starts_nothing_and_is_told_nothing() {
    let mut stage = Stage::new().await;
    let keeper = stage.keeper();
    let job = add(&keeper, When::Asked, |spec| spec.hook = Door::Open).await;
    let at_s = at(START).value() / 1_000;
    let message = signed(&job.key, "msg_1", at_s, b"{}");
    let forged = signed(&HookKey::new().unwrap(), "msg_1", at_s, b"{}");
    let stale = signed(&job.key, "msg_1", at_s - 301, b"{}");
    let nobody: JobId = "nobody".parse().unwrap();
    let mut refusals = Vec::new();
    for (id, signed, body) in
        [(id(), &forged, b"{}"), (id(), &stale, b"{}"), (id(), &message, b"[]"), (nobody, &message, b"{}")]
    {
        refusals.push(keeper.trigger(&id, signed, body).await.unwrap_err());
    }
    let closed = Spec::new(When::Asked, "work");
    keeper.respecify(&id(), closed).await.unwrap();
    refusals.push(keeper.trigger(&id(), &message, b"{}").await.unwrap_err());
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0] && refusal.status.as_u16() == 401));
    let open = Spec { hook: Door::Open, ..Spec::new(When::Asked, "work") };
    keeper.respecify(&id(), open).await.unwrap();
    keeper.switch_off(&id()).await.unwrap();
    assert_eq!(keeper.trigger(&id(), &message, b"{}").await.unwrap_err().status.as_u16(), 409);
    keeper.switch(&id(), Switch::On).await.unwrap();
    keeper.look().await.unwrap();
    stage.nothing();
}

#[tokio::test]
async fn nobody_has_more_jobs_than_can_be_looked_after() {
    let stage = Stage::new().await;
    let keeper = stage.keeper();
    for number in 0..=MOST_JOBS {
        let (id, spec) = (format!("job-{number}").parse().unwrap(), Spec::new(When::Asked, "work"));
        let job = ScheduledJob::new(id, spec, HookKey::new().unwrap(), at(START)).unwrap();
        let expect = if number < MOST_JOBS { Ok(()) } else { Err(JobRepositoryError::TooMany) };
        assert_eq!(keeper.add(&job).await, expect, "{number}");
    }
}
