//! `holm serve` in processes of their own: killed, started again, started twice.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::{Child, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use holm_testkit::double::{Act, Fault};

use crate::stage::{MODEL, Stage};

/// How long anything may take, on a machine that is ten times slower than any.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server in a process of its own, with a data folder of its own.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Starts one with these arguments besides; its data folder has this name.
    pub(crate) fn start(stage: &Stage, name: &str, args: &[&str]) -> Self {
        let data = stage.data().with_file_name(name);
        let fixed = [&["serve", "--listen", "127.0.0.1:0"], args, &["--", "--model", MODEL]].concat();
        let mut command = stage.command(fixed);
        command.env("HOLM_DATA", &data).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}"));
        let address = address.parse().unwrap();
        let token = std::fs::read_to_string(data.join("server/token")).unwrap();
        Self { child, address, token: token.trim().to_owned() }
    }

    /// Asks for something; the status and the body.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&str>) -> (u16, String) {
        self.ask_as(&self.token, method, path, body)
    }

    /// As somebody else.
    pub(crate) fn ask_as(&self, token: &str, method: &str, path: &str, body: Option<&str>) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (status, body.unwrap_or_default())
    }

    /// Waits until what is found at a path is so.
    pub(crate) fn wait(&self, path: &str, what: &str, is_so: impl Fn(u16, &str) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let (status, body) = self.ask("GET", path, None);
            if is_so(status, &body) {
                return;
            }
            assert!(Instant::now() < until, "{what}: {status} {body}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that was killed already is no trouble.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A stage whose model says nothing to its end the first time, and then these words; and how often it was asked.
pub(crate) fn stalling(words: &'static str) -> (Stage, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let stage = Stage::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::says("a text of which nobody sees the end").with(Fault::Stall(20)),
        _ => Act::says(words),
    });
    (stage, asked)
}

/// Waits until the model was asked so often.
pub(crate) fn until_asked(asked: &AtomicU32, times: u32) {
    let until = Instant::now() + PATIENCE;
    while asked.load(Ordering::SeqCst) < times {
        assert!(Instant::now() < until, "the model was never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_is_killed_goes_on_at_the_next_start_and_says_nothing_twice() {
    let (stage, asked) = stalling("gone on");
    let server = Server::start(&stage, "data", &[]);
    let made = server.ask("POST", "/api/sessions", Some(r#"{"id":"one","prompt":"go"}"#));
    assert_eq!(made.0, 201, "{made:?}");
    until_asked(&asked, 1);
    drop(server);
    let server = Server::start(&stage, "data", &[]);
    let answered = |status: u16, body: &str| status == 200 && body.contains("gone on");
    server.wait("/api/sessions/one/replay", "it does not go on", answered);
    let (_, told) = server.ask("GET", "/api/sessions/one/replay", None);
    assert_eq!(told.matches("group_started").count(), 1, "{told}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn a_second_server_with_the_same_data_is_refused() {
    let stage = Stage::new([]);
    let server = Server::start(&stage, "data", &[]);
    let second = stage.holm(["serve", "--listen", "127.0.0.1:0", "--", "--model", MODEL]);
    second.fails(2, "another server works in");
    assert_eq!(server.ask("GET", "/health", None).0, 200);
}
