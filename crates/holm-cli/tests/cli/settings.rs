//! Tests settings: which apply, where they come from, and what a project can never set.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use holm_testkit::double::Act;
use holm_tools::trust::ContentHash;

use crate::stage::{MODEL, Ran, Stage};

/// A stage whose user has these settings.
fn stage(acts: impl IntoIterator<Item = Act>, text: &str) -> Stage {
    let stage = Stage::new(acts);
    fs::write(mine(&stage), text).unwrap();
    stage
}

fn mine(stage: &Stage) -> PathBuf {
    stage.work().join("../mine.toml")
}

fn command(stage: &Stage, args: &[&str]) -> Command {
    let mut command = stage.command(args);
    command.env("HOLM_CONFIG", mine(stage));
    command
}

fn holm(stage: &Stage, args: &[&str]) -> Ran {
    Ran::of(&command(stage, args).output().unwrap())
}

/// Trusts the project's file as a person would who has no terminal: by what it is shown.
fn trust(stage: &Stage) {
    let shown = holm(stage, &["config", "trust"]);
    assert_eq!(shown.code, Some(3), "{shown:?}");
    let hash = shown.err.split("--yes ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(holm(stage, &["config", "trust", "--yes", hash]).code, Some(0));
}

#[test]
fn a_run_takes_model_grants_and_what_is_said_first_from_the_settings() {
    let text = format!("model = \"{MODEL}\"\nsystem = \"Count well.\"\ngrants = [\"read:notes.txt\"]\n");
    let call = Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = stage([call, Act::says("Three.")], &text).file("notes.txt", "one two three\n");
    holm(&stage, &["run", "-p", "How many words?"]).says("Three.\n");
    let requests = stage.double.requests();
    assert_eq!(requests[0].model(), "gpt-5-mini");
    assert!(requests[0].text().contains("Count well.") && requests[1].text().contains("one two three"));
}

#[test]
fn a_rule_that_cannot_be_read_ends_a_call_by_hand_and_lets_none_of_the_others_go() {
    let stage = stage([], "[commands]\ndeny = [\"ls\", \"a && b\"]\n");
    let call =
        ["tool", "execute", "run_program", r#"{"command":["ls"]}"#, "--grant", "exec:*", "--mode", "full"];
    let ran = holm(&stage, &call);
    ran.fails(2, "mine.toml");
    assert!(ran.err.contains("fix or remove the rule"), "{ran:?}");
}

#[test]
fn a_projects_file_does_nothing_until_it_is_trusted_and_then_chooses_but_never_widens() {
    let user = format!("model = \"{MODEL}\"\ngrants = [\"read:notes.txt\"]\n[limits]\nturns = 5\n");
    let project =
        "system = \"From the project.\"\ngrants = [\"read:**\", \"write:**\"]\n[limits]\nturns = 50\n";
    let stage =
        stage([Act::says("One."), Act::says("Two."), Act::says("Three.")], &user).file("holm.toml", project);
    let ran = holm(&stage, &["run", "-p", "Hi."]);
    assert!(ran.out == "One.\n" && ran.err.contains("you have not trusted it"), "{ran:?}");
    trust(&stage);
    holm(&stage, &["run", "-p", "Hi."]).says("Two.\n");
    let requests = stage.double.requests();
    assert!(
        !requests[0].text().contains("From the project.") && requests[1].text().contains("From the project.")
    );
    let shown = holm(&stage, &["config", "show", "--origin"]);
    // The level of the folder sets the mode.
    let lines: Vec<&str> = shown.out.lines().filter(|line| !line.starts_with("mode")).collect();
    assert_eq!(lines.len(), 3, "{shown:?}");
    assert!(lines[0].starts_with("system = \"From the project.\"  # ") && lines[0].ends_with("holm.toml:1"));
    assert!(lines[1].starts_with("grants = \"read:notes.txt\"  # ") && lines[1].ends_with("mine.toml:2"));
    assert!(lines[2].starts_with("limits.turns = 5  # ") && lines[2].ends_with("mine.toml:4"));
    // Changed is not trusted, and what was trusted is not passed over.
    for text in [b"system = \"Another.\"\n".as_slice(), b"\xff\xfe"] {
        fs::write(stage.work().join("holm.toml"), text).unwrap();
        let ran = holm(&stage, &["run", "-p", "Hi."]);
        ran.fails(3, "holm.toml apply here, but ");
        assert!(ran.err.contains("`holm config trust`"), "{ran:?}");
        let shown = holm(&stage, &["config", "show"]);
        assert!(shown.code == Some(0) && shown.err.contains("no run can start here: "), "{shown:?}");
        assert!(!shown.err.contains("is not used"), "{shown:?}");
        let checked = holm(&stage, &["check"]);
        assert!(checked.code == Some(2) && checked.out.contains("bad  settings  "), "{checked:?}");
        let said = holm(&stage, &["doctor"]).out;
        let row = said.lines().find(|line| line.contains("  settings  ")).unwrap();
        assert!(row.starts_with("bad ") && row.contains("no run can start here: "), "{said}");
    }
    assert_eq!(holm(&stage, &["config", "forget"]).code, Some(0));
    let ran = holm(&stage, &["run", "-p", "Hi."]);
    assert!(
        ran.out == "Three.\n" && ran.err.contains("is not used"),
        "what is no text ends nothing: {ran:?}"
    );
}

#[test]
fn a_policy_never_widens_a_session_that_goes_on() {
    let write = || Act::calls(&[("c1", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let acts = [Act::says("Begun."), write(), Act::says("I may not."), write(), Act::says("Written.")];
    let user = "grants = [\"write:**\", \"read:**\"]\n";
    let stage =
        stage(acts, user).file("policy.toml", "mode = \"full\"\ngrants = [\"write:**\", \"read:**\"]\n");
    let ran = |more: &[&str]| {
        let args = [&["run", "--model", MODEL, "-p", "Go.", "--session", "s"], more].concat();
        Ran::of(
            &command(&stage, &args).env("HOLM_POLICY", stage.work().join("policy.toml")).output().unwrap(),
        )
    };
    assert_eq!(ran(&["--mode", "plan"]).out, "Begun.\n");
    assert_eq!(ran(&["--resume"]).out, "I may not.\n");
    assert!(!stage.work().join("out.txt").exists(), "it began in plan mode and stays there");
    assert_eq!(ran(&["--resume", "--mode", "full"]).out, "Written.\n");
    assert!(stage.work().join("out.txt").exists(), "who says so widens it, within the policy");
}

#[test]
fn a_policy_binds_a_tool_that_is_tried_by_hand() {
    let stage = stage([], "").file("policy.toml", "mode = \"plan\"\ngrants = [\"read:**\"]\n");
    let args = [
        "tool",
        "execute",
        "write",
        r#"{"path":"x.txt","content":"x"}"#,
        "--grant",
        "write:**",
        "--mode",
        "full",
    ];
    let mut bound = command(&stage, &args);
    let ran = Ran::of(&bound.env("HOLM_POLICY", stage.work().join("policy.toml")).output().unwrap());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(!stage.work().join("x.txt").exists());
    assert_eq!(holm(&stage, &args).code, Some(0), "without a policy it is written");
}

#[test]
fn a_policy_that_is_named_and_not_there_ends_every_command_that_it_would_bind() {
    let stage = stage([Act::says("Unbound.")], "");
    let bound = |args: &[&str]| {
        let mut command = command(&stage, args);
        Ran::of(&command.env("HOLM_POLICY", stage.work().join("typo.toml")).output().unwrap())
    };
    let expect = "typo.toml: there is no such file\n  hint: ";
    bound(&["run", "--model", MODEL, "-p", "Hi."]).fails(2, expect);
    bound(&["config", "show", "--origin"]).fails(2, expect);
    let checked = bound(&["check"]);
    assert!(
        checked.code == Some(2) && checked.out.contains("typo.toml: there is no such file; create the file"),
        "{checked:?}"
    );
    let paths = bound(&["paths"]);
    assert!(paths.code == Some(0) && paths.out.contains("own_policy      "), "{paths:?}");
    assert!(stage.double.requests().is_empty());
}

#[test]
fn flags_are_over_the_environment_and_that_over_files() {
    let stage = stage([Act::says("a"), Act::says("b")], "model = \"openai/gpt-5\"\n");
    let mut from_env = command(&stage, &["run", "-p", "Hi."]);
    from_env.env("HOLM_MODEL", MODEL);
    Ran::of(&from_env.output().unwrap()).says("a\n");
    let mut from_flag = command(&stage, &["run", "-p", "Hi.", "--model", "openai/gpt-5-nano"]);
    from_flag.env("HOLM_MODEL", MODEL);
    Ran::of(&from_flag.output().unwrap()).says("b\n");
    let models: Vec<String> = stage.double.requests().iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["gpt-5-mini", "gpt-5-nano"]);
}

#[test]
fn a_policy_binds_flags_and_sessions_that_go_on() {
    let write = || Act::calls(&[("c1", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let acts = [write(), Act::says("Written."), write(), Act::says("I may not.")];
    let stage = stage(acts, "").file("policy.toml", "mode = \"plan\"\n");
    let args =
        ["run", "--model", MODEL, "-p", "Write.", "--grant", "write:**", "--mode", "full", "--session", "s"];
    holm(&stage, &args).says("Written.\n");
    fs::remove_file(stage.work().join("out.txt")).unwrap();
    let again = ["run", "--model", MODEL, "-p", "Again.", "--session", "s", "--resume"];
    let mut bound = command(&stage, &again);
    let ran = Ran::of(&bound.env("HOLM_POLICY", stage.work().join("policy.toml")).output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), "I may not.\n"), "{ran:?}");
    assert!(!stage.work().join("out.txt").exists());
}

#[test]
fn a_provider_of_the_settings_is_reached_at_its_address_with_its_key() {
    let stage = Stage::new([Act::says("Here.")]);
    let base = stage.double.base(holm::wire::Format::OpenaiChat);
    let text =
        format!("model = \"mine/small\"\n[providers.mine]\nbase_url = \"{base}\"\nkey_env = \"MINE\"\n");
    fs::write(mine(&stage), text).unwrap();
    let mut run = command(&stage, &["run", "-p", "Hi."]);
    run.env("MINE", crate::stage::KEY).env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL");
    Ran::of(&run.output().unwrap()).says("Here.\n");
    assert_eq!(stage.double.requests()[0].model(), "small");
    // Who is asked without the key that was promised is told.
    let mut run = command(&stage, &["run", "-p", "Hi."]);
    let ran = Ran::of(&run.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL").output().unwrap());
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("mine.toml:4 takes the key of mine from $MINE, which is not set"), "{ran:?}");
}

#[test]
fn where_there_is_nothing_to_list_it_is_said_how_one_begins() {
    let stage = stage([], "").unasked();
    let check = |args: &[&str], expect: &str| {
        let mut run = command(&stage, args);
        let ran = Ran::of(&run.env("HOME", stage.work()).env_remove("OPENAI_API_KEY").output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
        assert!(ran.err.contains(expect), "{ran:?}");
    };
    check(&["config", "show", "--origin"], "no settings found");
    check(&["config", "show", "--json"], "no settings found");
    check(&["agent", "list"], "`holm agent new NAME` creates one");
    check(&["skill", "list"], "no skills yet");
    check(&["keys", "list"], "store one with `holm keys add PROVIDER`");
    check(&["job", "list"], "add one with `holm job add`");
    check(&["mcp", "list"], "add one with `holm mcp add`");
}

#[test]
fn a_bad_file_is_blamed_whatever_letters_its_name_has() {
    let stage = Stage::new([]);
    let file = stage.work().join("../mi\u{200d}ne.toml");
    fs::write(&file, "model = \n").unwrap();
    let checked = Ran::of(&stage.command(["check"]).env("HOLM_CONFIG", &file).output().unwrap());
    assert!(checked.code == Some(2) && checked.out.starts_with("bad  settings  "), "{checked:?}");
    assert_eq!(checked.out.matches("  settings  ").count(), 1, "{checked:?}");
}

#[test]
fn each_bad_file_gives_one_message_with_file_line_and_fix() {
    let check = |text: &str, expect: &str| {
        let stage = stage([], text);
        holm(&stage, &["run", "-p", "Hi."]).fails(2, expect);
        holm(&stage, &["config", "show"]).fails(2, expect);
        let checked = holm(&stage, &["check"]);
        assert_eq!((checked.code, checked.err.as_str()), (Some(2), ""), "{checked:?}");
        assert!(checked.out.starts_with("bad  settings  "), "{checked:?}");
        assert!(checked.out.contains(&expect.replace("\n  hint: ", "; ")), "{checked:?}");
    };
    check("model = \n", "mine.toml:1: ");
    check("\nmodle = \"a/b\"\n", "mine.toml:2: unknown key `modle`\n  hint: did you mean `model`?");
    check("[limits]\nturns = \"many\"\n", "mine.toml:2: invalid type");
    check("[limits]\nturns = -1\n", "mine.toml:2: a run needs at least one turn");
    check("grants = [\"fly:high\"]\n", "mine.toml:1: `fly:high`: ");
    check("[providers.mine]\nbase_url = \"nope\"\n", "mine.toml:2: not a valid URL; ");
    let stage = Stage::new([]);
    holm(&stage, &["run", "-p", "Hi."]).fails(2, "mine.toml: there is no such file\n  hint: ");
    let stage = Stage::new([Act::says("Done.")]).file("holm.toml", "mode = \"full\"\n");
    fs::write(mine(&stage), "").unwrap();
    // It is told before anybody trusts it, and there is nothing to trust.
    let expect = "holm.toml:1: a project cannot set `mode`";
    let checked = holm(&stage, &["check"]);
    assert!(checked.code == Some(2) && checked.out.contains(expect), "{checked:?}");
    holm(&stage, &["config", "trust"]).fails(2, expect);
    let hash = ContentHash::of(b"mode = \"full\"\n").to_string();
    holm(&stage, &["config", "trust", "--yes", &hash]).fails(2, expect);
    let ran = holm(&stage, &["run", "--model", MODEL, "-p", "Hi."]);
    assert!(ran.code == Some(0) && ran.err.contains("you have not trusted it"), "{ran:?}");
}

#[test]
fn a_check_tells_mistakes_in_parts_also_of_keys_and_of_sidecars() {
    let stage = stage([], "");
    let tools = stage.data().join("tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join("mine.sh"), "#!/bin/sh\n").unwrap();
    fs::write(tools.join("mine.toml"), "descripton = \"Does it.\"\n").unwrap();
    fs::write(tools.join("notes.toml"), "descripton = \"Beside no tool.\"\n").unwrap();
    fs::write(stage.data().join("keys.json"), "{\n").unwrap();
    fs::set_permissions(stage.data().join("keys.json"), fs::Permissions::from_mode(0o600)).unwrap();
    let checked = holm(&stage, &["check"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    let row = |what: &str| {
        let begins = format!("bad  {what}  ");
        checked.out.lines().find(|line| line.starts_with(&begins)).unwrap_or_default()
    };
    assert!(row("sidecar ").contains("mine.toml:1: unknown field `descripton`"), "{checked:?}");
    assert!(
        row("keys    ").contains("keys.json:2: it is not a valid key file; fix or remove the line"),
        "{checked:?}"
    );
    assert!(!checked.out.contains("notes.toml") && !checked.out.contains("hint: "), "{checked:?}");
    let object = holm(&stage, &["check", "--json"]).out;
    let mut rows = object.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let keys = rows.find(|row| row["what"] == "keys").unwrap();
    assert_eq!((&keys["ok"], &keys["line"]), (&false.into(), &2.into()), "{keys}");
    assert_eq!(keys["problem"], "it is not a valid key file", "{keys}");
    assert!(keys["hint"].is_string(), "{keys}");
}

#[test]
fn a_projects_env_file_is_never_loaded_by_itself() {
    let text = format!("OPENAI_API_KEY={}\nHOLM_MODEL={MODEL}\n", crate::stage::KEY);
    let stage = Stage::new([Act::says("Never.")]).file(".env", &text);
    let mut command = stage.command(["run", "--model", MODEL, "-p", "Hi."]);
    crate::stage::Ran::of(&command.env_remove("OPENAI_API_KEY").output().unwrap())
        .fails(5, "no key for openai");
    assert!(stage.double.requests().is_empty());
}

#[test]
fn an_alias_is_a_prompt_with_a_place_for_more() {
    let text = format!("model = \"{MODEL}\"\n[aliases.sum]\ntemplate = \"Sum up: {{{{content}}}}\"\n");
    let stage = stage([Act::says("Short.")], &text);
    holm(&stage, &["run", "--alias", "sum", "-p", "a long text"]).says("Short.\n");
    assert!(stage.double.requests()[0].text().contains("Sum up: a long text"));
    let ran = holm(&stage, &["run", "--alias", "some", "-p", "x"]);
    ran.fails(6, "no alias is named `some`\n  hint: there are: sum");
}

#[test]
fn the_doctor_finds_a_database_that_is_damaged() {
    let stage = stage([], "");
    fs::create_dir_all(stage.data()).unwrap();
    fs::write(stage.data().join("holm.db"), [0xa5; 8_192]).unwrap();
    let said = holm(&stage, &["doctor", "--json"]);
    let rows: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = rows.iter().find(|row| row["what"] == "database").unwrap();
    assert_eq!((said.code, &row["state"]), (Some(3), &"bad".into()), "{said:?}");
    let words = row["words"].as_str().unwrap();
    let data = stage.data().canonicalize().unwrap();
    assert!(words.contains("holm restore"), "{row}");
    // Nothing is restored over what is there: the database alone would not be enough.
    assert!(words.contains(&format!("move the whole folder {} away", data.display())), "{row}");
}

#[test]
fn the_doctor_knows_a_sound_database_that_is_no_store_of_this_version() {
    let stage = stage([], "");
    let row = |damage: &str| {
        let _ = fs::remove_dir_all(stage.data());
        // It changes no session, but it makes the database.
        assert_eq!(holm(&stage, &["session", "edit", "none", "--tag", "x"]).code, Some(6));
        let database = rusqlite::Connection::open(stage.data().join("holm.db")).unwrap();
        database.execute_batch(damage).unwrap();
        drop(database);
        let said = holm(&stage, &["doctor"]).out;
        said.lines().find(|line| line.contains("  database  ")).unwrap().to_owned()
    };
    let sound = row("");
    assert!(sound.starts_with("good ") && sound.ends_with("holm.db is undamaged"), "{sound}");
    for (damage, wrong, remedy) in [
        ("PRAGMA application_id = 1", "holm.db is not a Holm store", "`holm restore FOLDER`"),
        ("PRAGMA user_version = 99", "the store has schema 99", "use the program that wrote it"),
        ("DROP TABLE records", "the table `records` is missing", "`holm restore FOLDER`"),
    ] {
        let row = row(damage);
        assert!(row.starts_with("bad ") && row.contains(wrong) && row.contains(remedy), "{damage}: {row}");
    }
}

#[test]
fn everything_that_a_program_reads_is_json_and_the_doctor_says_no_key() {
    let stage = stage([], "model = \"openai/gpt-5\"\n");
    let shown = holm(&stage, &["config", "show", "--json"]);
    let row: serde_json::Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
    assert_eq!((&row["key"], &row["layer"], &row["line"]), (&"model".into(), &"user".into(), &1.into()));
    let paths: serde_json::Value = serde_json::from_str(&holm(&stage, &["paths", "--json"]).out).unwrap();
    assert!(paths["config"].as_str().unwrap().ends_with("mine.toml"), "{paths}");
    let checked = holm(&stage, &["check", "--json"]);
    let row: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!((checked.code, &row["ok"]), (Some(0), &true.into()));
    let said = holm(&stage, &["doctor", "--json"]);
    let rows: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let state = |what: &str| rows.iter().find(|row| row["what"] == what).unwrap()["state"].clone();
    assert_eq!((state("settings"), state("keys")), ("good".into(), "good".into()), "{said:?}");
    assert!(!said.out.contains(crate::stage::KEY), "{said:?}");
    let schema: serde_json::Value = serde_json::from_str(&holm(&stage, &["config", "schema"]).out).unwrap();
    assert!(schema["properties"]["model"].is_object());
}

#[test]
fn a_file_that_nobody_trusts_does_not_switch_off_the_trusted_one_above_it() {
    let said = (0..3).map(|_| Act::says("Done."));
    let stage = stage(said, "").file("holm.toml", "system = \"From above.\"\n");
    trust(&stage);
    let sub = stage.work().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("holm.toml"), "").unwrap();
    let below = |args: &[&str]| Ran::of(&command(&stage, args).current_dir(&sub).output().unwrap());
    let run = ["run", "--model", MODEL, "-p", "Hi."];
    let ran = below(&run);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(ran.err.contains("sub/holm.toml is not used: you have not trusted it; "), "{ran:?}");
    assert!(stage.double.requests()[0].text().contains("From above."));
    let shown = below(&["config", "show", "--origin"]);
    assert!(shown.out.starts_with("system = \"From above.\"  # "), "{shown:?}");
    // What is above and has changed is not passed over either.
    fs::write(stage.work().join("holm.toml"), "system = \"Another.\"\n").unwrap();
    below(&run).fails(3, "work/holm.toml apply here, but it changed");
    fs::write(stage.work().join("holm.toml"), "system = \"From above.\"\n").unwrap();
    // Who trusts the nearer one has that one alone.
    let hash = ContentHash::of(b"").to_string();
    let trusted = below(&["config", "trust", "--yes", &hash]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    below(&run).says("Done.\n");
    assert!(!stage.double.requests()[1].text().contains("From above."));
    holm(&stage, &run).says("Done.\n");
    assert!(stage.double.requests()[2].text().contains("From above."), "above it nothing has changed");
}

#[test]
fn no_run_begins_without_a_trusted_file_that_is_gone_until_somebody_forgets_it() {
    let stage =
        stage([Act::says("Done."), Act::says("Done.")], "").file("holm.toml", "system = \"Guard.\"\n");
    trust(&stage);
    let (file, sub) = (stage.work().join("holm.toml"), stage.work().join("sub"));
    fs::create_dir(&sub).unwrap();
    let run = ["run", "--model", MODEL, "-p", "Hi."];
    let refuses = |expect: &str| {
        for folder in [&stage.work(), &sub] {
            let ran = Ran::of(&command(&stage, &run).current_dir(folder).output().unwrap());
            ran.fails(3, &format!("holm.toml apply here, but {expect}"));
            assert!(ran.err.contains("`holm config forget`"), "{ran:?}");
        }
        let checked = holm(&stage, &["check"]);
        assert!(checked.code == Some(2) && checked.out.contains("bad  settings  "), "{checked:?}");
        let row = holm(&stage, &["doctor"]).out;
        assert!(row.contains("no run can start here: "), "{row}");
    };
    fs::remove_file(&file).unwrap();
    refuses("it no longer exists");
    holm(&stage, &["config", "trust"]).fails(6, "holm.toml: it no longer exists");
    fs::create_dir(&file).unwrap();
    refuses("it is no longer a regular file");
    fs::remove_dir(&file).unwrap();
    fs::write(stage.work().join("empty"), "").unwrap();
    std::os::unix::fs::symlink("empty", &file).unwrap();
    refuses("it is a link");
    fs::remove_file(&file).unwrap();
    assert!(stage.double.requests().is_empty());
    // A restored file applies as before. A user who removed it on purpose needs one command, and
    // other files stay trusted.
    fs::write(&file, "system = \"Guard.\"\n").unwrap();
    holm(&stage, &run).says("Done.\n");
    fs::write(stage.work().join("AGENTS.md"), "Count well.\n").unwrap();
    trust(&stage);
    fs::remove_file(&file).unwrap();
    assert_eq!(holm(&stage, &["config", "forget"]).code, Some(0));
    holm(&stage, &run).says("Done.\n");
    let request = stage.double.requests()[1].text();
    assert!(request.contains("Count well.") && !request.contains("Guard."), "{request}");
}

#[test]
fn a_check_looks_at_every_file_of_the_project_that_nobody_trusts_yet() {
    let stage = stage([], "").file("holm.toml", "modle = \"a/b\"\n");
    let sub = stage.work().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("holm.toml"), "").unwrap();
    let checked = Ran::of(&command(&stage, &["check"]).current_dir(&sub).output().unwrap());
    let bad: Vec<&str> = checked.out.lines().filter(|line| line.starts_with("bad ")).collect();
    assert!(checked.code == Some(2) && bad.len() == 1 && bad[0].contains("work/holm.toml:1:"), "{checked:?}");
}
