//! Tests `holm job`: what it stores, and how it is shown.

use std::process::Command;

use holm::kernel::Message;
use holm_testkit::double::Act;
use serde_json::Value;

use crate::{served::Served, stage::Stage};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_job_is_written_down_shown_switched_and_forgotten() {
    let stage = Stage::new([]);
    let added = stage.holm([
        "job",
        "add",
        "nightly",
        "write the report",
        "--cron",
        "30 2 * * *",
        "--zone",
        "Europe/Berlin",
        "--budget",
        "0.50",
    ]);
    assert_eq!(added.code, Some(0), "{added:?}");
    stage.holm(["job", "add", "nightly", "again"]).fails(2, "a job with that name already exists");
    let listed = lines(&stage.holm(["job", "list", "--json"]).out);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["id"], "nightly");
    assert_eq!(listed[0]["spec"]["budget"], 500_000_000_u64);
    assert!(listed[0]["next"].is_u64(), "{listed:?}");
    let shown = stage.holm(["job", "show", "nightly"]).out;
    assert!(shown.contains("budget    $0.50 for each try\n"), "{shown}");
    let log = stage.holm(["job", "log", "nightly"]);
    assert_eq!((log.out.as_str(), log.err.as_str()), ("", "holm: nightly has not run yet\n"));
    let key = stage.holm(["job", "show", "nightly", "--key"]).out;
    let changed = stage.holm(["job", "change", "nightly", "--cron", "0 4 * * *", "--prompt", "shorter"]);
    assert_eq!(changed.code, Some(0), "{changed:?}");
    let after = lines(&stage.holm(["job", "show", "nightly", "--json"]).out);
    assert_eq!(after[0]["spec"]["when"]["cron"]["zone"], "Europe/Berlin", "what is not said stays");
    assert_eq!(
        (&after[0]["spec"]["prompt"], &after[0]["spec"]["when"]["cron"]["pattern"]),
        (&"shorter".into(), &"0 4 * * *".into())
    );
    assert_eq!(stage.holm(["job", "show", "nightly", "--key"]).out, key);
    assert_eq!(stage.holm(["job", "key", "nightly"]).code, Some(0));
    assert_ne!(stage.holm(["job", "show", "nightly", "--key"]).out, key);
    stage.holm(["job", "change", "nightly", "--cron", "nonsense"]).fails(2, "it needs 5 or 6");
    stage.holm(["job", "change", "other", "--prompt", "x"]).fails(6, "there is no job `other`");
    assert_eq!(stage.holm(["job", "disable", "nightly"]).code, Some(0));
    assert!(stage.holm(["job", "show", "nightly"]).out.contains("switched off"));
    assert_eq!(stage.holm(["job", "enable", "nightly"]).code, Some(0));
    let run = stage.holm(["job", "run", "nightly"]).out;
    let log = lines(&stage.holm(["job", "log", "nightly", "--json"]).out);
    assert_eq!((log.len(), log[0]["slot"].as_str()), (1, Some(run.trim())));
    assert!(stage.holm(["job", "show", "nightly", "--key"]).out.starts_with("whsec_"));
    assert!(!stage.holm(["job", "show", "nightly", "--json"]).out.contains("whsec_"));
    assert_eq!(stage.holm(["job", "remove", "nightly"]).code, Some(0));
    stage.holm(["job", "show", "nightly"]).fails(6, "there is no job `nightly`");
}

#[test]
fn some_of_a_job_is_changed_and_it_gets_another_key() {
    let stage = Stage::new([]);
    let cron = ["--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--budget", "0.50", "--hook"];
    stage.holm(["job", "add", "nightly", "write the report"].into_iter().chain(cron));
    let shown = || lines(&stage.holm(["job", "show", "nightly", "--json"]).out).remove(0);
    let changed =
        stage.holm(["job", "change", "nightly", "--prompt", "write it", "--zone", "UTC", "--no-budget"]);
    assert_eq!(changed.code, Some(0), "{changed:?}");
    let spec = &shown()["spec"];
    assert_eq!(spec["prompt"], "write it");
    assert_eq!(spec["when"]["cron"], serde_json::json!({ "pattern": "30 2 * * *", "zone": "UTC" }));
    assert_eq!((&spec["budget"], &spec["hook"]), (&Value::Null, &Value::from("open")), "the rest stays");
    stage.holm(["job", "change", "nightly", "--asked", "--no-hook", "--timeout", "60"]);
    let spec = &shown()["spec"];
    assert_eq!((&spec["when"], &spec["hook"]), (&Value::from("asked"), &Value::from("closed")));
    assert_eq!(spec["timeout_s"], 60);
    stage.holm(["job", "change", "nightly", "--timeout", "0"]).fails(2, "timeout_s is 0");
    stage.holm(["job", "change", "nightly", "--zone", "Europe/Berlin"]).fails(2, "--cron");
    stage.holm(["job", "change", "hourly", "--timeout", "7"]).fails(6, "there is no job `hourly`");
    let key = || stage.holm(["job", "show", "nightly", "--key"]).out;
    let old = key();
    let new = stage.holm(["job", "key", "nightly", "--old-for", "0"]).out;
    assert!(new.starts_with("whsec_") && new != old && key() == new, "{new}");
}

#[test]
fn what_makes_no_job_is_said_in_words() {
    let stage = Stage::new([]);
    for (args, expect) in [
        (["--cron", "* * *", "--zone", "UTC"], "it needs 5 or 6"),
        (["--cron", "* * * * *", "--zone", "Mars"], "unknown time zone"),
        (["--at", "2001-01-01T00:00:00Z", "--about", "x"], "that time never comes"),
        (["--notify", "http://example.com", "--about", "x"], "https://"),
    ] {
        let ran = stage.holm(["job", "add", "x", "do it"].into_iter().chain(args));
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(expect), "{expect}: {ran:?}");
    }
}

#[test]
fn the_command_that_a_job_shows_starts_it_and_the_agent_gets_the_message() {
    let stage = Stage::new([Act::says("seen")]);
    let model = ["--model", "openai/model-of-the-job"];
    let added =
        stage.holm(["job", "add", "deploy", "look at the deployment", "--hook"].into_iter().chain(model));
    assert_eq!(added.code, Some(0), "{added:?}");
    let listed = stage.holm(["job", "list"]).out;
    assert_eq!(listed, "deploy  -  on demand, or by POST /hooks/owner/deploy\n");
    let shown = stage.holm(["job", "show", "deploy"]).out;
    assert!(shown.contains("curl -X POST 'http://127.0.0.1:7417/hooks/owner/deploy'"), "{shown}");
    let key = stage.holm(["job", "show", "deploy", "--key"]).out;
    let served = Served::start(&stage, &[]);
    let job = served.get("/api/jobs/deploy").json();
    assert_eq!(job["webhook"]["url"], format!("{}/hooks/owner/deploy", served.url()), "{job}");
    let command = job["webhook"]["command"].as_str().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("KEY", key.trim()).env("NO_PROXY", "127.0.0.1");
    let sent = shell.output().unwrap();
    let answer: Value =
        serde_json::from_slice(&sent.stdout).unwrap_or_else(|error| panic!("{error}: {sent:?}"));
    assert_eq!(answer["new"], true, "{answer}");
    let runs = "/api/jobs/deploy/runs";
    served.until("the end of the run", runs, |reply| reply.json()[0]["phase"]["ended"].is_object());
    let request = stage.double.requests().remove(0);
    assert_eq!(request.model(), "model-of-the-job");
    let asked = request.asked.unwrap();
    let said = asked.messages.last().map(Message::plain_text).unwrap();
    assert!(
        said.starts_with("look at the deployment") && said.contains(r#""{\"text\":\"hello\"}""#),
        "{said}"
    );
}

#[test]
fn a_schedule_that_would_be_cut_is_refused() {
    let stage = Stage::new([]);
    let often = ["job", "add", "often", "look", "--cron", "* * * * *"];
    stage.holm(often).fails(2, "due 60 times an hour, but `per_hour` is 12");
    let raised = stage.holm(often.iter().chain(&["--per-hour", "60"]));
    assert_eq!(raised.code, Some(0), "{raised:?}");
}
