//! Limits of a run, with their defaults. A limit is lifted only by naming it `Unbounded`, so that a
//! forgotten field never lifts one.
//!
//! This file only declares them: `run/turn.rs` checks turns, tokens and time before each model
//! call, `run/budget_share.rs` checks money and tokens, and `run/stop.rs` ends a group at its
//! deadline. Limits of one tool (quota, time, size of results) are in `config/tool.rs`.

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::NanoUsd;

/// A limit that can only be lifted explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At most this many.
    AtMost(u64),
    /// No limit, stated explicitly.
    Unbounded,
}

impl Bound {
    /// Whether `value` is over the bound.
    pub const fn exceeded_by(self, value: u64) -> bool {
        match self {
            Self::AtMost(limit) => value > limit,
            Self::Unbounded => false,
        }
    }

    /// The bound, or this number where it is lower.
    #[must_use]
    pub const fn at_most(self, other: Option<u64>) -> Self {
        match (self, other) {
            (_, None) => self,
            (Self::AtMost(own), Some(other)) if own <= other => self,
            (Self::AtMost(_) | Self::Unbounded, Some(other)) => Self::AtMost(other),
        }
    }

    /// The number, if there is one.
    pub const fn limit(self) -> Option<u64> {
        match self {
            Self::AtMost(limit) => Some(limit),
            Self::Unbounded => None,
        }
    }
}

/// The limits of one run.
///
/// *Per group* means from a prompt to its ending; *per run* means over the whole session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Limits {
    /// Model turns, per group. In the last one no tool can be called, so that there is an answer.
    pub turns: Bound,
    /// The model is told to wrap up this many turns before the limit; 0 means that it is not told.
    pub grace_turns: u64,
    /// Tool calls of one reply; the rest is refused, and the model is told.
    pub calls_per_turn: Bound,
    /// Input and output tokens, per run.
    pub tokens: Bound,
    /// Wall clock in milliseconds, per group.
    pub wall_ms: Bound,
    /// The budget in money, per run.
    pub budget: Budget,
    /// What to do when a reply hits its output cap.
    pub max_tokens: MaxTokensRecovery,
    /// Characters of one tool result that reach the model, unless the tool says otherwise.
    pub result_chars: u64,
    /// How long one tool call may take, unless the tool says otherwise.
    pub tool_ms: u64,
    /// How deep children may be nested.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: Bound::AtMost(200),
            grace_turns: 3,
            calls_per_turn: Bound::AtMost(64),
            tokens: Bound::Unbounded,
            wall_ms: Bound::Unbounded,
            budget: Budget::default(),
            max_tokens: MaxTokensRecovery::default(),
            result_chars: 32_000,
            tool_ms: 600_000,
            depth: 4,
        }
    }
}

/// How much money a run may spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Budget {
    /// The hard limit; `None` means no limit in money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<NanoUsd>,
}

/// What happens when a reply is cut by its output cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct MaxTokensRecovery {
    /// The number of attempts per turn.
    pub attempts: u64,
    /// The cap doubles up to this; `None` keeps the cap and asks the model to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<u64>,
}

impl Default for MaxTokensRecovery {
    fn default() -> Self {
        Self { attempts: 3, ceiling: None }
    }
}
