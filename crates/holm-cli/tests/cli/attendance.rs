//! Sessions in which no user can answer: tools for people are not offered, and denials say for how long they hold.

use holm_testkit::double::{Act, Seen};
use serde_json::json;

use crate::{served::Served, stage::Stage};

/// Tools that make no sense without a user.
const FOR_PEOPLE: [&str; 4] = ["ask_user", "brief", "enter_plan", "exit_plan"];

fn names(request: &Seen) -> Vec<String> {
    request.asked.as_ref().unwrap().tools.iter().map(|tool| tool.name.clone()).collect()
}

fn writes() -> [Act; 2] {
    [Act::calls(&[("w", "write", r#"{"path":"out.txt","content":"x"}"#)]), Act::says("I may not.")]
}

#[track_caller]
fn is_unattended(stage: &Stage) {
    let requests = stage.double.requests();
    let [first, second] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    let offered = names(first);
    assert!(offered.iter().any(|name| name == "read"), "{offered:?}");
    assert!(offered.iter().all(|name| name != "write"), "no call of it could pass: {offered:?}");
    assert!(!FOR_PEOPLE.iter().any(|tool| offered.iter().any(|name| name == tool)), "{offered:?}");
    let told = second.text();
    assert!(told.contains("denied for this run:") && told.contains("Do not try again."), "{told}");
    let system = &first.asked.as_ref().unwrap().system;
    assert!(system.contains("\nNo user can answer questions during this run."), "{system}");
}

#[test]
fn a_job_that_denies_questions_is_not_offered_tools_that_ask() {
    let stage = Stage::new(writes());
    let server = Served::start(&stage, &[]);
    let spec = json!({ "when": "asked", "prompt": "Write.", "approval": "deny" });
    let made = server.post("/api/jobs", &json!({ "id": "nightly", "spec": spec }));
    assert_eq!(made.status, 201, "{made:?}");
    assert!(server.post("/api/jobs/nightly/run", &json!({})).status < 300);
    server.until("its end", "/api/jobs/nightly/runs", |reply| reply.body.contains("I may not."));
    is_unattended(&stage);
}

#[test]
fn a_job_that_waits_for_users_is_offered_tools_that_ask() {
    let stage = Stage::new([Act::says("Done.")]);
    let server = Served::start(&stage, &[]);
    let spec = json!({ "when": "asked", "prompt": "Write.", "approval": "park" });
    assert_eq!(server.post("/api/jobs", &json!({ "id": "nightly", "spec": spec })).status, 201);
    assert!(server.post("/api/jobs/nightly/run", &json!({})).status < 300);
    server.until("its end", "/api/jobs/nightly/runs", |reply| reply.body.contains("Done."));
    let offered = names(&stage.double.requests()[0]);
    assert!(FOR_PEOPLE.iter().all(|tool| offered.iter().any(|name| name == tool)), "{offered:?}");
}

#[test]
fn a_request_in_the_form_of_openai_is_not_offered_tools_that_ask() {
    let stage = Stage::new(writes());
    let server = Served::start(&stage, &[]);
    let asked = json!({ "model": "holm", "messages": [{ "role": "user", "content": "Write." }] });
    let answer = server.post("/v1/chat/completions", &asked);
    assert!(answer.status == 200 && answer.body.contains("I may not."), "{answer:?}");
    is_unattended(&stage);
}

#[test]
fn a_session_that_users_can_watch_is_offered_tools_that_ask() {
    let stage = Stage::new([Act::says("Done.")]);
    let server = Served::start(&stage, &[]);
    assert_eq!(server.post("/api/sessions", &json!({ "id": "s", "prompt": "Go." })).status, 201);
    server.wait("s");
    let offered = names(&stage.double.requests()[0]);
    assert!(FOR_PEOPLE.iter().all(|tool| offered.iter().any(|name| name == tool)), "{offered:?}");
}
