//! Guests that answer one text with one text.

use holm_kernel::Outcome;
use holm_runtime::Tool;
use holm_sandbox::{Access, Call, Entry};
use holm_tools::shipped;

use crate::kit::{Scene, sandbox};

#[tokio::test]
async fn base64_needs_nothing_and_imports_nothing() {
    let scene = Scene::new();
    let (tool, inspection) = scene.tool("base64");
    assert_eq!(inspection.entry, Entry::Text);
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
    let base64 = shipped::all().iter().find(|guest| guest.name() == "base64").unwrap();
    let guest = sandbox().load(&base64.bytes().unwrap(), &mut |_| {}).unwrap();
    let encode = |length: usize| {
        let call = Call::new(Access::none()).input(format!(r#"{{"text":"{}"}}"#, "x".repeat(length)));
        let outcome = sandbox().run_here(&guest, call);
        (outcome.usage.peak_memory, outcome.reply.unwrap().unwrap().len())
    };
    let (least, _) = encode(0);
    assert_eq!(encode(3_000), (least, 4_000));
    let (large, length) = encode(300_000);
    assert!(large > least && length == 400_000, "{large} of {least}, {length}");
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
