//! `--log-json-file`, `--log-http` and `holm log`.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread,
};

use holm_testkit::double::Act;
use serde_json::Value;

use crate::{
    pty::Pty,
    stage::{KEY, Stage},
};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_is_written_down_as_it_happens_and_can_be_written_down_later() {
    let shows = Act::calls(&[("c1", "shell", r#"{"script":"echo $OPENAI_API_KEY"}"#)]);
    let stage = Stage::new([shows, Act::says("Done.")]);
    let args = ["-p", "Go.", "--session", "s", "--log-json-file", "log.jsonl"];
    assert_eq!(stage.run(&args).out, "Done.\n");
    let text = fs::read_to_string(stage.work().join("log.jsonl")).unwrap();
    assert!(!text.contains(KEY));
    let told = lines(&text);
    assert_eq!((&told[0]["command"], &told[told.len() - 1]["exit"]), (&"run".into(), &3.into()));
    let mut timed = told[1..told.len() - 1].to_vec();
    assert!(timed.iter().all(|line| line["session"] == "s" && line["event"] != Value::Null), "{text}");
    // What happens now is timed in microseconds; the journal has milliseconds.
    let micros = |line: &Value| line["at_us"].as_u64().unwrap();
    assert!(timed.windows(2).all(|pair| micros(&pair[0]) <= micros(&pair[1])), "{text}");
    for line in &mut timed {
        line.as_object_mut().unwrap().retain(|key, _| !matches!(key.as_str(), "at_us" | "micros"));
    }
    let events = &timed[..];

    let later = stage.holm(["log", "s"]);
    assert_eq!(lines(&later.out), events, "the same from the journal");
    assert_eq!(stage.holm(["log"]).out, later.out, "the session used last");
    stage.holm(["log", "s", "--log-json-file", "again.jsonl"]).says("");
    let again = lines(&fs::read_to_string(stage.work().join("again.jsonl")).unwrap());
    assert_eq!(&again[1..again.len() - 1], events);
    stage.holm(["log", "none"]).fails(6, "there is no session");
}

#[test]
fn a_chat_is_written_down_too() {
    let stage = Stage::new([Act::says("Noted in the chat.")]);
    let file = stage.work().join("chat.log");
    let mut chat = Pty::chat(&stage, (24, 80), &["--log-json-file", "chat.log"]);
    chat.shows("Type what you want done.");
    chat.types("hello\r");
    chat.shows("Noted in the chat.");
    chat.until("that it stands still", |screen| !screen.contents().contains("Ctrl-C stops"));
    chat.types("/quit \r");
    assert_eq!(chat.ends().0, Some(0));
    let log = lines(&fs::read_to_string(file).unwrap());
    assert!(log.iter().any(|line| line["event"].to_string().contains("Noted in the chat.")), "{log:?}");
}

#[test]
fn helpers_are_written_down_under_their_own_names() {
    let task = Act::calls(&[("p1", "scout", r#"{"task":"Look around."}"#)]);
    let stage = Stage::new([task, Act::says("Seen by the scout."), Act::says("Done.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = "---\nname: scout\ndescription: Looks around.\n---\nYou look around.\n";
    fs::write(stage.data().join("tools/scout.md"), file).unwrap();
    let ran = stage.run(&["-p", "Go.", "--session", "s", "--log-json-file", "log.jsonl"]);
    assert_eq!(ran.out, "Done.\n", "{ran:?}");
    let told = lines(&fs::read_to_string(stage.work().join("log.jsonl")).unwrap());
    let said = told.iter().find(|line| line["event"].to_string().contains("Seen by the scout."));
    let whose = |line: &Value| line["session"].as_str().unwrap_or_default().to_owned();
    assert!(said.is_some_and(|line| whose(line).starts_with("child-")), "{told:?}");
    assert!(told.iter().any(|line| line["event"] != Value::Null && whose(line) == "s"), "{told:?}");
}

#[test]
fn errors_are_in_the_log_and_arguments_are_not() {
    let stage = Stage::new([]);
    let args = ["run", "-p", "something secret", "--session", "none", "--resume"];
    stage.holm([&args[..], &["--log-json-file", "log.jsonl"]].concat()).fails(6, "there is no session");
    let text = fs::read_to_string(stage.work().join("log.jsonl")).unwrap();
    let told = lines(&text);
    assert_eq!(told.len(), 2, "{text}");
    assert_eq!(told[1]["exit"], 6, "{text}");
    assert!(
        told[1]["error"].as_str().unwrap().contains("there is no session") && !text.contains("secret"),
        "{text}"
    );
}

/// A server that takes requests until no more clients connect, and forwards their bodies.
fn collector() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let (sender, bodies) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut read = BufReader::new(stream.unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                if read.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            read.read_exact(&mut body).unwrap();
            // Forwarded before it is answered, so that every answered request is known to be
            // received.
            if sender.send(String::from_utf8(body).unwrap()).is_err() {
                return;
            }
            let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            read.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, bodies)
}

#[test]
fn a_run_is_sent_to_this_machine_and_nowhere_that_nobody_granted() {
    let stage = Stage::new([Act::says("Done.")]);
    let (url, bodies) = collector();
    stage.run(&["-p", "Go.", "--session", "s", "--log-http", &url]).says("Done.\n");
    // Every answer was read before the command ended.
    let text: String = bodies.try_iter().collect();
    let told = lines(&text);
    assert_eq!((&told[0]["command"], &told[told.len() - 1]["exit"]), (&"run".into(), &0.into()), "{text}");
    assert!(told.iter().any(|line| line["event"]["group_ended"] != Value::Null), "{text}");

    let refused = stage.run(&["-p", "Go.", "--log-http", "https://logs.example/in"]);
    refused.fails(2, "the run has no grant for it");
    assert!(refused.err.contains("add --grant fetch:https://logs.example:443"), "{refused:?}");
    assert_eq!(stage.double.requests().len(), 1);
}

#[test]
fn a_log_that_cannot_be_sent_is_told_and_the_run_goes_on() {
    let stage = Stage::new([Act::says("Done.")]);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ran = stage.run(&["-p", "Go.", "--log-http", &format!("http://127.0.0.1:{port}/in")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.err.contains("is incomplete"), "{ran:?}");
}
