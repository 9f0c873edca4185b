//! Interprets how a command ended: its exit code, and the text or object that it printed. What
//! follows from a reply is decided in `command.rs`. An object that is not understood counts as a
//! refusal, because it may have been one. An approval is ignored.

use serde::Deserialize;
use serde_json::Value;

use super::{HookOutput, HookRunError};

/// The exit code that blocks.
const BLOCKS: i32 = 2;

/// The reason for a command that blocks without giving one.
const UNSAID: &str = "a hook blocked it";

/// The reason for a command whose answer cannot be read.
const NOT_UNDERSTOOD: &str = "a hook answered with an object that Holm does not understand";

/// The reply of a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HookReply {
    pub(super) block: Option<String>,
    pub(super) arguments: Option<Value>,
    /// The context to add.
    pub(super) context: Option<String>,
}

impl HookReply {
    /// Reads the result of a command. Exit code 2 blocks, and the text on standard error is the
    /// reason. With exit code 0 the reply is read. Any other code is a fault of the command and
    /// counts as no reply. A command that was killed has not replied either, and the caller
    /// decides what that means.
    pub(super) fn of(done: Result<HookOutput, HookRunError>) -> Result<Self, HookRunError> {
        let done = done?;
        match done.code {
            0 => Ok(Self::said(&done.stdout)),
            BLOCKS => Ok(Self::blocked(done.stderr.trim())),
            _ => Ok(Self::default()),
        }
    }

    fn blocked(reason: &str) -> Self {
        let reason = if reason.is_empty() { UNSAID } else { reason };
        Self { block: Some(reason.to_owned()), ..Self::default() }
    }

    /// Text that is not an object is context. An object is a decision, and one that is not
    /// understood may have been a refusal. An approval by a command is ignored, because hooks only
    /// narrow. A request that a person decides is not an approval.
    fn said(stdout: &str) -> Self {
        let text = stdout.trim();
        if !text.starts_with('{') {
            let context = (!text.is_empty()).then(|| text.to_owned());
            return Self { context, ..Self::default() };
        }
        let Ok(raw) = serde_json::from_str::<RawHookReply>(text) else {
            return Self::blocked(NOT_UNDERSTOOD);
        };
        let own = raw.specific.unwrap_or_default();
        let reason = own.reason.or(raw.reason).unwrap_or_default();
        let decisions = [own.decision.as_deref(), raw.decision.as_deref()];
        if raw.goes_on == Some(false) || decisions.iter().flatten().any(|said| is_no(said)) {
            return Self::blocked(reason.trim());
        }
        Self { block: None, arguments: own.input.or(raw.input), context: own.context.or(raw.context) }
    }
}

fn is_no(decision: &str) -> bool {
    !matches!(decision, "allow" | "approve")
}

#[derive(Deserialize)]
struct RawHookReply {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    decision: Option<String>,
    #[serde(alias = "stopReason")]
    reason: Option<String>,
    #[serde(rename = "updatedInput")]
    input: Option<Value>,
    #[serde(rename = "additionalContext")]
    context: Option<String>,
    #[serde(rename = "hookSpecificOutput")]
    specific: Option<RawSpecificReply>,
}

#[derive(Default, Deserialize)]
struct RawSpecificReply {
    #[serde(rename = "permissionDecision")]
    decision: Option<String>,
    #[serde(rename = "permissionDecisionReason")]
    reason: Option<String>,
    #[serde(rename = "updatedInput")]
    input: Option<Value>,
    #[serde(rename = "additionalContext")]
    context: Option<String>,
}
