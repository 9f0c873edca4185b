//! What people said is safe before it is shown, and a run is free only once its calls have ended.

use std::{
    collections::BTreeSet,
    sync::{
        OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
};

use holm_grants::GrantSet;
use holm_kernel::{Budget, ToolCallId, Verdict};

use super::*;

/// The kinds of records that hold what people said, as `docs/sessions.md` lists them.
const SAID: [&str; 8] = [
    "prompted",
    "steered",
    "followed_up",
    "judged",
    "cancelled",
    "mode_changed",
    "grants_changed",
    "budget_changed",
];

/// How safe each append had to be, with its lines.
type Appends = Arc<Mutex<Vec<(Durability, String)>>>;

struct Noted(Appends);

impl Journal for Noted {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        self.0.lock().unwrap().push((durability, lines.to_owned()));
        Box::pin(async { Ok(()) })
    }
}

/// The kinds of records in some lines.
fn kinds(lines: &str) -> BTreeSet<&'static str> {
    let has = |kind: &&str| lines.contains(&format!("\"{kind}\":"));
    SAID.into_iter().filter(has).collect()
}

#[tokio::test(start_paused = true)]
async fn everything_that_people_say_is_synced_before_it_is_shown() {
    let appends = Appends::default();
    let people = Arc::new(OnceLock::<RunHandle>::new());
    let (talker, stopper) = (Arc::clone(&people), Arc::clone(&people));
    let talks = tool_fn(declared("talks"), move |_: ToolInvocation| {
        let handle = talker.get().unwrap();
        handle.steer("hurry").unwrap();
        handle.follow_up("and then").unwrap();
        handle.tell(Input::ModeChanged(Mode::Default)).unwrap();
        handle.tell(Input::GrantsChanged(GrantSet::default())).unwrap();
        handle.tell(Input::BudgetChanged(Budget::default())).unwrap();
        async { ToolOutput::text("said") }
    });
    let stops = tool_fn(declared("stops"), move |job: ToolInvocation| {
        stopper.get().unwrap().cancel("enough").unwrap();
        async move {
            job.stop.cancelled().await;
            ToolOutput::text("stopped")
        }
    });
    let acts = tool_fn(declared("acts").level(Level::Execute), |_: ToolInvocation| async {
        panic!("it was denied")
    });
    let host = RunHost::new(plays([calls(&["talks"]), calls(&["acts"]), calls(&["stops"])]))
        .tool(talks)
        .tool(acts)
        .tool(stops)
        .approver(|_: &holm_kernel::Proposal| Verdict::deny("no"))
        .journal(Noted(Arc::clone(&appends)));
    let mut started = started(&host);
    started.config.mode = Mode::Default;
    let mut driver = Driver::start(started, host).await.unwrap();
    assert!(people.set(driver.handle()).is_ok());
    let ending = driver.prompt("go").await.unwrap();
    assert_eq!(ending, Ending::Cancelled { reason: "enough".into() });

    let appends = appends.lock().unwrap();
    let mut seen = BTreeSet::new();
    for (durability, lines) in appends.iter() {
        let spoken = kinds(lines);
        assert!(
            spoken.is_empty() || *durability == Durability::Synced,
            "{spoken:?} was only written: {lines}"
        );
        seen.extend(spoken);
    }
    assert_eq!(seen, SAID.into_iter().collect(), "every kind was said");
    let work = appends.iter().filter(|(_, lines)| lines.contains("\"model_finished\":"));
    assert!(
        work.clone().count() > 0 && work.clone().any(|(durability, _)| *durability == Durability::Written)
    );
}

#[tokio::test(start_paused = true)]
async fn changes_that_come_with_a_take_over_are_synced_too() {
    let first = MemoryJournal::new();
    let host = RunHost::new(plays([says("one")])).journal(first.clone());
    drop(drive(started(&host), Prompt::text("first"), host).await.unwrap());
    let text = first.text();
    for facts in [Vec::new(), vec![Input::ModeChanged(Mode::Plan)]] {
        let wanted = if facts.is_empty() { Durability::Written } else { Durability::Synced };
        let appends = Appends::default();
        let host = RunHost::new(plays([])).journal(Noted(Arc::clone(&appends)));
        let folded = RestoredRun::read(text.as_bytes()).unwrap();
        let changed = TakeoverChanges { tools: Vec::new(), facts, looks: HookTiming::WhenAsked };
        drop(Driver::take_over(folded, "here", host, changed).await.unwrap());
        assert_eq!(appends.lock().unwrap().first().map(|(durability, _)| *durability), Some(wanted));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_ahead_of_its_journal_is_lost_and_a_refused_fact_changes_nothing() {
    let host = RunHost::new(plays([says("one")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let unknown = || Input::ToolFinished { call: ToolCallId::new(99), result: ToolOutput::text("") };
    assert!(matches!(driver.take(unknown()).await, Err(DriveError::Step(_))));
    assert_eq!(driver.prompt("go").await.unwrap(), answered("one"), "the run is as it was");
    let now = driver.now();
    driver.step(now, Input::Prompted(Prompt::text("never kept"))).unwrap();
    assert!(driver.step(now, unknown()).is_err());
    assert_eq!(driver.take(Input::TimePassed).await, Err(DriveError::Lost));
}

/// Says what ended, when it is dropped.
struct Ends(&'static str, Sender<&'static str>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

impl Journal for Ends {
    fn append<'a>(&'a mut self, _: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async { Ok(()) })
    }
}

/// Drives a run until its tool is at work, and drops it then.
async fn drop_at_work(host: RunHost, mut at_work: mpsc::UnboundedReceiver<()>) {
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    tokio::select! {
        ended = driver.prompt("go") => panic!("{ended:?}"),
        _ = at_work.recv() => {}
    }
}

/// What ends next, while other tasks get their turns.
async fn next_end(ends: &Receiver<&'static str>) -> &'static str {
    loop {
        match ends.try_recv() {
            Ok(name) => return name,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_journal_of_a_dropped_run_is_held_until_its_tools_have_ended() {
    let (end, ends) = channel();
    let (begin, at_work) = mpsc::unbounded_channel();
    let journal = Ends("journal", end.clone());
    let works = tool_fn(declared("works"), move |_: ToolInvocation| {
        let (ends, begin) = (Ends("tool", end.clone()), begin.clone());
        async move {
            let _ends = ends;
            begin.send(()).unwrap();
            std::future::pending().await
        }
    });
    let host = RunHost::new(plays([calls(&["works"])])).tool(works).journal(journal);
    drop_at_work(host, at_work).await;
    assert_eq!([next_end(&ends).await, next_end(&ends).await], ["tool", "journal"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

#[tokio::test(start_paused = true)]
async fn the_journal_of_a_dropped_run_is_held_until_a_tool_that_blocks_has_ended() {
    let (end, ends) = channel();
    let (begin, at_work) = mpsc::unbounded_channel();
    let (go_on, waits) = channel::<()>();
    let journal = Ends("journal", end.clone());
    let waits = Mutex::new(waits);
    let blocks = crate::blocking_tool("blocks", "Blocks.", move |_: Nothing, _: ToolInvocation| {
        let _ends = Ends("tool", end.clone());
        begin.send(()).unwrap();
        let _ = waits.lock().unwrap().recv();
        "done"
    });
    let host = RunHost::new(plays([crate::testing::calls_with([("blocks", "{}".to_owned())])]))
        .tool(blocks)
        .journal(journal);
    drop_at_work(host, at_work).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(ends.try_recv().is_err(), "the tool still works");
    go_on.send(()).unwrap();
    assert_eq!([next_end(&ends).await, next_end(&ends).await], ["tool", "journal"]);
}

#[tokio::test(start_paused = true)]
async fn the_journal_of_a_run_without_calls_is_let_go_at_once() {
    let (end, ends) = channel();
    let host = RunHost::new(plays([says("one")])).journal(Ends("journal", end));
    drop(drive(started(&host), Prompt::text("go"), host).await.unwrap());
    assert_eq!(ends.try_recv(), Ok("journal"));
}

/// A clock on which time passes only while a run sleeps.
#[derive(Clone)]
struct Still(Arc<AtomicU64>);

impl Still {
    fn at(millis: u64) -> Self {
        Self(Arc::new(AtomicU64::new(millis)))
    }
}

impl crate::Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::new(self.0.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let clock = Arc::clone(&self.0);
        Box::pin(async move {
            clock.fetch_max(at.value(), Ordering::Relaxed);
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_from_a_host_whose_clock_was_ahead_waits_no_longer_than_it_has_to() {
    const HOUR: u64 = 3_600_000;
    let first = MemoryJournal::new();
    let host = RunHost::new(plays([says("one")])).journal(first.clone()).clock(Still::at(2 * HOUR));
    drop(drive(started(&host), Prompt::text("first"), host).await.unwrap());
    let text = first.text();
    let results = [fails(FailureClass::RateLimited, Some(20_000)), says("at last")];
    let clock = Still::at(HOUR);
    let host = RunHost::new(plays(results)).journal(first.clone()).clock(clock.clone());
    let mut driver = Driver::resume(text.as_bytes(), "second host", host).await.unwrap();
    assert_eq!(driver.prompt("second").await.unwrap(), answered("at last"));
    let waited = clock.0.load(Ordering::Relaxed) - HOUR;
    assert!((20_000..HOUR).contains(&waited), "{waited} ms");
    assert_eq!(driver.run().receipt().at, Timestamp::new(2 * HOUR + waited), "the run's time goes on");
}
