//! Tests `holm serve` when it is killed, restarted, and started twice.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use holm::kernel::FailureClass;
use holm_testkit::double::{Act, Fault};
use serde_json::json;

use crate::{
    patience::until,
    served::Served,
    stage::{MODEL, Stage},
};

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
#[track_caller]
pub(crate) fn until_asked(asked: &AtomicU32, times: u32) {
    until("the model's call", || asked.load(Ordering::SeqCst) >= times);
}

#[test]
fn a_server_that_is_killed_goes_on_at_the_next_start_and_says_nothing_twice() {
    let (stage, asked) = stalling("gone on");
    let served = Served::start(&stage, &[]);
    let made = served.post("/api/sessions", &json!({ "id": "one", "prompt": "go" }));
    assert_eq!(made.status, 201, "{made:?}");
    until_asked(&asked, 1);
    drop(served);
    let served = Served::start(&stage, &[]);
    let replay = "/api/sessions/one/replay";
    served.until("what it goes on with", replay, |told| told.status == 200 && told.body.contains("gone on"));
    let told = served.get(replay).body;
    assert_eq!(told.matches("group_started").count(), 1, "{told}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn a_second_server_with_the_same_data_is_refused() {
    let stage = Stage::new([]);
    let served = Served::start(&stage, &[]);
    let second = stage.holm(["serve", "--listen", "127.0.0.1:0", "--", "--model", MODEL]);
    second.fails(2, "another server is using");
    assert_eq!(served.get("/health").status, 200);
}

#[test]
fn probes_need_no_token_and_metrics_count_what_failed() {
    let refused = Fault::Refused { status: Some(400), class: FailureClass::BadRequest, message: "no".into() };
    let stage = Stage::new([Act::fails(refused)]);
    let served = Served::start(&stage, &[]);
    for path in ["/health/live", "/health/ready"] {
        let reply = served.send("none", "GET", path, &[], None);
        assert_eq!((reply.status, reply.json()), (200, json!({ "status": "ok" })), "{path}");
    }
    assert_eq!(served.send("none", "GET", "/metrics", &[], None).status, 401);
    served.post("/api/sessions", &json!({ "id": "one", "prompt": "go" }));
    served.wait("one");
    let metrics = served.get("/metrics").body;
    for line in [
        "holm_model_failures_total{class=\"bad_request\"} 1",
        "holm_prompts_ended_total{ending=\"failed\"} 1",
    ] {
        assert!(metrics.lines().any(|own| own == line), "{line} in {metrics}");
    }
}
