//! What is bounded, and what happens to what does not fit.

use holm_kernel::journal::MAX_PAYLOAD_BYTES;

use super::*;
use crate::{JournalStore, MemoryJournalStore, OutputLimits};

#[tokio::test(start_paused = true)]
async fn a_reply_too_large_to_remember_is_tried_again_and_not_the_end() {
    let size = usize::try_from(MAX_PAYLOAD_BYTES).unwrap();
    let huge = says(&"x".repeat(size + 1));
    let (ending, journal) = run(RunHost::new(plays([huge, says("short")]))).await;
    assert_eq!(ending, answered("short"));
    assert!(journal.contains("the reply is lost"));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_nobody_bounded_is_spilled_before_it_is_journaled() {
    let tool =
        tool_fn(declared("flood"), |_: ToolInvocation| async { ToolOutput::text("y".repeat(1 << 20)) });
    let host = RunHost::new(plays([calls(&["flood"]), says("seen")])).tool(tool);
    let (ending, journal) = run(host.carry(OutputLimits { text: 1_000, ..OutputLimits::default() })).await;
    assert_eq!(ending, answered("seen"));
    assert!(journal.len() < 200_000, "{} bytes", journal.len());
    assert!(journal.contains("\"sha256\""));
}

#[tokio::test(start_paused = true)]
async fn a_secret_never_reaches_the_journal() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let tool =
        tool_fn(
            declared("leaks"),
            move |_: ToolInvocation| async move { ToolOutput::text(format!("GH={key}")) },
        );
    let script = [crate::testing::calls_with([("leaks", format!(r#"{{"token":"{key}"}}"#))]), says(key)];
    let host = RunHost::new(plays(script)).tool(tool);
    let journal = MemoryJournal::new();
    let host = host.journal(journal.clone());
    let (ending, _) = drive(started(&host), Prompt::text(format!("use {key}")), host).await.unwrap();
    assert!(!journal.text().contains(key), "{}", journal.text());
    let Ending::Answered { text } = ending else { panic!("{ending:?}") };
    assert!(text.contains("‹secret:"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_dropped_while_a_line_is_written_loses_the_run() {
    /// Never ends a write.
    struct Hangs(u64);
    impl Journal for Hangs {
        fn append<'a>(
            &'a mut self,
            _: &'a str,
            _: Durability,
        ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
            self.0 += 1;
            let hangs = self.0 > 1;
            Box::pin(async move { if hangs { std::future::pending().await } else { Ok(()) } })
        }
    }
    let host = RunHost::new(plays([])).journal(Hangs(0));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(20), driver.prompt("go")).await;
    assert!(dropped.is_err());
    assert_eq!(driver.go_on().await, Err(DriveError::Lost), "there is nothing to wait for");
    assert_eq!(driver.prompt("again").await, Err(DriveError::Lost));
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_dropped_while_it_waits_goes_on_later() {
    let (let_go, gate) = tokio::sync::watch::channel(false);
    let tool = tool_fn(declared("waits"), move |_: ToolInvocation| {
        let mut gate = gate.clone();
        async move {
            gate.wait_for(|open| *open).await.unwrap();
            ToolOutput::text("waited")
        }
    });
    let host = RunHost::new(plays([calls(&["waits"]), says("at last")])).tool(tool);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(20), driver.prompt("go")).await;
    assert!(dropped.is_err() && driver.is_at_work());
    let_go.send(true).unwrap();
    assert_eq!(driver.go_on().await.unwrap(), answered("at last"));
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_panics_costs_nothing_but_its_event() {
    let seen = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&seen);
    let host = RunHost::new(plays([says("hello")]))
        .events(|_: &holm_kernel::Numbered| panic!("on purpose"))
        .events(move |_: &holm_kernel::Numbered| {
            count.fetch_add(1, Ordering::Relaxed);
        });
    let (ending, _) = run(host).await;
    assert_eq!(ending, answered("hello"));
    assert!(seen.load(Ordering::Relaxed) > 3);
}

#[tokio::test(start_paused = true)]
async fn a_sink_hears_what_a_failed_call_has_cost_before_the_next_one_begins() {
    /// What was spent, and calls of a model, in order.
    #[derive(Clone, Default)]
    struct Watch(Arc<Mutex<Vec<String>>>);

    impl crate::EventSink for Watch {
        fn event(&self, event: &holm_kernel::Numbered) {
            if matches!(event.event, holm_kernel::Event::ModelCalled { .. }) {
                self.0.lock().unwrap().push("called".into());
            }
        }

        fn spent(&self, total: NanoUsd) {
            self.0.lock().unwrap().push(total.value().to_string());
        }
    }

    let failed = ModelResult::Failed(holm_kernel::Failure {
        class: FailureClass::Truncated,
        message: "cut".into(),
        retry_after_ms: None,
        usage: Usage { input: 5, output: 2, ..Usage::default() },
    });
    let replied = ModelResult::Replied(Reply {
        blocks: vec![Block::Text("hello".into())],
        usage: Usage { input: 7, output: 1, ..Usage::default() },
        ..Reply::default()
    });
    let watch = Watch::default();
    let host = RunHost::new(plays([failed, replied])).events(crate::EventFanOut::new().with(watch.clone()));
    let host = host.journal(MemoryJournal::new()).clock(PausedClock::new());
    let mut begins = started(&host);
    // A billionth of a dollar a token.
    let price = holm_kernel::Price { input: 1_000_000, output: 1_000_000, cached: None, cache_write: None };
    begins.config.models[0].price = Some(price);
    let (ending, driver) = drive(begins, Prompt::text("go"), host).await.unwrap();
    assert_eq!((ending, driver.run().spent()), (answered("hello"), NanoUsd::new(15)));
    assert_eq!(*watch.0.lock().unwrap(), ["called", "7", "called", "15"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_steered_is_bounded_also_while_a_tool_runs() {
    let tool = tool_fn(declared("slow"), |job: ToolInvocation| async move {
        job.stop.cancelled().await;
        ToolOutput::text("never")
    });
    let host = RunHost::new(plays([calls(&["slow"])])).tool(tool);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let talk = async {
        let mut accepted = 0;
        // The run listens all the while, so what waits stands in the run and not on the desk.
        while handle.steer("hurry").is_ok() {
            accepted += 1;
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(accepted <= 2 * crate::MOST_WAITING, "the queue has no limit");
        }
        handle.cancel("enough").unwrap();
        accepted
    };
    let (ending, accepted) = tokio::join!(driver.prompt("go"), talk);
    assert!(matches!(ending.unwrap(), Ending::Cancelled { .. }));
    assert_eq!(accepted, crate::MOST_WAITING);
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_is_offered_and_gives_the_same_run() {
    let journals = MemoryJournalStore::new();
    let host = RunHost::new(plays([]));
    let started = started(&host);
    let host = RunHost { journal: journals.create("run-1").await.unwrap(), ..host };
    let mut driver = Driver::start(started, host).await.unwrap();
    for _ in 0..150 {
        driver.prompt("again").await.unwrap();
    }
    let receipt = driver.run().receipt();
    drop(driver);
    let opened = journals.open("run-1").await.unwrap();
    assert!(opened.snapshot.is_some(), "after 300 records there is one");
    assert!(lines(&opened.text) < 100, "only the records since the snapshot are read");
    let (with, journal) = RestoredRun::open(&journals, "run-1", opened).await.unwrap();
    let without = RestoredRun::whole(journals.read("run-1").await.unwrap()).await.unwrap();
    drop(journal);
    assert_eq!((with.head, with.run.receipt().seq), (without.head, receipt.seq));
    let held = without.run.transcript().len() - with.run.transcript().len();
    assert_eq!(with.run.earlier_messages(), held as u64);
    assert_eq!(with.run.transcript(), &without.run.transcript()[held..]);
    assert_eq!(with.run.view(), without.run.view());
}

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_of_no_use_costs_a_second_look_at_the_journal_and_nothing_else() {
    let journals = MemoryJournalStore::new();
    for run in ["run-1", "run-2"] {
        let host = RunHost::new(plays([]));
        let started = Started { run: run.into(), ..started(&host) };
        let host = RunHost { journal: journals.create(run).await.unwrap(), ..host };
        let mut driver = Driver::start(started, host).await.unwrap();
        for _ in 0..150 {
            driver.prompt("again").await.unwrap();
        }
    }
    let other = journals.open("run-2").await.unwrap().snapshot.unwrap().encode();
    let replayed = RestoredRun::whole(journals.read("run-1").await.unwrap()).await.unwrap();
    for bad in [b"nonsense".as_slice(), other.as_bytes()] {
        journals.open("run-1").await.unwrap().journal.keep_snapshot(bad).await.unwrap();
        let opened = journals.open("run-1").await.unwrap();
        let (folded, journal) = RestoredRun::open(&journals, "run-1", opened).await.unwrap();
        drop(journal);
        assert_eq!(folded.head, replayed.head);
        assert_eq!(folded.run.transcript(), replayed.run.transcript());
    }
}

#[tokio::test(start_paused = true)]
async fn processes_that_each_add_a_little_keep_snapshots_too() {
    let journals = MemoryJournalStore::new();
    let agent = |journals: &MemoryJournalStore| {
        crate::Agent::builder("test/model", plays([])).journals(journals.clone()).build().unwrap()
    };
    agent(&journals).start_as("run-1").await.unwrap().prompt("begin").await.unwrap();
    for _ in 0..300 {
        let mut session = agent(&journals).resume("run-1").await.unwrap();
        session.prompt("again").await.unwrap();
    }
    let opened = journals.open("run-1").await.unwrap();
    let kept =
        opened.snapshot.expect("nobody added 256 records, all of them together did").head().seq.value();
    assert!(kept > 512, "{kept}");
    assert!(lines(&opened.text) <= 300, "{}", lines(&opened.text));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_closed_after_some_records_leaves_a_snapshot_of_its_end() {
    let journals = MemoryJournalStore::new();
    let agent = crate::Agent::builder("test/model", plays([])).journals(journals.clone()).build().unwrap();
    let mut session = agent.start_as("run-1").await.unwrap();
    session.prompt("begin").await.unwrap();
    session.close().await;
    let opened = journals.open("run-1").await.unwrap();
    assert!(opened.snapshot.is_none(), "a few records are folded as fast");
    drop(opened);
    let mut session = agent.resume("run-1").await.unwrap();
    for _ in 0..20 {
        session.prompt("again").await.unwrap();
    }
    let view = session.run().view().to_vec();
    session.close().await;
    let opened = journals.open("run-1").await.unwrap();
    assert!(opened.snapshot.is_some());
    assert_eq!(lines(&opened.text), 1, "the snapshot's own record, and none after it");
    let (folded, journal) = RestoredRun::open(&journals, "run-1", opened).await.unwrap();
    drop(journal);
    assert_eq!(folded.run.view(), view);
}
