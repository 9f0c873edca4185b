//! Messages that wait for delivery. They stay in the store until a recipient accepts them, so
//! neither a restart nor an address that is down for hours loses one.
//!
//! It sends nothing (`webhook_sender.rs`) and stores nothing itself (`job_repository.rs`). A
//! message is claimed before it is sent, so that two servers do not send it together.

use holm_kernel::Timestamp;
use serde::{Deserialize, Serialize};

use super::{JobId, JobNotification, JobNotificationKind, JobRunKey, ScheduledJob, WebhookDeliveryError};
use crate::auth::UserName;

/// Seconds before each further attempt: ten attempts within a day. A recipient that is down for
/// longer misses the message.
const PAUSES_S: [u64; 9] = [10, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];
/// How long a claim lasts: longer than one attempt can take.
const CLAIM_MS: u64 = 60_000;

/// A notification that waits for delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookDelivery {
    pub kind: JobNotificationKind,
    pub job: JobId,
    pub run: JobRunKey,
    /// The session in which it happened, if there is one.
    #[serde(default)]
    pub session: Option<String>,
    pub reason: String,
    pub at: Timestamp,
    /// The address of the recipient.
    pub url: String,
    /// The number of attempts so far.
    #[serde(default)]
    pub tries: u32,
    /// The next attempt is not made before this time.
    pub not_before: Timestamp,
}

/// What happens after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryRetry {
    /// It is tried again.
    Again(Timestamp),
    GivenUp,
}

impl WebhookDelivery {
    /// A message about something that just happened, if the job names an address for notifications.
    pub(super) fn new(
        job: &ScheduledJob,
        run: &JobRunKey,
        kind: JobNotificationKind,
        session: Option<String>,
        reason: String,
        now: Timestamp,
    ) -> Option<Self> {
        let (url, job, run) = (job.spec.notify.clone()?, job.id.clone(), run.clone());
        Some(Self { kind, job, run, session, reason, at: now, url, tries: 0, not_before: now })
    }

    /// The notification to send, signed with the current key of the job.
    pub(super) fn news(&self, user: &UserName, job: &ScheduledJob, now: Timestamp) -> JobNotification {
        JobNotification {
            kind: self.kind,
            user: user.clone(),
            job: self.job.clone(),
            run: self.run.clone(),
            session: self.session.clone(),
            reason: self.reason.clone(),
            at: self.at,
            url: self.url.clone(),
            key: job.key.clone(),
            old: job.old_key(now).cloned(),
        }
    }

    /// Claims the message for one more attempt. If this process ends first, the claim expires and
    /// the message is tried again.
    pub(super) fn claim(&mut self, now: Timestamp) {
        self.tries = self.tries.saturating_add(1);
        self.not_before = now.plus(CLAIM_MS);
    }

    /// Decides what happens after a failed attempt.
    pub(super) fn after(&self, error: &WebhookDeliveryError, now: Timestamp) -> DeliveryRetry {
        let tried = usize::try_from(self.tries).unwrap_or(usize::MAX);
        match PAUSES_S.get(tried.saturating_sub(1)) {
            Some(pause) if !error.is_final() => DeliveryRetry::Again(now.plus(pause * 1_000)),
            Some(_) | None => DeliveryRetry::GivenUp,
        }
    }
}
