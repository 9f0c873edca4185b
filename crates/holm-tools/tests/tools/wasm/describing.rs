//! What a file says about itself, and what a sidecar adds.

use holm_grants::Level;
use holm_runtime::Tool;
use holm_sandbox::GuestEntryPoint;
use holm_tools::registry::PinStatus;
use holm_tools::wasm::DescriptionSource;

use crate::wasm::kit::{
    ECHO, HELP, command, componentise, host, open, open_as, open_bytes, prints, run, text_world,
};

#[tokio::test]
async fn a_command_is_described_by_its_help_and_called_by_words() {
    let host = host(None);
    let module = wat::parse_str(command(HELP, "", ECHO)).unwrap();
    for bytes in [module.clone(), componentise(&module)] {
        let (tool, inspection) = open_bytes(&host, &bytes, "").unwrap();
        let declared = tool.declaration();
        assert_eq!((declared.name.as_str(), declared.description.as_str()), ("tool", "Says things."));
        assert_eq!(declared.level, Level::None, "without asking for anything it can do nothing");
        assert_eq!(inspection.said_by, DescriptionSource::Help);
        assert!(inspection.warnings.is_empty(), "{:?}", inspection.warnings);
        assert_eq!(inspection.size, bytes.len());
        let output = run(&tool, r#"{"loud":true,"text":"-x; rm -rf / 'q'","times":2}"#, &[]).await;
        let words: Vec<&str> = output.text.trim_end_matches('\0').split('\0').collect();
        assert_eq!(words[0], "tool");
        assert!(words.contains(&"--loud") && words.contains(&"-x; rm -rf / 'q'"), "{words:?}");
        assert_eq!(words[words.len() - 2], "--", "what looks like an option is kept apart: {words:?}");
    }
}

#[tokio::test]
async fn a_text_component_is_described_by_its_interface() {
    let about = r#"{"name":"echo.text","description":"Answers with what it is asked.","keywords":["mirror"],
        "schema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}"#;
    let (tool, inspection) = open(&host(None), &text_world(about), "").unwrap();
    assert_eq!((inspection.entry, inspection.said_by), (GuestEntryPoint::Text, DescriptionSource::Interface));
    assert_eq!(tool.declaration().name, "echo.text");
    assert_eq!(run(&tool, r#"{"q":"hi"}"#, &[]).await.text, r#"{"q":"hi"}"#);
}

#[tokio::test]
async fn a_section_may_carry_the_description_and_then_arguments_come_on_standard_input() {
    let about = r#"{"description":"Counts.","schema":{"type":"object","properties":{"n":{"type":"integer"}}},"level":"read-only"}"#;
    let body = "(local.set $n (call $read (i32.const 0) (i32.const 20000) (i32.const 1000)))
                (call $say (i32.const 1) (i32.const 20000) (local.get $n))";
    let plain = command("", "", body);
    let with = format!(
        "{} (@custom \"holm:tool\" \"{}\"))",
        plain.trim_end().strip_suffix(')').unwrap(),
        about.replace('"', "\\\"")
    );
    let (tool, inspection) = open(&host(None), &with, "").unwrap();
    assert_eq!(inspection.said_by, DescriptionSource::Section);
    assert_eq!(tool.declaration().level, Level::ReadOnly);
    assert_eq!(run(&tool, r#"{"n":4}"#, &[]).await.text, r#"{"n":4}"#);
}

#[test]
fn what_is_no_help_text_is_refused_with_the_reason() {
    let host = host(None);
    let check = |wat: &str, expect: &str| {
        let error = open(&host, wat, "").map(|(tool, _)| tool.declaration().clone()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(&prints("", ""), "help");
    check(&prints("listening on port 80\n", ""), "help");
    check("(module (import \"env\" \"system\" (func)) (func (export \"_start\")))", "system");
    check("(module (func (export \"run\")))", "_start");
    // Out of fuel, or where the machine is busy out of time.
    let spins = "(loop $again (br $again)) (if (call $asks_help)";
    check(&command(HELP, "", ECHO).replace("(if (call $asks_help)", spins), "out of ");
    check(&text_world("not json"), "description");
    check(&text_world(r#"{"description":"no schema"}"#), "schema");
}

#[test]
fn a_sidecar_fixes_and_adds_but_never_makes_less_of_what_is_asked_for() {
    let sidecar = r#"
        name = "speak"
        description = "Speaks."
        keywords = ["voice"]
        level = "none"
        asks = ["read:data/**", "fetch:https://api.example.com"]
        limits = ["time:5s", "mem:16MiB", "fuel:9e18"]
        result_limit = 100
        empty = "allowed"
        [[postconditions]]
        name = "short"
        rule = { pattern = { regex = "^.{0,9}$" } }
    "#;
    let (tool, inspection) = open(&host(None), &command(HELP, "", ECHO), sidecar).unwrap();
    let declared = tool.declaration();
    assert_eq!((declared.name.as_str(), declared.description.as_str()), ("speak", "Speaks."));
    assert_eq!(declared.level, Level::Write, "what may fetch may send");
    assert!(declared.yields.egress && declared.yields.untrusted);
    assert!(declared.yields.private, "what may read files may bring what must not leave");
    let needs: Vec<String> = declared.needs.iter().map(ToString::to_string).collect();
    assert_eq!(needs, ["read:data/**", "fetch:https://api.example.com"]);
    assert_eq!((declared.timeout_ms, declared.result_limit), (Some(37_000), Some(100)));
    assert_eq!(declared.postconditions.len(), 1);
    let warned = inspection.warnings.join("\n");
    assert!(warned.contains("counts as write") && warned.contains("higher limits"), "{warned}");
}

#[test]
fn what_no_sandbox_can_give_is_refused_at_once() {
    let error = open(&host(None), &command(HELP, "", ECHO), "asks = ['exec:git']").unwrap_err();
    assert!(error.to_string().contains("exec:git"), "{error}");
}

#[test]
fn code_that_took_anothers_place_asks_in_vain() {
    let bytes = wat::parse_str(command(HELP, "", ECHO)).unwrap();
    let open = |standing| open_as(&host(None), &bytes, "asks = ['write:out/']", standing).unwrap();
    assert_eq!(open(PinStatus::Confirmed).0.declaration().needs.len(), 1);
    let (tool, inspection) = open(PinStatus::Replaced);
    assert!(tool.declaration().needs.is_empty());
    assert!(inspection.warnings[0].contains("its code changed"), "{:?}", inspection.warnings);
}

#[test]
fn describing_runs_without_any_power() {
    // A program that tries to read a file before it prints its help.
    let body = "(drop (call $open (i32.const 8192) (i32.const 9)))";
    let wat = command(HELP, r#"(data (i32.const 8192) "notes.txt")"#, ECHO)
        .replace("(if (call $asks_help)", &format!("{body} (if (call $asks_help)"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "private").unwrap();
    let (tool, _) = open(&host(Some(folder.path())), &wat, "asks = ['read:**']").unwrap();
    assert_eq!(tool.declaration().description, "Says things.");
}
