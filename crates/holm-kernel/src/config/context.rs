//! Settings for fitting a long transcript into a model's window: when to shrink the view, how far,
//! and whether a model writes a summary.
//!
//! Only data and defaults are here. `context/plan.rs` decides with them,
//! `context/token_thresholds.rs` turns the shares into tokens, and the window of a model is in
//! `config/model.rs`. Shares are whole thousandths, because no float may affect a decision.

use alloc::string::String;

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// Settings of the context planner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct ContextPolicy {
    /// The window to plan for if the model's own is unknown, in tokens.
    pub default_window: u64,
    /// Planning starts at this share of the window, in thousandths.
    pub trigger_milli: u64,
    /// Planning stops at this share, in thousandths; the gap keeps the prefix
    /// stable between two plans.
    pub target_milli: u64,
    /// Turns at the end that are never touched.
    pub keep_turns: u64,
    /// The most messages in view; `None` means that only tokens count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<u64>,
    /// Whether and how the oldest part is summarised.
    pub summary: SummaryPolicy,
    /// Tokens for the last words of the user that stay in view, and as many for the facts that the
    /// note about the rest repeats word for word: calls of tools with a
    /// [`Retention`](crate::Retention) and the files that were used. Each is at most an eighth of
    /// the target. Zero keeps the task and the latest prompt only.
    #[serde(skip_serializing_if = "crate::message::is_zero")]
    pub verbatim_tokens: u64,
}

impl Default for ContextPolicy {
    fn default() -> Self {
        Self {
            default_window: 128_000,
            trigger_milli: 800,
            target_milli: 500,
            keep_turns: 4,
            max_messages: None,
            summary: SummaryPolicy::default(),
            verbatim_tokens: 0,
        }
    }
}

/// Whether a model is asked to summarise what leaves the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum SummaryPolicy {
    /// No summary: old results are elided and old turns leave the window.
    Never,
    /// Ask for a summary with this instruction; `None` uses the built-in one.
    Ask {
        /// The instruction for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instruction: Option<String>,
    },
}

impl Default for SummaryPolicy {
    fn default() -> Self {
        Self::Ask { instruction: None }
    }
}
