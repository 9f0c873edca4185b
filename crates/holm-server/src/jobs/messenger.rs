//! Sends notifications about jobs to other programs.

use std::{sync::Arc, time::Duration};

use holm_grants::{GrantError, GrantSet, Policy, Url};
use holm_kernel::Timestamp;
use holm_net::{Client, HttpRequest, Limits, NetError};
use holm_runtime::{BoxFuture, Clock};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{HookKey, JobId, Slot};
use crate::auth::UserName;

/// How long one try may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most of an answer that is read: only its status counts.
const MOST_ANSWER: u64 = 4 * 1024;
/// The longest reason that is told.
const MOST_REASON: usize = 1_000;

/// Something to be told.
#[derive(Debug, Clone)]
pub struct News {
    pub kind: NewsKind,
    pub user: UserName,
    pub job: JobId,
    pub run: Slot,
    /// The session in which it happened, if it came to one.
    pub session: Option<String>,
    pub reason: String,
    pub at: Timestamp,
    /// Where it is told.
    pub url: String,
    pub key: HookKey,
    /// What signed such messages before, for as long as it counts.
    pub old: Option<HookKey>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsKind {
    /// A run failed for good.
    Failed,
    /// A run failed for good, and its job was switched off.
    SwitchedOff,
    /// A run waits for a user's answer.
    Asks,
}

impl NewsKind {
    /// The word for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "job.failed",
            Self::SwitchedOff => "job.switched_off",
            Self::Asks => "job.asks",
        }
    }
}

impl News {
    /// Its id: the same thing that happened is told under the same one.
    pub fn id(&self) -> String {
        let session = self.session.as_deref().unwrap_or_default();
        let slot = Slot::message(&format!("{} {} {} {session}", self.kind.name(), self.user, self.job));
        format!("msg_{}_{}_{}", self.run, slot.as_str().trim_start_matches("hook-"), self.at)
    }

    /// The signatures of a message, one for each key. A recipient that knows one of the keys can
    /// verify it.
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

pub trait Messenger: Send + Sync {
    /// Tells it, in one try.
    fn tell(&self, news: News) -> BoxFuture<'static, Result<(), Undelivered>>;
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// The address cannot be told anything.
    #[error("the address is none")]
    Address,
    /// The network policy refuses the connection, or the recipient does not answer.
    #[error("{0}")]
    Net(#[from] NetError),
    /// It was not taken.
    #[error("it was answered with {0}")]
    Status(u16),
}

impl Undelivered {
    /// Whether it would be the same another time.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Address | Self::Net(NetError::Refused(_)) => true,
            Self::Net(_) | Self::Status(_) => false,
        }
    }
}

/// Tells by signed HTTP messages, over checked connections alone.
#[derive(Clone)]
pub struct Webhooks {
    client: Client,
    policy: Policy,
    clock: Arc<dyn Clock>,
}

impl Webhooks {
    /// Tells addresses of the open network over `https`; a name that leads to this machine or its neighbours is refused.
    ///
    /// # Errors
    /// None that can happen; the grant is a constant.
    pub fn new(client: Client, clock: Arc<dyn Clock>) -> Result<Self, GrantError> {
        let policy = Policy { grants: GrantSet::parse(["fetch:https://*"])?, ..Policy::default() };
        Ok(Self::within(client, policy, clock))
    }

    /// Tells what a policy admits.
    pub fn within(client: Client, policy: Policy, clock: Arc<dyn Clock>) -> Self {
        Self { client, policy, clock }
    }

    async fn send(&self, news: &News, id: &str, body: &[u8]) -> Result<(), Undelivered> {
        let url: Url = news.url.parse().map_err(|_| Undelivered::Address)?;
        let at_s = self.clock.now().value() / 1_000;
        let request = HttpRequest::post(url)
            .header("content-type", "application/json")?
            .header("webhook-id", id)?
            .header("webhook-timestamp", &at_s.to_string())?
            .header("webhook-signature", &news.signature(id, at_s, body))?
            .body(body.to_vec());
        // A redirect would lead to an address that the job does not name.
        let limits =
            Limits { body: MOST_ANSWER, total: PATIENCE, idle: PATIENCE, redirects: 0, ..Limits::default() };
        let status = self.client.send(request, &self.policy, &limits).await?.status();
        if status.is_success() { Ok(()) } else { Err(Undelivered::Status(status.as_u16())) }
    }
}

impl Messenger for Webhooks {
    fn tell(&self, news: News) -> BoxFuture<'static, Result<(), Undelivered>> {
        let webhooks = self.clone();
        Box::pin(async move {
            let (id, body) = (news.id(), news.body());
            webhooks.send(&news, &id, &body).await
        })
    }
}

impl std::fmt::Debug for Webhooks {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Webhooks").finish_non_exhaustive()
    }
}
