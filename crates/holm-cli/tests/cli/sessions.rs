//! `holm session`, and sessions that go on.

use holm_testkit::double::Act;

use crate::stage::Stage;

#[test]
fn a_session_remembers_and_is_never_begun_twice() {
    let stage = Stage::new([Act::says("Hello, Ada."), Act::says("Ada.")]);
    stage.run(&["-p", "I am Ada.", "--session", "chat"]).says("Hello, Ada.\n");
    stage.run(&["-p", "again", "--session", "chat"]).fails(2, "add --resume");
    stage.run(&["-p", "Who am I?", "--session", "chat", "--resume"]).says("Ada.\n");
    assert!(stage.double.requests()[1].text().contains("I am Ada."));
    stage.run(&["--session", "chat", "--resume"]).fails(2, "nothing is under way");
}

#[test]
fn sessions_are_listed_the_latest_first() {
    let stage = Stage::new([Act::says("one"), Act::says("two")]);
    stage.holm(["session", "list"]).says("");
    stage.run(&["-p", "First prompt", "--session", "first"]).says("one\n");
    stage.run(&["-p", "Second prompt", "--session", "second"]).says("two\n");
    let ran = stage.holm(["session", "list"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    assert!(lines[0].starts_with("second  ") && lines[0].ends_with("  Second prompt"), "{}", ran.out);
    // A person gets a line about the columns.
    let (code, screen) = crate::terminal::holm(&stage, "session list", "nothing is asked", "");
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    assert_eq!((code, lines.len()), (Some(0), 3), "{screen}");
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["session", "changed", "(UTC)", "model", "title"]
    );
    let ran = stage.holm(["session", "list", "--json", "--limit", "1"]);
    let found: serde_json::Value = serde_json::from_str(ran.out.trim()).unwrap();
    assert_eq!((&found["run"], &found["title"]), (&"second".into(), &"Second prompt".into()));
}

#[test]
fn a_session_is_shown_to_people_and_to_programs() {
    let stage = Stage::new([Act::says("Four.")]);
    stage.run(&["-p", "What is 2 + 2?", "--session", "sum"]).says("Four.\n");
    let ran = stage.holm(["session", "show", "sum"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("What is 2 + 2?") && ran.out.contains("Four."), "{}", ran.out);
    let ran = stage.holm(["session", "show", "sum", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn a_replay_tells_what_the_run_told_byte_for_byte() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage =
        Stage::new([Act::overloaded(), call, Act::says("Three.")]).file("notes.txt", "one two three\n");
    let args = ["-p", "Count.", "--session", "s", "--grant", "read:**", "--output", "stream-json"];
    let live = stage.run(&args);
    assert_eq!((live.code, live.err.as_str()), (Some(0), ""));
    let (first, events) = live.out.split_once('\n').unwrap();
    assert_eq!(first, r#"{"session":"s"}"#);
    let again = stage.holm(["session", "replay", "s", "--json"]);
    assert_eq!(again.code, Some(0));
    assert_eq!(again.out, events);
    assert!(again.err.starts_with("holm: ") && again.err.contains("as they did before"), "{}", again.err);
    assert_eq!(stage.double.requests().len(), 3, "a replay asks nobody");
}

#[test]
fn a_replay_for_people_is_short() {
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call, Act::says("Three.")]).file("notes.txt", "one two three\n");
    stage.run(&["-p", "Count.", "--session", "s", "--grant", "read:**"]).says("Three.\n");
    let ran = stage.holm(["session", "replay", "s"]);
    // How long the call took is the machine's business.
    let lines: Vec<String> =
        ran.out.lines().map(|line| line.split(" after ").next().unwrap().to_owned()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    1  user       Count.
    2  call       read {"path":"notes.txt"}
    4  result     20 bytes
    5  assistant  Three.
    5  end        answered
    "#);
}

#[test]
fn what_models_have_shown_is_known_from_the_sessions() {
    let stage = Stage::new([Act::says("one"), Act::says("two")]);
    stage.holm(["model", "ledger"]).says("");
    stage.run(&["-p", "First"]).says("one\n");
    stage.run(&["-p", "Second"]).says("two\n");
    let ran = stage.holm(["model", "ledger"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("kind") && lines[1].starts_with("general"),
        "{}",
        ran.out
    );
    let ran = stage.holm(["model", "ledger", "--json", "--kind", "General"]);
    let found: serde_json::Value = serde_json::from_str(ran.out.trim()).unwrap();
    assert_eq!((&found["score"]["tasks"], &found["score"]["successes"]), (&2.into(), &2.into()));
    stage.holm(["model", "ledger", "--kind", "drawing"]).says("");
}
