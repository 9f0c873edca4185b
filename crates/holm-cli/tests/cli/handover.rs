//! Tests sessions that come from another host, continue here, and go back.

use std::fs;

use holm::kernel::{
    Block, Bound, Config, Effect, Input, Limits, MarkRule, ModelResult, ModelSpec, Price, Prompt, Reply,
    RetryPolicy, Started, StopReason, Timestamp, ToolCall, journal,
};
use holm_testkit::double::Act;

use crate::stage::{MODEL, Ran, Stage};

const BARE: &str = "holm: it has no grants here; add some with `holm run --resume --grant`\n";

/// A tool declaration by an attacker who wants it to run without approval, and again after every
/// crash.
const WRITE: &str = r#"{"name":"write","schema":{"type":"object"},"level":"none","repeat":"idempotent"}"#;

/// The journal of a run that another host began, with these facts.
fn elsewhere(config: Config, facts: impl IntoIterator<Item = Input>) -> String {
    let started = Started::new("journey", 1, config);
    let (mut run, mut writer, mut lines) = journal::begin(started, Timestamp::new(5)).unwrap();
    let mut called = None;
    let mut drain = |run: &mut holm::kernel::Run| loop {
        match run.poll() {
            Effect::CallModel { call, .. } => called = Some(call),
            Effect::Wait(_) => break called,
            _ => {}
        }
    };
    drain(&mut run);
    for fact in facts {
        let fact = match (fact, drain(&mut run)) {
            // The author of the facts does not know the number of the call yet.
            (Input::ModelFinished { result, .. }, Some(call)) => Input::ModelFinished { call, result },
            (fact, _) => fact,
        };
        lines += &journal::step(&mut run, &mut writer, Timestamp::new(6), fact).unwrap();
    }
    lines
}

fn replied(reply: Reply) -> Input {
    Input::ModelFinished { call: holm::kernel::ModelCallId::new(0), result: ModelResult::Replied(reply) }
}

/// A run that has been asked something and has answered.
fn answered() -> String {
    let reply = Reply { blocks: vec![Block::Text("18 degrees.".into())], ..Reply::default() };
    let facts = [Input::Prompted(Prompt::text("How warm is it in Bergen?")), replied(reply)];
    elsewhere(Config::new(ModelSpec::named(MODEL)), facts)
}

/// A run with every right there is, that was stopped just before it wrote a file.
fn about_to_write() -> String {
    let mut config = Config::new(ModelSpec::named(MODEL));
    config.mode = holm::grants::Mode::Full;
    config.grants = ["write:**".parse::<holm::grants::Grant>().unwrap()].into_iter().collect();
    config.tools = vec![serde_json::from_str(WRITE).unwrap()];
    let call = ToolCall {
        id: "c1".into(),
        name: "write".into(),
        arguments: r#"{"path":"owned.txt","content":"x"}"#.into(),
        replay: None,
    };
    let reply = Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() };
    elsewhere(config, [Input::Prompted(Prompt::text("Write.")), replied(reply)])
}

fn export(stage: &Stage) -> String {
    export_of(stage, "journey")
}

fn export_of(stage: &Stage, session: &str) -> String {
    let ran = stage.holm(["session", "export", session, "--format", "jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    ran.out
}

#[track_caller]
fn comes(ran: &Ran, name: &str, note: &str) {
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), format!("{name}\n").as_str(), note));
}

#[test]
fn the_prices_of_a_journal_from_elsewhere_do_not_make_a_budget_worthless() {
    let reply = Reply { blocks: vec![Block::Text("18 degrees.".into())], ..Reply::default() };
    let free = ModelSpec { price: Some(Price::default()), ..ModelSpec::named(MODEL) };
    let facts = [Input::Prompted(Prompt::text("How warm is it in Bergen?")), replied(reply)];
    let stage = Stage::new([Act::says("20 degrees."), Act::says("25 degrees.")])
        .file("run.jsonl", &elsewhere(Config::new(free), facts));
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    let asks = |text| stage.run(&["--session", "journey", "--resume", "-p", text, "--budget", "0.000001"]);
    // One reply may cost more than is left; the next one is not asked for.
    asks("And in Rome?").says("20 degrees.\n");
    let ran = asks("And in Cairo?");
    assert_eq!(ran.code, Some(4), "the budget ends the run: {ran:?}");
}

#[test]
fn a_session_that_another_host_began_goes_on_here_and_comes_back() {
    let stage = Stage::new([Act::says("20 degrees."), Act::says("Rome.")]).file("run.jsonl", &answered());
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    let resume = ["--session", "journey", "--resume", "-p"];
    stage.run(&[resume.as_slice(), &["And in Rome?"]].concat()).says("20 degrees.\n");
    assert!(stage.double.requests()[0].text().contains("18 degrees."));
    let here = export(&stage);
    assert!(here.starts_with(&answered()), "what the other host wrote stands to the byte");

    // Somewhere else it goes on; there it is the same command with another data folder.
    let there = Stage::new([Act::says("Snow.")]).file("run.jsonl", &here);
    assert_eq!(there.holm(["session", "import", "run.jsonl"]).code, Some(0));
    there.run(&[resume.as_slice(), &["And in Tromsø?"]].concat()).says("Snow.\n");
    let longer = export(&there);
    assert!(longer.starts_with(&here));

    fs::write(stage.work().join("longer.jsonl"), &longer).unwrap();
    let ran = stage.holm(["session", "import", "longer.jsonl"]);
    let note =
        "holm: it continued elsewhere and has no grants here; add some with `holm run --resume --grant`\n";
    comes(&ran, "journey", note);
    stage.run(&[resume.as_slice(), &["Where is it warmest?"]].concat()).says("Rome.\n");
    assert!(stage.double.requests()[1].text().contains("Snow."));
    // What is known already is no news, and what is here is not cut back to it.
    let ran = stage.holm(["session", "import", "run.jsonl"]);
    comes(
        &ran,
        "journey",
        "holm: nothing new: this machine already has the session up to the end of the file\n",
    );
    assert!(export(&stage).starts_with(&longer));
}

#[test]
fn a_journal_that_grants_itself_everything_has_nothing_here() {
    let stage = Stage::new([Act::says("It did not.")]).file("run.jsonl", &about_to_write());
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    // What was under way goes on, and was not granted by anybody here.
    let ran = stage.holm(["run", "--session", "journey", "--resume"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It did not.\n"), "{ran:?}");
    assert!(!stage.work().join("owned.txt").exists());
}

#[test]
fn a_fork_before_the_import_has_no_more_than_the_import() {
    let acts = (0..2).map(|_| Act::says("It did not."));
    let stage = Stage::new(acts).file("run.jsonl", &about_to_write());
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    let last = export(&stage).lines().count() - 1;
    assert_eq!(last, 5, "three records of the other host, three of this one");
    for at in 0..=last {
        let (new, at) = (format!("fork-{at}"), at.to_string());
        let ran = stage.holm(["session", "fork", "journey", "--at", &at, "--session", &new]);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), new.as_str()), "{ran:?}");
        // A fork of the fork, too.
        let again = format!("again-{at}");
        let ran = stage.holm(["session", "fork", &new, "--at", "0", "--session", &again]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        for session in [&new, &again] {
            let kept = journal::decode_strict(export_of(&stage, session).as_bytes()).unwrap();
            let run = journal::replay(&kept).unwrap();
            assert!(run.grants().is_empty(), "{session}: {:?}", run.grants());
            assert_eq!(run.mode(), holm::grants::Mode::default(), "{session}");
            assert_eq!(run.config().mark_rule, MarkRule::AskAfterAny, "{session}");
            assert!(run.marks().untrusted, "{session}");
        }
    }
    for at in ["2", "3"] {
        let ran = stage.holm(["run", "--session", &format!("fork-{at}"), "--resume"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It did not.\n"), "{ran:?}");
    }
    assert!(!stage.work().join("owned.txt").exists());
}

#[test]
fn a_prompt_reads_nothing_that_lies_before_the_last_snapshot() {
    let reply = || replied(Reply { blocks: vec![Block::Text("18 degrees.".into())], ..Reply::default() });
    let facts = (0..150).flat_map(|_| [Input::Prompted(Prompt::text("How warm is it?")), reply()]);
    let lines = elsewhere(Config::new(ModelSpec::named(MODEL)), facts);
    let stage = Stage::new([Act::says("One."), Act::says("Two.")]).file("run.jsonl", &lines);
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    let resume = ["--session", "journey", "--resume", "-p", "And now?"];
    // An early record is damaged on disk; the snapshot that the import left lies behind it.
    let early: serde_json::Value = serde_json::from_str(lines.lines().nth(7).unwrap()).unwrap();
    let (chain, path) = (early["chain"].as_str().unwrap().as_bytes(), stage.data().join("holm.db"));
    let mut bytes = fs::read(&path).unwrap();
    let place =
        bytes.windows(chain.len()).position(|part| part == chain).expect("the record is in the database");
    bytes[place..place + chain.len()].reverse();
    fs::write(&path, bytes).unwrap();
    stage.run(&resume).says("One.\n");
    stage.run(&resume).says("Two.\n");
    let ran = stage.holm(["session", "replay", "journey"]);
    assert_ne!(ran.code, Some(0), "reading all records finds the damage: {ran:?}");
}

#[test]
fn a_session_that_was_taken_in_works_where_that_was_done() {
    let stage = Stage::new([]).file("run.jsonl", &answered());
    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    let other = stage.work().join("other");
    fs::create_dir(&other).unwrap();
    let resume = ["run", "--session", "journey", "--resume", "-p", "Hi."];
    let ran = Ran::of(&stage.command(resume).current_dir(&other).output().unwrap());
    ran.fails(2, "session `journey` works in ");
}

#[test]
fn a_name_may_be_given_and_two_pasts_are_never_mixed() {
    let stage = Stage::new([Act::says("One."), Act::says("Two.")]).file("run.jsonl", &answered());
    comes(&stage.holm(["session", "import", "run.jsonl", "--session", "mine"]), "mine", BARE);
    stage.run(&["--session", "mine", "--resume", "-p", "Hi."]).says("One.\n");

    comes(&stage.holm(["session", "import", "run.jsonl"]), "journey", BARE);
    stage.run(&["--session", "journey", "--resume", "-p", "Hi."]).says("Two.\n");
    let stage = stage.file("other.jsonl", &about_to_write());
    stage
        .holm(["session", "import", "other.jsonl"])
        .fails(2, "already exists here and continued differently");
    assert!(export(&stage).starts_with(&answered()));
}

#[test]
fn what_is_no_journal_is_refused_and_nothing_is_kept() {
    let whole = answered();
    let stage = Stage::new([])
        .file("torn.jsonl", &whole[..whole.len() - 3])
        .file("changed.jsonl", &whole.replace("18 degrees", "81 degrees"))
        .file("notes.jsonl", "{\"text\":\"hello\"}\n")
        .file("empty.jsonl", "");
    for name in ["torn.jsonl", "changed.jsonl", "notes.jsonl", "empty.jsonl"] {
        stage.holm(["session", "import", name]).fails(2, "cannot import ");
    }
    stage.holm(["session", "import", "nowhere.jsonl"]).fails(6, "there is no file nowhere.jsonl");
    stage.holm(["session", "import", "-"]).fails(2, "cannot import standard input: ");
    comes(&stage.holm_with(&whole, ["session", "import", "-"]), "journey", BARE);
    let stage = stage.file("run.jsonl", &whole);
    stage.holm(["session", "import", "run.jsonl", "--session", "a/b"]).fails(2, "a/b");
}

#[test]
fn a_journal_follows_the_rules_of_this_host_and_its_system_prompt_is_shown() {
    let mut config = Config::new(ModelSpec::named(MODEL));
    config.mark_rule = MarkRule::ShowOnly;
    config.system = "Obey the\nguest.".into();
    config.retry.attempts = u64::MAX;
    config.limits.turns = Bound::Unbounded;
    let lax = elsewhere(config, [Input::Prompted(Prompt::text("Hi."))]);
    let stage = Stage::new([]).file("lax.jsonl", &lax);
    let ran = stage.holm(["session", "import", "lax.jsonl"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("it has this system prompt:\n  Obey the\n  guest.\n"), "{ran:?}");
    let kept = journal::decode_strict(export(&stage).as_bytes()).unwrap();
    let run = journal::replay(&kept).unwrap();
    assert_eq!(run.config().mark_rule, MarkRule::AskAfterAny);
    assert!(run.marks().untrusted);
    assert_eq!(run.config().retry.attempts, RetryPolicy::default().attempts);
    assert_eq!(run.config().limits.turns, Limits::default().turns);
}

#[test]
fn a_journal_that_would_be_a_helpers_is_refused() {
    let stage = Stage::new([]).file("run.jsonl", &answered());
    let helper = "child-0123456789abcdef0123456789abcdef";
    stage.holm(["session", "import", "run.jsonl", "--session", helper]).fails(2, "it belongs to a helper");
    stage.holm(["session", "import", "/dev/zero"]).fails(2, "/dev/zero is larger than 256 MiB");
    assert_eq!(stage.holm(["session", "list", "--json"]).out.matches("journey").count(), 0);
}
