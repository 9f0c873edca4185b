//! Sessions: creating, prompting, answering, stopping, forking, replaying and deleting them.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_made_prompted_shown_told_again_and_forgotten() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("hello").await;
    let mut listening = http.listen(&format!("/api/sessions/{id}/events")).await;
    let first = listening.until("group_ended").await;
    let said = http.post(&format!("/api/sessions/{id}/prompt"), &json!({ "text": "again" })).await;
    assert_eq!(said.status, 202, "{said:?}");
    let second = listening.until("group_ended").await;
    let told = |heard: &[crate::client::Heard]| -> Vec<Value> {
        heard.iter().filter(|heard| heard.name == "event").map(|heard| heard.data.clone()).collect()
    };
    let replay = http.get(&format!("/api/sessions/{id}/replay")).await.json();
    let seen = [told(&first), told(&second)].concat();
    assert_eq!(replay.as_array().unwrap(), &seen, "the journal tells what watchers saw");
    let text = seen.iter().map(Value::to_string).collect::<String>();
    assert!(text.contains("you said hello") && text.contains("you said again"));

    let listed = http.get("/api/sessions").await.json();
    assert_eq!(listed["sessions"][0]["id"], id.as_str());
    assert_eq!(listed["sessions"][0]["tags"], json!([]), "the server's own tags are its own");
    let named = http.post(&format!("/api/sessions/{id}/title"), &json!({ "title": "greetings" })).await;
    assert_eq!(named.json()["title"], "greetings");
    let journal = http.get(&format!("/api/sessions/{id}/export")).await;
    assert!(journal.body.starts_with("{\"v\":") && journal.head.contains("attachment"), "{journal:?}");
    let markdown = http.get(&format!("/api/sessions/{id}/export?format=markdown")).await;
    assert!(markdown.body.contains("you said again"));
    assert_eq!(http.get("/api/search?q=again").await.json()[0]["run"], id.as_str());
    let usage = http.get("/api/usage?by=session").await.json();
    assert_eq!(usage["lines"][0]["name"], id.as_str());
    assert_eq!(usage["lines"][0]["tally"]["calls"], 2);

    assert_eq!(http.send("DELETE", &format!("/api/sessions/{id}"), Some("{}")).await.status, 204);
    assert_eq!(http.get(&format!("/api/sessions/{id}")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_asked_about_runs_when_somebody_says_so() {
    let stage = Stage::new().await;
    let http = stage.http();
    for (answer, expect) in
        [(json!("once"), "touched"), (json!({ "no": { "reason": "not today" } }), "not today")]
    {
        let made = http.post("/api/sessions", &json!({ "prompt": "touch" })).await.json();
        let id = made["id"].as_str().unwrap();
        let mut listening = http.listen(&format!("/api/sessions/{id}/events")).await;
        let asked = listening.until("question").await.pop().unwrap();
        assert_eq!(asked.data["question"]["approval"]["tool"], "touch");
        let path = format!("/api/sessions/{id}/questions");
        assert_eq!(http.get(&path).await.json()[0]["id"], asked.data["id"]);
        let viewer = stage.as_user("owner", Role::Viewer, TokenScope::All);
        let reply = json!({ "question": asked.data["id"], "answer": answer });
        let mut other = reply.clone();
        other["digest"] = "0".repeat(64).into();
        assert_eq!(http.post(&path, &other).await.code(), "changed", "it was given for another call");
        let mut reply = reply;
        reply["digest"] = asked.data["question"]["approval"]["digest"].clone();
        assert_eq!(viewer.post(&path, &reply).await.status, 403, "whoever only looks decides nothing");
        assert_eq!(http.post(&path, &reply).await.status, 204);
        assert_eq!(http.post(&path, &reply).await.status, 409, "the first answer counts");
        let rest = listening.until("group_ended").await;
        let text = rest.iter().map(|heard| heard.data.to_string()).collect::<String>();
        assert!(text.contains(expect), "{expect} in {text}");
        let uses = viewer.get(&format!("/api/sessions/{id}/grants")).await.json();
        let steps: Vec<_> = uses.as_array().unwrap().iter().map(|one| one["step"].clone()).collect();
        let ran = answer == "once";
        assert_eq!(steps, if ran { vec!["asked", "run"] } else { vec!["asked"] }, "{uses}");
        assert_eq!(uses[0]["tool"], "touch");
        assert_eq!(uses[0]["reasons"], json!(["level"]));
        let proposed = first_of(&http, id, "call_proposed").await;
        assert_eq!(uses[0]["call"], proposed["event"]["call_proposed"]["call"]);
    }
    let nobody = http.get("/api/sessions/none/grants").await;
    assert_eq!(nobody.status, 404, "{nobody:?}");
}

/// The first event of a name that a session tells again.
async fn first_of(http: &crate::client::Http, id: &str, name: &str) -> Value {
    let replay = http.get(&format!("/api/sessions/{id}/replay")).await.json();
    let found = replay.as_array().unwrap().iter().find(|told| told["event"].get(name).is_some());
    found.unwrap_or_else(|| panic!("no {name} in {replay}")).clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_at_work_is_steered_and_stopped() {
    let stage = Stage::new().await;
    let http = stage.http();
    let made = http.post("/api/sessions", &json!({ "id": "one", "prompt": "stall" })).await;
    assert_eq!(made.status, 201);
    let mut listening = http.listen("/api/sessions/one/events").await;
    listening.until("delta").await;
    let text = json!({ "text": "hurry" });
    assert_eq!(http.post("/api/sessions/one/prompt", &text).await.code(), "working");
    assert_eq!(http.post("/api/sessions/one/steer", &text).await.status, 202);
    assert_eq!(http.post("/api/sessions/one/follow-up", &text).await.status, 202);
    assert_eq!(http.send("DELETE", "/api/sessions/one", Some("{}")).await.status, 409);
    assert_eq!(http.post("/api/sessions/one/cancel", &json!({ "reason": "enough" })).await.status, 202);
    let ended = listening.until("group_ended").await.pop().unwrap();
    assert_eq!(ended.data["event"]["group_ended"]["ending"]["cancelled"]["reason"], "enough");
    assert!(stage.double.wait_until_left(1, crate::client::PATIENCE));
    http.until_idle("one").await;
    assert_eq!(http.post("/api/sessions/one/steer", &text).await.code(), "idle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_has_the_past_of_the_other_and_a_future_of_its_own() {
    let stage = Stage::new().await;
    let http = stage.http();
    let id = http.ended("hello").await;
    let records = http.get(&format!("/api/sessions/{id}")).await.json()["records"].as_u64().unwrap();
    let body = json!({ "at": records - 1, "id": "other" });
    let forked = http.post(&format!("/api/sessions/{id}/fork"), &body).await;
    assert_eq!(forked.status, 201, "{forked:?}");
    assert_eq!(http.post(&format!("/api/sessions/{id}/fork"), &body).await.status, 409);
    http.post("/api/sessions/other/prompt", &json!({ "text": "more" })).await;
    let mut listening = http.listen("/api/sessions/other/events").await;
    listening.until("group_ended").await;
    let told = listening.until("group_ended").await;
    assert!(told.iter().any(|heard| heard.data.to_string().contains("you said more")));
    let replay = http.get(&format!("/api/sessions/{id}/replay")).await.body;
    assert!(!replay.contains("you said more"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_makes_no_sense_is_refused_in_words() {
    let stage = Stage::new().await;
    let http = stage.http();
    let check = async |method: &str, path: &str, body: &str, status: u16| {
        let reply = http.send(method, path, Some(body)).await;
        assert_eq!(reply.status, status, "{method} {path} {body}: {reply:?}");
        assert!(!reply.code().is_empty(), "{reply:?}");
    };
    check("POST", "/api/sessions", "{", 422).await;
    check("POST", "/api/sessions", "[]", 422).await;
    check("POST", "/api/sessions", r#"{"agent":"nobody"}"#, 404).await;
    check("POST", "/api/sessions/none/prompt", r#"{"text":"hi"}"#, 404).await;
    check("POST", "/api/sessions/none/prompt", r#"{"text":" "}"#, 400).await;
    check("POST", "/api/sessions/none/prompt", "{}", 422).await;
    check("GET", "/api/sessions/none/events", "", 404).await;
    check("GET", "/api/sessions?limit=x", "", 400).await;
    check("GET", "/api/sessions?after=x", "", 400).await;
    check("GET", "/api/search?q=a", "", 400).await;
    check("GET", "/api/usage?by=x", "", 400).await;
    check("GET", "/api/nothing", "", 404).await;
    check("DELETE", "/api/sessions", "", 405).await;
    check("POST", "/api/sessions/none/events", "{}", 405).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_runs_work_at_once_than_may_and_too_many_that_wait_are_refused() {
    let stage = Stage::with(|config| {
        config.limits.runs_per_user = 1;
        config.limits.waiting_per_user = 1;
    })
    .await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "first", "prompt": "stall" })).await;
    http.listen("/api/sessions/first/events").await.until("delta").await;
    let second = http.post("/api/sessions", &json!({ "id": "second", "prompt": "hello" })).await;
    assert_eq!((second.status, second.json()["state"].as_str()), (201, Some("waiting")));
    let third = http.post("/api/sessions", &json!({ "id": "third", "prompt": "hello" })).await;
    assert_eq!((third.status, third.code().as_str()), (429, "busy"));
    let other = stage.as_user("ada", Role::Operator, TokenScope::All);
    other.ended("hello").await;
    http.post("/api/sessions/first/cancel", &json!({})).await;
    http.listen("/api/sessions/second/events").await.until("group_ended").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_tried_out_takes_a_turn_and_money_like_a_run() {
    let stage = Stage::with(|config| {
        config.limits.runs_per_user = 1;
        config.limits.waiting_per_user = 0;
    })
    .await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "first", "prompt": "stall" })).await;
    http.listen("/api/sessions/first/events").await.until("delta").await;
    let ada = stage.as_user("ada", Role::Operator, TokenScope::All);
    for path in ["/api/tools/touch/try", "/api/mcp-servers/files/test"] {
        let refused = http.post(path, &json!({})).await;
        assert_eq!((refused.status, refused.code().as_str()), (429, "busy"), "{path}");
        assert_eq!(ada.post(path, &json!({})).await.status, 404, "{path}: others have turns of their own");
    }
    ada.ended("hello").await;
    assert_eq!(http.post("/api/users/ada/budget", &json!({ "nano_usd": 1 })).await.status, 204);
    for path in ["/api/tools/touch/try", "/api/mcp-servers/files/test"] {
        assert_eq!(ada.post(path, &json!({})).await.status, 402, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_waits_for_a_person_lets_others_work_and_goes_on_when_it_has_a_turn_again() {
    let stage = Stage::with(|config| config.limits.runs_per_user = 1).await;
    let http = stage.http();
    let mut questions = Vec::new();
    for id in ["first", "second"] {
        http.post("/api/sessions", &json!({ "id": id, "prompt": "touch" })).await;
        let mut listening = http.listen(&format!("/api/sessions/{id}/events")).await;
        questions.push((id, listening.until("question").await.pop().unwrap()));
    }
    http.ended("hello").await;
    http.post("/api/sessions", &json!({ "id": "third", "prompt": "stall" })).await;
    http.listen("/api/sessions/third/events").await.until("delta").await;
    for (id, asked) in questions {
        let answer = json!({ "question": asked.data["id"], "answer": "once" });
        assert_eq!(http.post(&format!("/api/sessions/{id}/questions"), &answer).await.status, 204);
    }
    // One that has no turn yet can be stopped too; the other has its turn when the third gives it back.
    assert_eq!(http.post("/api/sessions/first/cancel", &json!({})).await.status, 202);
    http.listen("/api/sessions/first/events").await.until("group_ended").await;
    let seen = stage.double.requests().len();
    http.post("/api/sessions/third/cancel", &json!({})).await;
    let told = http.listen("/api/sessions/second/events").await.until("group_ended").await;
    assert!(told.iter().any(|heard| heard.data.to_string().contains("the tool said touched")), "{told:?}");
    assert_eq!(stage.double.requests().len(), seen + 1, "nobody asked a model without a turn");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_is_taken_back_before_its_turn_takes_no_other_with_it() {
    let stage = Stage::with(|config| config.limits.runs_per_user = 1).await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "first", "prompt": "stall" })).await;
    http.listen("/api/sessions/first/events").await.until("delta").await;
    let second = http.post("/api/sessions", &json!({ "id": "second", "prompt": "hello" })).await;
    assert_eq!(second.json()["state"], "waiting");
    assert_eq!(http.post("/api/sessions/second/cancel", &json!({})).await.status, 202);
    http.until_idle("second").await;
    http.post("/api/sessions/first/cancel", &json!({})).await;
    let again = http.post("/api/sessions/second/prompt", &json!({ "text": "again" })).await;
    assert_eq!(again.status, 202, "{again:?}");
    let told = http.listen("/api/sessions/second/events").await.until("group_ended").await;
    let text = told.iter().map(|heard| heard.data.to_string()).collect::<String>();
    assert!(text.contains("you said again") && !text.contains("hello"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_the_workspace_is_read_and_none_outside_it() {
    let stage = Stage::new().await;
    let http = stage.http();
    http.get("/api/sessions").await;
    let work = stage.workspace("owner");
    std::fs::write(work.join("notes.txt"), "hello").unwrap();
    std::fs::write(work.join(".env"), "KEY=secret").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", work.join("link")).unwrap();
    let read = http.get("/api/files?path=notes.txt").await;
    assert_eq!((read.status, read.body.as_str()), (200, "hello"));
    assert!(read.head.contains("attachment") && read.head.contains("application/octet-stream"));
    for path in ["../holm.db", "/etc/passwd", "link", ".env", "%2e%2e/holm.db", "", ".", "a%00b"] {
        let read = http.get(&format!("/api/files?path={path}")).await;
        assert!((400..500).contains(&read.status), "{path}: {read:?}");
        assert!(!read.body.contains("root:") && !read.body.contains("secret"), "{read:?}");
    }
    assert_eq!(http.get("/api/files?path=none").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_holm_keeps_is_given_to_nobody_also_where_the_workspace_holds_it() {
    let stage = Stage::new().await;
    let http = stage.http();
    http.get("/api/sessions").await;
    let work = stage.workspace("owner");
    std::fs::create_dir(work.join("kept")).unwrap();
    std::fs::write(work.join("kept/keys.json"), "secret").unwrap();
    let read = http.get("/api/files?path=kept/keys.json").await;
    assert_eq!(read.status, 403, "{read:?}");
    assert!(!read.body.contains("secret"), "{read:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_misspelt_member_is_refused_by_its_name_and_not_dropped() {
    let stage = Stage::new().await;
    let http = stage.http();
    let refuses = async |path: &str, body: Value, told: &str| {
        let refused = http.post(path, &body).await;
        assert_eq!(refused.status, 422, "{path}: {refused:?}");
        assert!(refused.body.contains(told), "{path}: {refused:?}");
    };
    refuses("/api/sessions", json!({ "promt": "hello" }), "did you mean `prompt`?").await;
    refuses("/api/sessions", json!({ "colour": "blue" }), "unknown field `colour`, expected one of `id`")
        .await;
    assert_eq!(http.get("/api/sessions").await.json()["sessions"], json!([]), "nothing was made");
    let job = |spec: Value| json!({ "id": "x", "spec": spec });
    let spec = json!({ "when": "asked", "prompt": "x", "timeouts": 5 });
    refuses("/api/jobs", job(spec), "did you mean `timeout_s`?").await;
    let when = json!({ "cron": { "pattern": "0 9 * * *", "zones": "Europe/Berlin" } });
    refuses("/api/jobs", job(json!({ "when": when, "prompt": "x" })), "did you mean `zone`?").await;
    let retry = json!({ "when": "asked", "prompt": "x", "retry": { "mots": 3 } });
    refuses("/api/jobs", job(retry), "did you mean `most`?").await;
    // Programs of other makers say more to these than is read.
    let body = json!({ "model": "holm", "messages": [{ "role": "user", "content": "hello" }], "seeds": 1 });
    assert_eq!(http.post("/v1/chat/completions", &body).await.status, 200);
}
