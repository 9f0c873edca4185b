//! How calls end: answers, failures, limits, cancelling.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holm_kernel::{Block, Outcome};
use holm_runtime::{CancellationToken, Tool, ToolContainment, ToolInvocation};
use holm_sandbox::{Sandbox, SandboxSettings};
use holm_tools::wasm::{WasmHost, WasmSettings};

use crate::wasm::kit::{HELP, command, escaped, host, noted, open, prints, run, settings};

/// What a failed call of a tool without needs ends with.
const NO_NEEDS: &str = "\n[the tool names no needs, so this call had no files and no network; a person can list them under `asks` \
                        in tool.toml beside the tool]";

/// The text of an output, without the hint that a failed call must end with.
fn said(output: &holm_kernel::ToolOutput) -> &str {
    if output.outcome != Outcome::Failed {
        return &output.text;
    }
    output.text.strip_suffix(NO_NEEDS).unwrap_or_else(|| panic!("no hint: {}", output.text))
}

async fn answer(text: &str) -> holm_kernel::ToolOutput {
    let (tool, _) = open(&host(None), &prints(HELP, text), "").unwrap();
    run(&tool, r#"{"text":"x"}"#, &[]).await
}

#[tokio::test]
async fn an_answer_keeps_the_convention_or_is_the_text_itself() {
    for (text, expect, outcome) in [
        ("plain text\n", "plain text\n", Outcome::Succeeded),
        (r#"{"error":false,"content":"fine"}"#, "fine", Outcome::Succeeded),
        (r#"{"error":true,"content":"no such file"}"#, "no such file", Outcome::Failed),
        (r#"{"is_error":true,"content":"no"}"#, "no", Outcome::Failed),
        (r#"{"error":"broken"}"#, "broken", Outcome::Failed),
        (r#"{"content":{"a":[1,2]}}"#, r#"{"a":[1,2]}"#, Outcome::Succeeded),
        (r#"{"content":"aGVsbG8=","encoding":"base64"}"#, "hello", Outcome::Succeeded),
        (r#"{"content":"x","price":3}"#, r#"{"content":"x","price":3}"#, Outcome::Succeeded),
        (r#"{"temperature":21}"#, r#"{"temperature":21}"#, Outcome::Succeeded),
        ("{not json}", "{not json}", Outcome::Succeeded),
    ] {
        let output = answer(text).await;
        assert_eq!((said(&output), output.outcome), (expect, outcome), "{text}");
    }
}

#[tokio::test]
async fn metadata_is_for_people_and_pictures_are_parts() {
    let output = answer(r#"{"content":"ok","metadata":{"language":"rust"}}"#).await;
    assert_eq!(noted(&output, "tool").as_deref(), Some(r#"{"language":"rust"}"#));
    assert!(noted(&output, "fuel").unwrap().parse::<u64>().unwrap() > 0);
    assert!(noted(&output, "memory").unwrap().parse::<u64>().unwrap() >= 2 << 16);
    let output = answer(r#"{"content":"iVBORw==","encoding":"base64","media_type":"image/png"}"#).await;
    assert!(matches!(&output.parts[0], Block::Image(media) if media.media_type == "image/png"));
    let output = answer(r#"{"content":"%%%","encoding":"base64"}"#).await;
    assert_eq!(output.outcome, Outcome::Failed);
}

#[tokio::test]
async fn what_is_written_aside_is_kept_apart_and_told_where_the_call_failed() {
    let data = format!(r#"(data (i32.const 8192) "{}")"#, escaped("outaside"));
    let say = "(call $say (i32.const 1) (i32.const 8192) (i32.const 3)) (call $say (i32.const 2) (i32.const 8195) (i32.const 5))";
    let (tool, _) = open(&host(None), &command(HELP, &data, say), "").unwrap();
    let output = run(&tool, r#"{"text":"x"}"#, &[]).await;
    assert_eq!((output.text.as_str(), output.outcome), ("out", Outcome::Succeeded));
    assert_eq!(noted(&output, "stderr").as_deref(), Some("aside"));
    let (tool, _) =
        open(&host(None), &command(HELP, &data, &format!("{say} (call $proc_exit (i32.const 3))")), "")
            .unwrap();
    let output = run(&tool, r#"{"text":"x"}"#, &[]).await;
    assert_eq!((said(&output), output.outcome), ("out\naside", Outcome::Failed));
    assert_eq!(noted(&output, "ended").as_deref(), Some("ended with status 3"));
}

#[tokio::test]
async fn an_answer_on_standard_error_counts_where_a_command_failed() {
    let text = r#"{"error":true,"content":"missing path"}"#;
    let data = format!(r#"(data (i32.const 8192) "{}")"#, escaped(text));
    let body = format!(
        "(call $say (i32.const 2) (i32.const 8192) (i32.const {})) (call $proc_exit (i32.const 1))",
        text.len()
    );
    let (tool, _) = open(&host(None), &command(HELP, &data, &body), "").unwrap();
    let output = run(&tool, r#"{"text":"x"}"#, &[]).await;
    assert_eq!((said(&output), output.outcome), ("missing path", Outcome::Failed));
}

#[tokio::test]
async fn a_limit_that_ends_a_call_is_named_with_what_would_raise_it() {
    for (body, sidecar, expect) in [
        ("(loop $again (br $again))", "limits = ['fuel:100000']", "fuel:"),
        ("(loop $again (br $again))", "limits = ['time:100ms', 'fuel:1e12']", "time:"),
        (
            "(if (i32.eq (memory.grow (i32.const 1000)) (i32.const -1)) (then unreachable))",
            "limits = ['mem:1MiB']",
            "mem:",
        ),
        (
            "(loop $again (call $say (i32.const 1) (i32.const 1024) (i32.const 200)) (br $again))",
            "limits = ['output:64KiB']",
            "output:",
        ),
    ] {
        let (tool, _) = open(&host(None), &command(HELP, "", body), sidecar).unwrap();
        let output = run(&tool, r#"{"text":"x"}"#, &[]).await;
        assert_eq!(output.outcome, Outcome::Failed);
        assert!(
            output.text.contains("the tool was stopped") && output.text.contains(expect),
            "{}",
            output.text.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_not_wanted_any_more_ends_at_once() {
    let body = "(loop $again (br $again))";
    let (tool, _) = open(&host(None), &command(HELP, "", body), "limits = ['fuel:1e12']").unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(tool.run(ToolInvocation::alone(r#"{"text":"x"}"#).stop(stop.clone())));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let began = Instant::now();
    stop.cancel();
    let output = running.await.unwrap();
    assert_eq!(output.outcome, Outcome::Stopped);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn arguments_that_no_command_line_can_say_are_told_to_the_model() {
    let (tool, _) = open(&host(None), &prints(HELP, "x"), "").unwrap();
    let output = run(&tool, r#"{"text":{"not":"text"}}"#, &[]).await;
    assert_eq!(output.outcome, Outcome::Failed);
    assert!(output.text.contains("text"), "{}", output.text);
}

/// Sleeps for a minute, which is longer than any test waits.
const SLEEP: &str =
    "(i32.store (i32.const 1040) (i32.const 1)) (i64.store (i32.const 1048) (i64.const 60000000000))
    (drop (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096)))";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_with_more_calls_than_there_are_places_leaves_some_for_another_run() {
    let sandbox = Sandbox::new(SandboxSettings { guests: 4, ..settings() }).unwrap();
    let host = WasmHost::new(sandbox, WasmSettings::default());
    let (sleeps, _) = open(&host, &command(HELP, "", SLEEP), "").unwrap();
    let (honest, _) = open(&host, &prints(HELP, "fine"), "").unwrap();
    let (sleeps, honest): (Arc<dyn Tool>, Arc<dyn Tool>) = (Arc::new(sleeps), Arc::new(honest));
    let call = || ToolInvocation::alone(r#"{"text":"x"}"#);
    let greedy = ToolContainment::new("greedy");
    let held: Vec<_> = (0..20).map(|_| tokio::spawn(greedy.contain(Arc::clone(&sleeps), call()))).collect();
    let modest = ToolContainment::new("modest");
    for _ in 0..20 {
        // A call waits half a minute for a free slot before it fails.
        let output = modest.contain(Arc::clone(&honest), call()).await;
        assert_eq!((output.text.as_str(), output.outcome), ("fine", Outcome::Succeeded));
    }
    held.iter().for_each(tokio::task::JoinHandle::abort);
}
