//! Filters late replies to the era probe, so that they are not mistaken for the reply to the
//! handshake.
//!
//! `rmcp` probes for the newer era, gives up after ten seconds, and then performs the handshake of
//! the older era. A server that starts slowly answers both in order, and `rmcp` closes the
//! connection at the first reply whose id it does not expect.
//!
//! Which era is spoken is negotiated by `rmcp`, and retried in `server_connection.rs`. All other
//! messages pass unchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;

/// A transport that filters late replies to the era probe.
pub(crate) struct EraProbeTransport<T> {
    inner: T,
    /// The ids of era probes.
    asked: Vec<RequestId>,
    /// The ids of probes that were abandoned for a handshake.
    given_up: Vec<RequestId>,
    seen: LateEraFlag,
}

/// Whether the server answered an abandoned probe for the newer era.
#[derive(Debug, Clone, Default)]
pub(crate) struct LateEraFlag(Arc<AtomicBool>);

impl LateEraFlag {
    pub(crate) fn is_newer(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<T> EraProbeTransport<T> {
    pub(crate) fn new(inner: T, seen: LateEraFlag) -> Self {
        Self { inner, asked: Vec::new(), given_up: Vec::new(), seen }
    }

    fn note(&mut self, message: &ClientJsonRpcMessage) {
        let JsonRpcMessage::Request(request) = message else { return };
        match &request.request {
            ClientRequest::DiscoverRequest(_) => self.asked.push(request.id.clone()),
            ClientRequest::InitializeRequest(_) => self.given_up.append(&mut self.asked),
            _ => {}
        }
    }

    /// Whether a message is a late reply to an abandoned probe.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => &response.id,
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => id,
                None => return false,
            },
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => return false,
        };
        // Some servers answer a numeric id with the same number as a string.
        let Some(at) = self.given_up.iter().position(|asked| asked.to_string() == id.to_string()) else {
            return false;
        };
        self.given_up.swap_remove(at);
        if matches!(message, JsonRpcMessage::Response(_)) {
            self.seen.0.store(true, Ordering::Relaxed);
        }
        true
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for EraProbeTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.note(&item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            if !self.is_late(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rmcp::model::ProtocolVersion;
    use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

    use super::{EraProbeTransport, LateEraFlag};
    use crate::client::lines::LineTransport;

    /// The eras that a test server supports.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum SupportedEras {
        Older,
        Both,
    }

    /// A server that reads its first line only after this delay, and then
    /// answers everything in order.
    async fn slow_server(stream: DuplexStream, starts_in: Duration, knows: SupportedEras) {
        tokio::time::sleep(starts_in).await;
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let asked: Value = serde_json::from_str(&line).unwrap();
            let about = json!({ "name": "slow", "version": "1" });
            let answer = match asked["method"].as_str().unwrap() {
                "initialize" => json!({ "result": {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": about,
                } }),
                "server/discover" if knows == SupportedEras::Both => json!({ "result": {
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
                    "serverInfo": about, "ttlMs": 0, "cacheScope": "private",
                } }),
                "server/discover" => json!({ "error": { "code": -32601, "message": "Method not found" } }),
                _ => continue,
            };
            let mut answer = answer;
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = asked["id"].clone();
            write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    }

    async fn check(starts_in: u64, knows: SupportedEras, version: ProtocolVersion, late: bool) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(slow_server(theirs, Duration::from_secs(starts_in), knows));
        let (read, write) = tokio::io::split(ours);
        let seen = LateEraFlag::default();
        let transport = EraProbeTransport::new(LineTransport::new(read, write, 1 << 20), seen.clone());
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let mode = ClientLifecycleMode::Auto { preferred_versions, legacy_version: None };
        let service = ().serve_with_lifecycle(transport, mode).await.unwrap();
        let agreed = service.peer().peer_info().unwrap().protocol_version.clone();
        assert_eq!((agreed, seen.is_newer()), (version, late), "after {starts_in} s");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_takes_thirty_seconds_to_start_is_spoken_with() {
        for starts_in in [0, 30, 59] {
            check(starts_in, SupportedEras::Older, ProtocolVersion::V_2025_11_25, false).await;
        }
        check(0, SupportedEras::Both, ProtocolVersion::V_2026_07_28, false).await;
        check(30, SupportedEras::Both, ProtocolVersion::V_2025_11_25, true).await;
    }
}
