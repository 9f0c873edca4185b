//! Tests `holm serve` as a process: its agents' parts, shown and changed over HTTP.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::mpsc::{self, Receiver},
};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::{
    served::Served,
    stage::{MODEL, Stage},
};

/// An agent that asks for little.
const REVIEWER: &str = "---\nname: reviewer\ndescription: Reviews.\ntools: [read]\ngrants: [read:src/**]\nmode: plan\n\
    limits:\n  turns: 3\n  spend: 0.25usd\n---\nYou review.\n";

#[test]
fn an_agent_is_shown_checked_kept_changed_used_and_forgotten() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &["--grant", "read:**"]);
    let usual = served.get("/api/agents/holm").json();
    assert_eq!((usual["owner"].as_str(), usual["mode"].as_str()), (Some("holm"), Some("default")), "{usual}");
    assert!(usual["tools"].as_array().unwrap().iter().any(|tool| tool == "read"), "{usual}");
    let checked = served.post("/api/check-agent", &json!({ "text": REVIEWER })).json();
    assert_eq!(checked["prompt"], "You review.");
    assert_eq!(
        checked["limits"],
        json!({ "turns": 3, "tokens": null, "time_ms": null, "spend_nano_usd": 250_000_000, "depth": null })
    );
    let wrong = served.post(
        "/api/check-agent",
        &json!({ "text": "---\nname: x\ndescription: y\ngrants: [fly:high]\n---\n" }),
    );
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("line 4"), "{wrong:?}");
    let token = served.issue("owner", "operator");
    let put = |headers: &[(&str, &str)], text: &str| {
        served.send_json(&token, "PUT", "/api/agents/reviewer", headers, &json!({ "text": text }))
    };
    assert_eq!(put(&[], REVIEWER).status, 428);
    let made = put(&[("if-none-match", "*")], REVIEWER);
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(put(&[("if-none-match", "*")], REVIEWER).status, 409);
    let (etag, better) = (made.etag(), REVIEWER.replace("You review.", "You review well."));
    let changed = put(&[("if-match", &etag)], &better);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(put(&[("if-match", &etag)], REVIEWER).status, 412, "it is another by now");
    let shown = served.get("/api/agents/reviewer").json();
    assert_eq!(shown["text"], json!(better));
    assert_eq!(shown["etag"], json!(changed.etag()));
    assert_eq!(fs::read_to_string(stage.data().join("agents/reviewer.md")).unwrap(), better);
    assert!(served.get("/api/agents").body.contains("reviewer"));
    let path = "/api/agents/reviewer";
    assert_eq!(served.send(&token, "DELETE", path, &[], None).status, 204);
    assert_eq!(served.send(&token, "DELETE", path, &[], None).status, 404);
    assert_eq!(served.get(path).status, 404);
}

#[test]
fn an_operator_gives_an_agent_no_more_than_the_usual_one_has() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &["--grant", "read:src/**"]);
    let operator = served.issue("owner", "operator");
    let text = |grants: &str, mode: &str| json!({ "text": format!("---\nname: strong\ndescription: x\ngrants: [{grants}]\nmode: {mode}\n---\nGo.\n") });
    let none = [("if-none-match", "*")];
    for (grants, mode) in [("read:**", "plan"), ("read:src/**, exec:git", "plan"), ("read:src/**", "full")] {
        let put = served.send_json(&operator, "PUT", "/api/agents/strong", &none, &text(grants, mode));
        assert_eq!(put.status, 403, "{grants} {mode}: {put:?}");
    }
    assert!(!stage.data().join("agents/strong.md").exists());
    let put = served.send_json(&served.token, "PUT", "/api/agents/strong", &none, &text("read:**", "full"));
    assert_eq!(put.status, 201, "an administrator gives what they like: {put:?}");
    for name in ["holm", "other"] {
        let put = served.send_json(
            &operator,
            "PUT",
            &format!("/api/agents/{name}"),
            &none,
            &text("read:src/**", "plan"),
        );
        assert_eq!(put.status, 400, "{name}: {put:?}");
    }
    for name in ["..%2Fkeys", "a.b", "%2e%2e", "x%00"] {
        assert_eq!(served.get(&format!("/api/agents/{name}")).status, 400, "{name}");
    }
}

#[test]
fn a_tool_is_shown_and_tried_with_what_was_named_and_nothing_else() {
    let stage = Stage::new([]).file("notes.txt", "one\n");
    let served = Served::start(&stage, &["--grant", "read:**"]);
    let shown = served.get("/api/tools/read").json();
    assert_eq!(
        (shown["level"].as_str(), &shown["needs"]),
        (Some("read-only"), &json!(["read:{path?}"])),
        "{shown}"
    );
    assert_eq!(shown["schema"]["type"], "object");
    assert_eq!(served.get("/api/tools/nothing").status, 404);
    let operator = served.issue("owner", "operator");
    let attempt = |token: &str, tool: &str, body: Value| {
        served.send_json(token, "POST", &format!("/api/tools/{tool}/try"), &[], &body)
    };
    let arguments = json!({ "path": "notes.txt" });
    let tried =
        attempt(&operator, "read", json!({ "arguments": arguments, "grants": ["read:notes.txt"] })).json();
    assert_eq!(tried["outcome"], "succeeded", "{tried}");
    assert!(tried["said"].as_str().unwrap().contains("one"), "{tried}");
    let tried = attempt(&operator, "read", json!({ "arguments": arguments })).json();
    assert_eq!(tried["outcome"], "refused", "{tried}");
    let write = json!({ "arguments": { "path": "new.txt", "content": "x" }, "grants": ["write:new.txt"] });
    assert_eq!(attempt(&operator, "write", write.clone()).status, 403, "more than the usual agent has");
    assert!(!stage.work().join("new.txt").exists());
    let tried = attempt(&served.token, "write", write).json();
    assert_eq!(tried["outcome"], "succeeded", "{tried}");
    assert_eq!(fs::read_to_string(stage.work().join("new.txt")).unwrap(), "x");
    assert_eq!(attempt(&operator, "read", json!({ "grants": ["fly:high"] })).status, 400);
    let viewer = served.issue("owner", "viewer");
    assert_eq!(attempt(&viewer, "read", json!({})).status, 403);
    let reloaded = served.post("/api/reload-tools", &json!({})).json();
    assert!(reloaded["tools"].as_u64().unwrap() > 5, "{reloaded}");
}

#[test]
fn servers_are_written_down_by_administrators_seen_tested_and_taken_away() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py");
    let script = script.canonicalize().unwrap().display().to_string();
    let work = stage.work().canonicalize().unwrap().display().to_string();
    let entry = json!({
        "command": "/usr/bin/python3", "args": [script, "ok", format!("{work}/state")],
        "grants": [format!("read:{script}"), format!("read:{work}/"), format!("write:{work}/")],
    });
    let new = json!({ "name": "sea", "entry": entry });
    let operator = served.issue("owner", "operator");
    assert_eq!(served.send_json(&operator, "POST", "/api/mcp-servers", &[], &new).status, 403);
    assert_eq!(served.post("/api/mcp-servers", &json!({ "name": "sea", "entry": {} })).status, 400);
    assert_eq!(served.post("/api/mcp-servers", &json!({ "name": "../sea", "entry": entry })).status, 400);
    assert_eq!(served.post("/api/mcp-servers", &new).status, 201);
    assert_eq!(served.post("/api/mcp-servers", &new).status, 409);
    let tested = served.send_json(&operator, "POST", "/api/mcp-servers/sea/test", &[], &json!({}));
    assert_eq!(tested.status, 200, "{tested:?}");
    assert_eq!(tested.json()["tools"][0]["name"], "sea_echo", "{tested:?}");
    served.post("/api/reload-tools", &json!({}));
    let seen = served.get("/api/mcp-servers");
    let sea = &seen.json()[0];
    assert_eq!((sea["name"].as_str(), sea["state"].as_str()), (Some("sea"), Some("ready")), "{seen:?}");
    assert!(!seen.body.contains("python3"), "how it is reached is not given out: {seen:?}");
    taken_away(&served, &operator, "/api/mcp-servers", "sea");
}

/// Only an administrator can remove the single item of this list.
fn taken_away(served: &Served, operator: &str, list: &str, name: &str) {
    let (path, administrator) = (format!("{list}/{name}"), served.token.as_str());
    for (token, status) in [(operator, 403), (administrator, 204), (administrator, 404)] {
        assert_eq!(served.send(token, "DELETE", &path, &[], None).status, status, "{path}");
    }
    assert_eq!(served.get(list).json(), json!([]));
}

#[test]
fn a_key_goes_in_and_never_comes_out() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &[]);
    let key = json!({ "provider": "anthropic", "key": "kept-by-nobody-else-42" });
    assert_eq!(served.post("/api/keys", &key).status, 204);
    assert_eq!(served.get("/api/keys").json(), json!(["anthropic"]));
    for path in ["/api/keys", "/api/settings", "/api/models", "/api/audit"] {
        let said = served.get(path);
        assert_eq!(said.status, 200, "{path}: {said:?}");
        assert!(!said.body.contains("kept-by-nobody-else-42"), "{path}");
    }
    let operator = served.issue("owner", "operator");
    assert_eq!(served.send(&operator, "GET", "/api/settings", &[], None).status, 403);
    taken_away(&served, &operator, "/api/keys", "anthropic");
}

#[test]
fn another_user_has_parts_of_their_own() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &["--grant", "read:**"]);
    let ada = served.issue("ada", "operator");
    let body = json!({ "text": REVIEWER });
    let put = served.send_json(&ada, "PUT", "/api/agents/reviewer", &[("if-none-match", "*")], &body);
    assert_eq!(put.status, 201, "{put:?}");
    assert!(stage.data().join("users/ada/data/agents/reviewer.md").exists());
    assert_eq!(served.get("/api/agents/reviewer").status, 404, "the owner has none");
    fs::write(stage.work().join("mine.txt"), "mine").unwrap();
    assert_eq!(served.send(&ada, "GET", "/api/folders", &[], None).json()["entries"], json!([]));
}

#[test]
fn what_is_kept_is_copied_while_sessions_work_and_put_back_elsewhere() {
    let stage = Stage::answering(|_| Act::says("done"));
    let served = Served::start(&stage, &[]);
    let said = |id: &str| json!({ "id": id, "prompt": "hello" });
    assert_eq!(served.post("/api/sessions", &said("first")).status, 201);
    served.wait("first");
    let copy = stage.data().parent().unwrap().join("copy");
    std::thread::scope(|scope| {
        // Another client works all the while.
        let working = scope.spawn(|| {
            for number in 0..20 {
                assert_eq!(served.post("/api/sessions", &said(&format!("s{number}"))).status, 201);
            }
        });
        assert_eq!(served.post("/api/backups", &json!({ "name": "one" })).status, 201);
        let ran = stage.holm(["backup", copy.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        working.join().unwrap();
    });
    assert_eq!(served.post("/api/backups", &json!({ "name": "one" })).status, 409);
    assert_eq!(served.get("/api/backups").json()[0]["name"], "one");
    stage.holm(["backup", copy.to_str().unwrap()]).fails(2, "already");
    stage.holm(["restore", copy.to_str().unwrap()]).fails(2, "is not empty");
    let first = served.get("/api/sessions/first/replay").body;
    let token = served.token.clone();
    drop(served);
    let inner = stage.data().join("backups/one");
    for (number, from) in [copy, inner].iter().enumerate() {
        let new = stage.data().parent().unwrap().join(format!("new-{number}"));
        let args = ["restore", from.to_str().unwrap(), "--data", new.to_str().unwrap()];
        let ran = stage.holm(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let again = Served::over(&stage, &new, &[], &[]);
        assert_eq!(again.token, token, "tokens come back too");
        assert_eq!(again.get("/api/sessions/first/replay").body, first);
    }
}

/// A collector that speaks OTLP over HTTP: what was posted to it, as path and JSON.
fn collector() -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (posted, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let posted = posted.clone();
            std::thread::spawn(move || collect(stream, &posted));
        }
    });
    (address, received)
}

/// Takes requests of one connection until the other side has gone.
fn collect(stream: TcpStream, posted: &mpsc::Sender<(String, Value)>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut out = stream;
    loop {
        let (mut path, mut length, mut kind) = (String::new(), 0_usize, String::new());
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("content-type", value)) => value.clone_into(&mut kind),
                _ if line.starts_with("post ") => {
                    path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                }
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).unwrap();
        assert_eq!(kind, "application/json");
        let _ = posted.send((path, serde_json::from_slice(&body).unwrap()));
        out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            .unwrap();
    }
}

#[test]
fn traces_and_metrics_reach_a_collector_and_hold_nothing_of_what_was_said() {
    let stage = Stage::answering(|_| Act::says("a private answer"));
    let (address, received) = collector();
    let served = Served::over(&stage, &stage.data(), &["--otlp", &address], &[]);
    let made = served.post("/api/sessions", &json!({ "id": "seen", "prompt": "a private question" }));
    assert_eq!(made.status, 201, "{made:?}");
    served.wait("seen");
    // What is left is sent before it ends.
    served.stop();
    let all: Vec<(String, Value)> = received.try_iter().collect();
    let of = |path: &str| all.iter().filter(|(to, _)| to == path).map(|(_, body)| body).collect::<Vec<_>>();
    let scopes = of("/v1/traces")
        .into_iter()
        .flat_map(|body| body["resourceSpans"][0]["scopeSpans"].as_array().unwrap());
    let spans: Vec<&Value> = scopes.flat_map(|scope| scope["spans"].as_array().unwrap()).collect();
    let named = |begins: &str| spans.iter().find(|span| span["name"].as_str().unwrap().starts_with(begins));
    let (agent, chat) = (named("invoke_agent").unwrap(), named("chat").unwrap());
    assert_eq!(agent["traceId"].as_str().map(str::len), Some(32), "{agent}");
    assert_eq!((&chat["parentSpanId"], &chat["traceId"]), (&agent["spanId"], &agent["traceId"]));
    assert!(chat["endTimeUnixNano"].as_str().unwrap().parse::<u64>().unwrap() > 1_700_000_000_000_000_000);
    let service = &of("/v1/traces")[0]["resourceSpans"][0]["resource"]["attributes"];
    assert!(
        service
            .as_array()
            .unwrap()
            .contains(&json!({ "key": "service.name", "value": { "stringValue": "holm" } })),
        "{service}"
    );
    let metrics = of("/v1/metrics");
    let text = metrics.iter().map(ToString::to_string).collect::<String>();
    for name in
        ["gen_ai.client.token.usage", "holm.server.requests", "holm.server.prompts", "holm.server.sessions"]
    {
        assert!(text.contains(name), "{name} in {text}");
    }
    let said = all.iter().map(|(_, body)| body.to_string()).collect::<String>();
    assert!(!said.contains("a private"), "{said}");
}

#[test]
fn a_collector_elsewhere_needs_a_grant() {
    let stage = Stage::new([]);
    let args = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--otlp",
        "https://collector.example.org",
        "--",
        "--model",
        MODEL,
    ];
    stage.holm(args).fails(2, "the run has no grant for it");
}
