mod approvals;
mod bounds;
mod cancel;
mod crash;
mod durable;
mod lease;
mod plan;
mod tools;

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use holm_grants::{Level, Mode};
use holm_kernel::{
    Block, CallId, Config, FailureClass, ModelResult, ModelSpec, Outcome, Reply, ToolOutput, Usage,
};
use tokio::sync::mpsc;

use super::*;
use crate::{
    BoxFuture, Journal, JournalStorageError, MemoryJournal, ToolInvocation, model_fn,
    testing::{PausedClock, answered, calls, declared, fails, plays, says},
    tool_fn,
};

fn started(host: &RunHost) -> Started {
    let mut config = Config::new(ModelSpec::named("test/one"));
    config.tools = host.declarations();
    config.mode = Mode::Full;
    Started::new("run-1", 7, config)
}

async fn run(host: RunHost) -> (Ending, String) {
    let journal = MemoryJournal::new();
    let host = host.journal(journal.clone()).clock(PausedClock::new());
    let (ending, driver) = drive(started(&host), Prompt::text("go"), host).await.unwrap();
    let text = journal.text();
    let records = journal::decode_strict(text.as_bytes()).unwrap();
    assert_eq!(
        journal::replay(&records).unwrap().receipt(),
        driver.run().receipt(),
        "the journal tells the run"
    );
    (ending, text)
}

#[tokio::test(start_paused = true)]
async fn two_tools_run_at_the_same_time_and_their_results_are_journaled() {
    let meeting = Arc::new(tokio::sync::Barrier::new(2));
    let tool = tool_fn(declared("meet"), move |job| {
        let meeting = Arc::clone(&meeting);
        async move {
            meeting.wait().await;
            ToolOutput::text(format!("met with {}", job.arguments))
        }
    });
    let (ending, journal) =
        run(RunHost::new(plays([calls(&["meet", "meet"]), says("both")])).tool(tool)).await;
    assert_eq!(ending, answered("both"));
    assert_eq!(journal.matches("\"dispatched\"").count(), 2);
    assert!(journal.contains("met with {\\\"n\\\":1}"), "{journal}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_is_a_failed_call_and_not_the_end() {
    let tool = tool_fn(declared("breaks"), |_| async { panic!("on purpose") });
    let (ending, journal) = run(RunHost::new(plays([calls(&["breaks"]), says("went on")])).tool(tool)).await;
    assert_eq!(ending, answered("went on"));
    assert!(journal.contains("the tool panicked"));
}

#[tokio::test(start_paused = true)]
async fn nobody_to_ask_means_no() {
    let ran = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&ran);
    let tool = tool_fn(declared("writes").level(Level::Execute), move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        async { ToolOutput::text("did it") }
    });
    let host = RunHost::new(plays([calls(&["writes"]), says("fine")])).tool(tool).clock(PausedClock::new());
    let mut started = started(&host);
    started.config.mode = Mode::Default;
    let (ending, driver) = drive(started, Prompt::text("go"), host).await.unwrap();
    assert_eq!((ending, ran.load(Ordering::Relaxed)), (answered("fine"), 0));
    let result =
        driver.run().transcript().iter().flat_map(|message| &message.blocks).find_map(|block| match block {
            Block::ToolResult(result) => Some(result.outcome),
            _ => None,
        });
    assert_eq!(result, Some(Outcome::Refused));
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_the_provider_asks_for_is_waited_for_by_the_clock() {
    let began = std::time::Instant::now();
    let results = [fails(FailureClass::RateLimited, Some(20_000)), says("at last")];
    let (ending, journal) = run(RunHost::new(plays(results))).await;
    assert_eq!(ending, answered("at last"));
    assert!(began.elapsed() < Duration::from_secs(19), "the wait is simulated");
    assert!(journal.contains("\"retry_after_ms\":20000") && journal.contains("time_passed"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_says_what_it_had_and_what_it_cost() {
    let host = RunHost::new(Arc::new(model_fn(|ask| {
        let (call, deltas) = (ask.call, ask.deltas);
        Box::pin(async move {
            deltas.delta(call.into(), crate::ReplyDelta::Text { offset: 0, text: "half" });
            ask.stop.cancelled().await;
            let usage = Usage { input: 9, output: 4, ..Usage::default() };
            ModelResult::Aborted(Reply {
                blocks: vec![Block::Text("half".into())],
                usage,
                ..Reply::default()
            })
        })
    })));
    let (sender, mut hears) = mpsc::channel(1);
    let journal = MemoryJournal::new();
    let host = host.journal(journal.clone()).deltas(move |_: CallId, _: crate::ReplyDelta<'_>| {
        let _ = sender.try_send(());
    });
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let cancel = async {
        hears.recv().await;
        handle.cancel("enough").unwrap();
    };
    let (ending, ()) = tokio::join!(driver.prompt(Prompt::text("go")), cancel);
    assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "enough".into() });
    assert_eq!(driver.run().usage().output, 4, "the bill of a stopped call counts");
    assert!(journal.text().contains("\"aborted\""));
}

#[tokio::test(start_paused = true)]
async fn steering_enters_before_the_next_model_call() {
    let notified = Arc::new(tokio::sync::Notify::new());
    let waits = Arc::clone(&notified);
    let tool = tool_fn(declared("slow"), move |_: ToolInvocation| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            ToolOutput::text("at last")
        }
    });
    let host = RunHost::new(plays([calls(&["slow"]), says("done")])).tool(tool);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let talk = async {
        handle.steer("hurry").unwrap();
        notified.notify_one();
    };
    let (ending, ()) = tokio::join!(driver.prompt(Prompt::text("go")), talk);
    assert_eq!(ending.unwrap(), answered("done"));
    let texts: Vec<String> = driver.run().transcript().iter().map(|message| message.plain_text()).collect();
    let position = |expected: &str| texts.iter().position(|text| text == expected);
    assert!(position("hurry").is_some() && position("hurry") < position("done"), "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn what_waits_at_a_cancel_is_not_heard_with_the_next_prompt() {
    let tool = tool_fn(declared("slow"), |job: ToolInvocation| async move {
        job.stop.cancelled().await;
        ToolOutput::text("never")
    });
    let host = RunHost::new(plays([calls(&["slow"])])).tool(tool);
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let talk = async {
        handle.steer("hurry").unwrap();
        handle.follow_up("and then").unwrap();
        handle.cancel("too slow").unwrap();
    };
    let (ending, ()) = tokio::join!(driver.prompt(Prompt::text("go")), talk);
    assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "too slow".into() });
    assert_eq!(driver.prompt(Prompt::text("again")).await.unwrap(), answered("done"));
    let texts: Vec<String> = driver.run().transcript().iter().map(|message| message.plain_text()).collect();
    assert!(texts.iter().all(|text| text != "hurry" && text != "and then"), "{texts:?}");
}

/// All that was said, by whomever.
fn said(driver: &Driver) -> Vec<String> {
    driver.run().transcript().iter().map(|message| message.plain_text()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_just_after_the_end_is_worked_on_by_whoever_catches_up() {
    let host = RunHost::new(plays([says("one"), says("two"), says("three")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    assert_eq!(driver.catch_up().await.unwrap(), None, "nobody has said anything");
    assert_eq!(driver.prompt("go").await.unwrap(), answered("one"));
    assert_eq!(driver.catch_up().await.unwrap(), None, "what was heard is not heard again");
    handle.steer("late").unwrap();
    assert_eq!(driver.catch_up().await.unwrap(), Some(answered("two")));
    handle.tell(Input::ModeChanged(Mode::Plan)).unwrap();
    handle.follow_up("later").unwrap();
    assert_eq!(driver.catch_up().await.unwrap(), Some(answered("three")));
    assert_eq!(driver.run().mode(), Mode::Plan);
    assert_eq!(driver.catch_up().await.unwrap(), None);
    let late_texts: Vec<String> = said(&driver).into_iter().filter(|text| text.starts_with("late")).collect();
    assert_eq!(late_texts, ["late", "later"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_just_after_the_end_can_be_told_by_whoever_lets_the_run_go() {
    let host = RunHost::new(plays([says("one")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    assert_eq!(driver.prompt("go").await.unwrap(), answered("one"));
    assert!(driver.unheard().is_empty(), "what was heard is told by nobody");
    handle.steer("late").unwrap();
    handle.tell(Input::ModeChanged(Mode::Plan)).unwrap();
    handle.follow_up("later").unwrap();
    assert_eq!(driver.unheard(), [Prompt::text("late"), Prompt::text("later")]);
    assert!(driver.unheard().is_empty(), "it is told once");
    assert_eq!(driver.catch_up().await.unwrap(), None, "and begins nothing");
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_follows_what_is_said_after_the_end_stops_it_and_loses_nothing() {
    let host = RunHost::new(plays([says("one"), says("two")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    driver.prompt("go").await.unwrap();
    handle.steer("late").unwrap();
    handle.cancel("enough").unwrap();
    assert_eq!(driver.catch_up().await.unwrap(), Some(Ending::Cancelled { reason: "enough".into() }));
    assert!(said(&driver).contains(&"late".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_comes_after_the_end_can_be_taken_back_before_the_next_prompt() {
    let host = RunHost::new(plays([says("one"), says("two")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    driver.prompt("go").await.unwrap();
    handle.cancel("too late").unwrap();
    handle.take_back_cancel();
    assert_eq!(driver.prompt("again").await.unwrap(), answered("two"));
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_from_its_journal_on_another_host() {
    let first = MemoryJournal::new();
    let host = RunHost::new(plays([says("one")])).journal(first.clone());
    let (_, driver) = drive(started(&host), Prompt::text("first"), host).await.unwrap();
    drop(driver);

    let text = first.text();
    let host = RunHost::new(plays([says("two")])).journal(first.clone());
    let mut driver = Driver::resume(text.as_bytes(), "second host", host).await.unwrap();
    assert_eq!(driver.prompt(Prompt::text("second")).await.unwrap(), answered("two"));
    assert_eq!(driver.run().transcript().len(), 4);
    assert!(journal::decode_strict(first.text().as_bytes()).is_ok(), "one chain over both hosts");
}

/// Fails from the given append on.
struct Full(u64);

impl Journal for Full {
    fn append<'a>(&'a mut self, _: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        self.0 = self.0.saturating_sub(1);
        let full = self.0 == 0;
        Box::pin(async move {
            if full { Err(JournalStorageError::System { reason: "disk full".into() }) } else { Ok(()) }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_about_a_record_that_could_not_be_written() {
    let ran = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&ran);
    let tool = tool_fn(declared("acts"), move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        async { ToolOutput::text("acted") }
    });
    // Started, prompted; the reply and the dispatch are one append.
    let host = RunHost::new(plays([calls(&["acts"])])).tool(tool).journal(Full(3));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let failed = driver.prompt(Prompt::text("go")).await.unwrap_err();
    assert_eq!(failed, DriveError::Journal(JournalStorageError::System { reason: "disk full".into() }));
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    assert_eq!(driver.prompt(Prompt::text("again")).await, Err(DriveError::Lost));
}

#[test]
fn a_driver_can_move_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Driver>();
    is_send::<RunHandle>();
}

#[tokio::test(start_paused = true)]
async fn a_child_is_written_down_before_it_begins() {
    struct Starts(MemoryJournal);
    impl crate::ChildSpawner for Starts {
        fn spawn(&self, child: crate::ChildLaunch) -> BoxFuture<'static, holm_kernel::ChildResult> {
            let journal = self.0.clone();
            Box::pin(async move {
                assert_eq!((child.parent.as_str(), child.request.resume.as_deref()), ("run-1", None));
                child.started("kid").await.unwrap();
                assert!(journal.text().contains(r#""child_started":{"call":1,"child":"kid"}"#));
                let output = ToolOutput::text("the kid says hello");
                holm_kernel::ChildResult { output, ..Default::default() }
            })
        }
    }
    let journal = MemoryJournal::new();
    let mut kid = declared("kid");
    let (grants, reserve) = (holm_grants::GrantSet::default(), holm_kernel::NanoUsd::ZERO);
    kid.kind = holm_kernel::ToolKind::Agent { grants, reserve, tokens: 0 };
    let host = RunHost::new(plays([calls(&["kid"]), says("heard")])).journal(journal.clone());
    let mut started = started(&host);
    started.config.tools.push(kid);
    let host = host.spawner(Starts(journal.clone()));
    let (ending, _) = drive(started, Prompt::text("go"), host).await.unwrap();
    assert_eq!(ending, answered("heard"));
    assert!(journal.text().contains("the kid says hello"));
}

#[tokio::test(start_paused = true)]
async fn other_tools_are_offered_from_the_next_request_on() {
    let host = RunHost::new(plays([says("one"), calls(&["new"]), says("two")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    driver.prompt("first").await.unwrap();
    let new = tool_fn(declared("new"), |_: ToolInvocation| async { ToolOutput::text("brand new") });
    let twice = crate::Toolbox::new()
        .with(tool_fn(declared("a"), |_: ToolInvocation| async { ToolOutput::text("") }));
    let twice = twice.with(tool_fn(declared("a"), |_: ToolInvocation| async { ToolOutput::text("") }));
    assert!(matches!(driver.handle().change_tools(twice), Err(crate::HandleError::Tools(_))));
    driver.handle().change_tools(crate::Toolbox::new().with(new)).unwrap();
    assert_eq!(driver.prompt("second").await.unwrap(), answered("two"));
    let results = driver.run().transcript().iter().flat_map(|message| &message.blocks);
    let outcomes: Vec<Outcome> = results
        .filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Succeeded]);
}
