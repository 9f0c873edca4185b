//! What becomes of runs when the server stops and starts.

use std::time::Duration;

use serde_json::json;

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_does_not_finish_is_parked_and_goes_on_at_the_next_start() {
    let stage = Stage::with(|config| config.limits.grace = Duration::from_millis(100)).await;
    let http = stage.http();
    // It waits for an answer that nobody gives, so it is at work when the server stops.
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "touch" })).await;
    let mut listening = http.listen("/api/sessions/one/events").await;
    listening.until("question").await;
    let stage = stage.restart().await;
    listening.until("closed").await;
    let http = stage.http();
    let mut listening = http.listen("/api/sessions/one/events").await;
    let asked = listening.until("question").await.pop().unwrap();
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(http.post("/api/sessions/one/questions", &answer).await.status, 204);
    let rest = listening.until("group_ended").await;
    assert!(rest.iter().any(|heard| heard.data.to_string().contains("the tool said touched")), "{rest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_ended_is_left_alone_at_the_next_start() {
    let stage = Stage::new().await;
    let id = stage.http().ended("hello").await;
    let asked = stage.double.requests().len();
    let stage = stage.restart().await;
    let again = stage.http().post(&format!("/api/sessions/{id}/prompt"), &json!({ "text": "more" })).await;
    assert_eq!(again.status, 202, "{again:?}");
    let mut listening = stage.http().listen(&format!("/api/sessions/{id}/events")).await;
    listening.until("group_ended").await;
    listening.until("group_ended").await;
    assert_eq!(stage.double.requests().len(), asked + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_takes_nothing_new_while_runs_finish() {
    let stage = Stage::new().await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "touch" })).await;
    let mut listening = http.listen("/api/sessions/one/events").await;
    let asked = listening.until("question").await.pop().unwrap();
    let hall = std::sync::Arc::clone(stage.serving.server().hall());
    let closing = tokio::spawn(async move { hall.close().await });
    let until = tokio::time::Instant::now() + crate::client::PATIENCE;
    // Each try makes a session; the first that is refused says that the server has heard.
    while http.post("/api/sessions", &json!({})).await.code() != "stopping" {
        assert!(tokio::time::Instant::now() < until, "it takes whatever comes");
        tokio::task::yield_now().await;
    }
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(http.post("/api/sessions/one/questions", &answer).await.status, 204, "the run still finishes");
    let rest = listening.until("group_ended").await;
    assert!(rest.iter().any(|heard| heard.data.to_string().contains("the tool said touched")), "{rest:?}");
    closing.await.unwrap();
}
