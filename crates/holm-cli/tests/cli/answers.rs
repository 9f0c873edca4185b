//! Tests what an answer writes to standard output and to standard error.

use std::fs;

use holm::kernel::{FailureClass, StopReason};
use holm_testkit::double::{Act, Fault, Seen};
use serde_json::Value;

use crate::stage::{KEY, MODEL, Ran, Stage};

fn refused(status: u16, class: FailureClass, message: &str) -> Act {
    Act::fails(Fault::Refused { status: Some(status), class, message: message.into() })
}

fn read(path: &str) -> Act {
    Act::calls(&[("c1", "read", &format!(r#"{{"path":"{path}"}}"#))])
}

fn cut(text: &str) -> Act {
    Act::says(text).stop(StopReason::MaxTokens)
}

#[test]
fn an_answer_that_was_cut_and_continued_is_printed_whole() {
    let stage = Stage::new([cut("part 1 "), Act::says("and the end")]);
    let ran = stage.run(&["-p", "Write."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "part 1 and the end\n"), "{ran:?}");
    let stage = Stage::new([cut("part 1 "), cut("part 2 "), Act::says("and the end")]);
    let ran = stage.run(&["-p", "Write.", "--json"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary.get("text").unwrap(), "part 1 part 2 and the end");
    assert_eq!(summary.get("partial_text"), None);
}

#[test]
fn the_part_of_an_answer_that_exists_is_printed_when_recovery_gives_up() {
    let acts = || ["a", "b", "c", "d"].map(cut);
    let ran = Stage::new(acts()).run(&["-p", "Write."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), "abcd\n"), "{ran:?}");
    assert!(ran.err.contains("the answer on standard output is incomplete"), "{ran:?}");
    let ran = Stage::new(acts()).run(&["-p", "Write.", "--json"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (summary.get("text").unwrap(), summary.get("partial_text").unwrap()),
        (&Value::Null, &"abcd".into())
    );
}

#[test]
fn a_helper_hands_on_the_whole_of_a_continued_answer() {
    let task = Act::calls(&[("p1", "writer", r#"{"task":"Write."}"#)]);
    let stage = Stage::new([task, cut("part 1 "), Act::says("and the end"), Act::says("Done.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = "---\nname: writer\ndescription: Writes.\ntools: []\n---\nYou write.\n";
    fs::write(stage.data().join("tools/writer.md"), file).unwrap();
    let ran = stage.run(&["-p", "Have it written."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    let last = stage.double.requests().last().map(Seen::text).unwrap();
    assert!(last.contains("part 1 and the end"), "{last}");
}

/// A run that tells of its calls.
fn told(stage: &Stage, args: &[&str]) -> Ran {
    let mut command = stage.command([&["run", "--model", MODEL], args].concat());
    Ran::of(&command.env_remove("HOLM_QUIET").output().unwrap())
}

#[test]
fn each_call_is_one_line_on_standard_error_and_quiet_silences_it() {
    let stage = || Stage::new([read("notes.txt"), Act::says("three")]).file("notes.txt", "one two three\n");
    let args = ["-p", "How many?", "--grant", "read:**"];
    let ran = told(&stage(), &args);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "three\n"), "{ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines.len(), 1, "{ran:?}");
    assert!(
        lines[0].starts_with("· read {\"path\":\"notes.txt\"}: ") && lines[0].contains(" bytes in "),
        "{ran:?}"
    );
    told(&stage(), &[&args[..], &["--quiet"]].concat()).says("three\n");
    let ran = told(&stage(), &[&args[..], &["--json"]].concat());
    assert!(serde_json::from_str::<Value>(&ran.out).is_ok() && ran.err.starts_with("· read"), "{ran:?}");
    told(&stage(), &[&args[..], &["--output", "stream-json"]].concat());
}

#[test]
fn json_is_printed_also_when_a_run_fails_before_it_begins() {
    let stage = Stage::new([]);
    let ran = stage.holm(["run", "--json", "-p", "hi", "--model", "anthropic/claude-sonnet-4-5"]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(summary.get("error").unwrap().as_str().unwrap().contains("no key for anthropic"), "{summary}");
    assert_eq!(summary.get("exit").unwrap(), 5);
    assert!(ran.err.contains("hint: set ANTHROPIC_API_KEY"), "{ran:?}");

    let ran = stage.holm(["run", "--json", "-p", "hi", "--grant", "bogus"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(summary["error"].as_str().unwrap().contains("--grant"), "{summary}");
    assert_eq!((ran.code, &summary["exit"]), (Some(2), &2.into()), "{ran:?}");
}

#[test]
fn an_answer_that_must_fit_a_schema_is_asked_for_again_until_it_does() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;
    let args = ["-p", "How many?", "--schema", "schema.json"];
    let acts = [Act::says("It is 4."), Act::says("{\"n\":\"4\"}"), Act::says("```json\n{\"n\": 4}\n```")];
    let stage = Stage::new(acts).file("schema.json", schema);
    stage.run(&args).says("{\"n\": 4}\n");
    let texts: Vec<String> = stage.double.requests().iter().map(Seen::text).collect();
    assert!(
        texts[0].contains("matches this JSON Schema") && texts[1].contains("it is not valid JSON"),
        "{texts:?}"
    );
    let stage = Stage::new(["a", "b", "c"].map(Act::says)).file("schema.json", schema);
    stage.run(&args).fails(3, "it does not fit the schema");
    assert_eq!(stage.double.requests().len(), 3, "it is bounded");
    let stage = Stage::new([]).file("schema.json", "{");
    stage.run(&args).fails(2, "the schema schema.json cannot be used");
    Stage::new([]).run(&args).fails(6, "there is no file schema.json");
}

#[test]
fn a_model_without_tool_calls_is_asked_in_text_for_the_rest_of_the_run() {
    let stage = Stage::answering(|seen| {
        let asked = seen.asked.as_ref().unwrap();
        if !asked.tools.is_empty() {
            let message = "registry.ollama.ai/library/gemma:2b does not support tools";
            return refused(400, FailureClass::BadRequest, message);
        }
        assert!(asked.system.contains("To use a tool, reply with one JSON object"), "{}", asked.system);
        match seen.text() {
            text if text.contains("one two three") => Act::says("There are three."),
            _ => Act::says("{\"tool\": \"read\", \"path\": \"notes.txt\"}"),
        }
    });
    let stage = stage.file("notes.txt", "one two three\n");
    stage.run(&["-p", "How many?", "--grant", "read:**"]).says("There are three.\n");
    assert_eq!(stage.double.requests().len(), 3, "the tools were sent once");
}

#[test]
fn a_provider_whose_models_call_tools_in_text_is_never_sent_any() {
    let stage = Stage::answering(|seen| {
        assert!(seen.asked.as_ref().unwrap().tools.is_empty());
        match seen.text() {
            text if text.contains("one two three") => Act::says("There are three."),
            _ => Act::says("{\"tool\": \"read\", \"path\": \"notes.txt\"}"),
        }
    });
    let stage = stage.file("notes.txt", "one two three\n");
    let settings = stage.work().join("mine.toml");
    fs::write(&settings, "[providers.openai]\ntools = \"text\"\n").unwrap();
    let mut command = stage.command(["run", "--model", MODEL, "-p", "How many?", "--grant", "read:**"]);
    Ran::of(&command.env("HOLM_CONFIG", &settings).output().unwrap()).says("There are three.\n");
}

#[test]
fn settings_give_a_provider_prices_and_a_window_so_that_budgets_hold() {
    let stage = Stage::new([Act::says("4")]);
    let settings = stage.work().join("mine.toml");
    let base = stage.double.base(holm::wire::Format::OpenaiChat);
    let prices = "context = 9000\nmax_output = 123\ninput_price = \"1usd\"\noutput_price = \"2usd\"\n";
    fs::write(&settings, format!("[providers.mine]\nbase_url = \"{base}\"\nkey_env = \"MINE\"\n{prices}"))
        .unwrap();
    let args = ["run", "--model", "mine/any", "-p", "hi", "--budget", "1", "--json"];
    let ran = Ran::of(&stage.command(args).env("HOLM_CONFIG", &settings).env("MINE", KEY).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(summary.get("spent_nano_usd").unwrap().as_u64().unwrap() > 0, "{summary}");
    assert_eq!(stage.double.requests()[0].asked.as_ref().unwrap().max_output, Some(123));
}

#[test]
fn a_price_that_nobody_knows_is_not_nothing() {
    let ran =
        Stage::new([Act::says("4")]).holm(["run", "--model", "openai/no-such-model", "-p", "hi", "--json"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (summary.get("spent_nano_usd").unwrap(), summary.get("price_known").unwrap()),
        (&Value::Null, &false.into())
    );
    let ran = Stage::new([Act::says("4")]).run(&["-p", "hi", "--json"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary.get("price_known").unwrap(), true);
}

#[test]
fn both_formats_of_openai_have_the_same_price() {
    let stage = Stage::new([Act::says("4")]);
    let ran = stage.holm(["run", "--model", "openai-chat/gpt-5-mini", "-p", "hi", "--budget", "1"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "4\n"), "{ran:?}");
}

#[test]
fn a_fallback_to_another_model_is_told_everywhere() {
    let stage = Stage::answering(|seen| match seen.model() {
        "gpt-5-mini" => refused(503, FailureClass::Overloaded, "too busy"),
        _ => Act::says("4"),
    });
    let ran = stage.run(&["-p", "hi", "--session", "s", "--step-up", "openai/gpt-5"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "4\n"), "{ran:?}");
    let takes_over = |text: &str| text.contains("too busy") && text.contains("openai/gpt-5 t");
    assert!(takes_over(&ran.err), "{ran:?}");
    for command in [["session", "show", "s"], ["session", "replay", "s"]] {
        let ran = stage.holm(command);
        assert!(takes_over(&ran.out), "{ran:?}");
    }
}

#[test]
fn what_a_provider_says_of_its_window_and_of_a_long_wait_is_told() {
    let stage = Stage::new(
        [0; 9].map(|_| refused(400, FailureClass::ContextOverflow, "maximum context length is 5")),
    );
    let ran = stage.run(&["-p", "hi"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("maximum context length is 5"), "{ran:?}");
    let stage = Stage::new([Act::rate_limited("retry-after", "3600")]);
    stage.run(&["-p", "hi"]).fails(5, "it asks to wait 3600 s");
}

#[test]
fn a_tool_list_sees_the_keys_that_a_run_sees() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file =
        "---\nname: writer\ndescription: Writes.\nmodel: openai/gpt-5-mini\ntools: []\n---\nYou write.\n";
    fs::write(stage.data().join("tools/writer.md"), file).unwrap();
    let ran = stage.holm(["tool", "list"]);
    assert!(ran.out.contains("writer") && !ran.err.contains("no key"), "{ran:?}");
}

#[test]
fn an_announcement_without_its_action_gets_one_nudge() {
    let stage = Stage::new([Act::says("Let me read the file now."), read("notes.txt"), Act::says("three")]);
    let stage = stage.file("notes.txt", "one two three\n");
    stage.run(&["-p", "How many?", "--grant", "read:**"]).says("three\n");
}

#[test]
fn a_session_and_its_fork_have_one_cache_key_and_another_session_another() {
    let keys = |stage: &Stage| -> Vec<String> {
        let bodies = stage.double.requests().into_iter().map(|seen| seen.body);
        let bodies = bodies.map(|body| serde_json::from_slice::<Value>(&body).unwrap());
        bodies.map(|body| body.get("prompt_cache_key").unwrap().as_str().unwrap().to_owned()).collect()
    };
    let stage = Stage::new(["1", "2", "3", "4"].map(Act::says));
    stage.run(&["-p", "a", "--session", "one"]).says("1\n");
    stage.run(&["-p", "b", "--session", "one", "--resume"]).says("2\n");
    stage.run(&["-p", "c", "--session", "two"]).says("3\n");
    let ran = stage.run(&["-p", "d", "--fork", "one", "--session", "three"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "4\n"), "{ran:?}");
    let keys = keys(&stage);
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
    assert_eq!(keys[0], keys[3], "a fork's prompts begin like those of its session");
    assert!(!keys[0].contains("one"), "it tells nothing of the session's name");
}

/// A program of the project's tools with a sidecar that has its output checked by this command.
fn checked(command: &str) -> Stage {
    let call = || Act::calls(&[("c1", "ping", r#"{"who":"Ada"}"#)]);
    let stage = Stage::new([call(), call(), Act::says("Greeted.")]);
    let tools = stage.work().join(".holm/tools");
    fs::create_dir_all(&tools).unwrap();
    let program = "#!/bin/sh\ncase \"$1\" in\ndescribe) echo '{\"slug\":\"ping\",\"description\":\"Greets.\",\"args\":\
                   [{\"name\":\"who\",\"mode\":\"positional\",\"arity\":\"single\"}]}' ;;\nrun) echo \"pong $2\" ;;\nesac\n";
    fs::write(tools.join("ping.sh"), program).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(tools.join("ping.sh"), mode).unwrap();
    let rule =
        format!("rule = {{ executable = {{ command = \"{command}\", arguments = [\"-q\", \"pong\"] }} }}");
    fs::write(tools.join("ping.toml"), format!("[[postconditions]]\nname = \"greets\"\n{rule}\n")).unwrap();
    stage.agrees(["tool", "trust"]);
    stage
}

#[test]
fn an_executable_check_runs_in_the_command_and_decides() {
    let args = ["-p", "Greet Ada.", "--grant", "tool:ping", "--mode", "full"];
    let stage = checked("grep");
    assert!(stage.holm(["check"]).out.contains("ok   sidecar"), "{:?}", stage.holm(["check"]));
    let ran = stage.holm(["tool", "execute", "ping", r#"{"who":"Ada"}"#, "--grant", "tool:ping"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "pong Ada\n"), "{ran:?}");
    stage.run(&args);
    assert!(stage.double.requests()[1].text().contains("pong Ada"), "{}", stage.double.requests()[1].text());
    // One that fails on every input.
    let stage = checked("false");
    stage.run(&args).fails_after_notes(3, "`false` ended with status 1");
}

#[test]
fn a_check_that_cannot_be_made_is_said_before_a_run_needs_it() {
    let stage = checked("no-such-checker");
    let ran = stage.holm(["check"]);
    assert!(ran.code == Some(2) && ran.out.contains("there is no program `no-such-checker`"), "{ran:?}");
    let ran = stage.holm(["tool", "validate", "ping"]);
    assert!(ran.code == Some(3) && ran.out.contains("cannot run the check `greets`"), "{ran:?}");
}

#[test]
fn a_helper_that_lacks_what_its_run_has_is_told_from_a_run_that_lacks_it() {
    let task = Act::calls(&[("p1", "reader", r#"{"task":"Read."}"#)]);
    let stage = Stage::new([task, read("notes.txt"), Act::says("I could not."), Act::says("Done.")]);
    let stage = stage.file("notes.txt", "one\n");
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = "---\nname: reader\ndescription: Reads.\ntools: [read]\n---\nYou read.\n";
    fs::write(stage.data().join("tools/reader.md"), file).unwrap();
    let ran = stage.run(&["-p", "Have it read.", "--grant", "read:**"]);
    assert!(
        ran.err.contains("its file does not grant read:notes.txt") && !ran.err.contains("--grant"),
        "{ran:?}"
    );
}
