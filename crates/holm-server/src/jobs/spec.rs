//! The specification of a job, as a user writes it. The defaults are the cautious choice.
//!
//! It checks the range of each field; patterns and time zones are checked in `schedule.rs`. Its
//! descriptions are part of the OpenAPI document, and unknown fields are refused.
//!
//! Routes are in `routes/jobs.rs`; the command has its own flags
//! (`holm-cli/src/commands/job/add.rs`). What happens with a job is decided in `plan.rs`.

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{JobError, When};
use crate::suggestion::did_you_mean;

/// The longest prompt in bytes: a page or two, not a book.
const MOST_PROMPT: usize = 64 * 1024;
/// The longest time that one attempt may take: a day. Longer work should be several jobs.
const MOST_TIMEOUT_S: u64 = 86_400;
/// The highest limit of starts per hour: one a minute.
const MOST_PER_HOUR: u32 = 60;
/// The most retries of a run.
const MOST_RETRIES: u32 = 10;
/// The most missed times that are made up for after a downtime.
pub(super) const MOST_MISSED: u32 = 100;

/// What a job does, when it runs, and how it is limited.
///
/// ```
/// use holm_server::jobs::{Misfire, Overlap, Spec};
///
/// let spec: Spec = serde_json::from_str(
///     r#"{"when": {"cron": {"pattern": "30 2 * * *", "zone": "Europe/Berlin"}}, "prompt": "report"}"#,
/// )?;
/// assert_eq!((spec.overlap, spec.misfire), (Overlap::Skip, Misfire::Once));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub when: When,
    /// The prompt that each run begins with.
    pub prompt: String,
    /// A description for people.
    #[serde(default)]
    pub about: String,
    /// The agent; the default one if not set.
    #[serde(default)]
    pub agent: Option<String>,
    /// The model; the agent's own if not set.
    #[serde(default)]
    pub model: Option<String>,
    /// Timeout for each attempt, in seconds; time spent waiting for a user's answer does not count.
    #[serde(default = "usual_timeout")]
    pub timeout_s: u64,
    /// Maximum cost of each attempt, in billionths of a US dollar.
    #[serde(default)]
    #[schema(value_type = Option<u64>)]
    pub budget: Option<NanoUsd>,
    /// What to do if the job is due while it is still running.
    #[serde(default)]
    pub overlap: Overlap,
    /// What to do about runs missed while no server could run them.
    #[serde(default)]
    pub misfire: Misfire,
    /// How often to retry.
    #[serde(default)]
    pub retry: Retry,
    /// What to do if a call needs approval.
    #[serde(default)]
    pub approval: Approval,
    /// Maximum number of starts per hour, including retries.
    #[serde(default = "usual_per_hour")]
    pub per_hour: u32,
    /// The job is disabled after this many failed runs in a row.
    #[serde(default = "usual_failures")]
    pub off_after: u32,
    /// An `https` address to notify about failures and questions.
    #[serde(default)]
    pub notify: Option<String>,
    /// Whether signed messages may start the job.
    #[serde(default)]
    pub hook: Door,
}

impl Spec {
    /// A job with the default policies.
    pub fn new(when: When, prompt: impl Into<String>) -> Self {
        Self {
            when,
            prompt: prompt.into(),
            about: String::new(),
            agent: None,
            model: None,
            timeout_s: usual_timeout(),
            budget: None,
            overlap: Overlap::default(),
            misfire: Misfire::default(),
            retry: Retry::default(),
            approval: Approval::default(),
            per_hour: usual_per_hour(),
            off_after: usual_failures(),
            notify: None,
            hook: Door::default(),
        }
    }

    /// A copy with some fields changed; `null` resets a field to its default.
    ///
    /// # Errors
    /// [`JobError::Field`] if there is no such field, or its value is invalid.
    pub fn with(&self, fields: &Map<String, Value>) -> Result<Self, JobError> {
        let wrong = |reason: String| JobError::Field { reason };
        let Ok(Value::Object(mut members)) = serde_json::to_value(self) else {
            return Err(wrong("the job cannot be written".into()));
        };
        for (name, value) in fields {
            // All fields are serialized, so a name that is missing here is not a field.
            if !members.contains_key(name) {
                let meant = did_you_mean(name, members.keys().map(String::as_str));
                return Err(wrong(format!("unknown field `{name}`{meant}")));
            }
            match value {
                Value::Null => drop(members.remove(name)),
                value => drop(members.insert(name.clone(), value.clone())),
            }
        }
        serde_json::from_value(Value::Object(members)).map_err(|error| wrong(error.to_string()))
    }

    /// Checks the range of every number and text.
    ///
    /// # Errors
    /// [`JobError`] with the first invalid field.
    pub(super) fn check(&self) -> Result<(), JobError> {
        if self.prompt.trim().is_empty() {
            return Err(JobError::Missing("prompt"));
        }
        if self.prompt.len() > MOST_PROMPT {
            return Err(JobError::TooLong { what: "prompt", most: MOST_PROMPT });
        }
        let bounded = |limit, value: u64, least: u64, most: u64| {
            let fits = (least..=most).contains(&value);
            if fits { Ok(()) } else { Err(JobError::Bounds { what: limit, value, least, most }) }
        };
        bounded("timeout_s", self.timeout_s, 1, MOST_TIMEOUT_S)?;
        bounded("per_hour", self.per_hour.into(), 1, MOST_PER_HOUR.into())?;
        bounded("off_after", self.off_after.into(), 1, 1_000)?;
        bounded("retry.most", self.retry.most.into(), 0, MOST_RETRIES.into())?;
        bounded("retry.first_s", self.retry.first_s, 1, MOST_TIMEOUT_S)?;
        if let Misfire::All { most } = self.misfire {
            bounded("misfire.all.most", most.into(), 1, MOST_MISSED.into())?;
        }
        if self.approval == Approval::Notify && self.notify.is_none() {
            return Err(JobError::NobodyToTell);
        }
        self.notify.as_deref().map_or(Ok(()), check_address)
    }
}

/// What to do if a job is due while it is still running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// Skip the new run.
    #[default]
    Skip,
    /// Start the new run after the current one.
    Queue,
    /// Stop the current run and start the new one.
    Replace,
}

/// What to do about runs missed while no server could run them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Misfire {
    /// Skip all of them.
    Skip,
    /// Run once for all of them.
    #[default]
    Once,
    /// Run each of them, up to a limit; the latest ones are chosen.
    All {
        /// The largest number of missed runs that run later.
        most: u32,
    },
}

/// How often to retry a failed run. The delay doubles each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Maximum number of retries.
    #[serde(default)]
    pub most: u32,
    /// Seconds before the first retry.
    #[serde(default = "usual_pause")]
    pub first_s: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { most: 0, first_s: usual_pause() }
    }
}

/// What to do if a call needs approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Deny it at once; the agent continues without it.
    #[default]
    Deny,
    /// Wait until a user who watches the session answers.
    Park,
    /// Wait as well, and send a message to the address in `notify`.
    Notify,
}

/// Whether signed messages may start a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// Signed messages are rejected.
    #[default]
    Closed,
    /// A message that is signed with the job's key starts a run.
    Open,
}

const fn usual_timeout() -> u64 {
    600
}

const fn usual_per_hour() -> u32 {
    12
}

const fn usual_failures() -> u32 {
    10
}

const fn usual_pause() -> u64 {
    30
}

/// Accepts only an `https` address, so that no machine in between can read or change a message. The
/// client checks what the name resolves to when it connects.
fn check_address(text: &str) -> Result<(), JobError> {
    let url: holm_grants::Url = text.parse().map_err(|_| JobError::Address)?;
    if url.scheme() == holm_grants::UrlScheme::Https { Ok(()) } else { Err(JobError::Address) }
}
