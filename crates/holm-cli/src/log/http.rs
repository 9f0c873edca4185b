//! Sends a log to a URL. Lines that arrived since the last request go out with the next one. A URL
//! on another machine needs a grant, and `--offline` allows only this machine. What a line contains
//! is decided in `log.rs`; `otlp/outbox.rs` sends traces and metrics.

use std::{sync::Arc, time::Duration};

use holm::grants::{AccessRequest, GrantPolicy, GrantSet, Url};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, TlsConfig};
use tokio::{sync::mpsc::Receiver, task::JoinHandle};

use crate::{
    exit::{CommandError, CommandExit},
    network_scope::NetworkScope,
};

/// Approximate size of one request: a larger one would make its reader wait for no reason.
const BATCH_BYTES: usize = 1 << 20;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the last lines may take once the command is done.
const LAST_PATIENCE: Duration = Duration::from_secs(15);

/// How many bytes of a response are read: its content is not used.
const ANSWER_BYTES: u64 = 64 << 10;

/// The URL that lines are sent to.
pub(crate) struct HttpLogTarget {
    client: HttpClient,
    policy: GrantPolicy,
    limits: ExchangeLimits,
    url: Url,
}

impl HttpLogTarget {
    /// An address on this machine, or one that is granted; `flag` has named it.
    pub(crate) fn new(
        flag: &str,
        url: &Url,
        granted: &GrantSet,
        bounds: NetworkScope,
    ) -> anyhow::Result<Self> {
        let mut grants = granted.clone();
        let origin = format!("fetch:{}://{}:{}", url.scheme(), url.host(), url.port());
        if url.host().is_loopback() {
            grants.extend(GrantSet::parse([origin.as_str()])?.iter().cloned());
        }
        if grants.admitting(&AccessRequest::Fetch(url.clone())).is_none() {
            let message = format!("{flag} {url} is not on this machine, and the run has no grant for it");
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint(format!("add --grant {origin}"))
                .into());
        }
        bounds.admits("the log", &url.to_string())?;
        // A redirect would lead to an address that the user did not name.
        let limits =
            ExchangeLimits { body: ANSWER_BYTES, total: PATIENCE, redirects: 0, ..ExchangeLimits::default() };
        let client = HttpClient::new(bounds.connector(), TlsConfig::platform()?);
        let policy = GrantPolicy { grants, ..GrantPolicy::default() };
        Ok(Self { client, policy, limits, url: url.clone() })
    }

    /// Sends lines until no more can come. A request that fails costs its lines and no others.
    pub(super) async fn send_all(self, mut lines: Receiver<Arc<str>>) -> Result<(), String> {
        let (mut lost, mut why) = (0_usize, String::new());
        while let Some(first) = lines.recv().await {
            let (mut count, mut body) = (1, format!("{first}\n"));
            while body.len() < BATCH_BYTES
                && let Ok(line) = lines.try_recv()
            {
                (count, body) = (count + 1, body + &line + "\n");
            }
            if let Err(reason) = self.send("application/x-ndjson", body).await {
                (lost, why) = (lost + count, reason);
            }
        }
        if lost == 0 { Ok(()) } else { Err(format!("{lost} lines were not accepted ({why})")) }
    }

    /// Sends one request. Only the status of the response matters; its content is ignored.
    pub(crate) async fn send(&self, kind: &str, body: String) -> Result<(), String> {
        let request = HttpClientRequest::post(self.url.clone())
            .header("content-type", kind)
            .map_err(|error| error.to_string())?
            .body(body);
        let sent = self.client.send(request, &self.policy, &self.limits).await;
        let answer = sent.map_err(|error| error.to_string())?;
        let status = answer.status();
        // Read to its end, so that the line can be used again.
        answer.bytes().await.map_err(|error| error.to_string())?;
        if status.is_success() { Ok(()) } else { Err(format!("the server answered {status}")) }
    }
}

/// Waits for the last lines, and not for ever.
pub(super) async fn in_time(task: JoinHandle<Result<(), String>>) -> Result<(), String> {
    match tokio::time::timeout(LAST_PATIENCE, task).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("the last lines were not accepted within {} s", LAST_PATIENCE.as_secs())),
    }
}
