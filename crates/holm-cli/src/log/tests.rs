use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
};

use holm::kernel::{Event, EventId, Timestamp};

use super::*;

fn event(record: u64) -> Numbered {
    let id = EventId { record: holm::kernel::Seq::new(record), index: 0 };
    Numbered { id, at: Timestamp::new(5), event: Event::GrantsChanged }
}

#[test]
fn a_finished_call_says_how_many_microseconds_it_took() {
    let call = holm::kernel::ToolCallId::new(7);
    let of = |event: Event| Numbered { event, ..self::event(1) };
    let clock = CallClock::default();
    let begun = clock.timed(json!({}), &of(Event::CallStarted { call }));
    assert!(begun.get("micros").is_none() && begun["at_us"].is_u64(), "{begun}");
    let (id, outcome) = ("c".into(), holm::kernel::Outcome::Succeeded);
    let finished = Event::CallFinished { call, id, outcome, bytes: 0, millis: 0, metadata: None };
    let ended = clock.timed(json!({}), &of(finished));
    assert!(ended["micros"].is_u64() && ended["at_us"].as_u64() >= begun["at_us"].as_u64(), "{ended}");
}

fn to_file(path: &std::path::Path) -> anyhow::Result<ActivityLog> {
    let args = LogFlags { log_json_file: Some(path.to_owned()), log_http: None };
    ActivityLog::open(&args, &GrantSet::default(), NetworkScope::Anywhere)
}

fn to_http(url: &str, granted: &[&str], bounds: NetworkScope) -> anyhow::Result<ActivityLog> {
    let args = LogFlags { log_json_file: None, log_http: Some(url.parse().unwrap()) };
    ActivityLog::open(&args, &GrantSet::parse(granted.iter().copied()).unwrap(), bounds)
}

#[tokio::test]
async fn a_file_gets_one_line_for_each_event_behind_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    for run in ["one", "two"] {
        let log = to_file(&path).unwrap();
        log.of_run(run).unwrap().event(&event(3));
        assert_eq!(log.finish().await, Vec::<String>::new());
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        assert!(line.as_object_mut().unwrap().remove("at_us").is_some_and(|at| at.is_u64()), "{text}");
    }
    let expect =
        |run: &str| json!({ "at": 5, "session": run, "record": 3, "index": 0, "event": "grants_changed" });
    assert_eq!(lines, [expect("one"), expect("two")]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    for mode in [0o600, 0o644] {
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        to_file(&path).unwrap().finish().await;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let error = to_file(folder.path()).unwrap_err().to_string();
    assert!(error.contains("cannot be used"), "{error}");
}

#[tokio::test]
async fn an_address_that_nobody_granted_is_refused_before_anything_is_sent() {
    for (url, granted, bounds, expect) in [
        (
            "https://logs.example/in",
            &[][..],
            NetworkScope::Anywhere,
            Some("add --grant fetch:https://logs.example:443"),
        ),
        (
            "https://logs.example/in",
            &["fetch:https://logs.example"][..],
            NetworkScope::ThisMachine,
            Some("--offline"),
        ),
        ("https://logs.example/in", &["fetch:https://logs.example"][..], NetworkScope::Anywhere, None),
        ("http://127.0.0.1:9/in", &[][..], NetworkScope::ThisMachine, None),
    ] {
        let opened = to_http(url, granted, bounds);
        match expect {
            None => assert!(opened.unwrap().is_on()),
            Some(part) => {
                let error = opened.unwrap_err().to_string();
                assert!(error.contains(part), "{error}");
            }
        }
    }
}

/// A server that answers one request with this status, and gives its head and body.
fn server(status: &'static str) -> (String, std::thread::JoinHandle<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut read = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            read.read_line(&mut line).unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        read.read_exact(&mut body).unwrap();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        read.get_mut().write_all(answer.as_bytes()).unwrap();
        (head, String::from_utf8(body).unwrap())
    });
    (url, served)
}

#[tokio::test]
async fn an_address_gets_lines_in_a_request() {
    let (url, served) = server("204 No Content");
    let log = to_http(&url, &[], NetworkScope::ThisMachine).unwrap();
    log.put_in_time(&began("run")).await;
    assert_eq!(log.finish().await, Vec::<String>::new());
    let (head, body) = served.join().unwrap();
    assert!(head.starts_with("POST /in "), "{head}");
    let line: Value = serde_json::from_str(body.trim()).unwrap();
    assert_eq!(line["command"], "run");
}

#[tokio::test]
async fn what_is_not_taken_is_told_at_the_end() {
    let (url, served) = server("500 Oh No");
    let log = to_http(&url, &[], NetworkScope::Anywhere).unwrap();
    log.put(&began("run"));
    let notes = log.finish().await;
    served.join().unwrap();
    assert!(notes.len() == 1 && notes[0].contains("1 lines were not accepted"), "{notes:?}");
}

#[test]
fn a_log_that_nobody_asked_for_does_nothing() {
    let log = ActivityLog::default();
    log.put(&began("run"));
    assert!(!log.is_on());
}
