//! Tests the level of the folder in which `holm serve` runs: it is shown and changed over HTTP, and
//! sessions that the owner starts have it. Jobs, programs and other users do not.

use holm::kernel::Role;
use holm_testkit::double::Act;
use serde_json::json;

use crate::{
    patience::until_seen,
    served::{Reply, Served},
    stage::{MODEL, Stage},
};

/// A model that does what the last prompt says: `write FILE`, or `run FILE`, which makes the file
/// by a command.
fn stage() -> Stage {
    Stage::answering(|seen| {
        let asked = seen.asked.as_ref();
        let Some(last) = asked.and_then(|asked| asked.messages.last()) else { return Act::says("Nothing.") };
        let text = last.plain_text();
        let words = text.lines().last().unwrap_or_default();
        match (last.role, words.split_once(' ')) {
            (Role::User, Some(("write", file))) => {
                let call = json!({ "path": file, "content": "made\n" }).to_string();
                Act::calls(&[("c", "write", &call)])
            }
            (Role::User, Some(("run", file))) => {
                let call = json!({ "script": format!("echo made > {file}") }).to_string();
                Act::calls(&[("c", "shell", &call)])
            }
            _ => Act::says("Done."),
        }
    })
}

fn made(stage: &Stage, file: &str) -> bool {
    stage.work().join(file).exists()
}

fn choose(served: &Served, token: &str, level: &str) -> Reply {
    served.send_json(token, "PUT", "/api/trust", &[], &json!({ "level": level }))
}

#[track_caller]
fn begin(served: &Served, token: &str, session: &str, prompt: &str) {
    let body = json!({ "id": session, "prompt": prompt });
    let begun = served.send_json(token, "POST", "/api/sessions", &[], &body);
    assert_eq!(begun.status, 201, "{begun:?}");
}

/// Waits until a session asks.
#[track_caller]
fn until_asked(served: &Served, token: &str, session: &str) {
    let path = format!("/api/sessions/{session}/questions");
    let has_one = |reply: &Reply| reply.json().as_array().is_some_and(|open| open.len() == 1);
    until_seen("its question", || served.send(token, "GET", &path, &[], None), has_one);
}

/// Runs a session that the owner starts, which must not ask.
#[track_caller]
fn runs(served: &Served, session: &str, prompt: &str) {
    begin(served, &served.token, session, prompt);
    served.wait(session);
}

#[test]
fn a_level_set_over_http_is_what_holm_trust_prints_and_what_a_new_session_may_do() {
    let stage = stage();
    let served = Served::start(&stage, &[]);
    let folder = stage.work().canonicalize().unwrap();
    let shown = served.get("/api/trust").json();
    assert_eq!(
        (shown["level"].as_str(), shown["chosen_for"].as_str()),
        (Some("ask"), folder.to_str()),
        "{shown}"
    );
    assert_eq!(shown["levels"].as_array().map(Vec::len), Some(4), "{shown}");
    begin(&served, &served.token, "before", "write before.txt");
    until_asked(&served, &served.token, "before");
    let changed = choose(&served, &served.token, "edit");
    assert_eq!((changed.status, changed.json()["level"].as_str()), (200, Some("edit")), "{changed:?}");
    let printed = stage.holm(["trust"]).out;
    assert!(printed.contains(": edit\n"), "{printed}");
    let meaning = changed.json()["meaning"].as_str().unwrap().to_owned();
    assert!(printed.contains(&meaning), "{printed}: {meaning}");
    runs(&served, "after", "write after.txt");
    assert!(made(&stage, "after.txt"));
    begin(&served, &served.token, "command", "run command.txt");
    until_asked(&served, &served.token, "command");
    until_asked(&served, &served.token, "before");
    assert!(!made(&stage, "before.txt") && !made(&stage, "command.txt"));
    stage.holm(["trust", "look"]);
    assert_eq!(served.get("/api/trust").json()["level"], "look");
}

#[test]
fn the_level_is_not_for_jobs_programs_and_other_users() {
    let stage = stage();
    stage.trust("edit");
    let served = Served::start(&stage, &[]);
    let spec = json!({ "when": "asked", "prompt": "write job.txt", "approval": "park" });
    assert_eq!(served.post("/api/jobs", &json!({ "id": "nightly", "spec": spec })).status, 201);
    assert!(served.post("/api/jobs/nightly/run", &json!({})).status < 300);
    let asks = |reply: &Reply| {
        reply.json()["sessions"].as_array().is_some_and(|all| all.iter().any(|one| one["questions"] == 1))
    };
    served.until("the job's question", "/api/sessions", asks);
    let asked = json!({ "model": "holm", "messages": [{ "role": "user", "content": "write program.txt" }] });
    assert_eq!(served.post("/v1/chat/completions", &asked).status, 200);
    let ada = served.issue("ada", "admin");
    begin(&served, &ada, "hers", "write hers.txt");
    until_asked(&served, &ada, "hers");
    assert_eq!(served.send(&ada, "GET", "/api/trust", &[], None).status, 404);
    assert_eq!(choose(&served, &ada, "jail").status, 404);
    assert_eq!(choose(&served, &served.issue("owner", "operator"), "jail").status, 403);
    assert!(!made(&stage, "job.txt") && !made(&stage, "program.txt") && !made(&stage, "hers.txt"));
    assert!(stage.holm(["trust"]).out.contains(": edit\n"));
}

#[test]
fn the_flags_of_the_server_win_over_the_level() {
    let stage = stage();
    stage.trust("edit");
    let served = Served::start(&stage, &["--mode", "default"]);
    begin(&served, &served.token, "one", "write one.txt");
    until_asked(&served, &served.token, "one");
    served.stop();
    let served = Served::start(&stage, &["--trust", "look"]);
    let shown = served.get("/api/trust").json();
    assert!(shown["meaning"].as_str().unwrap().contains("--trust look"), "{shown}");
    begin(&served, &served.token, "two", "write two.txt");
    until_asked(&served, &served.token, "two");
    assert!(!made(&stage, "one.txt") && !made(&stage, "two.txt"));
}

#[test]
fn without_the_jail_commands_are_asked_about_at_every_level() {
    let stage = stage();
    stage.trust("jail");
    let served = Served::start(&stage, &["--unconfined"]);
    let shown = served.get("/api/trust").json();
    assert!(shown["meaning"].as_str().unwrap().contains("--unconfined"), "{shown}");
    runs(&served, "one", "write one.txt");
    begin(&served, &served.token, "two", "run two.txt");
    until_asked(&served, &served.token, "two");
    assert!(made(&stage, "one.txt") && !made(&stage, "two.txt"));
}

#[test]
fn a_session_that_is_resumed_or_forked_loses_what_the_folder_is_no_longer_trusted_with() {
    for (level, expect) in [("edit", true), ("look", false)] {
        for flags in [[].as_slice(), &["--grant", "read:**"]] {
            let stage = stage();
            stage.trust("edit");
            let served = Served::start(&stage, flags);
            runs(&served, "s", "write first.txt");
            assert!(made(&stage, "first.txt"));
            served.stop();
            stage.trust(level);
            let served = Served::start(&stage, flags);
            let records = served.get("/api/sessions/s").json()["records"].as_u64().unwrap();
            let fork = json!({ "at": records - 1, "id": "other" });
            let forked = served.post("/api/sessions/s/fork", &fork);
            assert_eq!(forked.status, 201, "{forked:?}");
            for session in ["s", "other"] {
                let prompt = json!({ "text": format!("write {session}.txt") });
                let sent = served.post(&format!("/api/sessions/{session}/prompt"), &prompt);
                assert!(sent.status < 300, "{sent:?}");
                if expect {
                    until_seen("its file", || made(&stage, &format!("{session}.txt")), |made| *made);
                } else {
                    until_asked(&served, &served.token, session);
                    assert!(!made(&stage, &format!("{session}.txt")), "{flags:?}");
                }
            }
        }
    }
}

/// Sends a prompt to a session and waits until it has ended.
#[track_caller]
fn asks(served: &Served, session: &str, prompt: &str) {
    let sent = served.post(&format!("/api/sessions/{session}/prompt"), &json!({ "text": prompt }));
    assert!(sent.status < 300, "{sent:?}");
    served.wait(session);
}

#[test]
fn what_a_person_denied_holds_in_a_server_and_in_its_forks_and_after_a_restart() {
    let stage = stage();
    stage.trust("jail");
    stage.run(&["-p", "hello", "--session", "s", "--deny-command", "echo"]).says("Done.\n");
    stage.run(&["-p", "hello", "--session", "free"]).says("Done.\n");
    for round in ["one", "two"] {
        let served = Served::start(&stage, &[]);
        let records = served.get("/api/sessions/s").json()["records"].as_u64().unwrap();
        let fork = format!("fork-{round}");
        let forked = served.post("/api/sessions/s/fork", &json!({ "at": records - 1, "id": fork }));
        assert_eq!(forked.status, 201, "{forked:?}");
        for (session, expect) in [("free", true), ("s", false), (fork.as_str(), false)] {
            let file = format!("{session}-{round}");
            asks(&served, session, &format!("run {file}"));
            assert_eq!(made(&stage, &file), expect, "{session}");
        }
        served.stop();
    }
}

#[test]
fn a_server_forks_no_session_of_another_folder() {
    let stage = stage();
    let elsewhere = stage.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let words = ["run", "--model", MODEL, "-p", "hello", "--session", "s", "--trust", "edit"];
    assert!(stage.command(words).current_dir(&elsewhere).status().unwrap().success());
    let served = Served::start(&stage, &[]);
    let forked = served.post("/api/sessions/s/fork", &json!({ "at": 1, "id": "other" }));
    assert!(forked.status >= 400 && forked.body.contains("works in"), "{forked:?}");
}
