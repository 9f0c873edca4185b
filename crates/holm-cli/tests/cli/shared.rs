//! Tests servers that share a database: two processes, one of which is killed.

use std::sync::atomic::Ordering;

use holm_testkit::{double::Act, postgres::Postgres};
use serde_json::json;

use crate::{
    patience::until,
    served::Served,
    serving::{stalling, until_asked},
    stage::{MODEL, Stage},
};

/// A server whose sessions are in a database; its data folder has this name.
fn on(database: &str, stage: &Stage, name: &str) -> Served {
    Served::over(stage, &stage.data().with_file_name(name), &["--store", database], &[])
}

#[test]
fn of_two_servers_on_one_database_one_drives_a_session_and_the_other_takes_it_over_after_a_kill() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let (stage, asked) = stalling("taken over");
    let (one, two) = (on(&database, &stage, "one"), on(&database, &stage, "two"));
    let made = one.post("/api/sessions", &json!({ "id": "shared", "prompt": "go" }));
    assert_eq!(made.status, 201, "{made:?}");
    until_asked(&asked, 1);
    // Both know it, and one has it.
    let (session, replay) = ("/api/sessions/shared", "/api/sessions/shared/replay");
    two.until("the session", session, |seen| seen.status == 200);
    let refused = two.post("/api/sessions/shared/prompt", &json!({ "text": "mine" }));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.body.contains("driven_elsewhere"), "{refused:?}");
    drop(one);
    two.until("the take-over", replay, |told| told.status == 200 && told.body.contains("taken over"));
    assert_eq!(asked.load(Ordering::SeqCst), 2, "what was under way was asked for once more, and no more");
    let told = two.get(replay).body;
    assert_eq!(told.matches("group_started").count(), 1, "nothing was said twice: {told}");
    two.wait("shared");
    assert_eq!(two.post("/api/sessions/shared/prompt", &json!({ "text": "more" })).status, 202);
}

/// Ends the connection of each lease by which a session is held, as a restart of the database does.
const END_LEASES: &str =
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
     AND ((classid::int8 << 32) | objid::int8) IN (SELECT lease FROM holmdb_leases)";

#[test]
fn a_server_that_loses_its_lease_stops_its_command_before_another_resumes_the_session() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    // Not to be run twice, and for ever.
    let script = "echo begun >> deploys; while true; do echo at work >> beats; sleep 0.05; done";
    let calls = json!({ "script": script }).to_string();
    let stage = Stage::answering(move |seen| {
        let is_resumed = seen.text().contains("function_call_output");
        if is_resumed { Act::says("seen to") } else { Act::calls(&[("c", "shell", &calls)]) }
    });
    let grants = ["exec:*", "exec:./**", "write:**", "read:**"].map(|grant| ["--grant", grant]).concat();
    let options = [&["--mode", "full"], &grants[..]].concat();
    let serve = |name: &str| {
        Served::over(&stage, &stage.data().with_file_name(name), &["--store", &database], &options)
    };
    let (one, two) = (serve("one"), serve("two"));
    let made = one.post("/api/sessions", &json!({ "id": "shared", "prompt": "go" }));
    assert_eq!(made.status, 201, "{made:?}");
    let read = |name: &str| std::fs::read_to_string(stage.work().join(name)).unwrap_or_default();
    until("the command", || !read("beats").is_empty());
    Postgres::get().unwrap().execute(&database, END_LEASES).unwrap();
    // One of them resumes it; the command has ended by then.
    let replay = "/api/sessions/shared/replay";
    two.until("the end", replay, |told| told.status == 200 && told.body.contains("seen to"));
    let beats = read("beats");
    assert_eq!(read("deploys"), "begun\n", "it ran once");
    two.until("the end of the group", replay, |told| told.body.contains("group_ended"));
    assert_eq!(read("beats"), beats, "nothing of it runs any more");
}

#[test]
fn users_of_a_shared_database_are_apart() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let stage = Stage::answering(|_| Act::says("fine"));
    let served = on(&database, &stage, "one");
    let ada = served.issue("ada", "operator");
    let made = served.post("/api/sessions", &json!({ "id": "mine", "prompt": "go" }));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(served.send(&ada, "GET", "/api/sessions/mine", &[], None).status, 404);
    let own = served.send_json(&ada, "POST", "/api/sessions", &[], &json!({ "id": "mine" }));
    assert_eq!(own.status, 201, "her own of that name: {own:?}");
}

#[test]
fn a_database_that_cannot_be_reached_is_said_at_once() {
    let stage = Stage::new([]);
    let args = ["serve", "--store", "host=/nowhere user=holm dbname=x", "--", "--model", MODEL];
    stage.holm(args).fails(1, "cannot use the session database");
}
