//! One run of a job: its key, its attempts and its outcome. It holds data: what follows an outcome
//! is decided in `plan.rs`, and attempts are run in `attempt_runner.rs`. The types are stored and
//! part of the API, so their names must not change.

use holm_kernel::{NanoUsd, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{JobId, JobRunKey};
use crate::{ApiError, SessionId};

/// Bytes of an answer that are stored with the run; the session has all of it.
const MOST_ANSWER: usize = 16 * 1024;

/// Bytes of a message that are stored with the run and shown to the agent: enough for the events
/// that services send.
const MOST_MESSAGE: usize = 64 * 1024;

/// One run of a job. Each attempt is a session of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// The key of the run: a scheduled time, a user's request, or a message.
    #[schema(value_type = String)]
    pub slot: JobRunKey,
    /// When it was due.
    #[schema(value_type = u64)]
    pub due: Timestamp,
    pub cause: Cause,
    pub phase: Phase,
    /// Its attempts, oldest first.
    #[serde(default)]
    pub tries: Vec<Try>,
    /// The beginning of the message that started it; not part of the list of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Run {
    /// Creates a waiting run.
    pub const fn new(slot: JobRunKey, due: Timestamp, cause: Cause) -> Self {
        let phase = Phase::Waiting { not_before: due };
        Self { slot, due, cause, phase, tries: Vec::new(), message: None }
    }

    /// A run that a message started, with the beginning of the message.
    pub(super) fn of_message(slot: JobRunKey, due: Timestamp, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let message = beginning(&text, MOST_MESSAGE);
        let message = (!message.is_empty()).then(|| message.to_owned());
        Self { message, ..Self::new(slot, due, Cause::Hook) }
    }

    /// Starts a new attempt.
    pub(super) fn begin(&mut self, job: &JobId, now: Timestamp) -> Result<SessionId, ApiError> {
        let session = self.slot.session(job, self.tries.len() + 1)?;
        self.tries.push(Try {
            session: session.to_string(),
            began: now,
            ended: None,
            outcome: None,
            spent: NanoUsd::ZERO,
        });
        self.phase = Phase::Working { since: now, held_ms: 0, asked: None };
        Ok(session)
    }

    /// The session of the last attempt.
    pub(super) fn session(&self) -> Option<SessionId> {
        self.tries.last().and_then(|last| last.session.parse().ok())
    }

    /// Records that the run started or stopped waiting for a user's answer.
    pub(super) fn asking(&mut self, asking: RunQuestionState, now: Timestamp) {
        let Phase::Working { held_ms, asked, .. } = &mut self.phase else { return };
        match (*asked, asking) {
            (None, RunQuestionState::Begun) => *asked = Some(now),
            (Some(since), RunQuestionState::Over) => {
                *held_ms = held_ms.saturating_add(now.since(since));
                *asked = None;
            }
            (None, RunQuestionState::Over) | (Some(_), RunQuestionState::Begun) => {}
        }
    }
}

/// Whether a run waits for a user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunQuestionState {
    Begun,
    /// It no longer waits.
    Over,
}

/// What started a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A time of its schedule was due.
    Schedule,
    /// A user asked for it.
    Person,
    /// A signed message asked for it.
    Hook,
}

/// The phase of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Waiting for its turn or for the next attempt.
    Waiting {
        /// The earliest time at which it can start.
        #[schema(value_type = u64)]
        not_before: Timestamp,
    },
    /// An attempt is running.
    Working {
        /// When the attempt started.
        #[schema(value_type = u64)]
        since: Timestamp,
        /// Milliseconds spent waiting for a user's answer; they do not count towards the timeout.
        #[serde(default)]
        held_ms: u64,
        /// When the question that is open now was asked.
        #[serde(default)]
        #[schema(value_type = Option<u64>)]
        asked: Option<Timestamp>,
    },
    /// The run has ended.
    Ended {
        #[schema(value_type = u64)]
        at: Timestamp,
        outcome: Outcome,
    },
}

/// One attempt of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Try {
    /// The session of the attempt, with all its messages and calls.
    pub session: String,
    #[schema(value_type = u64)]
    pub began: Timestamp,
    #[serde(default)]
    #[schema(value_type = Option<u64>)]
    pub ended: Option<Timestamp>,
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// Its cost, in billionths of a US dollar.
    #[serde(default)]
    #[schema(value_type = u64)]
    pub spent: NanoUsd,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Answered {
        /// The beginning of the answer.
        text: String,
    },
    /// It failed, but another attempt may succeed.
    Failed { reason: String },
    /// It failed, and another attempt would fail too: the model declined, the budget is used up, or
    /// the agent does not exist.
    Refused { reason: String },
    /// It took longer than the job's `timeout_s`.
    TimedOut,
    /// Unknown: the attempt was running when the server ended, and its session is gone.
    Lost,
    /// It was stopped before it ended.
    Stopped {
        /// Why it was stopped.
        why: Stopped,
    },
}

impl Outcome {
    /// An answer, shortened for storage.
    pub fn answered(text: &str) -> Self {
        Self::Answered { text: beginning(text, MOST_ANSWER).to_owned() }
    }

    /// A sentence for notifications.
    pub fn in_words(&self) -> String {
        match self {
            Self::Answered { .. } => "it answered".into(),
            Self::Failed { reason } | Self::Refused { reason } => reason.clone(),
            Self::TimedOut => "it exceeded its time limit".into(),
            Self::Lost => "it was lost when the server stopped".into(),
            Self::Stopped { why: stop_reason } => match stop_reason {
                Stopped::Replaced => "it was stopped because the next run started".into(),
                Stopped::Off => "its job was switched off".into(),
                Stopped::Person => "a user stopped it".into(),
            },
        }
    }
}

/// Why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The next run replaced it.
    Replaced,
    /// Its job was disabled.
    Off,
    /// A user stopped it.
    Person,
}

/// The first bytes of a text, without a split character.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}
