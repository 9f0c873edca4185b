//! Servers that share a database: two processes, one of which is killed.

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

use holm_testkit::{
    double::{Act, Fault},
    postgres::Postgres,
};
use serde_json::Value;

use crate::stage::{MODEL, Stage};

/// How long anything may take, on a machine that is ten times slower than any.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server in a process of its own, with a data folder of its own.
struct Server {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl Server {
    fn start(stage: &Stage, name: &str, database: &str) -> Self {
        let data = stage.data().with_file_name(name);
        let args = ["serve", "--listen", "127.0.0.1:0", "--store", database, "--", "--model", MODEL];
        let mut command = stage.command(args);
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
    fn ask(&self, method: &str, path: &str, body: Option<&str>) -> (u16, String) {
        self.ask_as(&self.token, method, path, body)
    }

    /// As somebody else.
    fn ask_as(&self, token: &str, method: &str, path: &str, body: Option<&str>) -> (u16, String) {
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

    fn wait(&self, path: &str, what: &str, is_so: impl Fn(u16, &str) -> bool) {
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

#[test]
fn of_two_servers_on_one_database_one_drives_a_session_and_the_other_takes_it_over_after_a_kill() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let stage = Stage::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::says("a text of which nobody sees the end").with(Fault::Stall(20)),
        _ => Act::says("taken over"),
    });
    let (one, two) = (Server::start(&stage, "one", &database), Server::start(&stage, "two", &database));
    let made = one.ask("POST", "/api/sessions", Some(r#"{"id":"shared","prompt":"go"}"#));
    assert_eq!(made.0, 201, "{made:?}");
    let until = Instant::now() + PATIENCE;
    while asked.load(Ordering::SeqCst) == 0 {
        assert!(Instant::now() < until, "the model was never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Both know it, and one has it.
    two.wait("/api/sessions/shared", "it is not seen", |status, _| status == 200);
    let refused = two.ask("POST", "/api/sessions/shared/prompt", Some(r#"{"text":"mine"}"#));
    assert_eq!(refused.0, 409, "{refused:?}");
    assert!(refused.1.contains("driven_elsewhere"), "{refused:?}");
    drop(one);
    let answered = |status: u16, body: &str| status == 200 && body.contains("taken over");
    two.wait("/api/sessions/shared/replay", "it is not taken over", answered);
    assert_eq!(asked.load(Ordering::SeqCst), 2, "what was under way was asked for once more, and no more");
    let (_, told) = two.ask("GET", "/api/sessions/shared/replay", None);
    assert_eq!(told.matches("group_started").count(), 1, "nothing was said twice: {told}");
    two.wait("/api/sessions/shared", "it is still at work", |_, body| body.contains(r#""state":"idle""#));
    assert_eq!(two.ask("POST", "/api/sessions/shared/prompt", Some(r#"{"text":"more"}"#)).0, 202);
}

#[test]
fn users_of_a_shared_database_are_apart() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let stage = Stage::answering(|_| Act::says("fine"));
    let server = Server::start(&stage, "one", &database);
    let made = server.ask("POST", "/api/tokens", Some(r#"{"user":"ada","role":"operator"}"#));
    assert_eq!(made.0, 201, "{made:?}");
    let token: Value = serde_json::from_str(&made.1).unwrap();
    let token = token["token"].as_str().unwrap().to_owned();
    assert_eq!(server.ask("POST", "/api/sessions", Some(r#"{"id":"mine","prompt":"go"}"#)).0, 201);
    assert_eq!(server.ask_as(&token, "GET", "/api/sessions/mine", None).0, 404);
    let own = server.ask_as(&token, "POST", "/api/sessions", Some(r#"{"id":"mine"}"#));
    assert_eq!(own.0, 201, "her own of that name: {own:?}");
}

#[test]
fn a_database_that_cannot_be_reached_is_said_at_once() {
    let stage = Stage::new([]);
    let args = ["serve", "--store", "host=/nowhere user=holm dbname=x", "--", "--model", MODEL];
    stage.holm(args).fails(1, "the database of the sessions cannot be used");
}
