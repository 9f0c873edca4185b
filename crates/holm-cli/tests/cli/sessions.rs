//! Tests `holm session`, and resumed sessions.

use holm_testkit::double::Act;

use crate::stage::{MODEL, Ran, Stage};

#[test]
fn a_session_remembers_and_is_never_begun_twice() {
    let stage = Stage::new([Act::says("Hello, Ada."), Act::says("Ada.")]);
    stage.run(&["-p", "I am Ada.", "--session", "chat"]).says("Hello, Ada.\n");
    stage.run(&["-p", "again", "--session", "chat"]).fails(2, "add --resume");
    stage.run(&["-p", "Who am I?", "--session", "chat", "--resume"]).says("Ada.\n");
    assert!(stage.double.requests()[1].text().contains("I am Ada."));
    stage.run(&["--session", "chat", "--resume"]).fails(2, "nothing is running");
}

#[test]
fn a_session_that_goes_on_keeps_its_model() {
    let stage = Stage::new([Act::says("one"), Act::says("two")])
        .file("script.json", r#"{"results":[{"replied":{"blocks":[{"text":"By heart."}]}}]}"#);
    stage.run(&["-p", "First", "--session", "s"]).says("one\n");
    let resume = ["run", "-p", "Second", "--session", "s", "--resume"];
    let other = stage.holm([resume.as_slice(), &["--model", "openai/gpt-5"]].concat());
    other.fails(2, "session `s` uses openai/gpt-5-mini");
    assert!(other.err.contains("hint: leave --model and --script out"), "{other:?}");
    stage
        .holm([resume.as_slice(), &["--script", "script.json"]].concat())
        .fails(2, "scripted/file cannot replace");
    stage.holm(resume).says("two\n");
    assert_eq!(stage.double.requests()[1].model(), "gpt-5-mini");

    let scripted = ["run", "-p", "Say it.", "--session", "heart", "--script", "script.json"];
    stage.holm(scripted).says("By heart.\n");
    let ran = stage.holm(["run", "-p", "Again.", "--session", "heart", "--resume"]);
    ran.fails(2, "uses a script, and none was given\n  hint: give it again with --script FILE");
    stage.holm([scripted.as_slice(), &["--resume"]].concat()).says("By heart.\n");
}

#[test]
fn sessions_are_listed_the_latest_first() {
    let stage = Stage::new([Act::says("one"), Act::says("two")]);
    let ran = stage.holm(["session", "list"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", "holm: no sessions yet\n"));
    let ran = stage.holm(["session", "list", "--tag", "x"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "holm: no session has the tag `x`\n"));
    stage.holm(["session", "list", "--json"]).says("");
    stage.holm(["session", "show", ""]).fails(2, "error: ");
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
        ["session", "changed", "(UTC)", "model", "folder", "title"]
    );
    stage.holm(["session", "list", "--limit", "0"]).fails(2, "0 is not in 1..");
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
    assert!(again.err.starts_with("holm: ") && again.err.contains("events as before"), "{}", again.err);
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
    let ran = stage.holm(["model", "ledger"]);
    assert!(ran.out.is_empty() && ran.err.contains("no session of this kind used a model"), "{ran:?}");
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
    let ran = stage.holm(["model", "ledger", "--kind", "drawing"]);
    assert!(ran.code == Some(0) && ran.out.is_empty() && !ran.err.is_empty(), "{ran:?}");
}

const WRITE: &str = r#"{"path":"once.txt","content":"x"}"#;

/// A session in the mode `full` that may write, and has not written yet.
fn free_to_write() -> Stage {
    let stage = Stage::new([Act::says("Ready."), Act::calls(&[("c1", "write", WRITE)]), Act::says("Done.")]);
    let args = ["-p", "Wait.", "--session", "s", "--mode", "full", "--grant", "write:**"];
    stage.run(&args).says("Ready.\n");
    stage
}

#[test]
fn a_session_that_goes_on_keeps_its_mode_and_its_grants() {
    let stage = free_to_write();
    stage.run(&["-p", "Write.", "--session", "s", "--resume"]).says("Done.\n");
    assert!(stage.work().join("once.txt").exists());
}

#[test]
fn a_mode_that_is_given_on_resume_counts() {
    let stage = free_to_write();
    let ran = stage.run(&["-p", "Write.", "--session", "s", "--resume", "--mode", "plan"]);
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.as_str()),
        (Some(3), "Done.\n", ""),
        "nothing was done: {ran:?}"
    );
    assert!(!stage.work().join("once.txt").exists());
}

#[test]
fn grants_that_are_given_on_resume_take_the_place_of_the_others() {
    let stage = free_to_write();
    let args = ["-p", "Write.", "--session", "s", "--resume", "--mode", "default", "--grant", "read:**"];
    stage.run(&args).says_without("write", 3, "Done.\n");
    assert!(!stage.work().join("once.txt").exists());
}

#[test]
fn what_a_denial_advises_helps_also_on_resume() {
    let acts = [Act::calls(&[("c1", "read", r#"{"path":"a.txt"}"#)]), Act::says("No.")];
    let again = [Act::calls(&[("c2", "read", r#"{"path":"a.txt"}"#)]), Act::says("Yes.")];
    let stage = Stage::new(acts.into_iter().chain(again)).file("a.txt", "the first line\n");
    let ran = stage.run(&["-p", "Read.", "--session", "s"]);
    assert!(ran.err.contains("--grant read:a.txt"), "{ran:?}");
    stage.run(&["-p", "Again.", "--session", "s", "--resume", "--grant", "read:a.txt"]).says("Yes.\n");
    assert!(stage.double.requests()[3].text().contains("the first line"));
}

#[test]
fn a_budget_that_is_given_on_resume_counts_and_what_cannot_count_is_refused() {
    let stage = Stage::new([Act::says("one"), Act::says("two")]);
    stage.run(&["-p", "First", "--session", "s"]).says("one\n");
    for flag in [["--turns", "1"], ["--system", "Be short."]] {
        let ran = stage.run(&[&["-p", "hi", "--session", "s", "--resume"], flag.as_slice()].concat());
        ran.fails(2, "a session keeps the value it started with");
    }
    let spent = ["-p", "hi", "--session", "s", "--resume", "--budget", "0.000000001"];
    stage.run(&spent).fails(4, "were spent");
}

#[test]
fn calls_that_did_not_run_are_shown_with_their_reason() {
    let read = ("c1", "read", r#"{"path":"notes.txt"}"#);
    let calls = Act::calls(&[read, ("c2", "fly", r#"{"to":"the moon"}"#), ("c3", "write", WRITE)]);
    let stage = Stage::new([calls, Act::says("Nothing.")]).file("notes.txt", "one two three\n");
    let ran = stage.run(&["-p", "Try.", "--session", "s", "--mode", "plan"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), "Nothing.\n"), "{ran:?}");
    let replayed = stage.holm(["session", "replay", "s"]).out;
    for line in [
        "  call       read ",
        r#"  call       fly {"to":"the moon"}"#,
        "  refused    read: denied for this run: read:notes.txt was not granted, and no user can be asked. Do not try again.",
        "  refused    fly: ",
        "  refused    write: ",
    ] {
        assert_eq!(replayed.matches(line).count(), 1, "{line}\n{replayed}");
    }
    assert!(!replayed.contains("tool_output"), "{replayed}");
    let shown = stage.holm(["session", "show", "s"]).out;
    for (number, tool) in [(1, "read"), (2, "fly"), (3, "write")] {
        let heading = format!("### Call {number} of 3, `{tool}` refused\n\n```\n");
        assert_eq!(shown.matches(&heading).count(), 1, "{tool}\n{shown}");
    }
    assert!(
        shown.contains("denied for this run: read:notes.txt was not granted")
            && !shown.contains("tool_output"),
        "{shown}"
    );
}

#[test]
fn a_session_goes_on_in_its_own_folder_alone() {
    let stage = Stage::new([Act::says("one"), Act::says("two")]);
    stage.run(&["-p", "First.", "--session", "s"]).says("one\n");
    let elsewhere = stage.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let resume = ["run", "--model", MODEL, "-p", "Second.", "--session", "s", "--resume"];
    let ran = Ran::of(&stage.command(resume).current_dir(&elsewhere).output().unwrap());
    ran.fails(2, "session `s` works in ");
    assert!(ran.err.contains("resume it there"), "{}", ran.err);
    stage.holm(resume).says("two\n");
}

#[test]
fn a_session_that_goes_on_runs_no_command_that_was_forbidden_before() {
    let id = || Act::calls(&[("c1", "shell", r#"{"script":"id -un > who.txt"}"#)]);
    let stage = Stage::new([Act::says("one"), id(), Act::says("I may not."), id(), Act::says("Neither.")]);
    stage.run(&["-p", "First.", "--session", "s", "--deny-command", "id"]).says("one\n");
    for (deny, said) in [(None, "I may not.\n"), (Some("git push"), "Neither.\n")] {
        let mut args = vec!["-p", "Who?", "--session", "s", "--resume", "--mode", "full"];
        args.extend([
            "--grant",
            "exec:*",
            "--grant",
            "exec:./**",
            "--grant",
            "read:**",
            "--grant",
            "write:**",
        ]);
        args.extend(deny.into_iter().flat_map(|rule| ["--deny-command", rule]));
        assert_eq!(stage.run(&args).out, said);
        assert!(!stage.work().join("who.txt").exists());
    }
    assert!(stage.double.requests()[2].text().contains("forbids"), "{}", stage.double.requests()[2].text());
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_name_and_as_the_last_one() {
    let stage = Stage::new([Act::says("One."), Act::says("Two."), Act::says("Three.")]);
    stage.run(&["--session", "alpha-1", "-p", "First."]).says("One.\n");
    stage.run(&["--session", "alpha-2", "-p", "Second."]).says("Two.\n");
    assert!(stage.holm(["session", "show", "last"]).out.contains("Second."));
    assert!(stage.holm(["session", "show", "alpha-1"]).out.contains("First."));
    let unclear = stage.holm(["session", "show", "alpha"]);
    unclear.fails(2, "2 sessions begin with `alpha`: alpha-2, alpha-1");
    stage.holm(["session", "show", "beta"]).fails(6, "there is no session `beta`");
    stage.run(&["--session", "alpha-1", "--resume", "-p", "Third."]).says("Three.\n");
    assert!(stage.holm(["session", "show", "last"]).out.contains("Third."));
    let folder = stage.work().canonicalize().unwrap();
    let listed = stage.holm(["session", "list"]).out;
    assert!(listed.lines().all(|line| line.contains(&*folder.to_string_lossy())), "{listed}");
}

#[test]
fn calls_that_were_made_together_are_numbered_and_approvals_are_shown() {
    let write = r#"{"path":"b.txt","content":"x"}"#;
    let calls = [("c1", "read", r#"{"path":"a.txt"}"#), ("c2", "write", write)];
    let stage = Stage::new([Act::calls(&calls), Act::says("Done.")]).file("a.txt", "text\n");
    stage.trust("look");
    stage.run(&["-p", "Go", "--session", "s", "--yes", "write:b.txt"]).says("Done.\n");
    let shown = stage.holm(["session", "show", "s"]).out;
    for said in [
        "### Call 1 of 2, `read`\n",
        "### Call 2 of 2, `write`\n",
        "### Result of call 1 of 2 (`read`)\n",
        "*approved:* call 2 of 2, `write`\n",
        "### Result of call 2 of 2 (`write`)\n",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
}
