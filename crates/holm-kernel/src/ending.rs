//! How a turn group ends. Each ending carries the figures that led to it.
//!
//! These are data; the files of `run/` decide which ending applies, and all of them end a group
//! through `finish` in `run/stop.rs`. An ending is not an `Err`: what a model, a tool or a provider
//! did wrong is a result of the run. Endings are stored and shown, so a variant keeps its meaning.

use alloc::string::String;
use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{FailureClass, NanoUsd};

/// How a turn group ended. The transcript in the run is complete up to this point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The model answered, or the tools voted to end the run.
    Answered {
        /// The answer; empty if tools ended the run without text.
        text: String,
    },
    /// The model or its provider declined.
    Refused {
        /// The model's or provider's explanation, if any.
        reason: String,
    },
    /// A result was rejected, and the one correction did not help.
    Rejected { what: String, reason: String },
    /// The same calls gave the same results, again and again. [`loop_in_words`] says it.
    Looping {
        /// The tool that was called again and again. Empty for turns that gave nothing new.
        tool: String,
        /// How many calls, or how many turns.
        times: u64,
    },
    /// The money is spent.
    OverBudget { spent: NanoUsd, limit: NanoUsd },
    /// Another limit is reached.
    OverLimit {
        limit: Limit,
        /// How much was used.
        used: u64,
        /// How much was allowed.
        allowed: u64,
    },
    /// A person or the host cancelled it.
    Cancelled { reason: String },
    /// The run cannot continue.
    Failed {
        /// The class of the last failure.
        class: FailureClass,
        message: String,
        /// How often it was tried.
        attempts: u64,
    },
}

/// Says what a loop was. One without a tool is a number of turns that gave nothing new.
#[must_use]
pub fn loop_in_words(tool: &str, times: u64) -> String {
    if tool.is_empty() {
        return alloc::format!("{times} turns in a row gave nothing new");
    }
    alloc::format!("`{tool}` was called {times} times with the same result")
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Model turns of the group.
    Turns,
    /// Tokens of the run.
    Tokens,
    /// Wall clock of the group, in milliseconds.
    WallClock,
    /// The output cap of a reply, after every recovery.
    OutputTokens,
    /// The model's window, after every recovery.
    ContextWindow,
}

/// What is counted, as in "3 turns left".
impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Turns => "turns",
            Self::Tokens => "tokens",
            Self::WallClock => "milliseconds",
            Self::OutputTokens => "output tokens of a reply",
            Self::ContextWindow => "tokens of the context window",
        })
    }
}
