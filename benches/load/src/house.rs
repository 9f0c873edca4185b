//! The server that is measured: the built command, in a folder of its own.

use std::{
    env,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Command as Plain, Stdio},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    sync::Semaphore,
    task::JoinSet,
};

use crate::{Seat, http};

/// The server, killed with this.
pub(crate) struct House {
    child: Child,
    address: SocketAddr,
    holm: PathBuf,
    base: String,
    folder: tempfile::TempDir,
}

impl House {
    /// Starts the server with a provider.
    pub(crate) async fn start(base: &str) -> Self {
        let holm = binary();
        println!("binary: {}", holm.display());
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("work")).expect("a workspace");
        // Chosen once, so that watchers find it again after it was killed.
        let free = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let child = begin(&holm, &folder, address, base).await;
        Self { child, address, holm, base: base.to_owned(), folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it as the system does when there is no memory left.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Starts it again over the same folder.
    pub(crate) async fn restart(&mut self) {
        self.child = begin(&self.holm, &self.folder, self.address, &self.base).await;
    }

    /// A token for each of so many users.
    pub(crate) async fn tokens(&self, users: usize) -> Vec<Arc<str>> {
        let path = self.folder.path().join("data/server/token");
        let first = std::fs::read_to_string(path).expect("the first token");
        let mut tokens = Vec::new();
        for user in 0..users {
            let body = json!({ "user": format!("user{user}"), "role": "operator" }).to_string();
            let (status, body) = http::send(self.address, first.trim(), "POST", "/api/tokens", &body).await;
            assert_eq!(status, 201, "{body}");
            let made: Value = serde_json::from_str(&body).expect("a token");
            tokens.push(Arc::from(made["token"].as_str().expect("a token")));
        }
        tokens
    }

    /// Makes sessions, so many at once.
    pub(crate) async fn make(&self, seats: &[Seat], at_once: usize) {
        let body = |seat: &Seat| json!({ "id": seat.session }).to_string();
        self.each(seats, at_once, 201, |_| "/api/sessions".into(), body).await;
    }

    /// Asks sessions for something, so many at once.
    pub(crate) async fn prompt(&self, seats: &[Seat], at_once: usize) {
        let path = |seat: &Seat| format!("/api/sessions/{}/prompt", seat.session);
        self.each(seats, at_once, 202, path, |_| json!({ "text": "go on" }).to_string()).await;
    }

    async fn each(
        &self,
        seats: &[Seat],
        at_once: usize,
        expect: u16,
        path: impl Fn(&Seat) -> String,
        body: impl Fn(&Seat) -> String,
    ) {
        let room = Arc::new(Semaphore::new(at_once));
        let mut tasks = JoinSet::new();
        for seat in seats {
            let (address, room, token) = (self.address, Arc::clone(&room), Arc::clone(&seat.token));
            let (path, body) = (path(seat), body(seat));
            tasks.spawn(async move {
                let _place = room.acquire().await;
                let (status, said) = http::send(address, &token, "POST", &path, &body).await;
                assert_eq!(status, expect, "{path}: {said}");
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.expect("every request is answered");
        }
    }

    /// Bytes in memory now.
    pub(crate) fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// Bytes in memory at most since it was started.
    pub(crate) fn peak(&self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&self, what: &str) -> u64 {
        let pid = self.child.id().unwrap_or(0);
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap_or_default();
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or(0);
        kib << 10
    }
}

async fn begin(holm: &PathBuf, folder: &tempfile::TempDir, address: SocketAddr, base: &str) -> Child {
    let mut command = Command::new(holm);
    command
        .args([
            "serve",
            "--listen",
            &address.to_string(),
            "--",
            "--model",
            "openai/gpt-5-mini",
            "--tools",
            "native",
        ])
        .current_dir(folder.path().join("work"))
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOLM_DATA", folder.path().join("data"))
        .env("OPENAI_API_KEY", "none-is-needed")
        .env("OPENAI_BASE_URL", base)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command.spawn().expect("the server can be started");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    let said = tokio::time::timeout(Duration::from_secs(300), out.read_line(&mut line)).await;
    assert!(said.is_ok() && line.starts_with("http://"), "the server did not begin: {line}");
    child
}

/// The binary to measure.
fn binary() -> PathBuf {
    if let Some(path) = env::var_os("HOLM_BIN") {
        return PathBuf::from(path);
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Plain::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "holm-cli", "--no-default-features"])
        .current_dir(&root)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "holm could not be built");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("release/holm").canonicalize().expect("the binary")
}
