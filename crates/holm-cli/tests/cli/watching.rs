//! `holm serve` watches and steers sessions that run in terminals.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

use holm_testkit::double::{Act, Fault};
use serde_json::{Value, json};

use crate::{
    pty::Pty,
    stage::{MODEL, Ran, Stage},
};

/// How long anything may take: far longer than it does, for machines that are slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of the stage's user.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(stage: &Stage) -> Self {
        let mut command = stage.command(["serve", "--listen", "127.0.0.1:0", "--", "--model", MODEL]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        let token = std::fs::read_to_string(stage.data().join("server/token")).unwrap();
        Self { child, address, token: token.trim().to_owned() }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, token, length) = (&self.address, &self.token, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        stream
    }

    /// The status, and what was answered.
    fn asked(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut answer = String::new();
        self.ask(method, path, &body).read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{answer}")), answer)
    }

    fn posts(&self, path: &str, body: &Value) -> (u16, String) {
        self.asked("POST", path, body)
    }

    /// The JSON of an answer that has one.
    fn gets(&self, path: &str) -> Value {
        let (status, answer) = self.asked("GET", path, &Value::Null);
        assert_eq!(status, 200, "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let (from, to) = (body.find(['{', '[']).unwrap(), body.rfind(['}', ']']).unwrap());
        serde_json::from_str(&body[from..=to]).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// Watches a session.
    fn watches(&self, session: &str) -> Watching {
        let stream = self.ask("GET", &format!("/api/sessions/{session}/events"), "");
        let watching = Watching::default();
        let seen = Arc::clone(&watching.0);
        thread::spawn(move || {
            let mut lines = BufReader::new(stream);
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|count| count > 0) {
                seen.0.lock().unwrap().push_str(&line);
                seen.1.notify_all();
                line.clear();
            }
        });
        watching
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What somebody has seen of a session.
#[derive(Default)]
struct Watching(Arc<(Mutex<String>, Condvar)>);

impl Watching {
    #[track_caller]
    fn sees(&self, text: &str) {
        let is_missing = |seen: &mut String| !seen.contains(text);
        let held = self.0.0.lock().unwrap();
        let (seen, _) = self.0.1.wait_timeout_while(held, PATIENCE, is_missing).unwrap();
        assert!(seen.contains(text), "{text} is not there:\n{seen}");
    }
}

/// A door at which a reply waits until somebody opens it.
#[derive(Clone, Default)]
struct Door(Arc<(Mutex<bool>, Condvar)>);

impl Door {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let shut = |open: &mut bool| !*open;
        drop(self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), PATIENCE, shut).unwrap());
    }
}

#[track_caller]
fn until(what: &str, is: impl Fn() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(20));
    }
}

fn started(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_run_in_a_terminal_is_watched_and_steered_from_the_server() {
    let door = Door::default();
    let shut = door.clone();
    let stage = Stage::answering(move |seen| {
        if seen.text().contains("Use tabs.") {
            return Act::says("With tabs, then.");
        }
        shut.pass();
        Act::calls(&[("c1", "sleep", r#"{"seconds":1}"#)])
    });
    let server = Server::start(&stage);
    let run = started(stage.command(["run", "--model", MODEL, "-p", "Format it.", "--session", "s"]));
    until("the first request", || !stage.double.requests().is_empty());
    let watching = server.watches("s");
    watching.sees("Format it.");
    until("a session that works", || server.gets("/api/sessions/s")["state"] == "working");
    let (status, answer) = server.posts("/api/sessions/s/prompt", &json!({ "text": "Something else." }));
    assert!(status == 409 && answer.contains("at work in a terminal"), "{answer}");
    let (status, answer) = server.posts("/api/sessions/s/steer", &json!({ "text": "Use tabs." }));
    assert_eq!(status, 202, "{answer}");
    door.open();
    watching.sees("Use tabs.");
    watching.sees("With tabs, then.");
    watching.sees("group_ended");
    Ran::of(&run.wait_with_output().unwrap()).says("With tabs, then.\n");
    // The terminal has let it go, so the server can drive it itself.
    until("a session that nobody drives", || server.gets("/api/sessions/s")["state"] == "closed");
    let (status, answer) = server.posts("/api/sessions/s/prompt", &json!({ "text": "Again. Use tabs." }));
    assert_eq!(status, 202, "{answer}");
    until("the next answer", || stage.double.requests().len() == 3);
}

#[test]
fn a_run_in_a_terminal_is_stopped_from_the_server() {
    let stage = Stage::new([Act::says("never whole").with(Fault::Stall(500))]);
    let server = Server::start(&stage);
    let run = started(stage.command(["run", "--model", MODEL, "-p", "hi", "--session", "s"]));
    until("the first request", || !stage.double.requests().is_empty());
    until("a session that works", || server.gets("/api/sessions/s")["state"] == "working");
    let (status, answer) = server.posts("/api/sessions/s/cancel", &json!({ "reason": "enough" }));
    assert_eq!(status, 202, "{answer}");
    let ran = Ran::of(&run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let journal = stage.holm(["session", "export", "s", "--format", "jsonl"]).out;
    assert!(journal.contains("enough"), "{journal}");
}

#[test]
fn a_question_of_a_terminal_is_answered_from_the_server() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call, Act::says("Done.")]).file("notes.txt", "one two three\n");
    let server = Server::start(&stage);
    let run = Pty::start(&stage, (24, 80), &["run", "--model", MODEL, "-p", "Count", "--session", "s"], &[]);
    run.shows("[n]o:");
    let questions = || server.gets("/api/sessions/s/questions").as_array().cloned().unwrap_or_default();
    until("the question", || !questions().is_empty());
    let asked = questions().remove(0);
    assert_eq!(asked["question"]["approval"]["tool"], "read", "{asked}");
    let body = json!({ "question": asked["id"], "answer": "once" });
    let (status, answer) = server.posts("/api/sessions/s/questions", &body);
    assert_eq!(status, 204, "{answer}");
    run.shows("this was answered elsewhere");
    let (code, left) = run.ends();
    assert_eq!(code, Some(0), "{}", left.contents);
    assert!(left.contents.contains("Done."), "{}", left.contents);
    assert!(stage.double.requests()[1].text().contains("one two three"));
}

#[test]
fn nothing_of_a_session_can_be_reached_once_it_is_over() {
    let stage = Stage::new([Act::says("Done.")]);
    stage.run(&["-p", "hi", "--session", "s"]).says("Done.\n");
    let left = std::fs::read_dir(stage.data().join("live")).unwrap().count();
    assert_eq!(left, 0, "neither a socket nor a key");
}
