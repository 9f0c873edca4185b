//! Guests that answer one text with one text.

use holm_kernel::Outcome;
use holm_runtime::Tool;
use holm_sandbox::{GuestAccess, GuestCall, GuestEntryPoint, WasmKind};
use holm_tools::shipped_guests;

use crate::guests::kit::{Scene, sandbox};

#[tokio::test]
async fn base64_needs_nothing_and_imports_nothing() {
    let scene = Scene::new();
    let (tool, inspection) = scene.tool("base64");
    assert_eq!(inspection.entry, GuestEntryPoint::Text);
    assert!(inspection.imports.is_empty(), "{:?}", inspection.imports);
    assert!(inspection.warnings.is_empty(), "{:?}", inspection.warnings);
    assert_eq!(tool.declaration().name, "base64");
    assert_eq!(scene.ask("base64", r#"{"text":"hello"}"#, &[]).await, "aGVsbG8=");
    assert_eq!(scene.ask("base64", r#"{"text":"aGVsbG8=","decode":true}"#, &[]).await, "hello");
    let output = scene.call("base64", r#"{"text":"!","decode":true}"#, &[]).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("this is no base64"), "{}", output.text);
}

/// To grow a memory takes the engine longer than the guest works, so this is most of what a small call costs.
#[test]
fn a_small_call_grows_no_memory_and_a_large_one_works_all_the_same() {
    let base64 = shipped_guests::all().iter().find(|guest| guest.name() == "base64").unwrap();
    let guest = sandbox().load(&base64.bytes().unwrap(), &mut |_| {}).unwrap();
    let encode = |length: usize| {
        let call =
            GuestCall::new(GuestAccess::none()).input(format!(r#"{{"text":"{}"}}"#, "x".repeat(length)));
        let outcome = sandbox().run_here(&guest, call);
        (outcome.usage.peak_memory, outcome.reply.unwrap().unwrap().len())
    };
    let (least, _) = encode(0);
    assert_eq!(encode(3_000), (least, 4_000));
    let (large, length) = encode(300_000);
    assert!(large > least && length == 400_000, "{large} of {least}, {length}");
}

/// Their stacks are small, so what nests must be told as too deep before it is.
#[test]
fn arguments_that_nest_are_refused_with_words_however_deep() {
    for (name, argument) in [("base64", "text"), ("read", "path")] {
        let shipped = shipped_guests::all().iter().find(|guest| guest.name() == name).unwrap();
        let guest = sandbox().load(&shipped.bytes().unwrap(), &mut |_| {}).unwrap();
        for depth in [1, 126, 127, 100_000] {
            let input = format!(r#"{{"{argument}":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
            let outcome = sandbox().run_here(&guest, GuestCall::new(GuestAccess::none()).input(input));
            let said = outcome.reply.unwrap_or_else(|| panic!("{name}, {depth}: {:?}", outcome.stop));
            let expect = if depth < 127 { "must be a text" } else { "recursion limit" };
            assert!(said.as_ref().is_err_and(|said| said.contains(expect)), "{name}, {depth}: {said:?}");
        }
    }
}

/// As modules, because a component around them takes longer to make than they work.
#[test]
fn both_are_modules_and_import_no_more_than_they_use() {
    let scene = Scene::new();
    let files = ["fd_pread", "fd_prestat_dir_name", "fd_prestat_get", "path_open"];
    let files = files.map(|name| format!("wasi_snapshot_preview1.{name}"));
    for (name, imports) in [("base64", &[][..]), ("read", &files[..])] {
        let (_, inspection) = scene.tool(name);
        assert_eq!((inspection.kind, inspection.entry), (WasmKind::Module, GuestEntryPoint::Text), "{name}");
        assert_eq!(inspection.imports, imports, "{name}");
    }
}

#[tokio::test]
async fn read_shows_what_was_granted_page_by_page() {
    let scene = Scene::new().file("docs/a.txt", "one\ntwo\nthree\n").file("secret", "no");
    let ask = r#"{"path":"docs/a.txt","offset":2,"limit":1}"#;
    let text = scene.ask("read", ask, &["read:docs/**"]).await;
    assert_eq!(text.trim_end(), "     2\ttwo\n[there is more; go on with offset 3]");
    for path in ["secret", "docs/../secret", "/secret", "../x"] {
        let output = scene.call("read", &format!(r#"{{"path":"{path}"}}"#), &["read:docs/**"]).await;
        assert_eq!(output.outcome, Outcome::Failed, "{path}");
        assert!(!output.text.contains("\tno"), "{path}: {}", output.text);
    }
    let output = scene.call("read", r#"{"path":"docs/none"}"#, &["read:docs/**"]).await;
    assert!(output.text.contains("there is no such file"), "{}", output.text);
}
