//! Stored evaluations: who sees them, and what of them.

use std::{fs, path::Path};

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::stage::Stage;

/// A result; `fails` is why its check failed.
fn result(case: &str, attempt: u32, session: &str, fails: Option<&str>) -> Value {
    let check = fails
        .map_or_else(|| json!({ "check": "answer" }), |why| json!({ "check": "answer", "failure": why }));
    json!({
        "case": case, "digest": "", "model": "mine/any", "attempt": attempt,
        "verdict": if fails.is_some() { "failed" } else { "passed" }, "checks": [check], "session": session,
        "calls": [if fails.is_some() { "shell {}" } else { "read {}" }],
        "turns": 2, "tokens": 30, "cost_nano_usd": 40, "seconds": 0.5
    })
}

fn write(folder: &Path, name: &str, results: &[Value]) {
    let lines: Vec<String> = results.iter().map(ToString::to_string).collect();
    fs::create_dir_all(folder.join(name)).unwrap();
    fs::write(folder.join(name).join("results.jsonl"), lines.join("\n") + "\n").unwrap();
}

/// A server whose evaluations are in this folder.
async fn stage(folder: &Path) -> Stage {
    let folder = folder.to_owned();
    Stage::with(|config| config.evaluations = Some(folder)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_administrator_sees_evaluations_and_compares_them() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(folder.path()).await;
    let http = stage.http();
    assert_eq!(http.get("/api/evaluations").await.json(), json!({ "evaluations": [], "left_out": 0 }));
    write(folder.path(), "before", &[result("a", 1, "s", None), result("b", 1, "s", None)]);
    write(folder.path(), "after", &[result("a", 1, "s", None), result("b", 1, "s", Some("it is wrong"))]);
    fs::create_dir(folder.path().join("bad")).unwrap();
    fs::write(folder.path().join("bad/results.jsonl"), "{}\n").unwrap();
    let listed = http.get("/api/evaluations").await.json();
    let found = |name: &str| {
        let all = listed["evaluations"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&found("after")["passed"], &found("after")["attempts"], &found("after")["cost_nano_usd"]),
        (&json!(1), &json!(2), &json!(80))
    );
    assert!(found("bad")["problem"].as_str().unwrap().contains("line 1"), "{listed}");
    let shown = http.get("/api/evaluations/after").await.json();
    let failed = &shown["attempts"][1];
    assert_eq!((&failed["case"], &failed["verdict"]), (&json!("b"), &json!("failed")));
    assert_eq!(failed["failures"], json!([{ "check": "answer", "why": "it is wrong" }]));
    let compared = http.get("/api/compare-evaluations?first=before&second=after").await.json();
    assert_eq!(compared["comparison"]["paired"]["lost"], 1);
    assert_eq!(compared["comparison"]["broken"], json!(["b"]));
    assert_eq!(compared["is_worse"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_administrators_see_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(folder.path()).await;
    write(folder.path(), "one", &[result("a", 1, "s", None)]);
    let some = TokenScope::Only(["s".parse().unwrap()].into());
    let others = [
        stage.as_user("owner", Role::Viewer, TokenScope::All),
        stage.as_user("owner", Role::Operator, TokenScope::All),
        stage.as_user("owner", Role::Admin, some),
    ];
    for http in others {
        for path in [
            "evaluations",
            "evaluations/one",
            "evaluations/one/sessions/s/replay",
            "evaluations/one/sessions/s/grants",
            "compare-evaluations?first=one&second=one",
        ] {
            assert_eq!(http.get(&format!("/api/{path}")).await.status, 403, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_session_of_an_attempt_is_replayed_from_the_data_of_its_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(folder.path()).await;
    let http = stage.http();
    let own = http.ended("hello").await;
    let journal = http.get(&format!("/api/sessions/{own}/export")).await.body;
    write(folder.path(), "one", &[result("a", 1, "attempt-1", None)]);
    let data = folder.path().join("one/data");
    fs::create_dir(&data).unwrap();
    let store = holm_store::Store::open(data.join("holm.db")).await.unwrap();
    store.import(journal.as_bytes(), Some("attempt-1")).await.unwrap();
    let path = "/api/evaluations/one/sessions/attempt-1";
    let events = http.get(&format!("{path}/replay")).await.json();
    assert_eq!(events.as_array().unwrap().len(), {
        let own = http.get(&format!("/api/sessions/{own}/replay")).await.json();
        own.as_array().unwrap().len()
    });
    assert_eq!(http.get(&format!("{path}/grants")).await.json(), json!([]));
    assert_eq!(http.get("/api/sessions/attempt-1").await.status, 404, "it is not a session of the server");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_name_leads_out_of_the_folder_of_the_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(&folder.path().join("evals")).await;
    write(folder.path(), "outside", &[result("a", 1, "s", None)]);
    write(&folder.path().join("evals"), "one", &[result("a", 1, "s", None)]);
    std::os::unix::fs::symlink(folder.path().join("outside"), folder.path().join("evals/link")).unwrap();
    let http = stage.http();
    for (path, status) in [
        ("evaluations/..%2Foutside", 400),
        ("evaluations/%2e%2e", 400),
        ("evaluations/link", 404),
        ("evaluations/none", 404),
        ("evaluations/one/sessions/none/replay", 404),
        ("evaluations/..%2Foutside/sessions/s/replay", 400),
        ("evaluations/one/sessions/..%2F..%2Fx/replay", 400),
        ("compare-evaluations?first=one&second=../outside", 400),
        ("compare-evaluations?first=one", 400),
    ] {
        let reply = http.get(&format!("/api/{path}")).await;
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        assert!(!reply.body.contains(folder.path().to_str().unwrap()), "{path}: {reply:?}");
    }
    let none = Stage::new().await;
    assert_eq!(none.http().get("/api/evaluations").await.json()["evaluations"], json!([]));
    assert_eq!(none.http().get("/api/evaluations/one").await.status, 404);
}
