//! The specification of a job, as a user writes it. The defaults are the cautious choice.

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{JobError, When};
use crate::meant::did_you_mean;

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

/// What a job is to do, when, and how it is kept from doing harm.
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
    /// When it runs.
    pub when: When,
    /// What is asked.
    pub prompt: String,
    /// What it is for, in a person's words.
    #[serde(default)]
    pub about: String,
    /// Which agent; the usual one where none is named.
    #[serde(default)]
    pub agent: Option<String>,
    /// Which model; the agent's own where none is named.
    #[serde(default)]
    pub model: Option<String>,
    /// How long a try may take, in seconds; time in which somebody is asked does not count.
    #[serde(default = "usual_timeout")]
    pub timeout_s: u64,
    /// The most a try may cost, in billionths of a US dollar.
    #[serde(default)]
    #[schema(value_type = Option<u64>)]
    pub budget: Option<NanoUsd>,
    /// What happens when it is due while it works.
    #[serde(default)]
    pub overlap: Overlap,
    /// What happens with times that passed while nothing could run.
    #[serde(default)]
    pub misfire: Misfire,
    /// How often it is tried again.
    #[serde(default)]
    pub retry: Retry,
    /// What happens when a call needs somebody's yes.
    #[serde(default)]
    pub approval: Approval,
    /// The most starts in an hour, tries included.
    #[serde(default = "usual_per_hour")]
    pub per_hour: u32,
    /// After so many failed runs in a row it is switched off.
    #[serde(default = "usual_failures")]
    pub off_after: u32,
    /// Where failures and questions are told: an `https` address.
    #[serde(default)]
    pub notify: Option<String>,
    /// Whether a signed message may start it.
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
        let Ok(Value::Object(mut whole)) = serde_json::to_value(self) else {
            return Err(wrong("the job cannot be written".into()));
        };
        for (name, value) in fields {
            // All fields are serialized, so a name that is missing here is not a field.
            if !whole.contains_key(name) {
                let meant = did_you_mean(name, whole.keys().map(String::as_str));
                return Err(wrong(format!("there is no field `{name}`{meant}")));
            }
            match value {
                Value::Null => drop(whole.remove(name)),
                value => drop(whole.insert(name.clone(), value.clone())),
            }
        }
        serde_json::from_value(Value::Object(whole)).map_err(|error| wrong(error.to_string()))
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
        let bounded = |what, value: u64, least: u64, most: u64| {
            let fits = (least..=most).contains(&value);
            if fits { Ok(()) } else { Err(JobError::Bounds { what, value, least, most }) }
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

/// What happens when a job is due while it works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The new time is let go.
    #[default]
    Skip,
    /// The new time waits for its turn.
    Queue,
    /// What works is stopped for it.
    Replace,
}

/// What happens with times that passed while nothing could run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Misfire {
    /// They are let go.
    Skip,
    /// One run stands for all of them.
    #[default]
    Once,
    /// Each has its run, up to a bound; the latest are taken.
    All {
        /// The bound.
        most: u32,
    },
}

/// How often a failed run is tried again, each time after twice as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Tries after the first.
    #[serde(default)]
    pub most: u32,
    /// Seconds before the first of them.
    #[serde(default = "usual_pause")]
    pub first_s: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { most: 0, first_s: usual_pause() }
    }
}

/// What happens when a call needs somebody's yes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// It is denied at once, and the agent goes on without.
    #[default]
    Deny,
    /// The run waits until somebody who watches it answers.
    Park,
    /// It waits too, and the address in `notify` is told.
    Notify,
}

/// Whether a signed message may start a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// It may not.
    #[default]
    Closed,
    /// It may.
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
    if url.scheme() == holm_grants::Scheme::Https { Ok(()) } else { Err(JobError::Address) }
}
