//! Handles one fact and appends all records that follow from it at once.
//!
//! A reply that calls three tools is four records (the reply and three dispatches), and they are
//! appended together. No effect is performed before all of them are stored, and a journal on disk
//! is synced once. This file decides how durable records must be: what cannot be done twice, and
//! what a user was shown, must survive a power loss. Secrets are removed before a fact is handled
//! (`secrets/facts.rs`). Performing effects is in `driver/perform.rs`, the storage itself in
//! `journal/`.

use holm_kernel::{
    Effect, Input, Timestamp, ToolRequest,
    journal::{self, Snapshot, StepError},
};

use super::{DriveError, Driver, DriverHealth, SnapshotSchedule, oversized_facts, plan};
use crate::{CostMeter, Durability, JournalStorageError};

/// The number of records after which a snapshot is worth its cost.
pub(super) const SNAPSHOT_RECORDS: u64 = 256;

/// The same in bytes of records, because a few can be long.
const SNAPSHOT_BYTES: u64 = 1024 * 1024;

/// The number of records after which a run that is closed leaves a snapshot: the next process then
/// folds no more than these.
const CLOSING_RECORDS: u64 = 32;

/// Reusable buffers, so that a turn needs few allocations.
#[derive(Default)]
pub(super) struct StepBuffers {
    pub(super) lines: String,
    pub(super) effects: Vec<Effect>,
}

impl Driver {
    /// Takes one fact: handles it, appends the resulting records, and performs the effects.
    pub(super) async fn take(&mut self, mut fact: Input) -> Result<(), DriveError> {
        if self.health == DriverHealth::Lost {
            return Err(DriveError::Lost);
        }
        let now = self.now();
        // The result of a tool was searched in its own task, so that a large result does not delay
        // the run here.
        if !matches!(fact, Input::ToolFinished { .. }) {
            self.host.secrets.input(&mut fact);
        }
        self.batch.lines.clear();
        let least = least_durability(&fact);
        if let Some(input) = plan::changed_plan(&self.run, &fact) {
            self.step(now, input)?;
            self.collect();
        }
        self.step(now, fact)?;
        self.collect();
        let durability = self.dispatch(now)?;
        self.keep(durability.max(least)).await?;
        self.perform();
        self.offer_snapshot().await;
        Ok(())
    }

    /// Takes over with `resumed`. The changes since the last host are reported first and cause no
    /// effects by themselves: a new host begins with the effects of `resumed`.
    pub(super) async fn take_with(&mut self, changed: Vec<Input>, resumed: Input) -> Result<(), DriveError> {
        if changed.is_empty() {
            return self.take(resumed).await;
        }
        let now = self.now();
        self.batch.lines.clear();
        let least = changed.iter().map(least_durability).max().unwrap_or(Durability::Written);
        for fact in changed {
            self.step(now, fact)?;
            self.hear_the_end();
        }
        self.step(now, resumed)?;
        self.collect();
        let durability = self.dispatch(now)?;
        self.keep(durability.max(least)).await?;
        self.perform();
        Ok(())
    }

    /// Effects of a change are requested again once the run is taken over. Only the end of the work
    /// under way is not, so it is taken here.
    fn hear_the_end(&mut self) {
        let mut effects = Vec::new();
        loop {
            match self.run.poll() {
                Effect::Wait(_) => break,
                effect @ (Effect::Emit(_) | Effect::Finish(_)) => effects.push(effect),
                Effect::CallModel { .. }
                | Effect::RunTool { .. }
                | Effect::Spawn { .. }
                | Effect::Abort(_)
                | Effect::Judge(_)
                | Effect::Consult(_)
                | Effect::Check { .. }
                | Effect::Summarise { .. } => {}
            }
        }
        if effects.iter().any(|effect| matches!(effect, Effect::Finish(_))) {
            self.batch.effects.append(&mut effects);
        }
    }

    /// Handles one fact and writes its line.
    pub(super) fn step(&mut self, now: Timestamp, fact: Input) -> Result<(), DriveError> {
        let (fact, payload) = match journal::payload(&fact) {
            Ok(payload) => (fact, payload),
            Err(error) => {
                let Some(instead) = oversized_facts::in_place_of(&fact, &error) else {
                    return Err(StepError::Payload(error).into());
                };
                let payload = journal::payload(&instead).map_err(StepError::Payload)?;
                (instead, payload)
            }
        };
        // From here until the batch is stored, the run is ahead of its journal, even if something
        // fails in between.
        let before = std::mem::replace(&mut self.health, DriverHealth::Lost);
        let meter = CostMeter::before(&self.run, &fact);
        let receipt = self.run.handle(now, fact).map_err(|misuse| {
            // A refused fact has changed nothing.
            self.health = before;
            StepError::Misuse(misuse)
        })?;
        let written = self.writer.append_to(receipt, &payload, &mut self.batch.lines);
        written.map_err(StepError::Append)?;
        self.costs.add(meter.after(&self.run));
        Ok(())
    }

    /// Collects the run's effects without performing them.
    pub(super) fn collect(&mut self) {
        loop {
            match self.run.poll() {
                Effect::Wait(until) => {
                    self.until = until;
                    return;
                }
                effect => self.batch.effects.push(effect),
            }
        }
    }

    /// Records every call that is about to run. Returns the durability that this requires.
    fn dispatch(&mut self, now: Timestamp) -> Result<Durability, DriveError> {
        let mut durability = Durability::Written;
        let mut index = 0;
        // A dispatch may cause more calls, so the list may grow meanwhile.
        while let Some(effect) = self.batch.effects.get(index) {
            index += 1;
            match effect {
                Effect::RunTool { call, request } => {
                    let call = *call;
                    if !self.may_run_again(request) {
                        durability = Durability::Synced;
                    }
                    self.step(now, Input::Dispatched { call })?;
                    self.collect();
                }
                // A child acts on its own, so its record must not be lost.
                Effect::Spawn { .. } => durability = Durability::Synced,
                Effect::CallModel { .. }
                | Effect::Abort(_)
                | Effect::Judge(_)
                | Effect::Consult(_)
                | Effect::Check { .. }
                | Effect::Summarise { .. }
                | Effect::Emit(_)
                | Effect::Finish(_)
                | Effect::Wait(_) => {}
            }
        }
        Ok(durability)
    }

    /// Whether a call may safely run twice. Both declarations count, the run's and the host's: a
    /// resumed run may have been started with a different one.
    fn may_run_again(&self, request: &ToolRequest) -> bool {
        let host = self.host.tools.find(&request.tool);
        let mut declared = self.run.config().tools.iter().filter(|tool| *tool.name == *request.tool);
        host.is_some_and(|tool| tool.declaration().may_run_again())
            && declared.all(holm_kernel::ToolSpec::may_run_again)
    }

    /// Appends the batch. If its lines are not stored, or it is unknown whether they are,
    /// the run is lost.
    pub(super) async fn keep(&mut self, durability: Durability) -> Result<(), DriveError> {
        self.health = DriverHealth::Lost;
        let kept = tokio::select! {
            biased;
            kept = self.journal.append(&self.batch.lines, durability) => kept,
            // An append that hangs must not keep tools running that another process may run again.
            () = self.lease_loss.wait() => Err(JournalStorageError::LeaseLost),
        };
        match kept {
            Ok(()) => {}
            Err(JournalStorageError::LeaseLost) => return self.stop_without_lease().await,
            Err(failed) => {
                self.tasks.abort();
                return Err(failed.into());
            }
        }
        self.health = DriverHealth::Sound;
        self.snapshots.bytes = self.snapshots.bytes.saturating_add(self.batch.lines.len() as u64);
        Ok(())
    }

    /// Offers a snapshot when enough has been written since the stored one, no matter which
    /// host stored that. A snapshot has no transcript, so its size follows the view. Half of
    /// its size must have been written since, so that all snapshots of a run cost no more than
    /// a few times its records.
    pub(super) async fn offer_snapshot(&mut self) {
        let SnapshotSchedule { bytes, size, .. } = self.snapshots;
        let is_due = self.records_since_snapshot() >= SNAPSHOT_RECORDS || bytes >= SNAPSHOT_BYTES;
        if is_due && bytes >= size / 2 {
            self.keep_snapshot().await;
        }
    }

    /// Offers a snapshot when the run is closed, for the next process. Many processes take one
    /// prompt each, and would fold the same records again and again.
    pub(super) async fn offer_last_snapshot(&mut self) {
        // A run that is ahead of its journal must not leave its state there.
        if self.health == DriverHealth::Sound && self.records_since_snapshot() > CLOSING_RECORDS {
            self.keep_snapshot().await;
        }
    }

    fn records_since_snapshot(&self) -> u64 {
        self.writer.head().map_or(0, |head| head.seq.value().saturating_sub(self.snapshots.last))
    }

    async fn keep_snapshot(&mut self) {
        let Some(head) = self.writer.head().filter(|_| self.journal.keeps_snapshots()) else { return };
        let Ok(snapshot) = Snapshot::without_transcript(&self.run, head) else { return };
        self.snapshots = SnapshotSchedule { last: head.seq.value(), bytes: 0, size: snapshot.bytes() };
        // A cache that cannot be written is not a reason to stop.
        let text = snapshot.encode();
        tokio::select! {
            biased;
            // The run is stopped at its next wait; a store that hangs must not keep its tools
            // running until then.
            () = self.lease_loss.wait() => {}
            _ = self.journal.keep_snapshot(text.as_bytes()) => {}
        }
    }

    /// Stores what the run has cost. Between two groups only: what a working run has cost changes
    /// soon, and a query that needs it meanwhile folds the new records.
    pub(super) async fn keep_costs(&mut self) {
        tokio::select! {
            biased;
            () = self.lease_loss.wait() => {}
            // A cache that cannot be written is not a reason to stop.
            _ = self.journal.keep_costs(&self.costs) => {}
        }
    }
}

/// The least durability of a fact before the run shows it or acts on it,
/// independent of its effects.
fn least_durability(fact: &Input) -> Durability {
    match fact {
        // Facts from people: the event that shows one also confirms that it is stored. If a power
        // loss removed a withdrawal, the run would get its old authority back.
        Input::Prompted(_)
        | Input::Steered(_)
        | Input::FollowedUp(_)
        | Input::Judged { .. }
        | Input::Cancelled { .. }
        | Input::ModeChanged(_)
        | Input::GrantsChanged(_)
        | Input::BudgetChanged(_)
        // Restrictions of a host must also hold for the next host.
        | Input::Narrowed(_)
        // A child acts as soon as its name is stored; if the name were lost, a second child would
        // start.
        | Input::ChildStarted { .. } => Durability::Synced,
        // Results of machines; the next host produces or reports them again.
        Input::Started(_)
        | Input::Resumed { .. }
        | Input::ModelFinished { .. }
        | Input::Consulted { .. }
        | Input::Dispatched { .. }
        | Input::ToolFinished { .. }
        | Input::Checked { .. }
        | Input::ChildFinished { .. }
        | Input::Summarised { .. }
        | Input::ToolsChanged(_)
        | Input::TimePassed => Durability::Written,
    }
}
