//! The official OpenAI SDKs as clients. `scripts/setup sdks conformance` puts them, and the Node that they need, into the
//! user's cache; without them these tests fail and say so.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use crate::{client::PATIENCE, stage::Stage};

/// A place that a variable names, or one of the user's cache.
fn place(variable: &str, below: &str) -> PathBuf {
    let cache = || {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        cache.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache"))
    };
    std::env::var_os(variable).map_or_else(|| cache().join(below), PathBuf::from)
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// Runs a client against a server; it must end well, and the run that it cancelled must let go of its provider.
async fn check(mut command: Command) {
    let stage = Stage::new().await;
    command
        .env("HOLM_SERVER", format!("http://{}", stage.serving.address()))
        .env("HOLM_TOKEN", stage.token.reveal())
        // What the machine's environment says about proxies does not concern the loopback interface.
        .env("NO_PROXY", "127.0.0.1");
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let double = Arc::clone(&stage.double);
    let left = tokio::task::spawn_blocking(move || double.wait_until_left(1, PATIENCE)).await.unwrap();
    assert!(left, "the run that was cancelled has let go of its provider");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdk_for_python_takes_an_agent_for_a_model() {
    let python = place("HOLM_SDKS", "holm/sdks").join("bin/python3");
    assert!(python.exists(), "the Python SDKs are missing; run scripts/setup sdks");
    let mut command = Command::new(python);
    command.arg(tests().join("python/test_server.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    check(command).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdk_for_node_takes_an_agent_for_a_model() {
    let node = place("HOLM_MCP_PEERS", "holm/mcp").join("node_modules/.bin/node");
    assert!(node.exists(), "Node 22 is missing; run scripts/setup conformance");
    let home = place("HOLM_NODE_SDKS", "holm/sdks-node");
    let (installed, wanted) = (home.join("installed"), tests().join("node/package-lock.json"));
    let (installed, wanted) = (std::fs::read(installed).unwrap_or_default(), std::fs::read(wanted).unwrap());
    assert_eq!(installed, wanted, "{}: run scripts/setup sdks", home.display());
    let script = std::fs::read_to_string(tests().join("node/server.mjs")).unwrap();
    let mut command = Command::new(node);
    // Given as text, so that its imports are looked for where the SDK is.
    command.args(["--input-type=module", "--eval", &script]).current_dir(home);
    check(command).await;
}
