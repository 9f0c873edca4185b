//! The driver loop: takes one fact, appends its records at once, and performs its effects.
//!
//! Code is async only where bytes move. Concurrent work (a model call, several tools, a question to
//! a person) runs in tasks. Each task ends with facts, and a task that panics ends with a fact that
//! says so. The driver decides nothing about a run: it passes facts on, with secrets removed, and
//! replaces only those that cannot be stored. No effect is performed before its records are stored,
//! and a run whose append failed is dropped.
//!
//! Where things are:
//!
//! - `driver/batch.rs`: handles a fact and appends its records; snapshots.
//! - `driver/perform.rs`: performs effects.
//! - `driver/tasks.rs`, `driver/task_kind.rs`: the concurrent tasks.
//! - `driver/hooks.rs`: asks hooks and people.
//! - `driver/wake_timer.rs`: the timer.
//! - `driver/fold.rs`: restores, replays and forks runs.
//! - `driver/tools.rs`: tools that changed since.
//! - `driver/plan.rs`: a plan that a person changed.
//! - `driver/lease.rs`, `driver/journal_hold.rs`: who may write the journal, and until when.
//! - `driver/ledger.rs`: the ledger of models.
//! - `driver/oversized_facts.rs`: facts that do not fit.
//! - `driver/error.rs`: errors that stop a driver.

mod batch;
mod error;
mod fold;
mod hooks;
mod journal_hold;
mod lease;
mod ledger;
mod oversized_facts;
mod perform;
mod plan;
mod task_kind;
mod tasks;
mod tools;
mod wake_timer;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use holm_kernel::{
    ChildResult, Ending, Input, NanoUsd, Prompt, Run, Started, Timestamp, ToolSpec,
    journal::{self, JournalWriter},
};

pub use error::DriveError;
pub(crate) use fold::{OpenChild, RestoredRun, off_the_loop};
pub use fold::{PendingWork, RunReplay, fork_journal};
pub(crate) use hooks::HookTiming;
pub(crate) use journal_hold::{JournalHold, released};

use self::{
    batch::StepBuffers, lease::LeaseLoss, ledger::LedgerQueue, tasks::RunTasks, wake_timer::WakeTimer,
};
use crate::{
    BoxFuture, Durability, Journal, ModelConnection, ObserverQueue, RecordCosts, ResultChecker, RunHandle,
    RunHost, ToolContainment, child,
    handle::{MailboxItem, RunMailbox},
    host::HostParts,
};

/// How long a stopped model call may take to return what it had, because it also has a bill. The
/// run has ended by then, so the wait is short.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// The same for a child, whose own models and children also need time. It is rarely used up: the
/// end of a child is taken at once.
const CHILD_LAST_WORDS: Duration = Duration::from_secs(3);

/// After this many facts in a row without waiting, other tasks on this thread get their turn.
const FACTS_PER_TURN: u32 = 64;

/// Runs one prompt to its end: [`Driver::start`] and [`Driver::prompt`] in one.
///
/// # Errors
/// [`DriveError`], as for [`Driver::start`] and [`Driver::prompt`].
pub async fn drive(started: Started, prompt: Prompt, host: RunHost) -> Result<(Ending, Driver), DriveError> {
    let mut driver = Driver::start(started, host).await?;
    let ending = driver.prompt(prompt).await?;
    Ok((ending, driver))
}

/// One run and its host. [`Agent`](crate::Agent) assembles both; use this type
/// to assemble them yourself.
///
/// Every async method may be dropped while it waits. If a record was being written at that
/// time, the run counts as lost ([`DriveError::Lost`]); otherwise [`go_on`](Self::go_on)
/// continues where it stopped.
pub struct Driver {
    run: Run,
    writer: JournalWriter,
    host: HostParts,
    journal: Box<dyn Journal>,
    lease_loss: LeaseLoss,
    line: Box<dyn ModelConnection>,
    tasks: RunTasks,
    containment: ToolContainment,
    checker: ResultChecker,
    observers: Vec<ObserverQueue>,
    batch: StepBuffers,
    alarm: WakeTimer,
    mailbox: MailboxGuard,
    /// When the kernel must be called again.
    until: Option<Timestamp>,
    /// How the group ended, until the caller has received it.
    ended: Option<Ending>,
    health: DriverHealth,
    snapshots: SnapshotSchedule,
    costs: RecordCosts,
    /// What the sinks were told that the run has spent.
    spent: NanoUsd,
    notes: Option<LedgerQueue>,
    looks: HookTiming,
    /// How far the run's time is ahead of this host's clock, in milliseconds. A run from a host
    /// whose clock was ahead keeps its time, and its deadlines must not come late.
    ahead_ms: u64,
    hold: JournalHold,
}

impl Drop for Driver {
    /// Calls that are being stopped may still act, so the last of them releases the journal.
    fn drop(&mut self) {
        self.tasks.abort();
        self.hold.hand_over(&self.run.started().run, &mut self.journal);
    }
}

impl Driver {
    /// Starts a run and writes record 0.
    ///
    /// # Errors
    /// [`DriveError`] if a tool cannot be used, the configuration cannot be journaled or the
    /// journal cannot be written.
    pub async fn start(started: Started, host: RunHost) -> Result<Self, DriveError> {
        host.parts.tools.check()?;
        Self::start_checked(started, host).await
    }

    /// As [`start`](Self::start), with tools that were checked when the agent was built.
    pub(crate) async fn start_checked(started: Started, host: RunHost) -> Result<Self, DriveError> {
        let started = ledger::on_its_rung(started, host.parts.ledger.as_ref()).await;
        let mut fact = Input::Started(Box::new(started));
        host.parts.secrets.input(&mut fact);
        let Input::Started(started) = fact else { return Err(DriveError::Lost) };
        let (run, writer, line) = journal::begin(*started, host.parts.clock.now())?;
        let mut driver = Self::new(run, writer, host);
        driver.batch.lines = line;
        driver.costs.add(NanoUsd::ZERO);
        driver.collect();
        driver.keep(Durability::Synced).await?;
        driver.perform();
        Ok(driver)
    }

    /// Takes over a run from its journal, after a crash or from another host. `text` is the whole
    /// journal; the host's own journal must append to it.
    ///
    /// The run continues where it stopped: if it was at work, call
    /// [`go_on`](Self::go_on), otherwise prompt it. If the host's tools differ from those
    /// in the journal, the run is notified first.
    ///
    /// # Errors
    /// [`DriveError`] if the journal is damaged, decides differently here or cannot be written. A
    /// torn last line is also an error; the owner of the file must cut it first.
    pub async fn resume(text: &[u8], by: &str, host: RunHost) -> Result<Self, DriveError> {
        host.parts.tools.check()?;
        let folded = RestoredRun::whole(text.to_vec()).await?;
        let tools = tools::in_place_of(&host.parts.tools, &folded.run, &host.parts.tools);
        let changed = TakeoverChanges { tools, facts: Vec::new(), looks: HookTiming::WhenAsked };
        Self::take_over(folded, by, host, changed).await
    }

    /// Takes over a run that was folded from its journal, with these changes.
    pub(crate) async fn take_over(
        folded: RestoredRun,
        by: &str,
        host: RunHost,
        changed: TakeoverChanges,
    ) -> Result<Self, DriveError> {
        let mut driver = Self::new(folded.run, JournalWriter::after(folded.head), host);
        driver.snapshots = folded.snapshots;
        driver.costs = RecordCosts::after(folded.head.seq.value() + 1);
        driver.looks = changed.looks;
        let mut before: Vec<Input> = driver.other_tools(changed.tools).into_iter().collect();
        before.extend(changed.facts.into_iter().map(|mut fact| {
            driver.host.secrets.input(&mut fact);
            fact
        }));
        driver.take_with(before, Input::Resumed { host: by.into() }).await?;
        let strays = folded.open.into_iter().filter(|open| !driver.run.awaits_child(open.call));
        let (own, others): (Vec<_>, Vec<_>) = strays.partition(|stray| folded.own.contains(stray));
        // Children of the original run in a fork are paid by that run: nothing is reserved for them
        // here.
        for OpenChild { call, .. } in others {
            let result = ChildResult::default();
            driver.take(Input::ChildFinished { call, result }).await?;
        }
        driver.hear_of(own).await?;
        // After a crash there may be many records since the last snapshot, and this host may not
        // live long either.
        driver.offer_snapshot().await;
        driver.keep_costs().await;
        Ok(driver)
    }

    /// Closes children that their parent no longer waits for and that a crash left open. What
    /// they used is paid.
    async fn hear_of(&mut self, strays: Vec<OpenChild>) -> Result<(), DriveError> {
        for OpenChild { call, child } in strays {
            let journals = Arc::clone(&self.host.journals);
            // A child that another process still drives, or whose journal cannot be read, is left
            // for the next time.
            let Ok(rested) = child::lay_to_rest(&*journals, &child).await else { continue };
            if rested.as_ref().is_some_and(|rested| rested.left == child::DescendantStatus::Held) {
                continue;
            }
            let result = rested.map(|rested| rested.result()).unwrap_or_default();
            self.take(Input::ChildFinished { call, result }).await?;
        }
        Ok(())
    }

    fn new(run: Run, writer: JournalWriter, host: RunHost) -> Self {
        let RunHost { parts: mut host, journal } = host;
        let lease_loss = LeaseLoss::of(&*journal);
        // Forks have the seed of their run, and prompts that begin like its prompts.
        let line = host.model.open_run(&format!("{:016x}", run.started().seed));
        for sink in &mut host.events {
            if let Some(own) = sink.of_run(&run.started().run) {
                *sink = own;
            }
        }
        if let Some(own) = host.deltas.of_run(&run.started().run) {
            host.deltas = own;
        }
        let containment = ToolContainment::new(&*run.started().run)
            .blobs(Arc::clone(&host.blobs))
            .secrets(host.secrets.clone())
            .carry(host.carry);
        let checker = ResultChecker::new().blobs(Arc::clone(&host.blobs)).runner(Arc::clone(&host.checks));
        let observers = hooks::observers(&host);
        let notes = LedgerQueue::of(&host, &run);
        let ahead_ms = run.receipt().at.since(host.clock.now());
        Self {
            spent: run.spent(),
            run,
            writer,
            host,
            journal,
            lease_loss,
            line,
            tasks: RunTasks::default(),
            containment,
            checker,
            observers,
            batch: StepBuffers::default(),
            alarm: WakeTimer::default(),
            mailbox: MailboxGuard(Arc::new(RunMailbox::default())),
            until: None,
            ended: None,
            health: DriverHealth::Sound,
            snapshots: SnapshotSchedule::default(),
            costs: RecordCosts::default(),
            notes,
            looks: HookTiming::WhenAsked,
            ahead_ms,
            hold: JournalHold::default(),
        }
    }

    /// The run's own time.
    fn now(&self) -> Timestamp {
        self.host.clock.now().plus(self.ahead_ms)
    }

    /// The time on this host's clock for a time of the run.
    fn on_host_clock(&self, at: Timestamp) -> Timestamp {
        Timestamp::new(at.value().saturating_sub(self.ahead_ms))
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Whether work is under way, or has ended without the caller being told.
    pub fn is_at_work(&self) -> bool {
        self.ended.is_some() || !self.run.is_idle()
    }

    /// A handle to the run while it works; clones may go to other tasks.
    pub fn handle(&self) -> RunHandle {
        RunHandle::new(Arc::clone(&self.mailbox.0))
    }

    /// Completes when the lease on the run is lost. For a caller that holds an idle run; a working
    /// run stops by itself.
    pub fn lease_loss(&self) -> BoxFuture<'static, ()> {
        self.journal.lost()
    }

    /// Takes a prompt and works until the turn group ends. Tools that were
    /// [changed](RunHandle::change_tools) while the run was idle come first, so that the first
    /// model call has them.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written: the run is dropped, and
    /// only its journal counts. If the changed tools cannot be journaled, the run keeps its tools
    /// and has not taken the prompt.
    pub async fn prompt(&mut self, prompt: impl Into<Prompt>) -> Result<Ending, DriveError> {
        self.ended = None;
        self.pay_late().await?;
        if let Some(tools) = self.mailbox.0.take_tools() {
            self.change_tools(tools).await?;
        }
        self.take(Input::Prompted(prompt.into())).await?;
        self.go_on().await
    }

    /// Works on prompts that arrived just after the last turn group had ended; the sender cannot
    /// know that it was too late. Returns `None` if no prompt starts work, and never waits for one.
    ///
    /// # Errors
    /// The same errors as [`prompt`](Self::prompt).
    pub async fn catch_up(&mut self) -> Result<Option<Ending>, DriveError> {
        while !self.is_at_work() {
            // A pending cancel is for the work that starts here.
            let Some(item) = self.mailbox.0.next_item() else { return Ok(None) };
            self.pay_late().await?;
            self.listen(item).await?;
        }
        self.go_on().await.map(Some)
    }

    /// Takes the prompts that arrived after the last turn group had ended, in the form the journal
    /// would store. Call it if you drop the run and do not [catch up](Self::catch_up): prompts that
    /// are not in the journal are lost with the run. All other waiting requests are dropped.
    pub fn unheard(&mut self) -> Vec<Prompt> {
        let items = std::iter::from_fn(|| self.mailbox.0.next_item());
        let prompts = items.filter_map(|item| match item {
            MailboxItem::Fact(
                Input::Steered(prompt) | Input::FollowedUp(prompt) | Input::Prompted(prompt),
            ) => Some(self.without_secrets(prompt)),
            MailboxItem::Fact(_) | MailboxItem::Tools(_) | MailboxItem::Child(..) => None,
        });
        prompts.collect()
    }

    /// Books the bills that arrived after the run had stopped waiting for them.
    async fn pay_late(&mut self) -> Result<(), DriveError> {
        while let Some(bill) = self.tasks.late_bill() {
            self.take(bill).await?;
        }
        Ok(())
    }

    /// A prompt as the journal will store it.
    pub(crate) fn without_secrets(&self, prompt: Prompt) -> Prompt {
        let mut fact = Input::Prompted(prompt);
        self.host.secrets.input(&mut fact);
        // Removing secrets does not change the kind of a fact.
        let Input::Prompted(prompt) = fact else { return Prompt::text("") };
        prompt
    }

    /// Applies people's changes at once.
    pub(crate) async fn change(&mut self, facts: Vec<Input>) -> Result<(), DriveError> {
        for fact in facts {
            self.take(fact).await?;
        }
        Ok(())
    }

    /// Works until the turn group ends. An idle run waits until a prompt arrives.
    ///
    /// # Errors
    /// The same errors as [`prompt`](Self::prompt).
    pub async fn go_on(&mut self) -> Result<Ending, DriveError> {
        let mut in_a_row = 0;
        loop {
            // The work may never have started, so there is nothing to wait for.
            if self.health == DriverHealth::Lost {
                self.tasks.abort();
                return Err(DriveError::Lost);
            }
            if let Some(ending) = &self.ended {
                let ending = ending.clone();
                self.last_words().await?;
                self.ended = None;
                return Ok(ending);
            }
            in_a_row += 1;
            if in_a_row == FACTS_PER_TURN {
                in_a_row = 0;
                tokio::task::yield_now().await;
            }
            self.next().await?;
        }
    }

    /// Gives observers up to this time for the remaining events, and ends the run's session.
    pub async fn close(mut self, patience: Duration) {
        self.offer_last_snapshot().await;
        let observers = std::mem::take(&mut self.observers);
        let all = observers.into_iter().map(|observer| tokio::spawn(observer.finish(patience)));
        for observer in all.collect::<Vec<_>>() {
            let _ = observer.await;
        }
    }

    /// Waits for the next input and takes it: a message, the end of a task, or a deadline.
    async fn next(&mut self) -> Result<(), DriveError> {
        loop {
            if let Some(item) = self.mailbox.0.next() {
                return self.listen(item).await;
            }
            if let Some(fact) = self.tasks.next_ready() {
                // The approver may have panicked and left the question open.
                if let Input::Judged { call, .. } = &fact {
                    self.mailbox.0.settle((*call).into());
                }
                return self.take(fact).await;
            }
            let until = self.until.map(|until| self.on_host_clock(until));
            let due = until.into_iter().chain(self.tasks.due()).min();
            tokio::select! {
                biased;
                () = self.lease_loss.wait() => return self.stop_without_lease().await,
                () = self.mailbox.0.wait_for_item() => {}
                () = self.tasks.wait() => {}
                () = self.alarm.wait(&*self.host.clock, due) => {
                    let now = self.host.clock.now();
                    self.tasks.expire(now);
                    if until.is_some_and(|until| until <= now) {
                        return self.take(Input::TimePassed).await;
                    }
                }
            }
        }
    }

    /// Carries out one item of the mailbox.
    async fn listen(&mut self, item: MailboxItem) -> Result<(), DriveError> {
        match item {
            MailboxItem::Fact(fact) => {
                if let Input::Judged { call, .. } = &fact {
                    self.tasks.forget_question(*call);
                }
                self.take(fact).await
            }
            MailboxItem::Tools(tools) => self.change_tools(tools).await,
            MailboxItem::Child(fact, kept) => {
                self.take(fact).await?;
                // The task that started the child may be gone; then it needs no signal.
                let _ = kept.send(());
                Ok(())
            }
        }
    }

    /// Takes the bills of stopped work, and releases everything else.
    async fn last_words(&mut self) -> Result<(), DriveError> {
        if self.tasks.awaits_a_bill() {
            let patience = if self.tasks.awaits_a_child() { CHILD_LAST_WORDS } else { LAST_WORDS };
            let patience = tokio::time::sleep(patience);
            tokio::pin!(patience);
            while self.tasks.awaits_a_bill() {
                if let Some(fact) = self.tasks.next_bill() {
                    self.take(fact).await?;
                    continue;
                }
                tokio::select! {
                    biased;
                    () = self.tasks.wait() => {}
                    () = &mut patience => break,
                }
            }
        }
        for bill in self.tasks.end_models() {
            self.take(bill).await?;
        }
        self.tasks.leave();
        // The journal says how those calls ended, so nothing waits for the rest of them.
        self.hold = JournalHold::default();
        self.alarm.disarm();
        self.note().await;
        self.offer_snapshot().await;
        self.keep_costs().await;
        // Last, because a cancel that arrives during the clean-up is meant for the group that has
        // just ended.
        self.mailbox.0.clear();
        Ok(())
    }
}

/// Changes when a run is taken over.
pub(crate) struct TakeoverChanges {
    /// The host's tools; the run is notified if it knows different ones.
    pub(crate) tools: Vec<ToolSpec>,
    /// The changes that people made.
    pub(crate) facts: Vec<Input>,
    /// When hooks see its calls.
    pub(crate) looks: HookTiming,
}

/// Closes the mailbox when the driver is dropped, so that senders learn that the run is gone.
struct MailboxGuard(Arc<RunMailbox>);

impl Drop for MailboxGuard {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Whether the run in memory matches the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriverHealth {
    Sound,
    Lost,
}

/// The distance to the last snapshot.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SnapshotSchedule {
    /// The record of the stored snapshot; zero without a snapshot.
    last: u64,
    /// Bytes of the records since.
    bytes: u64,
    /// Bytes of the snapshot itself.
    size: u64,
}
