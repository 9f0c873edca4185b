//! Names of jobs, and the keys that identify their runs. The store accepts each key once per job,
//! so the same scheduled time or message must always give the same key. Names of sessions are made
//! of both, and are parsed in `holm-server/src/id.rs`.

use std::{fmt, str::FromStr};

use holm_kernel::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{ApiError, ServerError, SessionId, id::check_name};

/// The longest name: the session names that are made from it must stay valid.
const LONGEST: usize = 48;

/// Bytes of the digest that names a message: enough to rule out collisions.
const NAMED: usize = 16;

/// The name of a job.
///
/// ```
/// use holm_server::jobs::JobId;
///
/// assert!("nightly-report".parse::<JobId>().is_ok());
/// assert!("../report".parse::<JobId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(String);

impl JobId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for JobId {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        check_name("a job", text, LONGEST)?;
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for JobId {
    type Error = ServerError;

    fn try_from(text: String) -> Result<Self, ServerError> {
        text.parse()
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The key of a run: a scheduled time, a user's request, or a message. A job has one run per key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobRunKey(String);

impl JobRunKey {
    /// The key of a scheduled time.
    pub fn at(due: Timestamp) -> Self {
        Self(format!("at-{due}"))
    }

    /// A run that a user starts now.
    ///
    /// # Errors
    /// [`ServerError::Random`] if the system has no randomness.
    pub fn now() -> Result<Self, ServerError> {
        let mut bytes = [0_u8; NAMED];
        getrandom::fill(&mut bytes).map_err(|error| ServerError::Random(error.to_string()))?;
        Ok(Self(format!("now-{}", hex(&bytes))))
    }

    /// The key of a message from another program. The same message has the same key, so it
    /// starts only one run.
    pub fn message(id: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(id).into();
        Self(format!("hook-{}", hex(digest.get(..NAMED).unwrap_or_default())))
    }

    /// The key as it is stored.
    pub(crate) fn kept(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The session name of an attempt, counted from 1.
    pub(crate) fn session(&self, job: &JobId, attempt: usize) -> Result<SessionId, ApiError> {
        format!("job.{job}.{self}.{attempt}").parse()
    }
}

impl fmt::Display for JobRunKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}
