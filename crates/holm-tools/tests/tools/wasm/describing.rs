//! What a file says about itself, and what a sidecar adds.

use holm_grants::Level;
use holm_runtime::Tool;
use holm_sandbox::GuestEntryPoint;
use holm_tools::registry::PinStatus;
use holm_tools::wasm::{DescriptionSource, NeedsSource};

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

/// The help of a tool in the form of BoxAgnts: no needs, a level, and one path.
const PATHS: &str = "tool 0.1.0
Reads a file.

Keywords: file,read

PermissionLevel: ReadOnly

Usage: tool [OPTIONS] --file-path <STRING>

Options:
      --file-path <STRING>  The absolute path to the file to read
      --limit <NUMBER>      The number of lines
  -h, --help                Print help
";

#[tokio::test]
async fn a_tool_that_names_no_needs_asks_for_what_its_arguments_name() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(Some(folder.path()));
    let (tool, inspection) = open(&host, &command(PATHS, "", ECHO), "").unwrap();
    assert_eq!(
        (inspection.asks, inspection.asked_by),
        (vec!["read:{file_path:workspace}".into()], NeedsSource::Proposal)
    );
    assert!(inspection.warnings.is_empty(), "{:?}", inspection.warnings);
    // Its root is the workspace, which a model may also name by its whole path.
    let whole = folder.path().canonicalize().unwrap().join("a/b.txt");
    for (path, expect) in
        [("/a/b.txt", "/a/b.txt"), ("a/b.txt", "a/b.txt"), (whole.to_str().unwrap(), "/a/b.txt")]
    {
        let output = run(&tool, &format!(r#"{{"file_path":"{path}"}}"#), &["read:a/b.txt"]).await;
        assert!(
            output.text.split('\0').any(|word| word.ends_with(expect) && !word.contains("tmp")),
            "{output:?}"
        );
    }
    let (tool, inspection) = open(&host, &command(PATHS, "", ECHO), "limits = ['time:5s']").unwrap();
    assert!(tool.declaration().needs.is_empty(), "a sidecar without `asks` asks for nothing");
    assert_eq!(inspection.asked_by, NeedsSource::Tool);
    let nameless = PATHS.replace("--file-path <STRING>", "--what <STRING>");
    let (tool, inspection) = open(&host, &command(&nameless, "", "unreachable"), "").unwrap();
    assert!(inspection.warnings[0].contains("it names no needs"), "{:?}", inspection.warnings);
    let output = run(&tool, r#"{"what":"x"}"#, &[]).await;
    assert!(
        output.text.contains("had no files and no network") && output.text.contains("tool.toml"),
        "{output:?}"
    );
}

#[tokio::test]
async fn an_answer_in_the_debug_form_of_rust_is_an_answer() {
    let says = |text: &str| open(&host(None), &prints(HELP, text), "").unwrap().0;
    let failed = says("Object {\"content\": String(\"File not found\\nhere\"), \"is_error\": Bool(true)}\n");
    let output = run(&failed, r#"{"text":"x"}"#, &[]).await;
    assert_eq!(output.outcome, holm_kernel::Outcome::Failed);
    assert!(output.text.starts_with("File not found\nhere"), "{output:?}");
    let fine = says("Object {\"content\": String(\"two\\nlines\"), \"is_error\": Bool(false)}\n");
    assert_eq!(run(&fine, r#"{"text":"x"}"#, &[]).await.text, "two\nlines");
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
