//! The official OpenAI SDK as a client. `scripts/setup sdks` puts it into the user's cache; without it this test fails and
//! says so.

use std::path::{Path, PathBuf};

use crate::{client::PATIENCE, stage::Stage};

/// Where set-up puts the SDKs; `HOLM_SDKS` names another place.
fn python() -> Option<PathBuf> {
    let folder = std::env::var_os("HOLM_SDKS").map(PathBuf::from).or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        Some(cache.or(home)?.join("holm/sdks"))
    })?;
    Some(folder.join("bin/python3")).filter(|python| python.exists())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdk_takes_an_agent_for_a_model() {
    let Some(python) = python() else { panic!("the Python SDKs are missing; run scripts/setup sdks") };
    let stage = Stage::new().await;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python/test_server.py");
    let mut command = std::process::Command::new(python);
    command
        .arg(tests)
        .env("HOLM_SERVER", format!("http://{}", stage.serving.address()))
        .env("HOLM_TOKEN", stage.token.reveal())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // What the machine's environment says about proxies does not concern the loopback interface.
        .env("NO_PROXY", "127.0.0.1");
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let double = std::sync::Arc::clone(&stage.double);
    let left = tokio::task::spawn_blocking(move || double.wait_until_left(1, PATIENCE)).await.unwrap();
    assert!(left, "the run that was cancelled has let go of its provider");
}
