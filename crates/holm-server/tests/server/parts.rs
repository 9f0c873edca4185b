//! Files and folders of the workspace, the parts of agents, and the rights to change them.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{
    client::{Http, Reply},
    stage::Stage,
};

fn etag(reply: &Reply) -> String {
    let line = reply.head.lines().find_map(|line| line.strip_prefix("etag: "));
    line.unwrap_or_else(|| panic!("{reply:?}")).to_owned()
}

async fn put(http: &Http, path: &str, text: &str) -> Reply {
    http.send("PUT", &format!("/api/files?path={path}"), Some(text)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_made_read_changed_and_removed_and_no_change_is_lost() {
    let stage = Stage::new().await;
    let (http, folder) = (stage.http(), stage.workspace("owner"));
    assert_eq!(http.post("/api/folders", &json!({ "path": "notes" })).await.status, 201);
    assert_eq!(http.post("/api/folders", &json!({ "path": "notes" })).await.status, 409);
    assert_eq!(put(&http, "notes/a.txt", "one").await.status, 428, "nothing was said about what is there");
    let new = http.header("if-none-match", "*");
    let made = put(&new, "notes/a.txt", "one").await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(put(&new, "notes/a.txt", "other").await.status, 409);
    let read = http.get("/api/files?path=notes/a.txt").await;
    assert_eq!((read.body.as_str(), etag(&read)), ("one", etag(&made)));
    let over = http.header("if-match", &etag(&read));
    let written = put(&over, "notes/a.txt", "two").await;
    assert_eq!(written.status, 204, "{written:?}");
    assert_eq!(put(&over, "notes/a.txt", "three").await.status, 412, "somebody was faster");
    assert_eq!(std::fs::read_to_string(folder.join("notes/a.txt")).unwrap(), "two");
    let listed = http.get("/api/folders?path=notes").await.json();
    assert_eq!(
        (listed["entries"][0]["name"].as_str(), &listed["entries"][0]["bytes"]),
        (Some("a.txt"), &json!(3))
    );
    let moved = json!({ "from": "notes/a.txt", "to": "b.txt" });
    assert_eq!(http.post("/api/files/rename", &moved).await.status, 204);
    assert_eq!(http.post("/api/files/rename", &moved).await.status, 404);
    let old = over.send("DELETE", "/api/files?path=b.txt", None).await;
    assert_eq!(old.status, 412, "it is not the one that was read: {old:?}");
    assert_eq!(http.send("DELETE", "/api/files?path=b.txt", None).await.status, 204);
    assert_eq!(http.send("DELETE", "/api/files?path=notes", None).await.status, 204);
    assert!(!folder.join("notes").exists() && !folder.join("b.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_outside_the_workspace_and_nothing_that_is_kept_from_tools_is_reached() {
    let stage = Stage::new().await;
    let (http, folder) = (stage.http(), stage.workspace("owner"));
    http.get("/api/folders").await;
    std::fs::create_dir_all(folder.join("kept")).unwrap();
    std::fs::write(folder.join("kept/keys.json"), "secret-word").unwrap();
    std::fs::write(folder.join(".env"), "secret-word").unwrap();
    std::os::unix::fs::symlink(stage.file(""), folder.join("way-out")).unwrap();
    let new = http.header("if-none-match", "*");
    for path in ["../x", "/etc/passwd", "kept/x", ".env", ".git/config", ".holm/tools/x", "way-out/x", ""] {
        let statuses = [
            http.get(&format!("/api/files?path={path}")).await.status,
            put(&new, path, "x").await.status,
            http.send("DELETE", &format!("/api/files?path={path}"), None).await.status,
            http.post("/api/folders", &json!({ "path": path })).await.status,
        ];
        assert!(statuses.iter().all(|status| (400..500).contains(status)), "{path}: {statuses:?}");
    }
    for path in ["..", "/", "kept", "way-out", ".git"] {
        let looked = http.get(&format!("/api/folders?path={path}")).await;
        assert!((400..500).contains(&looked.status), "{path}: {looked:?}");
    }
    let listed = http.get("/api/folders").await;
    assert!(!listed.body.contains("kept") && !listed.body.contains(".env"), "{listed:?}");
    assert_eq!(std::fs::read_to_string(folder.join("kept/keys.json")).unwrap(), "secret-word");
    assert!(!stage.file("x").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_change_what_is_said_by_their_role() {
    let stage = Stage::new().await;
    let agent = json!({ "text": "x" });
    let changes: [(&str, &str, Option<Value>); 8] = [
        ("PUT", "/api/files?path=a.txt", Some(json!({}))),
        ("POST", "/api/folders", Some(json!({ "path": "a" }))),
        ("DELETE", "/api/files?path=a", None),
        ("PUT", "/api/agents/x", Some(agent.clone())),
        ("POST", "/api/check-agent", Some(agent)),
        ("POST", "/api/reload-tools", Some(json!({}))),
        ("POST", "/api/tools/x/try", Some(json!({}))),
        ("POST", "/api/mcp-servers/x/test", Some(json!({}))),
    ];
    let administers: [(&str, &str, Option<Value>); 8] = [
        ("POST", "/api/mcp-servers", Some(json!({ "name": "x", "entry": {} }))),
        ("DELETE", "/api/mcp-servers/x", None),
        ("POST", "/api/keys", Some(json!({ "provider": "openai", "key": "x" }))),
        ("DELETE", "/api/keys/openai", None),
        ("GET", "/api/settings", None),
        ("PUT", "/api/trust", Some(json!({ "level": "jail" }))),
        ("GET", "/api/backups", None),
        ("POST", "/api/backups", Some(json!({ "name": "x" }))),
    ];
    let viewer = stage.as_user("owner", Role::Viewer, TokenScope::All).header("if-none-match", "*");
    let operator = stage.as_user("owner", Role::Operator, TokenScope::All).header("if-none-match", "*");
    let scope = TokenScope::Only(["one".parse().unwrap()].into());
    let scoped = stage.as_user("owner", Role::Admin, scope).header("if-none-match", "*");
    let send = async |http: &Http, (method, path, body): &(&str, &str, Option<Value>)| {
        let body = body.as_ref().map(ToString::to_string);
        http.send(method, path, body.as_deref()).await.status
    };
    for change in changes.iter().chain(&administers) {
        if change.0 != "GET" {
            assert_eq!(send(&viewer, change).await, 403, "{change:?}");
        }
        assert_eq!(send(&scoped, change).await, 403, "a token for one session: {change:?}");
    }
    for change in &administers {
        assert_eq!(send(&operator, change).await, 403, "{change:?}");
    }
    assert!(!stage.workspace("owner").join("a.txt").exists());
    let too_much = send(&operator, &changes[3]).await;
    assert_eq!(too_much, 403, "an operator is bound to what is usual");
    let admin = stage.http().header("if-none-match", "*");
    assert_eq!(send(&admin, &changes[3]).await, 201);
}

async fn choose(http: &Http, level: &Value) -> Reply {
    http.send("PUT", "/api/trust", Some(&json!({ "level": level }).to_string())).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_administrator_changes_the_level_of_the_folder_and_the_owners_other_tokens_see_it() {
    let stage = Stage::new().await;
    let admin = stage.http();
    let before = admin.get("/api/trust").await.json();
    assert_eq!((&before["level"], &before["chosen_for"]), (&Value::Null, &Value::Null), "{before}");
    assert_eq!(before["levels"][0]["level"], "ask", "{before}");
    let changed = choose(&admin, &json!("edit")).await;
    assert_eq!((changed.status, &changed.json()["level"]), (200, &json!("edit")), "{changed:?}");
    for role in [Role::Viewer, Role::Operator] {
        let token = stage.as_user("owner", role, TokenScope::All);
        assert_eq!(choose(&token, &json!("jail")).await.status, 403, "{role:?}");
        let seen = token.get("/api/trust").await.json();
        assert_eq!((&seen["level"], &seen["chosen_for"]), (&json!("edit"), &seen["folder"]), "{role:?}");
    }
    let scope = TokenScope::Only(["one".parse().unwrap()].into());
    let scoped = stage.as_user("owner", Role::Admin, scope);
    assert_eq!(scoped.get("/api/trust").await.status, 403);
    let audit = std::fs::read_to_string(stage.file("audit.jsonl")).unwrap();
    let entry = |status: u16| {
        let mut lines = audit.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.any(|line| line["method"] == "PUT" && line["path"] == "/api/trust" && line["status"] == status)
    };
    assert!(entry(200) && entry(403), "{audit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_other_than_the_owner_have_no_folder_with_a_level() {
    let stage = Stage::new().await;
    let ada = stage.as_user("ada", Role::Admin, TokenScope::All);
    assert_eq!(ada.get("/api/trust").await.status, 404);
    assert_eq!(choose(&ada, &json!("jail")).await.status, 404);
    assert_eq!(stage.http().get("/api/trust").await.json()["level"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_level_is_refused_and_the_refusal_names_the_known_ones() {
    let stage = Stage::new().await;
    for level in [json!("everything"), json!("Edit"), json!(3), Value::Null] {
        let refused = choose(&stage.http(), &level).await;
        assert_eq!(refused.status, 422, "{level}: {refused:?}");
    }
    let refused = choose(&stage.http(), &json!("everything")).await;
    for known in ["ask", "look", "edit", "jail"] {
        assert!(refused.body.contains(known), "{refused:?}");
    }
    assert_eq!(stage.http().get("/api/trust").await.json()["level"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_calls_of_a_tool_are_told_from_the_journals() {
    let stage = Stage::new().await;
    let http = stage.http();
    let made = http.post("/api/sessions", &json!({ "prompt": "touch" })).await.json();
    let id = made["id"].as_str().unwrap().to_owned();
    let mut listening = http.listen(&format!("/api/sessions/{id}/events")).await;
    listening.until("question").await;
    let question = http.get(&format!("/api/sessions/{id}/questions")).await.json()[0]["id"].clone();
    let answer = json!({ "question": question, "answer": "once" });
    assert_eq!(http.post(&format!("/api/sessions/{id}/questions"), &answer).await.status, 204);
    listening.until("group_ended").await;
    let calls = http.get("/api/tools/touch/calls").await.json();
    assert_eq!(
        (calls[0]["session"].as_str(), calls[0]["outcome"].as_str()),
        (Some(id.as_str()), Some("succeeded"))
    );
    assert_eq!(calls[0]["arguments"], "{}");
    assert_eq!(http.get("/api/tools/other/calls").await.json(), json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_is_summed_by_agent() {
    let stage = Stage::new().await;
    stage.http().ended("hello").await;
    let lines = stage.http().get("/api/usage?by=agent").await.json();
    assert_eq!(lines["lines"].as_array().map(Vec::len), Some(1), "{lines}");
    assert_eq!(stage.http().get("/api/usage?by=weather").await.status, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_as_large_as_the_limits_say_is_taken() {
    let stage = Stage::with(|config| config.limits.body = 3 * 1024 * 1024).await;
    let new = stage.http().header("if-none-match", "*");
    let large = "x".repeat(2 * 1024 * 1024 + 512 * 1024);
    let made = put(&new, "large.txt", &large).await;
    assert_eq!(made.status, 201, "{:?}", made.head);
    let text = json!({ "text": large }).to_string();
    let checked = new.send("POST", "/api/check-agent", Some(&text)).await;
    assert_eq!(checked.status, 200, "{:?}", checked.head);
}
