//! Tests servers that stop answering: at each step, over each transport, for callers with a
//! deadline and for callers that cancel.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use holm_mcp::{McpServerSpec, McpTransports, ProtocolEra, RemoteServer, RemoteServerError};
use holm_net::SystemResolver;
use holm_runtime::{CancellationToken, ProgressReporter};
use rmcp::model::CallToolResult;
use serde_json::Map;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{Case, Kind};
use crate::support::{Place, bind, net, until};

const NO_HEAD: &str = "";
const HALF_A_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-ty";
const HALF_A_BODY: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"jsonrpc\":";
const NO_EVENT: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: wait\n\n";

pub(super) fn cases() -> Vec<Case> {
    use Kind::Hang;
    vec![
        Case::new(Hang, "silent at the first word", silent_program("hangs")),
        Case::new(Hang, "silent when its list is read", silent_program("hangs-list")),
        Case::new(Hang, "silent in a call", silent_program("never")),
        Case::new(Hang, "over HTTP, silent at once", silent_address(NO_HEAD)),
        Case::new(Hang, "over HTTP, silent in its head", silent_address(HALF_A_HEAD)),
        Case::new(Hang, "over HTTP, silent in its body", silent_address(HALF_A_BODY)),
        Case::new(Hang, "over HTTP, silent in its events", silent_address(NO_EVENT)),
        Case::new(Hang, "there when it should be gone", stays()),
    ]
}

/// A call that reads the list first, as tools do; in a call itself, one that does not.
async fn called(
    remote: &RemoteServer,
    mode: &str,
    stop: &CancellationToken,
) -> Result<CallToolResult, RemoteServerError> {
    let silent = ProgressReporter::silent();
    match mode {
        "never" => remote.call("echo", Map::new(), &silent, stop).await,
        _ => remote.call_as("echo", &[0; 32], Map::new(), &silent, stop).await,
    }
}

/// Once the server is silent, a caller with a deadline gets an error when it passes, and a caller
/// that cancels is free at once.
async fn silent(
    spec: McpServerSpec,
    means: McpTransports,
    mode: &str,
    fell_silent: impl Fn() -> bool + Send + Sync,
) {
    let mut hurried = spec.clone();
    hurried.timeout = Some(Duration::from_secs(1));
    let late = called(&RemoteServer::new(hurried, means.clone()), mode, &CancellationToken::new()).await;
    assert_eq!(late, Err(RemoteServerError::TimedOut(1)));
    // That was another line.
    fell_silent();
    let (remote, stop) = (RemoteServer::new(spec, means), CancellationToken::new());
    let given_up = async {
        until("it falls silent", &fell_silent).await;
        stop.cancel();
    };
    let (came, ()) = tokio::join!(called(&remote, mode, &stop), given_up);
    assert_eq!(came, Err(RemoteServerError::Stopped));
}

async fn silent_program(mode: &'static str) {
    let place = Place::new();
    let spec = place.spec("t", mode).era(ProtocolEra::Handshake);
    silent(spec, place.means(), mode, || place.fell_silent()).await;
}

async fn silent_address(said: &'static str) {
    let listener = bind().await;
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let sign = Arc::new(AtomicBool::new(false));
    let fell_silent = Arc::clone(&sign);
    let serving = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(said.as_bytes()).await;
            fell_silent.store(true, Ordering::Relaxed);
            held.push(stream);
        }
    });
    let spec = McpServerSpec::address("far", &url).unwrap().era(ProtocolEra::Handshake);
    let means = McpTransports::new().net(net(SystemResolver));
    silent(spec, means, "", || sign.swap(false, Ordering::Relaxed)).await;
    serving.abort();
}

/// It holds a lock for as long as it is there, and does not end by itself.
async fn stays() {
    let place = Place::new();
    let remote = place.remote("stays");
    assert_eq!(remote.list().await.unwrap().tools.len(), 1);
    let lock = File::open(place.path().join("t.state")).unwrap();
    assert!(lock.try_lock().is_err(), "it is there");
    remote.close().await;
    until("it is gone", || lock.try_lock().is_ok()).await;
}
