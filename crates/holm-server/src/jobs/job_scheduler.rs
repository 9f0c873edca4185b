//! The scheduler of one user's jobs: it asks the plan, stores the result, and starts and stops
//! attempts. It also accepts the runs that webhook messages (`trigger`) and users (`run_now`) ask
//! for.
//!
//! Which runs are due, start, stop or are skipped is decided in `plan.rs`, not here. This file
//! decides only whether a message or a user may add a run: a message needs a valid signature
//! (`webhook_signature.rs`) and a job that is switched on, and a job may have at most
//! `MOST_WAITING` open runs. Due runs have a limit of their own, in `plan.rs`. Storage is in
//! `job_repository.rs`, sessions in `attempt_runner.rs`, and sending in `webhook_sender.rs`.
//!
//! Due runs are stored before the state that says that they are done, so that a crash in between
//! repeats a step and never loses one.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::FutureExt as _;
use holm_kernel::{NanoUsd, Timestamp};
use holm_runtime::{CancellationToken, Clock};
use tokio::sync::{Notify, mpsc};

use super::{
    Approval, AttemptOutcome, AttemptRunner, AttemptSettlement, AttemptStart, Cause, Door, FailureNotice,
    HookKey, JobAttempt, JobError, JobId, JobNotificationKind, JobPlan, JobPlanStep, JobRepository,
    JobRepositoryError, JobRunKey, JobState, NotificationSender, OffReason, Outcome, Phase, Run,
    RunQuestionState, ScheduledJob, Spec, Stopped, Switch, VersionedDelivery, VersionedJob, VersionedRun,
    WebhookDelivery, WebhookHeaders, WebhookSignatureError, plan, settle, webhook_delivery::DeliveryRetry,
};
use crate::{ApiError, SessionId, auth::UserName};

/// The longest pause between checks: another process may have changed a job.
const LOOK_MS: u64 = 30_000;
/// How soon the scheduler retries when another process changed a job first.
const SOON_MS: u64 = 100;
/// How often a change is retried when other processes keep changing the same record.
const TRIES: u32 = 8;
/// How long an attempt may take to end after it was asked to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// The number of open runs of a job at which messages and users can add no more.
const MOST_WAITING: usize = 100;

/// Schedules the jobs of one user.
pub struct JobScheduler {
    user: UserName,
    shelf: JobRepository,
    with: SchedulerServices,
    live: Mutex<BTreeMap<SessionId, ActiveAttempt>>,
    /// The last failed notification of each job.
    untold: Mutex<BTreeMap<JobId, String>>,
    wakeup: Notify,
}

/// The services that a scheduler uses.
#[derive(Clone)]
pub struct SchedulerServices {
    /// The clock by which jobs are due.
    pub clock: Arc<dyn Clock>,
    pub starter: Arc<dyn AttemptRunner>,
    pub messenger: Arc<dyn NotificationSender>,
}

/// An attempt that this process runs.
struct ActiveAttempt {
    job: JobId,
    slot: JobRunKey,
    stop: CancellationToken,
    /// The outcome to store, once it was asked to stop.
    outcome: Option<Outcome>,
}

/// The result of a message that starts a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerOutcome {
    /// It created a run.
    New(JobRunKey),
    /// The same message has created the run before.
    Again(JobRunKey),
}

impl JobScheduler {
    /// Creates a scheduler for the jobs of a repository.
    pub fn new(user: UserName, shelf: JobRepository, with: SchedulerServices) -> Arc<Self> {
        let (live, untold, wakeup) = (Mutex::default(), Mutex::default(), Notify::new());
        Arc::new(Self { user, shelf, with, live, untold, wakeup })
    }

    /// Runs until it is asked to stop. Attempts that are running then are left to their sessions.
    pub async fn keep(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let latest = self.with.clock.now().plus(LOOK_MS);
            // A store that cannot be read now may be readable later.
            let wake = self.look().await.unwrap_or(None);
            let until = wake.map_or(latest, |wake| wake.min(latest));
            tokio::select! {
                () = self.with.clock.sleep_until(until) => {}
                () = self.wakeup.notified() => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Checks all jobs once and carries out their plans. Returns when to check again,
    /// if nothing happens before.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the jobs cannot be listed. An error in one job does
    /// not delay the others.
    pub async fn look(self: &Arc<Self>) -> Result<Option<Timestamp>, JobRepositoryError> {
        let mut wake: Option<Timestamp> = None;
        for held in self.shelf.list().await?.jobs {
            let now = self.with.clock.now();
            let next = match self.tend(held, now).await {
                Ok(next) => next,
                Err(JobRepositoryError::Changed) => Some(now.plus(SOON_MS)),
                Err(_) => Some(now.plus(LOOK_MS)),
            };
            wake = [wake, next].into_iter().flatten().min();
        }
        let letters = self.deliver().await.unwrap_or(None);
        Ok([wake, letters].into_iter().flatten().min())
    }

    pub fn shelf(&self) -> &JobRepository {
        &self.shelf
    }

    /// The sessions of attempts that this scheduler runs.
    pub(crate) fn under_way(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }

    /// Why the last notification of a job failed.
    pub fn untold(&self, id: &JobId) -> Option<String> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Stores a new job and starts to schedule it.
    ///
    /// # Errors
    /// As [`JobRepository::add`]: the name is taken, or there are too many jobs.
    pub async fn add(&self, job: &ScheduledJob) -> Result<(), JobRepositoryError> {
        self.shelf.add(job).await?;
        self.wakeup.notify_one();
        Ok(())
    }

    /// Replaces the specification of a job. An attempt that is running keeps the old one.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the job is missing or invalid, or the store fails.
    pub async fn respecify(&self, id: &JobId, spec: Spec) -> Result<(), JobRepositoryError> {
        let now = self.with.clock.now();
        self.change(id, |held| Ok(held.respecify(spec.clone(), now)?)).await
    }

    /// Changes parts of a job's specification, based on the version in the store at that time.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the job is missing or invalid, or the store fails.
    pub async fn amend(
        &self,
        id: &JobId,
        amend: impl Fn(&Spec) -> Result<Spec, JobError>,
    ) -> Result<(), JobRepositoryError> {
        let now = self.with.clock.now();
        self.change(id, |held| Ok(held.respecify(amend(&held.job.spec)?, now)?)).await
    }

    /// Replaces the key of a job and returns the new one. The old key stays valid for `old_for_ms`.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the job is missing, or the store fails.
    pub async fn rekey(&self, id: &JobId, old_for_ms: u64) -> Result<HookKey, JobRepositoryError> {
        let (key, until) = (HookKey::new()?, self.with.clock.now().plus(old_for_ms));
        self.change(id, |held| {
            held.job.rekey(key.clone(), until);
            Ok(())
        })
        .await?;
        Ok(key)
    }

    /// Switches a job on or off. Switching it off drops scheduled runs that wait; a
    /// running attempt may finish.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the job is missing, or the store fails.
    pub async fn switch(&self, id: &JobId, on: Switch) -> Result<(), JobRepositoryError> {
        let now = self.with.clock.now();
        self.change(id, |held| {
            held.standing = match on {
                Switch::On => held.standing.on(now),
                Switch::Off { why: reason, .. } => held.standing.off(now, reason),
            };
            Ok(())
        })
        .await
    }

    /// Switches a job off at a user's request.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the job is missing, or the store fails.
    pub async fn switch_off(&self, id: &JobId) -> Result<(), JobRepositoryError> {
        let at = self.with.clock.now();
        self.switch(id, Switch::Off { at, why: OffReason::Person }).await
    }

    /// Deletes a job and stops its running attempt.
    ///
    /// # Errors
    /// [`JobRepositoryError::Missing`] if there is no such job.
    pub async fn remove(&self, id: &JobId) -> Result<(), JobRepositoryError> {
        self.shelf.remove(id).await?;
        self.stop_those(&Outcome::Stopped { why: Stopped::Person }, |live| live.job == *id);
        Ok(())
    }

    /// Stops the running attempt of a job. Returns whether this process ran one.
    ///
    /// # Errors
    /// [`JobRepositoryError::Missing`] if there is no such job.
    pub async fn stop(&self, id: &JobId) -> Result<bool, JobRepositoryError> {
        self.shelf.job(id).await?;
        Ok(self.stop_those(&Outcome::Stopped { why: Stopped::Person }, |live| live.job == *id))
    }

    /// Starts a run now, even if the job is switched off.
    ///
    /// # Errors
    /// [`JobRepositoryError::Full`] if too many runs of it wait already.
    pub async fn run_now(&self, id: &JobId) -> Result<JobRunKey, JobRepositoryError> {
        self.shelf.job(id).await?;
        if self.shelf.open(id).await?.len() >= MOST_WAITING {
            return Err(JobRepositoryError::Full);
        }
        let (slot, now) = (JobRunKey::now()?, self.with.clock.now());
        self.shelf.queue(id, &Run::new(slot.clone(), now, Cause::Person), now).await?;
        self.wakeup.notify_one();
        Ok(slot)
    }

    /// Runs a job because of a signed message. The same message starts one run, no matter how often
    /// and to which process it is sent.
    ///
    /// # Errors
    /// [`ApiError`]. It does not reveal whether the job is missing, its webhook is closed, or
    /// the key is wrong.
    pub async fn trigger(
        &self,
        id: &JobId,
        signed: &WebhookHeaders,
        body: &[u8],
    ) -> Result<TriggerOutcome, ApiError> {
        let now = self.with.clock.now();
        let held = match self.shelf.job(id).await {
            Ok(held) => held,
            Err(JobRepositoryError::Store(error)) => return Err(error.into()),
            Err(_) => return Err(unbelieved(WebhookSignatureError::Unknown)),
        };
        if held.job.spec.hook == Door::Closed {
            return Err(unbelieved(WebhookSignatureError::Unknown));
        }
        held.job.check(signed, body, now).map_err(unbelieved)?;
        if held.standing.switch != Switch::On {
            return Err(ApiError::conflict("off", "the job is switched off"));
        }
        let slot = JobRunKey::message(&signed.id);
        if self.shelf.run(id, &slot).await.is_ok() {
            return Ok(TriggerOutcome::Again(slot));
        }
        if self.shelf.open(id).await?.len() >= MOST_WAITING {
            return Err(JobRepositoryError::Full.into());
        }
        let new = self.shelf.queue(id, &Run::of_message(slot.clone(), now, body), now).await?;
        self.wakeup.notify_one();
        Ok(if new { TriggerOutcome::New(slot) } else { TriggerOutcome::Again(slot) })
    }

    async fn tend(
        self: &Arc<Self>,
        mut held: VersionedJob,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, JobRepositoryError> {
        let open = self.shelf.open(&held.job.id).await?;
        self.rejoin(&held.job, &open);
        let runs: Vec<Run> = open.into_iter().map(|held| held.run).collect();
        let JobPlan { standing, steps, wake } = plan(&held.job, &held.standing, &runs, now);
        // First the due runs, which the store accepts once; then the new state; then the other
        // steps.
        for step in &steps {
            if let JobPlanStep::Queue { slot, due } = step {
                let run = Run::new(slot.clone(), *due, Cause::Schedule);
                self.shelf.queue(&held.job.id, &run, now).await?;
            }
        }
        if standing != held.standing {
            held.standing = standing;
            self.shelf.change(&held).await?;
        }
        let mut again = None;
        for step in steps {
            match step {
                JobPlanStep::Queue { .. } => {}
                JobPlanStep::Begin { slot } => {
                    self.begin(&held.job, &slot, now).await?;
                    // A started attempt has a deadline, which the next plan contains.
                    again = Some(now);
                }
                JobPlanStep::Stop { slot, outcome } => self.stop_one(&held.job.id, &slot, &outcome),
                JobPlanStep::Drop { slot, why: reason } => {
                    self.drop_waiting(&held.job.id, &slot, reason, now).await?;
                }
            }
        }
        Ok(again.or(wake))
    }

    /// Resumes attempts that the store lists as running and this process does not run:
    /// their process has ended.
    fn rejoin(self: &Arc<Self>, job: &ScheduledJob, open: &[VersionedRun]) {
        for held in open {
            if let (Phase::Working { .. }, Some(session)) = (&held.run.phase, held.run.session()) {
                self.launch(job, &held.run, session, AttemptStart::Rejoin);
            }
        }
    }

    async fn begin(
        self: &Arc<Self>,
        job: &ScheduledJob,
        slot: &JobRunKey,
        now: Timestamp,
    ) -> Result<(), JobRepositoryError> {
        let mut held = self.shelf.run(&job.id, slot).await?;
        if !matches!(held.run.phase, Phase::Waiting { .. }) {
            // Another process has started it, or this one did before a crash.
            return Ok(());
        }
        let session = held
            .run
            .begin(&job.id, now)
            .map_err(|refusal| JobRepositoryError::Unreadable(refusal.message))?;
        self.shelf.note(&job.id, &held).await?;
        self.launch(job, &held.run, session, AttemptStart::Anew);
        Ok(())
    }

    async fn drop_waiting(
        &self,
        id: &JobId,
        slot: &JobRunKey,
        reason: Stopped,
        now: Timestamp,
    ) -> Result<(), JobRepositoryError> {
        let mut held = self.shelf.run(id, slot).await?;
        if matches!(held.run.phase, Phase::Waiting { .. }) {
            held.run.phase = Phase::Ended { at: now, outcome: Outcome::Stopped { why: reason } };
            self.shelf.note(id, &held).await?;
        }
        Ok(())
    }

    fn launch(self: &Arc<Self>, job: &ScheduledJob, run: &Run, session: SessionId, begin: AttemptStart) {
        let stop = CancellationToken::new();
        let mut live = self.lock();
        if live.contains_key(&session) {
            return;
        }
        let begun =
            ActiveAttempt { job: job.id.clone(), slot: run.slot.clone(), stop: stop.clone(), outcome: None };
        live.insert(session.clone(), begun);
        drop(live);
        let (keeper, job, slot) = (Arc::clone(self), job.clone(), run.slot.clone());
        let (asks, asked) = mpsc::unbounded_channel();
        let attempt = JobAttempt {
            user: self.user.clone(),
            job: job.id.clone(),
            spec: job.spec.clone(),
            message: run.message.clone(),
            session,
            begin,
            stop,
            asks,
        };
        tokio::spawn(async move { keeper.accompany(&job, &slot, attempt, asked).await });
    }

    async fn accompany(
        self: &Arc<Self>,
        job: &ScheduledJob,
        slot: &JobRunKey,
        attempt: JobAttempt,
        mut asked: mpsc::UnboundedReceiver<RunQuestionState>,
    ) {
        let (session, stop) = (attempt.session.clone(), attempt.stop.clone());
        let mut running = pin!(tried(&*self.with.starter, attempt));
        let mut given_up = pin!(async {
            stop.cancelled().await;
            tokio::time::sleep(STOP_PATIENCE).await;
        });
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                Some(asking) = asked.recv() => self.asking(job, slot, asking).await,
                () = &mut given_up => {
                    break AttemptOutcome::ended(Outcome::Failed { reason: "it could not be stopped".into() });
                }
            }
        };
        let reported = self.lock().get(&session).and_then(|live| live.outcome.clone());
        let kept = if let AttemptOutcome::Ended { outcome, spent } = &finished {
            // If it answered before it received the stop, the answer counts.
            let outcome = match (outcome, reported) {
                (Outcome::Answered { .. }, _) | (_, None) => outcome.clone(),
                (_, Some(reported)) => reported,
            };
            self.finish(job, slot, &session, outcome, *spent).await.is_ok()
        } else {
            false
        };
        self.lock().remove(&session);
        // If the store failed, the run is still marked as running, and the next check resumes it.
        // That check also handles attempts that are parked or run elsewhere.
        if kept {
            self.wakeup.notify_one();
        }
    }

    /// Records that the run started or stopped waiting for a user's answer,
    /// and sends a notification.
    async fn asking(self: &Arc<Self>, job: &ScheduledJob, slot: &JobRunKey, asking: RunQuestionState) {
        let now = self.with.clock.now();
        let mut session = None;
        for _ in 0..TRIES {
            let Ok(mut held) = self.shelf.run(&job.id, slot).await else { return };
            held.run.asking(asking, now);
            session = held.run.session();
            match self.shelf.note(&job.id, &held).await {
                Err(JobRepositoryError::Changed) => {}
                Ok(()) | Err(_) => break,
            }
        }
        self.wakeup.notify_one();
        if asking == RunQuestionState::Begun && job.spec.approval == Approval::Notify {
            let reason = "it is waiting for an answer".to_owned();
            let session = session.map(|session| session.to_string());
            self.tell(job, slot, JobNotificationKind::Asks, session, reason).await;
        }
    }

    /// Stores the result of an attempt and sends the notifications that follow from it.
    async fn finish(
        self: &Arc<Self>,
        job: &ScheduledJob,
        slot: &JobRunKey,
        session: &SessionId,
        outcome: Outcome,
        spent: NanoUsd,
    ) -> Result<(), JobRepositoryError> {
        let now = self.with.clock.now();
        let settles =
            |standing: &JobState, run: &Run| settle(job, standing, run, outcome.clone(), spent, now);
        let Some(before) = self.noted(job, slot, session, settles).await? else { return Ok(()) };
        let mut notice = FailureNotice::Nothing;
        self.change(&job.id, |held| {
            let settled = settles(&held.standing, &before);
            (held.standing, notice) = (settled.standing, settled.tell);
            Ok(())
        })
        .await?;
        let session = Some(session.to_string());
        match notice {
            FailureNotice::Nothing => {}
            FailureNotice::Failed => {
                self.tell(job, slot, JobNotificationKind::Failed, session, outcome.in_words()).await;
            }
            FailureNotice::SwitchedOff => {
                self.tell(job, slot, JobNotificationKind::SwitchedOff, session, outcome.in_words()).await;
            }
        }
        self.shelf.prune(&job.id, now).await
    }

    /// Stores the result of an attempt and returns the run as it was before. Returns `None` if the
    /// attempt is not the current one, because another process stored its result.
    async fn noted(
        &self,
        job: &ScheduledJob,
        slot: &JobRunKey,
        session: &SessionId,
        settles: impl Fn(&JobState, &Run) -> AttemptSettlement,
    ) -> Result<Option<Run>, JobRepositoryError> {
        for _ in 0..TRIES {
            let standing = self.shelf.job(&job.id).await?.standing;
            let mut held = self.shelf.run(&job.id, slot).await?;
            let works = matches!(held.run.phase, Phase::Working { .. });
            if !works || held.run.session().as_ref() != Some(session) {
                return Ok(None);
            }
            let before = held.run.clone();
            held.run = settles(&standing, &before).run;
            match self.shelf.note(&job.id, &held).await {
                Err(JobRepositoryError::Changed) => {}
                noted => return noted.map(|()| Some(before)),
            }
        }
        Err(JobRepositoryError::Changed)
    }

    /// Changes a job and wakes the scheduler.
    async fn change(
        &self,
        id: &JobId,
        change: impl FnMut(&mut VersionedJob) -> Result<(), JobRepositoryError>,
    ) -> Result<(), JobRepositoryError> {
        self.shelf.alter(id, change).await?;
        self.wakeup.notify_one();
        Ok(())
    }

    /// Stores a notification and starts to send it.
    async fn tell(
        self: &Arc<Self>,
        job: &ScheduledJob,
        slot: &JobRunKey,
        kind: JobNotificationKind,
        session: Option<String>,
        reason: String,
    ) {
        let now = self.with.clock.now();
        let Some(delivery) = WebhookDelivery::new(job, slot, kind, session, reason, now) else { return };
        let name = delivery.news(&self.user, job, now).id();
        match self.shelf.post(&name, &delivery).await {
            // If it cannot be sent now, it is sent at the next attempt or after the next start.
            Ok(true) => drop(self.deliver().await),
            Ok(false) => self.note_untold(&job.id, "too many messages are waiting".into()),
            Err(error) => self.note_untold(&job.id, error.to_string()),
        }
    }

    /// Sends pending messages, each in its own task, so that a slow recipient does not delay the
    /// others. Returns when to look again.
    async fn deliver(self: &Arc<Self>) -> Result<Option<Timestamp>, JobRepositoryError> {
        let now = self.with.clock.now();
        let mut wake = None;
        for mut held in self.shelf.letters().await? {
            if held.letter.not_before > now {
                wake = [wake, Some(held.letter.not_before)].into_iter().flatten().min();
                continue;
            }
            held.letter.claim(now);
            // Another process sends it.
            if !self.shelf.put_back(&mut held).await? {
                continue;
            }
            let keeper = Arc::clone(self);
            tokio::spawn(async move {
                // If the result cannot be stored, the claim expires and the message is sent again.
                let _ = keeper.send(held).await;
                keeper.wakeup.notify_one();
            });
        }
        Ok(wake)
    }

    async fn send(&self, mut held: VersionedDelivery) -> Result<(), JobRepositoryError> {
        let job = match self.shelf.job(&held.letter.job).await {
            Ok(job) => job.job,
            // The job and its key are gone, so the recipient could not verify the message.
            Err(JobRepositoryError::Missing) => return self.shelf.throw_away(&held).await,
            Err(error) => return Err(error),
        };
        let sent = self.with.messenger.tell(held.letter.news(&self.user, &job, self.with.clock.now())).await;
        let Err(error) = sent else {
            self.untold.lock().unwrap_or_else(PoisonError::into_inner).remove(&job.id);
            return self.shelf.throw_away(&held).await;
        };
        self.note_untold(&job.id, error.to_string());
        match held.letter.after(&error, self.with.clock.now()) {
            DeliveryRetry::GivenUp => self.shelf.throw_away(&held).await,
            DeliveryRetry::Again(at) => {
                held.letter.not_before = at;
                self.shelf.put_back(&mut held).await?;
                Ok(())
            }
        }
    }

    fn note_untold(&self, id: &JobId, reason: String) {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), reason);
    }

    fn stop_one(&self, id: &JobId, slot: &JobRunKey, outcome: &Outcome) {
        self.stop_those(outcome, |live| live.job == *id && live.slot == *slot);
    }

    /// Stops the matching attempts; returns whether there were any.
    fn stop_those(&self, outcome: &Outcome, meant: impl Fn(&ActiveAttempt) -> bool) -> bool {
        let mut stopped = false;
        for live in self.lock().values_mut().filter(|live| meant(live)) {
            live.outcome.get_or_insert_with(|| outcome.clone());
            live.stop.cancel();
            stopped = true;
        }
        stopped
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, ActiveAttempt>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for JobScheduler {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("JobScheduler")
            .field("user", &self.user)
            .field("live", &self.lock().len())
            .finish_non_exhaustive()
    }
}

/// Runs an attempt. A panic counts as a failure; otherwise it would look as if it ran forever.
async fn tried(starter: &dyn AttemptRunner, errand: JobAttempt) -> AttemptOutcome {
    let run = AssertUnwindSafe(async { starter.run(errand).await });
    let failed = |_| AttemptOutcome::ended(Outcome::Failed { reason: "internal error of the server".into() });
    run.catch_unwind().await.unwrap_or_else(failed)
}

/// The error for a rejected message. It never says which check failed.
fn unbelieved(_: WebhookSignatureError) -> ApiError {
    ApiError::new(
        http::StatusCode::UNAUTHORIZED,
        "not_believed",
        "the message's signature is missing or \
                                                                  wrong",
    )
}
