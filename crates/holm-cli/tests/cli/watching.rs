//! Tests that `holm serve` watches and steers sessions that run in terminals.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use holm_testkit::double::{Act, Fault};
use serde_json::json;

use crate::{
    chat::CTRL_C,
    door::Door,
    patience::{PATIENCE, until},
    pty::Pty,
    served::Served,
    stage::{MODEL, Ran, Stage},
};

/// What a client has seen of a session.
#[derive(Default)]
struct Watching(Arc<(Mutex<String>, Condvar)>);

impl Watching {
    /// Watches a session.
    fn of(served: &Served, session: &str) -> Self {
        let stream = served.watch(&format!("/api/sessions/{session}/events"));
        let watching = Self::default();
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

    #[track_caller]
    fn sees(&self, text: &str) {
        let is_missing = |seen: &mut String| !seen.contains(text);
        let held = self.0.0.lock().unwrap();
        let (seen, _) = self.0.1.wait_timeout_while(held, PATIENCE, is_missing).unwrap();
        assert!(seen.contains(text), "{text} is not there:\n{seen}");
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
    let served = Served::start(&stage, &[]);
    let run = started(stage.command(["run", "--model", MODEL, "-p", "Format it.", "--session", "s"]));
    until("the first request", || !stage.double.requests().is_empty());
    let watching = Watching::of(&served, "s");
    watching.sees("Format it.");
    until("a session that works", || served.get("/api/sessions/s").json()["state"] == "working");
    let heard = served.post("/api/sessions/s/prompt", &json!({ "text": "Something else." }));
    assert!(heard.status == 409 && heard.body.contains("running in a terminal"), "{heard:?}");
    let heard = served.post("/api/sessions/s/steer", &json!({ "text": "Use tabs." }));
    assert_eq!(heard.status, 202, "{heard:?}");
    door.open();
    watching.sees("Use tabs.");
    watching.sees("With tabs, then.");
    watching.sees("group_ended");
    Ran::of(&run.wait_with_output().unwrap()).says("With tabs, then.\n");
    // The terminal has let it go, so the server can drive it itself.
    until("a session that nobody drives", || served.get("/api/sessions/s").json()["state"] == "closed");
    let heard = served.post("/api/sessions/s/prompt", &json!({ "text": "Again. Use tabs." }));
    assert_eq!(heard.status, 202, "{heard:?}");
    until("the next answer", || stage.double.requests().len() == 3);
}

/// A run in a terminal that the server was just told to stop.
#[track_caller]
fn just_stopped(stage: &Stage, served: &Served) -> Child {
    let run = started(stage.command(["run", "--model", MODEL, "-p", "hi", "--session", "s"]));
    until("the first request", || !stage.double.requests().is_empty());
    until("a session that works", || served.get("/api/sessions/s").json()["state"] == "working");
    let heard = served.post("/api/sessions/s/cancel", &json!({ "reason": "enough" }));
    assert_eq!(heard.status, 202, "{heard:?}");
    run
}

#[test]
fn a_run_in_a_terminal_is_stopped_from_the_server() {
    let stage = Stage::new([Act::says("never whole").with(Fault::Stall(500))]);
    let served = Served::start(&stage, &[]);
    let run = just_stopped(&stage, &served);
    let ran = Ran::of(&run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let journal = stage.holm(["session", "export", "s", "--format", "jsonl"]).out;
    assert!(journal.contains("enough"), "{journal}");
}

#[test]
fn what_is_said_to_a_run_that_was_just_stopped_is_refused_or_kept_or_told() {
    let stage = Stage::new([Act::says("never whole").with(Fault::Stall(500))]);
    let served = Served::start(&stage, &[]);
    let run = just_stopped(&stage, &served);
    let heard = served.post("/api/sessions/s/steer", &json!({ "text": "Use tabs." }));
    let ran = Ran::of(&run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let journal = stage.holm(["session", "export", "s", "--format", "jsonl"]).out;
    let told = "holm: the run ended before the agent read this message from elsewhere: Use tabs.\n";
    let is_lost = !journal.contains("Use tabs.") && !ran.err.contains(told);
    assert!(heard.status != 202 || !is_lost, "{heard:?} {ran:?}");
}

#[test]
fn a_question_of_a_terminal_is_answered_from_the_server() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call, Act::says("Done.")]).file("notes.txt", "one two three\n");
    let served = Served::start(&stage, &[]);
    let run = Pty::start(&stage, (24, 80), &["run", "--model", MODEL, "-p", "Count", "--session", "s"], &[]);
    run.shows("[n]o:");
    let questions = || served.get("/api/sessions/s/questions").json().as_array().cloned().unwrap_or_default();
    until("the question", || !questions().is_empty());
    let asked = questions().remove(0);
    assert_eq!(asked["question"]["approval"]["tool"], "read", "{asked}");
    let body = json!({ "question": asked["id"], "answer": "once" });
    let heard = served.post("/api/sessions/s/questions", &body);
    assert_eq!(heard.status, 204, "{heard:?}");
    run.shows("this was answered elsewhere");
    let (code, left) = run.ends();
    assert_eq!(code, Some(0), "{}", left.contents);
    assert!(left.contents.contains("Done."), "{}", left.contents);
    assert!(stage.double.requests()[1].text().contains("one two three"));
}

#[test]
fn whoever_stops_a_run_at_its_question_hears_of_no_other_answer() {
    let stage = Stage::new([Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)])]);
    let mut run = Pty::start(&stage, (24, 80), &["run", "--model", MODEL, "-p", "Count"], &[]);
    run.shows("[n]o:");
    run.types(CTRL_C);
    let (code, left) = run.ends();
    assert_eq!(code, Some(130), "{}", left.contents);
    assert!(left.contents.contains("holm: stopping"), "{}", left.contents);
    for untrue in ["answered elsewhere", "was withdrawn"] {
        assert!(!left.contents.contains(untrue), "{}", left.contents);
    }
}

#[test]
fn nothing_of_a_session_can_be_reached_once_it_is_over() {
    let stage = Stage::new([Act::says("Done.")]);
    stage.run(&["-p", "hi", "--session", "s"]).says("Done.\n");
    let left = std::fs::read_dir(stage.data().join("live")).unwrap().count();
    assert_eq!(left, 0, "neither a socket nor a key");
}
