use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use holm_kernel::{Block, CallId, Custom, Media, Source};

use super::*;
use crate::{
    BlobError, BlobStore, BoxFuture, CancellationToken, MemoryBlobStore, ReplyDelta, SecretRedactor,
};

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

async fn contained(cell: &ToolContainment, tool: impl Tool + 'static) -> ToolOutput {
    cell.contain(Arc::new(tool), ToolInvocation::alone("{}")).await
}

fn cell() -> ToolContainment {
    ToolContainment::new("run")
}

fn gives(output: ToolOutput) -> impl Tool + 'static {
    tool_fn(declared("gives"), move |_| {
        let output = output.clone();
        async { output }
    })
}

#[tokio::test]
async fn a_panic_is_a_failed_call_wherever_it_happens() {
    struct Early(holm_kernel::ToolSpec);
    impl Tool for Early {
        fn declaration(&self) -> &holm_kernel::ToolSpec {
            &self.0
        }
        fn run(&self, _: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
            panic!("before it began, with {KEY}")
        }
    }
    struct InDrop;
    impl Drop for InDrop {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("while it was dropped");
            }
        }
    }
    let early = contained(&cell(), Early(declared("early"))).await;
    assert_eq!(early.outcome, Outcome::Failed);
    assert!(
        early.text.starts_with("the tool panicked: before it began, with ‹secret:github-"),
        "{}",
        early.text
    );

    let later = tool_fn(declared("later"), |_| async {
        tokio::task::yield_now().await;
        panic!("in the middle")
    });
    assert_eq!(contained(&cell(), later).await, ToolOutput::failed("the tool panicked: in the middle"));

    let dropped = tool_fn(declared("dropped"), |job: ToolInvocation| async move {
        let _held = InDrop;
        job.stop.cancel();
        std::future::pending().await
    });
    let output = contained(&cell().grace(Duration::from_millis(5)), dropped).await;
    assert_eq!(output.outcome, Outcome::Stopped);
}

#[tokio::test]
async fn a_tool_that_hangs_is_given_up_after_its_grace() {
    let gone = Arc::new(AtomicBool::new(false));
    struct Guard(Arc<AtomicBool>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let seen = Arc::clone(&gone);
    let tool = tool_fn(declared("hangs"), move |_| {
        let guard = Guard(Arc::clone(&seen));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let stop = CancellationToken::new();
    let job = ToolInvocation::alone("{}").stop(stop.clone());
    let running = cell().grace(Duration::from_millis(10)).contain(Arc::new(tool), job);
    stop.cancel();
    let output = running.await;
    assert_eq!(output.outcome, Outcome::Stopped);
    assert!(output.text.contains("unknown"), "{}", output.text);
    assert!(gone.load(Ordering::SeqCst), "what it held is free again");
}

#[tokio::test]
async fn a_tool_that_heeds_its_stop_may_say_what_it_had() {
    let tool = tool_fn(declared("heeds"), |job: ToolInvocation| async move {
        job.stop.cancelled().await;
        ToolOutput::text("half of it")
    });
    let stop = CancellationToken::new();
    stop.cancel();
    let output = cell().contain(Arc::new(tool), ToolInvocation::alone("{}").stop(stop)).await;
    assert_eq!(output, ToolOutput::text("half of it"));
}

#[tokio::test]
async fn threads_that_do_not_come_back_are_bounded() {
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let stuck = blocking_tool("stuck", "Blocks.", move |_: Nothing, _| {
        let _ = gate.lock().unwrap().recv();
        "late"
    });
    let stuck: Arc<dyn Tool> = Arc::new(stuck);
    let threads = BlockingThreads::new(2);
    let cell = cell().grace(Duration::from_millis(5));
    let start = |stop: &CancellationToken| {
        let job = ToolInvocation::alone("{}").threads(threads.clone()).stop(stop.clone());
        tokio::spawn(cell.contain(Arc::clone(&stuck), job))
    };
    let stop = CancellationToken::new();
    let (first, second) = (start(&stop), start(&stop));
    while threads.free() > 0 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    assert_eq!(first.await.unwrap().outcome, Outcome::Stopped);
    assert_eq!(second.await.unwrap().outcome, Outcome::Stopped);
    assert_eq!(threads.free(), 0, "given up, and still on their threads");

    let stop = CancellationToken::new();
    let third = start(&stop);
    tokio::task::yield_now().await;
    stop.cancel();
    let third = third.await.unwrap();
    assert!(third.text.contains("no thread is free: 2 blocking calls"), "{}", third.text);

    for _ in 0..2 {
        go.send(()).unwrap();
    }
    let began = Instant::now();
    while threads.free() < 2 {
        assert!(began.elapsed() < Duration::from_secs(30), "a thread that ends gives its permit back");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[tokio::test]
async fn a_large_text_is_cleaned_and_kept_elsewhere() {
    let blobs = MemoryBlobStore::new();
    let text = format!("first {}{KEY}{} last", "a".repeat(60_000), "é".repeat(1_000_000));
    let output = contained(&cell().blobs(Arc::new(blobs.clone())), gives(ToolOutput::text(text))).await;
    let spill = output.spill.unwrap();
    assert!(output.text.is_empty() && output.outcome == Outcome::Succeeded);
    assert!(spill.head.starts_with("first a") && spill.tail.ends_with("é last"));
    assert!(spill.head.len() <= 24 * 1024 && spill.tail.len() <= 24 * 1024);
    let stored = blobs.get(&spill.reference, 0..spill.bytes).await.unwrap();
    assert_eq!(stored.len() as u64, spill.bytes);
    let stored = String::from_utf8(stored).unwrap();
    assert!(!stored.contains("0123456789") && stored.contains("‹secret:github-"), "clean before it is kept");
    assert_eq!(spill.sha256, spill.reference);
}

#[tokio::test]
async fn a_tool_that_shows_more_carries_more() {
    let mut wide = declared("wide");
    wide.result_limit = Some(200_000);
    let tool = tool_fn(wide, |_| async { ToolOutput::text("x".repeat(150_000)) });
    let output = contained(&cell(), tool).await;
    assert!(output.spill.is_none() && output.text.len() == 150_000);
}

#[tokio::test]
async fn when_nothing_can_be_kept_the_ends_stay_and_the_loss_is_said() {
    struct Full;
    impl BlobStore for Full {
        fn put<'a>(&'a self, _: &'a str, _: &'a [u8]) -> BoxFuture<'a, Result<String, BlobError>> {
            Box::pin(async { Err(BlobError::System { reason: "disk full".into() }) })
        }
        fn get<'a>(
            &'a self,
            digest: &'a str,
            _: std::ops::Range<u64>,
        ) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
            Box::pin(async move { Err(BlobError::Missing { digest: digest.into() }) })
        }
    }
    let text = format!("begin{}end", "x".repeat(100_000));
    let output = contained(&cell().blobs(Arc::new(Full)), gives(ToolOutput::text(text))).await;
    assert!(output.spill.is_none());
    assert!(output.text.starts_with("begin") && output.text.ends_with("end"));
    assert!(output.text.contains("bytes are lost: cannot store a large result (disk full)"));
    assert!(output.text.len() < 50_000);
}

#[tokio::test]
async fn parts_and_metadata_are_bounded_and_what_is_left_out_is_said() {
    let image = |bytes: usize| {
        Block::Image(Media {
            media_type: "image/png".into(),
            source: Source::Base64("A".repeat(bytes)),
            name: None,
        })
    };
    let mut deep = Json::Null;
    for _ in 0..100 {
        deep = Json::from(vec![deep]);
    }
    let custom = Block::Custom(Custom { kind: "x".into(), payload: Json::from("y".repeat(100)) });
    let call = Block::ToolCall(holm_kernel::ToolCall::default());
    let parts = vec![image(50), call, image(500), custom, image(60), Block::Text("note".into()), image(1)];
    let output = ToolOutput { parts, metadata: Some(deep.into()), ..ToolOutput::text("seen") };
    let carry = OutputLimits { parts: 3, part_bytes: 220, ..OutputLimits::default() };
    let output = contained(&cell().carry(carry), gives(output)).await;
    let kept: Vec<u64> = output.parts.iter().map(Block::size).collect();
    assert_eq!(kept, [50, 0, 60], "a small picture, the application's own, another picture");
    assert_eq!(output.metadata, None);
    assert!(output.text.starts_with("seen\n[4 of 7 parts were left out"), "{}", output.text);
    assert!(output.text.ends_with("[metadata was left out: too large]"), "{}", output.text);
}

#[tokio::test]
async fn a_tool_cannot_refer_to_what_it_did_not_give() {
    let spill = holm_kernel::Spill {
        head: "x".repeat(100_000),
        tail: String::new(),
        bytes: 7,
        sha256: "00".repeat(32),
        reference: "another run's result".into(),
    };
    let output = ToolOutput { spill: Some(Box::new(spill)), ..ToolOutput::text("mine") };
    let output = contained(&cell(), gives(output)).await;
    assert_eq!(output.spill, None);
    assert_eq!(output.text, "mine\n[a reference to a stored result was left out]");
}

#[tokio::test]
async fn a_flood_beyond_all_bounds_is_cut() {
    let carry = OutputLimits { text: 100, whole: 1000, ..OutputLimits::default() };
    let blobs = MemoryBlobStore::new();
    let output =
        contained(&cell().carry(carry).blobs(Arc::new(blobs)), gives(ToolOutput::text("ü".repeat(5000))))
            .await;
    let spill = output.spill.unwrap();
    assert!(
        spill.bytes < 1100 && spill.tail.ends_with("[9000 bytes of text were left out]"),
        "{}",
        spill.tail
    );
}

#[tokio::test]
async fn secrets_are_put_in_for_a_tool_that_may_have_them_and_taken_out_of_what_it_says() {
    let secrets = SecretRedactor::new().know("github", "hunter2-hunter2".into());
    let tool: Arc<dyn Tool> = Arc::new(tool_fn(declared("says"), |job: ToolInvocation| async move {
        job.progress.say(format!("with {}", job.arguments));
        ToolOutput {
            metadata: Some(Json::from(&*job.arguments).into()),
            ..ToolOutput::text(format!("{} {job:?}", job.arguments.contains("hunter2")))
        }
    }));
    let reported = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&reported);
    let sink = move |_: CallId, delta: ReplyDelta<'_>| {
        if let ReplyDelta::Progress { text, .. } = delta {
            recorder.lock().unwrap().push(text.to_owned());
        }
    };
    let progress = ProgressReporter::new(CallId::new(1), Arc::new(sink), secrets.clone());
    let mut job = ToolInvocation::alone(r#"{"token":"‹secret:github›"}"#).progress(progress);
    let cell = cell().secrets(secrets);
    let without = cell.contain(Arc::clone(&tool), job.clone()).await;
    assert!(without.text.starts_with("false"), "{}", without.text);

    job.needs = [holm_grants::CallNeed::Request("secret:github@api.github.com".parse().unwrap())].into();
    let with = cell.contain(tool, job).await;
    assert!(with.text.starts_with("true"), "{}", with.text);
    assert!(!with.text.contains("hunter2"), "a job does not print its arguments");
    assert!(!with.metadata.unwrap().canonical().contains("hunter2"));
    let reported = reported.lock().unwrap();
    assert_eq!(reported.len(), 2);
    assert!(reported.iter().all(|update| update == r#"with {"token":"‹secret:github›"}"#), "{reported:?}");
}

#[test]
fn progress_is_bounded_in_length_and_number() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&reported);
    let sink = move |call: CallId, delta: ReplyDelta<'_>| {
        let ReplyDelta::Progress { text, done, total } = delta else { return };
        recorder.lock().unwrap().push((call, text.len(), done, total));
    };
    let progress = ProgressReporter::new(CallId::new(7), Arc::new(sink), SecretRedactor::new());
    progress.say(ProgressUpdate::of(1, 3, "é".repeat(5000)));
    for _ in 0..20_000 {
        progress.say("on");
    }
    let reported = reported.lock().unwrap();
    assert_eq!(reported[0], (CallId::new(7), 1024, Some(1), Some(3)));
    assert_eq!(reported.len(), 10_000);
}
