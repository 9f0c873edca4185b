//! Runs across a stop and a restart of the server.

use std::{collections::BTreeSet, time::Duration};

use serde_json::json;

use crate::{
    client::{found, until},
    stage::Stage,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_does_not_finish_is_parked_and_goes_on_at_the_next_start() {
    let stage = Stage::with(|config| config.limits.grace = Duration::from_millis(100)).await;
    let http = stage.http();
    // It waits for an answer that never comes, so it is running when the server stops.
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
async fn a_second_server_in_the_same_folder_is_refused_until_the_first_has_stopped() {
    let stage = Stage::new().await;
    let mut config = stage.serving.server().config().clone();
    config.listen.set_port(0);
    let refused = holm_server::serve(config, crate::stage::shop(&stage)).await.unwrap_err();
    assert!(matches!(refused, holm_server::ServerError::Taken(_)), "{refused}");
    assert_eq!(stage.http().get("/health").await.status, 200, "the first goes on");
    let stage = stage.restart().await;
    assert_eq!(stage.http().get("/health").await.status, 200);
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
    // Each try makes a session; the first that is refused says that the server has heard.
    until("a refusal", async || http.post("/api/sessions", &json!({})).await.code() == "stopping").await;
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(http.post("/api/sessions/one/questions", &answer).await.status, 204, "the run still finishes");
    let rest = listening.until("group_ended").await;
    assert!(rest.iter().any(|heard| heard.data.to_string().contains("the tool said touched")), "{rest:?}");
    closing.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_was_parked_goes_on_however_many_may_wait() {
    let stage = Stage::with(|config| config.limits.grace = Duration::from_millis(100)).await;
    for id in ["one", "two", "three", "four"] {
        stage.http().post("/api/sessions", &json!({ "id": id, "prompt": "touch" })).await;
        stage.http().listen(&format!("/api/sessions/{id}/events")).await.until("question").await;
    }
    let few = |config: &mut holm_server::ServerOptions| {
        config.limits.runs_per_user = 1;
        config.limits.waiting_per_user = 1;
    };
    let stage = stage.restart_with(few).await;
    // Those that wait for their turn ask already, so the answers come before the turns.
    let mut answered = BTreeSet::new();
    while answered.len() < 4 {
        let (id, question) = asked(&stage, &answered).await;
        let answer = json!({ "question": question, "answer": "once" });
        assert_eq!(stage.http().post(&format!("/api/sessions/{id}/questions"), &answer).await.status, 204);
        answered.insert(id);
    }
    for id in answered {
        let mut listening = stage.http().listen(&format!("/api/sessions/{id}/events")).await;
        listening.until("group_ended").await;
    }
}

/// A session that asks something and was not answered yet, and what it asks.
async fn asked(stage: &Stage, answered: &BTreeSet<String>) -> (String, serde_json::Value) {
    found("another that goes on", async || {
        let listed = stage.http().get("/api/sessions").await.json();
        let ids =
            listed["sessions"].as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap());
        for id in ids.filter(|id| !answered.contains(*id)) {
            let open = stage.http().get(&format!("/api/sessions/{id}/questions")).await.json();
            if open[0]["id"].is_u64() {
                return Some((id.to_owned(), open[0]["id"].clone()));
            }
        }
        None
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_somebody_without_a_token_had_under_way_does_not_go_on() {
    let stage = Stage::with(|config| config.limits.grace = Duration::from_millis(100)).await;
    let ada = stage.as_user("ada", holm_server::auth::Role::Operator, holm_server::auth::TokenScope::All);
    let number = ada.get("/api/me").await.json()["token"].as_u64().unwrap();
    for (http, id) in [(&ada, "hers"), (&stage.http(), "ours")] {
        http.post("/api/sessions", &json!({ "id": id, "prompt": "touch" })).await;
        http.listen(&format!("/api/sessions/{id}/events")).await.until("question").await;
    }
    assert_eq!(stage.http().send("DELETE", &format!("/api/tokens/{number}"), Some("{}")).await.status, 204);
    let stage = stage.restart().await;
    // Users continue in the order of their names, so hers would have come first.
    stage.http().listen("/api/sessions/ours/events").await.until("question").await;
    assert_eq!(stage.http().get("/health").await.json()["sessions"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_was_accepted_is_done_once_although_the_server_stopped_before_its_turn() {
    let stage = Stage::with(|config| {
        config.limits.grace = Duration::from_millis(100);
        config.limits.runs_per_user = 1;
    })
    .await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "stall" })).await;
    http.listen("/api/sessions/one/events").await.until("delta").await;
    assert_eq!(http.post("/api/sessions", &json!({ "id": "two" })).await.status, 201);
    let accepted = http.post("/api/sessions/two/prompt", &json!({ "text": "hello" })).await;
    assert_eq!((accepted.status, &accepted.json()["state"]), (202, &json!("waiting")));
    let unheard = http.post("/api/sessions/two/steer", &json!({ "text": "hurry" })).await;
    assert_eq!(unheard.code(), "waiting", "nobody could keep it");
    let asked = |stage: &Stage| {
        let seen = stage.double.requests();
        let said = |seen: &holm_testkit::double::Seen| {
            let asked = seen.asked.as_ref()?;
            asked.messages.last().map(holm_kernel::Message::plain_text)
        };
        seen.iter().filter(|seen| said(seen).as_deref() == Some("hello")).count()
    };
    assert_eq!(asked(&stage), 0);
    let stage = stage.restart_with(|config| config.limits.grace = Duration::from_millis(100)).await;
    let mut listening = stage.http().listen("/api/sessions/two/events").await;
    let rest = listening.until("group_ended").await;
    assert!(rest.iter().any(|heard| heard.data.to_string().contains("you said hello")), "{rest:?}");
    // It is not done again at the start after that.
    let stage = stage.restart().await;
    stage.http().listen("/api/sessions/one/events").await.until("delta").await;
    assert_eq!(asked(&stage), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_was_cancelled_before_its_turn_is_not_done_at_the_next_start() {
    let stage = Stage::with(|config| {
        config.limits.grace = Duration::from_millis(100);
        config.limits.runs_per_user = 1;
    })
    .await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "stall" })).await;
    http.listen("/api/sessions/one/events").await.until("delta").await;
    http.post("/api/sessions", &json!({ "id": "two" })).await;
    http.post("/api/sessions/two/prompt", &json!({ "text": "hello" })).await;
    assert_eq!(http.post("/api/sessions/two/cancel", &json!({})).await.status, 202);
    http.until_idle("two").await;
    let stage = stage.restart().await;
    // What goes on begins in the order in which it was found; the one that speaks again is the last to be sure of.
    stage.http().listen("/api/sessions/one/events").await.until("delta").await;
    let told = stage.http().get("/api/sessions/two/replay").await.body;
    assert!(!told.contains("hello"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_request_alone_asked_for_does_not_go_on_without_it() {
    let stage = Stage::new().await;
    let http = stage.http();
    let body = json!({ "model": "holm", "messages": [{ "role": "user", "content": "stall" }] });
    let asking = http.clone();
    let asking = tokio::spawn(async move { asking.post("/v1/chat/completions", &body).await });
    http.post("/api/sessions", &json!({ "id": "one", "prompt": "stall" })).await;
    stage.until_asked(2).await;
    // By this tag the next server finds what it is to go on with.
    let parked = http.get("/api/sessions?tag=holm:running").await.json();
    let parked: Vec<_> = parked["sessions"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(parked, ["one"]);
    asking.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_was_accepted_is_not_lost_to_one_that_comes_before_it_goes_on() {
    let stage = Stage::new().await;
    let http = stage.http();
    assert_eq!(http.post("/api/sessions", &json!({ "id": "one" })).await.status, 201);
    // As a server leaves it that ended before the prompt's turn.
    let store = stage.workspace("owner").with_file_name("holm.db");
    let store = holm_store::Store::open(store).await.unwrap();
    let kept = json!({ "prompt": holm_kernel::Prompt::text("first"), "after": 1_000 }).to_string();
    let at = holm_kernel::Timestamp::new(1);
    assert!(store.put_slip("prompts", "one", at, kept.as_bytes()).await.unwrap());
    let words = json!({ "text": "second" });
    let second = || http.post("/api/sessions/one/prompt", &words);
    let refused = second().await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "working"), "{refused:?}");
    let mut listening = http.listen("/api/sessions/one/events").await;
    let told = listening.until("group_ended").await;
    assert!(told.iter().any(|heard| heard.data.to_string().contains("you said first")), "{told:?}");
    assert_eq!(second().await.status, 202);
    let told = listening.until("group_ended").await;
    assert!(told.iter().any(|heard| heard.data.to_string().contains("you said second")), "{told:?}");
}

/// A session as an ended server leaves it: marked as running, but not driven.
async fn left(store: &holm_store::Store, id: &str) {
    until("its rest", async || store.session(id).await.unwrap().holder.is_none()).await;
    store.tag(id, "holm:running").await.unwrap();
}

/// Waits until another server has resumed it and finished.
async fn taken_over(store: &holm_store::Store, id: &str) {
    until("whoever takes it over", async || {
        store.session(id).await.unwrap().tags.iter().all(|tag| tag != "holm:running")
    })
    .await;
}

/// A server that shares its store and closes sessions at once. Tests do not start sessions there,
/// because a session might be closed before it is prompted.
fn shared(config: &mut holm_server::ServerOptions) {
    config.takeover = Some(Duration::from_millis(20));
    config.limits.idle = Duration::from_millis(20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_a_job_that_a_person_prompted_is_taken_over_like_any_other() {
    let stage = Stage::new().await;
    let made = json!({ "id": "job.nightly.1", "prompt": "hello" });
    assert_eq!(stage.http().post("/api/sessions", &made).await.status, 201);
    stage.http().listen("/api/sessions/job.nightly.1/events").await.until("group_ended").await;
    let stage = stage.restart_with(shared).await;
    let store = holm_store::Store::open(stage.workspace("owner").with_file_name("holm.db")).await.unwrap();
    left(&store, "job.nightly.1").await;
    taken_over(&store, "job.nightly.1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_nothing_to_spend_is_not_opened_again_and_again() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", holm_server::auth::Role::Operator, holm_server::auth::TokenScope::All);
    let hers = ada.ended("hello").await;
    let ours = stage.http().ended("hello").await;
    let stage = stage.restart_with(shared).await;
    let store = |user: &str| holm_store::Store::open(stage.workspace(user).with_file_name("holm.db"));
    let (hers_in, ours_in) = (store("ada").await.unwrap(), store("owner").await.unwrap());
    let bound = json!({ "nano_usd": 1 });
    assert_eq!(stage.http().post("/api/users/ada/budget", &bound).await.status, 204);
    left(&hers_in, &hers).await;
    let runs = || stage.serving.server().metrics().runs.value();
    let before = runs();
    // Each of these is a look that has passed hers, too.
    for _ in 0..3 {
        left(&ours_in, &ours).await;
        taken_over(&ours_in, &ours).await;
    }
    assert_eq!(runs(), before + 3, "hers was left alone");
    let none = json!({ "nano_usd": null });
    assert_eq!(stage.http().post("/api/users/ada/budget", &none).await.status, 204);
    taken_over(&hers_in, &hers).await;
}
