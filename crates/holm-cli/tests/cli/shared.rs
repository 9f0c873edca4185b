//! Servers that share a database: two processes, one of which is killed.

use std::sync::atomic::Ordering;

use holm_testkit::{double::Act, postgres::Postgres};
use serde_json::json;

use crate::{
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
    stage.holm(args).fails(1, "the database of the sessions cannot be used");
}
