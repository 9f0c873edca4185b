//! What a call was allowed is what the guest can do, and nothing else.

use holm_grants::DenialSet;
use holm_kernel::Outcome;
use holm_tools::wasm::{WasmHost, WasmSettings};

use crate::wasm::kit::{HELP, command, host, noted, open, run, sandbox};

/// Reads `notes.txt` and prints it, or exits with 1.
const READS: &str = "
    (local.set $n (call $open (i32.const 8192) (i32.const 9)))
    (if (i32.lt_s (local.get $n) (i32.const 0)) (then (call $proc_exit (i32.const 1))))
    (local.set $n (call $read (local.get $n) (i32.const 20000) (i32.const 1000)))
    (call $say (i32.const 1) (i32.const 20000) (local.get $n))";
const NAME: &str = r#"(data (i32.const 8192) "notes.txt")"#;

#[tokio::test]
async fn a_guest_reads_what_the_call_was_allowed_and_a_refusal_names_the_missing_grant() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let (tool, _) =
        open(&host(Some(folder.path())), &command(HELP, NAME, READS), "asks = ['read:*.txt']").unwrap();
    for (grants, expect) in
        [(&["read:*.txt"][..], Some("hello")), (&["read:other.txt"], None), (&["write:**"], None)]
    {
        let output = run(&tool, r#"{"text":"x"}"#, grants).await;
        match expect {
            Some(text) => assert_eq!((output.text.as_str(), output.outcome), (text, Outcome::Succeeded)),
            None => {
                assert_eq!(output.outcome, Outcome::Failed, "{grants:?}");
                assert!(output.text.contains("missing grant read:notes.txt"), "{grants:?}: {}", output.text);
                assert_eq!(noted(&output, "refused").as_deref(), Some(r#"["missing grant read:notes.txt"]"#));
            }
        }
    }
    let output = run(&tool, r#"{"text":"x"}"#, &[]).await;
    assert_eq!(output.outcome, Outcome::Failed, "without a grant there is not even a folder");
}

#[tokio::test]
async fn what_is_denied_to_everybody_is_denied_whatever_the_call_was_allowed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let settings = WasmSettings {
        workspace: Some(folder.path().to_owned()),
        denials: DenialSet::parse(["path:notes.txt"]).unwrap(),
        ..WasmSettings::default()
    };
    let host = WasmHost::new(sandbox(), settings);
    let (tool, _) = open(&host, &command(HELP, NAME, READS), "asks = ['read:**']").unwrap();
    let output = run(&tool, r#"{"text":"x"}"#, &["read:**"]).await;
    assert!(output.text.contains("read:notes.txt is denied by path:notes.txt"), "{}", output.text);
}

#[tokio::test]
async fn the_environment_holds_what_was_granted_and_no_secret() {
    let body = "
        (drop (call $environ_sizes_get (i32.const 24) (i32.const 28)))
        (drop (call $environ_get (i32.const 21000) (i32.const 22000)))
        (call $say (i32.const 1) (i32.const 22000) (i32.load (i32.const 28)))";
    let pairs = [("LANG", "de"), ("HOME", "/root"), ("API_KEY", "hunter2-hunter2")];
    let settings = WasmSettings {
        environment: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        secrets: holm_runtime::SecretRedactor::only_known().know("api", "hunter2-hunter2".into()),
        ..WasmSettings::default()
    };
    let host = WasmHost::new(sandbox(), settings);
    let (tool, _) = open(&host, &command(HELP, "", body), "asks = ['env:*']\nempty = 'allowed'").unwrap();
    let seen =
        |text: &str| text.trim_end_matches('\0').split('\0').map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(seen(&run(&tool, r#"{"text":"x"}"#, &["env:LANG"]).await.text), ["LANG=de"]);
    assert_eq!(seen(&run(&tool, r#"{"text":"x"}"#, &["env:*"]).await.text), ["LANG=de", "HOME=/root"]);
    assert_eq!(run(&tool, r#"{"text":"x"}"#, &[]).await.text, "");
}
