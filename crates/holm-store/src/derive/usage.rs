//! What a run used, by day and by model or tool. It folds the inputs through the kernel itself, so
//! it reports exactly what the kernel counted.
//!
//! It sees one run; `derive/fold.rs` calls it for each record, and `sessions/usage.rs` sums over
//! runs. A child's usage belongs to the child's own run. A call without a known price counts as
//! unpriced and never as free. A change of the stored sums needs a new `SUMS_VERSION`; a new number
//! in [`UsageTally`] needs a column in `sqlite/queries.rs` and `postgres/queries.rs`.

use std::collections::BTreeMap;

use holm_kernel::{
    Effect, Event, Family, Input, ModelCallId, ModelResult, NanoUsd, Price, Run, Timestamp, ToolCallId,
    Usage, journal::JournalRecord,
};
use holm_runtime::{CacheBreaks, CostMeter, ModelStanding, PromptCacheMonitor, RunScorer};
use serde::{Deserialize, Serialize};

/// Stands for a model or tool whose name the journal no longer contains.
const UNKNOWN: &str = "(unknown)";

/// Calls under way that are remembered: more than a run has open at once.
const MOST_OPEN: usize = 1_024;

/// A day in UTC, counted from 1970-01-01.
///
/// ```
/// use holm_store::UtcDay;
///
/// assert_eq!(UtcDay::of_millis(1_790_000_000_000).to_string(), "2026-09-21");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtcDay(u64);

impl UtcDay {
    /// Takes days counted from 1970-01-01.
    #[must_use]
    pub const fn new(days: u64) -> Self {
        Self(days)
    }

    /// The day of a time in milliseconds since 1970-01-01.
    #[must_use]
    pub const fn of_millis(millis: u64) -> Self {
        Self(millis / 86_400_000)
    }

    /// The number of days since 1970-01-01.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for UtcDay {
    /// The Gregorian date, computed from the number of days alone.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Years begin in March here, so that the leap day is the last of its year; 719,468 days lie
        // between 0000-03-01 and 1970-01-01, and the calendar repeats every 146,097 days (400
        // years).
        let days = self.0.saturating_add(719_468);
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageSubject {
    /// A model, by its name in the configuration.
    Model(String),
    /// A tool, by its name.
    Tool(String),
}

/// The sums of calls, tokens, cost and time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTally {
    /// Calls that came to an end.
    pub calls: u64,
    /// Those of them that failed, were refused or stopped.
    pub failed: u64,
    /// Tokens; a tool uses none.
    pub tokens: Usage,
    /// Money, as far as prices are known.
    pub cost: NanoUsd,
    /// Calls that used tokens of a model without a known price. They never count as free.
    pub unpriced: u64,
    /// Milliseconds that tools ran.
    pub millis: u64,
    /// Bytes that tools gave back.
    pub bytes: u64,
    /// How often a provider's prompt cache did not serve a call as far as it could.
    #[serde(default)]
    pub breaks: CacheBreaks,
}

impl UsageTally {
    /// The sum of two tallies, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            failed: self.failed.saturating_add(other.failed),
            tokens: self.tokens.plus(other.tokens),
            cost: self.cost.plus(other.cost),
            unpriced: self.unpriced.saturating_add(other.unpriced),
            millis: self.millis.saturating_add(other.millis),
            bytes: self.bytes.saturating_add(other.bytes),
            breaks: self.breaks.plus(other.breaks),
        }
    }
}

/// What one run used of one model or tool on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageEntry {
    pub day: UtcDay,
    pub subject: UsageSubject,
    pub tally: UsageTally,
}

/// What a run used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunUsage {
    /// By day and subject, in order.
    pub entries: Vec<UsageEntry>,
    /// Records that the kernel could fold. The records after them were erased or follow rules that
    /// this kernel does not have. They are counted by their content, under a name that says so.
    pub understood: u64,
    /// What its models have shown in the turn groups that ended, as far as the
    /// kernel could fold them.
    pub ledger: Vec<ModelStanding>,
}

/// Starts the run again, if this kernel has its rules.
pub(super) fn start(first: &JournalRecord) -> Option<Run> {
    let Ok(Input::Started(started)) = first.payload().input() else { return None };
    if !started.is_known() {
        return None;
    }
    let run = Run::start(*started, first.at());
    (run.receipt().effects == first.effects()).then_some(run)
}

#[derive(Default)]
pub(super) struct UsageSums {
    entries: BTreeMap<(UtcDay, UsageSubject), UsageTally>,
    models: BTreeMap<ModelCallId, (String, PriceState)>,
    tools: BTreeMap<ToolCallId, String>,
    last: LastModel,
    cache: PromptCacheMonitor,
    scorer: Option<RunScorer>,
    shown: Vec<ModelStanding>,
}

/// The model that was called last, or the first configured one. Records that cannot be folded are
/// counted at its price.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct LastModel {
    name: String,
    price: Option<Price>,
}

/// The version of the stored sums. Sums of another version are counted again from the journal.
const SUMS_VERSION: u32 = 2;

/// The sums as the database stores them. Calls without an answer are dropped
/// before they become many.
#[derive(Serialize, Deserialize)]
struct SavedUsageSums {
    v: u32,
    entries: Vec<UsageEntry>,
    models: Vec<(ModelCallId, (String, PriceState))>,
    tools: Vec<(ToolCallId, String)>,
    last: LastModel,
    cache: PromptCacheMonitor,
    scorer: Option<RunScorer>,
    shown: Vec<ModelStanding>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PriceState {
    Known,
    Unknown,
}

impl UsageSums {
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let kept: SavedUsageSums =
            serde_json::from_slice(text).ok().filter(|kept: &SavedUsageSums| kept.v == SUMS_VERSION)?;
        let entries = kept.entries.into_iter().map(|entry| ((entry.day, entry.subject), entry.tally));
        Some(Self {
            entries: entries.collect(),
            models: kept.models.into_iter().collect(),
            tools: kept.tools.into_iter().collect(),
            last: kept.last,
            cache: kept.cache,
            scorer: kept.scorer,
            shown: kept.shown,
        })
    }

    pub(super) fn text(&self) -> Option<Vec<u8>> {
        let kept = SavedUsageSums {
            v: SUMS_VERSION,
            entries: self.entries(),
            models: latest(&self.models),
            tools: latest(&self.tools),
            last: self.last.clone(),
            cache: self.cache.clone(),
            scorer: self.scorer.clone(),
            shown: self.ledger(),
        };
        serde_json::to_vec(&kept).ok()
    }

    /// By day and subject, in order.
    pub(super) fn entries(&self) -> Vec<UsageEntry> {
        let entry = |((day, subject), tally): (&(UtcDay, UsageSubject), &UsageTally)| UsageEntry {
            day: *day,
            subject: subject.clone(),
            tally: *tally,
        };
        self.entries.iter().map(entry).collect()
    }

    pub(super) fn ledger(&self) -> Vec<ModelStanding> {
        ModelStanding::sum(self.shown.iter().cloned())
    }

    /// Records the configuration that a run began with, whether or not this kernel has its rules.
    pub(super) fn configure(&mut self, first: &JournalRecord) {
        let Ok(Input::Started(started)) = first.payload().input() else { return };
        if let Some(model) = started.config.models.first() {
            self.last = LastModel { name: model.name.clone(), price: model.price };
        }
    }

    /// Takes over which model was called last.
    pub(super) fn follow(&mut self, other: &Self) {
        self.last = other.last.clone();
    }

    /// Takes note of record 0.
    pub(super) fn begin(&mut self, run: &mut Run, first: &JournalRecord) {
        self.scorer = Some(RunScorer::new(run.config()));
        self.drain(run, first.at());
    }

    /// Folds one record. Returns whether the kernel still decides as it did.
    pub(super) fn step(&mut self, run: &mut Run, record: &JournalRecord) -> bool {
        let Ok(input) = record.payload().input() else { return false };
        let bill = ModelCallUsage::of(&input);
        let is_of_child = matches!(input, Input::ChildFinished { .. });
        let (before, meter) = (run.usage(), CostMeter::before(run, &input));
        let lost_by = self.last.clone();
        let Ok(receipt) = run.handle(record.at(), input) else { return false };
        if receipt.effects != record.effects() {
            return false;
        }
        let ignored = self.drain(run, record.at());
        let (used, cost) = (minus(run.usage(), before), meter.after(run));
        if let Some(bill) = bill {
            if !ignored || used != Usage::default() {
                self.model(record.at(), &bill, used, cost);
            }
        } else if !is_of_child && used != Usage::default() {
            self.lost(record.at(), lost_by, used, cost);
        }
        true
    }

    /// Counts everything that a record caused. Returns whether it was ignored.
    fn drain(&mut self, run: &mut Run, at: Timestamp) -> bool {
        let mut ignored = false;
        loop {
            match run.poll() {
                Effect::Wait(_) => return ignored,
                Effect::CallModel { call, request } | Effect::Summarise { call, request } => {
                    let priced =
                        if request.model.price.is_some() { PriceState::Known } else { PriceState::Unknown };
                    self.last = LastModel { name: request.model.name.clone(), price: request.model.price };
                    self.models.insert(call, (request.model.name.clone(), priced));
                }
                Effect::Emit(numbered) => {
                    ignored |= matches!(numbered.event, Event::Ignored { .. });
                    let ended = self.scorer.as_mut().and_then(|scorer| scorer.event(&numbered));
                    self.shown.extend(ended.into_iter().flat_map(|shown| shown.standings));
                    if let Some(found) = self.cache.event(&numbered) {
                        let tally = UsageTally { breaks: CacheBreaks::from(&found), ..UsageTally::default() };
                        self.add(at, UsageSubject::Model(found.model.to_string()), tally);
                    }
                    self.event(at, numbered.event);
                }
                Effect::RunTool { .. }
                | Effect::Spawn { .. }
                | Effect::Abort(_)
                | Effect::Judge(_)
                | Effect::Consult(_)
                | Effect::Check { .. }
                | Effect::Finish(_) => {}
            }
        }
    }

    fn event(&mut self, at: Timestamp, event: Event) {
        match event {
            Event::CallProposed { call, tool, .. } => {
                self.tools.insert(call, tool.to_string());
            }
            Event::CallFinished { call, outcome, bytes, millis, .. } => {
                let failed = u64::from(outcome.is_error());
                let name = self.tools.remove(&call).unwrap_or_else(|| UNKNOWN.into());
                let tally = UsageTally { calls: 1, failed, millis, bytes, ..UsageTally::default() };
                self.add(at, UsageSubject::Tool(name), tally);
            }
            _ => {}
        }
    }

    fn model(&mut self, at: Timestamp, bill: &ModelCallUsage, tokens: Usage, cost: NanoUsd) {
        let (name, priced) =
            self.models.get(&bill.call).cloned().unwrap_or_else(|| {
                (bill.model.clone().unwrap_or_else(|| UNKNOWN.into()), PriceState::Unknown)
            });
        // A scripted model reports no tokens and costs nothing.
        let is_paid = tokens.total() > tokens.estimated;
        let unpriced = u64::from(priced == PriceState::Unknown && is_paid && cost == NanoUsd::ZERO);
        let tally =
            UsageTally { calls: 1, failed: bill.failed, tokens, cost, unpriced, ..UsageTally::default() };
        self.add(at, UsageSubject::Model(name), tally);
    }

    /// Counts a model call that was lost with its host, which the kernel paid by estimate.
    fn lost(&mut self, at: Timestamp, by: LastModel, tokens: Usage, cost: NanoUsd) {
        let tally = UsageTally { calls: 1, failed: 1, tokens, cost, ..UsageTally::default() };
        self.add(at, UsageSubject::Model(by.name), tally);
    }

    /// Counts a record by its content alone, at the price of the model that was called last. Spent
    /// money stays spent, even if this kernel can no longer fold the record.
    pub(super) fn guess(&mut self, record: &JournalRecord) {
        let Ok(input) = record.payload().input() else { return };
        if let Some(bill) = ModelCallUsage::of(&input) {
            let cost = self.last.price.map_or(NanoUsd::ZERO, |price| price.cost(bill.usage));
            self.model(record.at(), &bill, bill.usage, cost);
        }
        if let Input::ToolFinished { call, result } = input {
            let failed = u64::from(result.outcome.is_error());
            let name = self.tools.remove(&call).unwrap_or_else(|| UNKNOWN.into());
            let tally =
                UsageTally { calls: 1, failed, bytes: result.text.len() as u64, ..UsageTally::default() };
            self.add(record.at(), UsageSubject::Tool(name), tally);
        }
    }

    fn add(&mut self, at: Timestamp, subject: UsageSubject, tally: UsageTally) {
        let sum = self.entries.entry((UtcDay::of_millis(at.value()), subject)).or_default();
        *sum = sum.plus(tally);
    }
}

/// The calls that were made last.
fn latest<Id: Copy + Ord, T: Clone>(calls: &BTreeMap<Id, T>) -> Vec<(Id, T)> {
    calls.iter().rev().take(MOST_OPEN).map(|(call, of)| (*call, of.clone())).collect()
}

/// The usage that a model call reports.
struct ModelCallUsage {
    call: ModelCallId,
    usage: Usage,
    failed: u64,
    model: Option<String>,
}

impl ModelCallUsage {
    fn of(input: &Input) -> Option<Self> {
        let (Input::ModelFinished { call, result } | Input::Summarised { call, result }) = input else {
            return None;
        };
        let (usage, failed, model) = match result {
            ModelResult::Replied(reply) if reply.usage.output > 0 => (reply.usage, 0, reply.model.clone()),
            ModelResult::Replied(reply) => (reply.usage_so_far(Family::Other), 0, reply.model.clone()),
            ModelResult::Aborted(reply) => (reply.usage_so_far(Family::Other), 1, reply.model.clone()),
            ModelResult::Failed(failure) => (failure.usage, 1, None),
        };
        Some(Self { call: *call, usage, failed, model })
    }
}

const fn minus(after: Usage, before: Usage) -> Usage {
    Usage {
        input: after.input.saturating_sub(before.input),
        output: after.output.saturating_sub(before.output),
        cached: after.cached.saturating_sub(before.cached),
        cache_write: after.cache_write.saturating_sub(before.cache_write),
        reasoning: after.reasoning.saturating_sub(before.reasoning),
        estimated: after.estimated.saturating_sub(before.estimated),
    }
}
