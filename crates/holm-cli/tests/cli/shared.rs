//! Servers that share a database: two processes, one of which is killed.

use std::sync::atomic::Ordering;

use holm_testkit::{double::Act, postgres::Postgres};
use serde_json::Value;

use crate::{
    serving::{Server, stalling, until_asked},
    stage::{MODEL, Stage},
};

#[test]
fn of_two_servers_on_one_database_one_drives_a_session_and_the_other_takes_it_over_after_a_kill() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let (stage, asked) = stalling("taken over");
    let store = ["--store", &database];
    let (one, two) = (Server::start(&stage, "one", &store), Server::start(&stage, "two", &store));
    let made = one.ask("POST", "/api/sessions", Some(r#"{"id":"shared","prompt":"go"}"#));
    assert_eq!(made.0, 201, "{made:?}");
    until_asked(&asked, 1);
    // Both know it, and one has it.
    two.wait("/api/sessions/shared", "it is not seen", |status, _| status == 200);
    let refused = two.ask("POST", "/api/sessions/shared/prompt", Some(r#"{"text":"mine"}"#));
    assert_eq!(refused.0, 409, "{refused:?}");
    assert!(refused.1.contains("driven_elsewhere"), "{refused:?}");
    drop(one);
    let answered = |status: u16, body: &str| status == 200 && body.contains("taken over");
    two.wait("/api/sessions/shared/replay", "it is not taken over", answered);
    assert_eq!(asked.load(Ordering::SeqCst), 2, "what was under way was asked for once more, and no more");
    let (_, told) = two.ask("GET", "/api/sessions/shared/replay", None);
    assert_eq!(told.matches("group_started").count(), 1, "nothing was said twice: {told}");
    two.wait("/api/sessions/shared", "it is still at work", |_, body| body.contains(r#""state":"idle""#));
    assert_eq!(two.ask("POST", "/api/sessions/shared/prompt", Some(r#"{"text":"more"}"#)).0, 202);
}

#[test]
fn users_of_a_shared_database_are_apart() {
    let database = Postgres::get().and_then(Postgres::database).unwrap();
    let stage = Stage::answering(|_| Act::says("fine"));
    let server = Server::start(&stage, "one", &["--store", &database]);
    let made = server.ask("POST", "/api/tokens", Some(r#"{"user":"ada","role":"operator"}"#));
    assert_eq!(made.0, 201, "{made:?}");
    let token: Value = serde_json::from_str(&made.1).unwrap();
    let token = token["token"].as_str().unwrap().to_owned();
    assert_eq!(server.ask("POST", "/api/sessions", Some(r#"{"id":"mine","prompt":"go"}"#)).0, 201);
    assert_eq!(server.ask_as(&token, "GET", "/api/sessions/mine", None).0, 404);
    let own = server.ask_as(&token, "POST", "/api/sessions", Some(r#"{"id":"mine"}"#));
    assert_eq!(own.0, 201, "her own of that name: {own:?}");
}

#[test]
fn a_database_that_cannot_be_reached_is_said_at_once() {
    let stage = Stage::new([]);
    let args = ["serve", "--store", "host=/nowhere user=holm dbname=x", "--", "--model", MODEL];
    stage.holm(args).fails(1, "the database of the sessions cannot be used");
}
