//! Servers that behave.

use std::sync::{Arc, Mutex};

use holm_kernel::{CallId, Outcome};
use holm_mcp::{McpServerSpec, ProtocolEra, RemoteServer, RemoteServerError, ServerProgram};
use holm_runtime::{
    CancellationToken, DeltaSink, ProgressReporter, ReplyDelta, SecretRedactor, ToolInvocation,
};
use holm_tools::registry::NoPinStore;
use serde_json::Map;

use crate::support::{Place, echo, script, text, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_program_speaks_either_era() {
    let place = Place::new();
    let old = place.remote("ok");
    assert_eq!(text(&echo(&old, "hi").await.unwrap()), r#"{"word": "hi"}"#);
    assert_eq!(old.version().await.unwrap(), "2025-11-25");
    let new = place.remote("modern");
    assert_eq!(text(&echo(&new, "hi").await.unwrap()), "2026-07-28");
}

#[tokio::test(flavor = "multi_thread")]
async fn which_era_it_is_is_found_out() {
    let place = Place::new();
    for (mode, version) in [("ok", "2025-11-25"), ("modern", "2026-07-28")] {
        let remote = RemoteServer::new(place.spec("t", mode).era(ProtocolEra::Either), place.means());
        assert_eq!(remote.version().await.unwrap(), version, "{mode}");
    }
}

/// Remembers what was said.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl DeltaSink for Heard {
    fn delta(&self, _: CallId, delta: ReplyDelta<'_>) {
        if let ReplyDelta::Progress { text, done, total } = delta {
            self.0.lock().unwrap().push(format!("{text} {done:?} {total:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_call_is_reaches_those_who_watch_it() {
    let place = Place::new();
    let (offers, _) = place.remote("progress").offers(&NoPinStore).await.unwrap();
    let heard = Arc::new(Heard::default());
    let progress = ProgressReporter::new(CallId::new(1), Arc::clone(&heard) as _, SecretRedactor::new());
    let output = offers[0].tool.run(ToolInvocation::alone("{}").progress(progress)).await;
    assert_eq!(output.outcome, Outcome::Succeeded);
    assert_eq!(*heard.0.lock().unwrap(), ["a quarter Some(1) Some(4)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_told_that_an_answer_is_no_longer_wanted() {
    let place = Place::new();
    let (remote, stop) = (place.remote("never"), CancellationToken::new());
    assert_eq!(remote.list().await.unwrap().tools.len(), 1, "there is a line");
    let silent = ProgressReporter::silent();
    let stopped = async {
        until("the call arrives", || place.fell_silent()).await;
        stop.cancel();
    };
    let (came, ()) = tokio::join!(remote.call("echo", Map::new(), &silent, &stop), stopped);
    assert_eq!(came, Err(RemoteServerError::Stopped));
    let told = place.path().join("t.state.cancelled");
    let is_told = || std::fs::read_to_string(&told).is_ok_and(|told| told.contains("no longer needed"));
    until("the server is told", is_told).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_reads_what_its_command_line_names_and_nothing_else_that_it_was_not_granted() {
    let place = Place::new();
    let program = ServerProgram::new("python3").args([script().to_str().unwrap(), "ok"]);
    let spec = McpServerSpec::program("t", program).unwrap().era(ProtocolEra::Handshake);
    let listed = RemoteServer::new(spec, place.means()).list().await.unwrap();
    assert_eq!(listed.tools.len(), 1, "its own script is named");
    let secret = place.path().join("secret");
    std::fs::write(&secret, "canary").unwrap();
    let program = format!("print(open('{}').read())", secret.display());
    let program = ServerProgram::new("python3").args(["-c", program.as_str()]);
    let spec = McpServerSpec::program("t", program).unwrap().era(ProtocolEra::Handshake);
    let error = RemoteServer::new(spec, place.means()).list().await.unwrap_err().to_string();
    assert!(error.contains(&format!("it may need the grant read:{}", secret.display())), "{error}");
    assert!(!error.contains("canary"), "{error}");
}
