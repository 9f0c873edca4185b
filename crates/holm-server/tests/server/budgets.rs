//! Hard budgets for all runs of a user together. A reply costs a billionth of a dollar per token:
//! 16 tokens for a text, 26 for a tool call.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{client::Http, stage::Stage};

async fn bound(stage: &Stage, nano_usd: Option<u64>) {
    let set = stage.http().post("/api/users/ada/budget", &json!({ "nano_usd": nano_usd })).await;
    assert_eq!(set.status, 204, "{set:?}");
}

async fn spent(http: &Http) -> u64 {
    let usage = http.get("/api/usage").await.json();
    usage["lines"].as_array().unwrap().iter().map(|line| line["tally"]["cost"].as_u64().unwrap()).sum()
}

/// How what a session was asked for last has ended.
async fn ending(http: &Http, id: &str, groups: usize) -> Value {
    let mut listening = http.listen(&format!("/api/sessions/{id}/events")).await;
    let mut last = Value::Null;
    for _ in 0..groups {
        last = listening.until("group_ended").await.pop().unwrap().data;
    }
    last["event"]["group_ended"]["ending"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runs_at_once_cannot_together_spend_what_each_alone_might() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    bound(&stage, Some(60)).await;
    ada.post("/api/sessions", &json!({ "id": "one", "prompt": "touch" })).await;
    let asked = ada.listen("/api/sessions/one/events").await.until("question").await.pop().unwrap();
    // The first has spent 26 and may go on; of the 34 that are left, the second has half, and its first reply costs more.
    let made = ada.post("/api/sessions", &json!({ "id": "two", "prompt": "touch" })).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert!(ending(&ada, "two", 1).await["over_budget"].is_object());
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(ada.post("/api/sessions/one/questions", &answer).await.status, 204);
    assert!(ending(&ada, "one", 1).await["answered"].is_object(), "what was set aside is there");
    assert!(spent(&ada).await <= 60 + 26, "no more than a reply beyond it");
    let refused = ada.post("/api/sessions", &json!({ "prompt": "hello" })).await;
    assert_eq!((refused.status, refused.code().as_str()), (402, "over_budget"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_binds_sessions_that_began_without_one_and_lets_them_go_again() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    let id = ada.ended("hello").await;
    let prompt = format!("/api/sessions/{id}/prompt");
    bound(&stage, Some(17)).await;
    assert_eq!(ada.post(&prompt, &json!({ "text": "touch" })).await.status, 202);
    assert!(ending(&ada, &id, 2).await["over_budget"].is_object());
    let refused = ada.post(&prompt, &json!({ "text": "hello" })).await;
    assert_eq!(refused.status, 402, "{refused:?}");
    bound(&stage, None).await;
    assert_eq!(ada.post(&prompt, &json!({ "text": "hello" })).await.status, 202);
    assert!(ending(&ada, &id, 3).await["answered"].is_object());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_that_is_lowered_binds_what_is_at_work() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    ada.post("/api/sessions", &json!({ "id": "one", "prompt": "touch" })).await;
    let mut listening = ada.listen("/api/sessions/one/events").await;
    let asked = listening.until("question").await.pop().unwrap();
    bound(&stage, Some(20)).await;
    listening.until("budget_changed").await;
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(ada.post("/api/sessions/one/questions", &answer).await.status, 204);
    assert!(ending(&ada, "one", 1).await["over_budget"].is_object());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_set_aside_is_given_back() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    bound(&stage, Some(16 * 4)).await;
    // Four replies of 16 are what there is; each run before has given back what it did not use.
    for _ in 0..4 {
        ada.ended("hello").await;
    }
    assert_eq!(spent(&ada).await, 64);
    assert_eq!(ada.post("/api/sessions", &json!({ "prompt": "hello" })).await.status, 402);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_several_forget_at_once_is_paid_for_once() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    bound(&stage, Some(1_000)).await;
    for round in 1..=8_u64 {
        let id = ada.ended("hello").await;
        ada.until_idle(&id).await;
        let path = format!("/api/sessions/{id}");
        let forget = || ada.send("DELETE", &path, Some("{}"));
        let (one, two, three) = tokio::join!(forget(), forget(), forget());
        let done = [&one, &two, &three].into_iter().filter(|reply| reply.status == 204).count();
        assert_eq!(done, 1, "{one:?} {two:?} {three:?}");
        let left = ada.get("/api/usage").await.json()["budget_nano_usd"].as_u64();
        assert_eq!(left, Some(1_000 - 16 * round), "what it cost stays spent, once");
    }
}
