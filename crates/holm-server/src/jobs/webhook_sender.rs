//! Sends notifications about jobs to other programs, in one attempt. Retries are decided in
//! `webhook_delivery.rs`, and signatures made in `webhook_signature.rs`. It reaches public
//! addresses over `https` only, and follows no redirect, because that would lead to an address that
//! the job does not name.

use std::{sync::Arc, time::Duration};

use holm_grants::{GrantError, GrantPolicy, GrantSet, Url};
use holm_kernel::Timestamp;
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, NetError};
use holm_runtime::{BoxFuture, Clock};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{HookKey, JobId, JobRunKey};
use crate::auth::UserName;

/// How long one attempt may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest response that is read: only its status matters.
const MOST_ANSWER: u64 = 4 * 1024;
/// The longest reason that is sent.
const MOST_REASON: usize = 1_000;

/// A notification to send.
#[derive(Debug, Clone)]
pub struct JobNotification {
    pub kind: JobNotificationKind,
    pub user: UserName,
    pub job: JobId,
    pub run: JobRunKey,
    /// The session in which it happened, if there is one.
    pub session: Option<String>,
    pub reason: String,
    pub at: Timestamp,
    /// The address of the recipient.
    pub url: String,
    pub key: HookKey,
    /// The previous key, while it is still valid.
    pub old: Option<HookKey>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobNotificationKind {
    /// A run failed after its last attempt.
    Failed,
    /// A run failed after its last attempt, and its job was switched off.
    SwitchedOff,
    /// A run waits for a user's answer.
    Asks,
}

impl JobNotificationKind {
    /// The event name in the message.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "job.failed",
            Self::SwitchedOff => "job.switched_off",
            Self::Asks => "job.asks",
        }
    }
}

impl JobNotification {
    /// The id of the message, which is the same for the same event.
    pub fn id(&self) -> String {
        let session = self.session.as_deref().unwrap_or_default();
        let slot = JobRunKey::message(&format!("{} {} {} {session}", self.kind.name(), self.user, self.job));
        format!("msg_{}_{}_{}", self.run, slot.as_str().trim_start_matches("hook-"), self.at)
    }

    /// The signatures of a message, one for each key. A recipient that knows one of the
    /// keys can verify it.
    pub fn signature(&self, id: &str, at_s: u64, body: &[u8]) -> String {
        let keys = std::iter::once(&self.key).chain(&self.old);
        keys.map(|key| key.sign(id, at_s, body)).collect::<Vec<_>>().join(" ")
    }

    pub fn body(&self) -> Vec<u8> {
        let reason: String = self.reason.chars().take(MOST_REASON).collect();
        let data = json!({
            "user": self.user.as_str(), "job": self.job.as_str(), "run": self.run.as_str(),
            "session": self.session, "reason": reason,
        });
        json!({ "type": self.kind.name(), "timestamp": self.at.value(), "data": data })
            .to_string()
            .into_bytes()
    }
}

pub trait NotificationSender: Send + Sync {
    /// Sends it in one attempt.
    fn tell(&self, news: JobNotification) -> BoxFuture<'static, Result<(), WebhookDeliveryError>>;
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookDeliveryError {
    /// The address is invalid.
    #[error("the address is not valid")]
    Address,
    /// The network policy refuses the connection, or the recipient does not answer.
    #[error("{0}")]
    Net(#[from] NetError),
    /// The recipient did not accept it.
    #[error("the recipient answered with status {0}")]
    Status(u16),
}

impl WebhookDeliveryError {
    /// Whether another attempt would fail in the same way.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Address | Self::Net(NetError::Refused(_)) => true,
            Self::Net(_) | Self::Status(_) => false,
        }
    }
}

/// Sends signed HTTP messages over policy-checked connections.
#[derive(Clone)]
pub struct WebhookSender {
    client: HttpClient,
    policy: GrantPolicy,
    clock: Arc<dyn Clock>,
}

impl WebhookSender {
    /// Allows public addresses over `https`. A name that resolves to this machine or to the
    /// local network is refused.
    ///
    /// # Errors
    /// Never in practice: the grant is a constant.
    pub fn new(client: HttpClient, clock: Arc<dyn Clock>) -> Result<Self, GrantError> {
        let policy = GrantPolicy { grants: GrantSet::parse(["fetch:https://*"])?, ..GrantPolicy::default() };
        Ok(Self::within(client, policy, clock))
    }

    /// Allows what the policy admits.
    pub fn within(client: HttpClient, policy: GrantPolicy, clock: Arc<dyn Clock>) -> Self {
        Self { client, policy, clock }
    }

    async fn send(&self, news: &JobNotification, id: &str, body: &[u8]) -> Result<(), WebhookDeliveryError> {
        let url: Url = news.url.parse().map_err(|_| WebhookDeliveryError::Address)?;
        let at_s = self.clock.now().value() / 1_000;
        let request = HttpClientRequest::post(url)
            .header("content-type", "application/json")?
            .header("webhook-id", id)?
            .header("webhook-timestamp", &at_s.to_string())?
            .header("webhook-signature", &news.signature(id, at_s, body))?
            .body(body.to_vec());
        // A redirect would lead to an address that the job does not name.
        let limits = ExchangeLimits {
            body: MOST_ANSWER,
            total: PATIENCE,
            idle: PATIENCE,
            redirects: 0,
            ..ExchangeLimits::default()
        };
        let status = self.client.send(request, &self.policy, &limits).await?.status();
        if status.is_success() { Ok(()) } else { Err(WebhookDeliveryError::Status(status.as_u16())) }
    }
}

impl NotificationSender for WebhookSender {
    fn tell(&self, news: JobNotification) -> BoxFuture<'static, Result<(), WebhookDeliveryError>> {
        let webhooks = self.clone();
        Box::pin(async move {
            let (id, body) = (news.id(), news.body());
            webhooks.send(&news, &id, &body).await
        })
    }
}

impl std::fmt::Debug for WebhookSender {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WebhookSender").finish_non_exhaustive()
    }
}
