//! Sums usage over sessions, models, tools, days or agents.
//!
//! It adds up and counts nothing itself: a run is counted in `derive/usage.rs`, and
//! `store/index.rs` stores the result. Only `fold_usage` reads a journal. Tools and models are
//! never added together. A child's usage is in its own session, so a parent's line does not contain
//! it.

use std::collections::BTreeMap;

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};

use super::blocking;
use crate::{
    Store, StoreError, UsageEntry, UsageSubject, UsageTally, UtcDay, backend::SessionFilter, derive,
    store::IndexDepth,
};

/// Stands for an agent whose name the journal no longer contains.
const UNKNOWN: &str = "(unknown)";

/// Sessions whose agents are read at once.
const AT_ONCE: u64 = 1_000;

/// What the usage is summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageGrouping {
    /// One line a session: what its models used.
    Session,
    /// One line a model.
    Model,
    /// One line a tool.
    Tool,
    /// One line a day: what models used.
    Day,
    /// One line an agent: what its models used.
    Agent,
}

/// Selects usage by run and by day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageQuery {
    /// Limits the result to this run.
    pub run: Option<String>,
    /// From this day on.
    pub since: Option<UtcDay>,
    /// Up to this day, with it.
    pub until: Option<UtcDay>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLine {
    /// The session, model, tool, day or agent.
    pub name: String,
    /// The sums of this line.
    pub tally: UsageTally,
}

impl Store {
    /// Sums usage by session, model, tool, day (UTC) or agent, sorted by name.
    ///
    /// The numbers are those that the kernel counted when it folded the journals. A child
    /// run counts for itself.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn usage(&self, by: UsageGrouping, query: &UsageQuery) -> Result<Vec<UsageLine>, StoreError> {
        self.catch_up(IndexDepth::Everything).await?;
        let agents = if by == UsageGrouping::Agent { self.agents().await? } else { BTreeMap::new() };
        let mut sums: BTreeMap<String, UsageTally> = BTreeMap::new();
        for (run, entry) in self.inner.backend.usage().await? {
            let Some(name) = name(by, query, &run, &entry, &agents) else { continue };
            let sum = sums.entry(name).or_default();
            *sum = sum.plus(entry.tally);
        }
        Ok(sums.into_iter().map(|(name, tally)| UsageLine { name, tally }).collect())
    }

    /// The agent of every run.
    async fn agents(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let (mut agents, mut after) = (BTreeMap::new(), None);
        loop {
            let (by_created, oldest_first) = (true, true);
            let filter =
                SessionFilter { by_created, oldest_first, after, limit: AT_ONCE, ..SessionFilter::default() };
            let rows = self.inner.backend.list(filter).await?;
            let Some(last) = rows.last() else { return Ok(agents) };
            after = Some((last.created, last.run.no.0));
            agents.extend(rows.into_iter().map(|row| (row.run.id, row.agent)));
        }
    }

    /// What one run used, by day and by model or tool: the fold itself, straight from its journal.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NotAJournal`].
    pub async fn fold_usage(&self, run: &str) -> Result<derive::RunUsage, StoreError> {
        let row = self.find(run).await?;
        let (text, _) = self.text(&row).await?;
        blocking(move || Ok(derive::fold(&holm_kernel::journal::decode(&text)?.records))).await
    }

    /// What all sessions have cost, as far as prices are known. The driver of a session stores what
    /// it cost when a turn group ends. Only sessions that are further are folded,
    /// from the state of their last fold.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn spent(&self) -> Result<NanoUsd, StoreError> {
        self.catch_up_spent().await?;
        self.inner.backend.spent().await.map(NanoUsd::new)
    }
}

/// The name of the line that an entry belongs to; `None` if the query excludes it.
fn name(
    by: UsageGrouping,
    query: &UsageQuery,
    run: &str,
    entry: &UsageEntry,
    agents: &BTreeMap<String, String>,
) -> Option<String> {
    let outside = query.run.as_deref().is_some_and(|wanted| wanted != run)
        || query.since.is_some_and(|since| entry.day < since)
        || query.until.is_some_and(|until| entry.day > until);
    if outside {
        return None;
    }
    match (by, &entry.subject) {
        (UsageGrouping::Session, UsageSubject::Model(_)) => Some(run.to_owned()),
        (UsageGrouping::Model, UsageSubject::Model(name))
        | (UsageGrouping::Tool, UsageSubject::Tool(name)) => Some(name.clone()),
        (UsageGrouping::Day, UsageSubject::Model(_)) => Some(entry.day.to_string()),
        (UsageGrouping::Agent, UsageSubject::Model(_)) => {
            let known = agents.get(run).filter(|agent| !agent.is_empty());
            Some(known.map_or(UNKNOWN, String::as_str).to_owned())
        }
        (
            UsageGrouping::Session | UsageGrouping::Model | UsageGrouping::Day | UsageGrouping::Agent,
            UsageSubject::Tool(_),
        )
        | (UsageGrouping::Tool, UsageSubject::Model(_)) => None,
    }
}
