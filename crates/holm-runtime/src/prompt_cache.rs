//! Finds the calls for which a provider's prompt cache served less than it could, and the cause.
//!
//! It uses events only, so a replay finds the same breaks. It reports and changes nothing: what
//! keeps a prompt stable is decided in the kernel (`holm-kernel/src/context/plan.rs`,
//! `holm-kernel/src/run/pinned_offer.rs`). Sums over sessions are made in
//! `holm-store/src/derive/usage.rs`.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use holm_kernel::{Event, ModelCallId, Numbered, PlanStep, Timestamp, Usage};
use serde::{Deserialize, Serialize};

/// How long providers keep a prompt after its last use, if nothing else was asked for.
const LIFETIME: Duration = Duration::from_secs(300);

/// Tokens at the end of a prompt that no cache may have: providers cache whole blocks.
const TAIL_TOKENS: u64 = 1_024;

/// The same as a part of the prompt (a divisor): providers count the same text a little
/// differently from call to call.
const TAIL_PART: u64 = 8;

/// Why a provider read again what its cache had. The first of several causes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheBreakCause {
    /// Another model was called.
    Model,
    /// The view of the transcript was made smaller.
    Compaction,
    /// The mode changed, and the tools with it.
    Mode,
    /// The list of tools changed.
    Tools,
    /// Nothing changed, but the last call was longer ago than providers keep a prompt.
    Expiry,
    /// Nothing changed: the provider dropped the prompt early.
    Eviction,
}

impl CacheBreakCause {
    pub const ALL: [Self; 6] =
        [Self::Model, Self::Compaction, Self::Mode, Self::Tools, Self::Expiry, Self::Eviction];

    /// The cause as people read it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Compaction => "compaction",
            Self::Mode => "mode",
            Self::Tools => "tools",
            Self::Expiry => "expiry",
            Self::Eviction => "eviction",
        }
    }
}

/// A call that a provider's cache did not serve as far as it could.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheBreak {
    pub call: ModelCallId,
    pub model: Arc<str>,
    pub cause: CacheBreakCause,
    /// Tokens of the previous prompt that the cache did not serve.
    pub tokens: u64,
}

/// How often the cache broke, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheBreaks {
    pub model: u64,
    pub compaction: u64,
    pub mode: u64,
    pub tools: u64,
    pub expiry: u64,
    pub eviction: u64,
    /// Tokens that were read again because of them.
    pub tokens: u64,
}

impl CacheBreaks {
    /// The breaks of one cause.
    pub const fn of(self, cause: CacheBreakCause) -> u64 {
        match cause {
            CacheBreakCause::Model => self.model,
            CacheBreakCause::Compaction => self.compaction,
            CacheBreakCause::Mode => self.mode,
            CacheBreakCause::Tools => self.tools,
            CacheBreakCause::Expiry => self.expiry,
            CacheBreakCause::Eviction => self.eviction,
        }
    }

    /// The breaks of all causes.
    pub fn total(self) -> u64 {
        CacheBreakCause::ALL.into_iter().map(|cause| self.of(cause)).fold(0, u64::saturating_add)
    }

    /// The sum of two counts, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            model: self.model.saturating_add(other.model),
            compaction: self.compaction.saturating_add(other.compaction),
            mode: self.mode.saturating_add(other.mode),
            tools: self.tools.saturating_add(other.tools),
            expiry: self.expiry.saturating_add(other.expiry),
            eviction: self.eviction.saturating_add(other.eviction),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }
}

impl From<&CacheBreak> for CacheBreaks {
    fn from(found: &CacheBreak) -> Self {
        let once = |cause: CacheBreakCause| u64::from(found.cause == cause);
        Self {
            model: once(CacheBreakCause::Model),
            compaction: once(CacheBreakCause::Compaction),
            mode: once(CacheBreakCause::Mode),
            tools: once(CacheBreakCause::Tools),
            expiry: once(CacheBreakCause::Expiry),
            eviction: once(CacheBreakCause::Eviction),
            tokens: found.tokens,
        }
    }
}

/// Watches the model calls of one run.
///
/// It only uses events, so a replay of the journal finds the same breaks as the run itself. It
/// compares what the provider's cache served with the prompt of the call before, and takes the cause
/// from the changes that the run reported between the two. Calls of a model whose provider reports
/// no cache have no breaks.
///
/// ```
/// use holm_runtime::PromptCacheMonitor;
///
/// assert_eq!(PromptCacheMonitor::default(), PromptCacheMonitor::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptCacheMonitor {
    /// The call under way.
    called: Option<CalledModel>,
    /// The last prompt that a provider has counted.
    last: Option<SentPrompt>,
    /// The first cause among the changes since then.
    changed: Option<CacheBreakCause>,
    /// Models whose provider has reported a cache.
    caching: BTreeSet<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CalledModel {
    call: ModelCallId,
    model: Arc<str>,
    at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SentPrompt {
    model: Arc<str>,
    tokens: u64,
    /// When its reply arrived.
    at: Timestamp,
}

impl PromptCacheMonitor {
    /// Takes one event; returns the break that it shows.
    pub fn event(&mut self, numbered: &Numbered) -> Option<CacheBreak> {
        match &numbered.event {
            Event::ModelCalled { call, model, .. } => {
                self.called = Some(CalledModel { call: *call, model: Arc::clone(model), at: numbered.at });
            }
            // Summaries and skills have their own prompts and no `ModelCalled`.
            Event::ModelReplied { call, usage, .. } => {
                let called = self.called.take_if(|called| called.call == *call)?;
                return self.replied(called, *usage, numbered.at);
            }
            Event::ContextPlanned { step, .. } if *step != PlanStep::SummaryDiscarded => {
                self.change(CacheBreakCause::Compaction);
            }
            Event::ModeChanged { .. } => self.change(CacheBreakCause::Mode),
            Event::ToolsChanged { .. } => self.change(CacheBreakCause::Tools),
            _ => {}
        }
        None
    }

    fn change(&mut self, cause: CacheBreakCause) {
        self.changed = Some(self.changed.map_or(cause, |earlier| earlier.min(cause)));
    }

    fn replied(&mut self, called: CalledModel, usage: Usage, at: Timestamp) -> Option<CacheBreak> {
        let changed = self.changed.take();
        if usage.is_estimated() || usage.input == 0 {
            self.last = None;
            return None;
        }
        let last =
            self.last.replace(SentPrompt { model: Arc::clone(&called.model), tokens: usage.input, at });
        let found = last.and_then(|last| self.found(&last, &called, usage, changed));
        if usage.cached > 0 || usage.cache_write > 0 {
            self.caching.insert(called.model);
        }
        found
    }

    fn found(
        &self,
        last: &SentPrompt,
        called: &CalledModel,
        usage: Usage,
        changed: Option<CacheBreakCause>,
    ) -> Option<CacheBreak> {
        let tokens = last.tokens.saturating_sub(usage.cached);
        if !self.caching.contains(&last.model) || tokens <= TAIL_TOKENS.max(last.tokens / TAIL_PART) {
            return None;
        }
        let is_old = Duration::from_millis(called.at.since(last.at)) > LIFETIME;
        let unchanged = if is_old { CacheBreakCause::Expiry } else { CacheBreakCause::Eviction };
        let cause =
            if last.model == called.model { changed.unwrap_or(unchanged) } else { CacheBreakCause::Model };
        Some(CacheBreak { call: called.call, model: Arc::clone(&called.model), cause, tokens })
    }
}

#[cfg(test)]
mod tests;
