//! The server that is measured: the built command, in a folder of its own.

use std::{
    env,
    fs::{File, OpenOptions},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
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

/// Seconds for which the server keeps a session in memory that does nothing: its watchers need no more than what was said.
pub(crate) const IDLE: u64 = 5;
/// The model, by the provider's name for the format that the provider here speaks.
const MODEL: &str = "openai-chat/gpt-5-mini";
/// Where the server says what goes wrong.
const NOTES: &str = "notes.txt";
/// How long the server may take until it listens: it goes on with what was under way afterwards.
const BEGIN: Duration = Duration::from_secs(300);
/// How often somebody asks again who was told to come later, once a second.
const AGAIN: u32 = 60;
/// What the server said last that is shown when something goes wrong.
const LAST_WORDS: usize = 2_000;

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
    pub(crate) async fn start(base: &str) -> Result<Self, String> {
        let holm = binary()?;
        println!("binary: {}", holm.display());
        let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
        std::fs::create_dir(folder.path().join("work")).map_err(|error| format!("no workspace: {error}"))?;
        let address = address()?;
        let child = begin(&holm, folder.path(), address, base).await?;
        Ok(Self { child, address, holm, base: base.to_owned(), folder })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it as the system does when there is no memory left.
    pub(crate) async fn kill(&mut self) -> Result<(), String> {
        self.child.kill().await.map_err(|error| format!("the server cannot be killed: {error}"))
    }

    /// Starts it again over the same folder.
    pub(crate) async fn restart(&mut self) -> Result<(), String> {
        self.child = begin(&self.holm, self.folder.path(), self.address, &self.base).await?;
        Ok(())
    }

    /// Says so if it has ended by itself.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        match self.child.try_wait() {
            Ok(Some(status)) => Err(format!("the server has ended by itself: {status}")),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// What it said last about itself.
    pub(crate) fn last_words(&self) -> String {
        let said = std::fs::read(self.folder.path().join(NOTES)).unwrap_or_default();
        let from = said.len().saturating_sub(LAST_WORDS);
        String::from_utf8_lossy(said.get(from..).unwrap_or_default()).into_owned()
    }

    /// A token for each of so many users.
    pub(crate) async fn tokens(&self, users: usize) -> Result<Vec<Arc<str>>, String> {
        let path = self.folder.path().join("data/server/token");
        let first = std::fs::read_to_string(path).map_err(|error| format!("no first token: {error}"))?;
        let mut tokens = Vec::new();
        for user in 0..users {
            let body = json!({ "user": format!("user{user}"), "role": "operator" }).to_string();
            let answered = http::post(self.address, first.trim(), "/api/tokens", &body).await;
            let (status, body) = answered.map_err(|error| format!("no token: {error}"))?;
            let made: Value = serde_json::from_str(&body).unwrap_or_default();
            let token = made["token"].as_str().filter(|_| status == 201);
            tokens.push(Arc::from(token.ok_or_else(|| format!("no token: {status} {body}"))?));
        }
        Ok(tokens)
    }

    /// Makes sessions, so many at once.
    pub(crate) async fn make(&self, seats: &[Seat], at_once: usize) -> Result<(), String> {
        let body = |seat: &Seat| json!({ "id": seat.session }).to_string();
        self.each(seats, at_once, 201, |_| "/api/sessions".into(), body).await
    }

    /// Asks sessions for something, so many at once.
    pub(crate) async fn prompt(&self, seats: &[Seat], at_once: usize) -> Result<(), String> {
        let path = |seat: &Seat| format!("/api/sessions/{}/prompt", seat.session);
        self.each(seats, at_once, 202, path, |_| json!({ "text": "go on" }).to_string()).await
    }

    async fn each(
        &self,
        seats: &[Seat],
        at_once: usize,
        expect: u16,
        path: impl Fn(&Seat) -> String,
        body: impl Fn(&Seat) -> String,
    ) -> Result<(), String> {
        let room = Arc::new(Semaphore::new(at_once));
        let mut tasks = JoinSet::new();
        for seat in seats {
            let (address, room, token) = (self.address, Arc::clone(&room), Arc::clone(&seat.token));
            let (path, body) = (path(seat), body(seat));
            tasks.spawn(async move {
                let _place = room.acquire().await;
                ask(address, &token, &path, &body, expect).await
            });
        }
        while let Some(done) = tasks.join_next().await {
            // The others end with the set.
            done.map_err(|error| error.to_string())??;
        }
        Ok(())
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

/// Asks for something until it is done. Whoever is told to come later does.
async fn ask(address: SocketAddr, token: &str, path: &str, body: &str, expect: u16) -> Result<(), String> {
    let mut again = 0;
    loop {
        let answered = http::post(address, token, path, body).await;
        let (status, said) = answered.map_err(|error| format!("{path}: {error}"))?;
        if status == expect {
            return Ok(());
        }
        if status != 429 || again == AGAIN {
            return Err(format!("{path}: {status} {said}"));
        }
        again += 1;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Where the server listens, chosen once, so that watchers find it again after it was killed. Below the ports that the system
/// gives to whoever connects: while nobody listens, one of ten thousand watchers would be given this very port, and be connected
/// with itself.
fn address() -> Result<SocketAddr, String> {
    let first = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap_or(0);
    let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    let is_free = |address: &SocketAddr| TcpListener::bind(address).is_ok();
    let found = (first..32_000).chain(20_000..first).map(address).find(is_free);
    found.ok_or_else(|| "no port between 20000 and 32000 is free".into())
}

async fn begin(holm: &Path, folder: &Path, address: SocketAddr, base: &str) -> Result<Child, String> {
    let notes: Result<File, _> = OpenOptions::new().append(true).create(true).open(folder.join(NOTES));
    let notes = notes.map_err(|error| format!("no place for what the server says: {error}"))?;
    let (idle, listen) = (IDLE.to_string(), address.to_string());
    let mut command = Command::new(holm);
    command
        .args(["serve", "--idle", &idle, "--listen", &listen, "--", "--model", MODEL, "--tools", "native"])
        .current_dir(folder.join("work"))
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOLM_DATA", folder.join("data"))
        .env("OPENAI_API_KEY", "none-is-needed")
        .env("OPENAI_BASE_URL", base)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(notes))
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("the server cannot be started: {error}"))?;
    let Some(out) = child.stdout.take() else { return Err("the server has no output".into()) };
    let (mut out, mut line) = (BufReader::new(out), String::new());
    let said = tokio::time::timeout(BEGIN, out.read_line(&mut line)).await;
    if said.is_err() || !line.starts_with("http://") {
        let notes = std::fs::read_to_string(folder.join(NOTES)).unwrap_or_default();
        return Err(format!("the server did not begin: {line}{notes}"));
    }
    // Read to its end: nobody may find that it is not heard any more.
    tokio::spawn(async move {
        while matches!(out.read_line(&mut line).await, Ok(1..)) {
            line.clear();
        }
    });
    Ok(child)
}

/// The binary to measure.
fn binary() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("HOLM_BIN") {
        return PathBuf::from(path).canonicalize().map_err(|error| format!("HOLM_BIN: {error}"));
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Plain::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "holm-cli", "--no-default-features"])
        .current_dir(&root)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("holm could not be built".into());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = if target.is_relative() { root.join(target) } else { target };
    target.join("release/holm").canonicalize().map_err(|error| format!("no binary: {error}"))
}
