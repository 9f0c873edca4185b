//! A cancel takes effect at once, in every state of the run.

use holm_kernel::{Approvals, ChildResult, ConsultPoint, Event, NanoUsd, Numbered, Price, Prompt, ToolKind};

use tokio::time::Instant;

use super::*;
use crate::{ChildLaunch, ChildSpawner, HandleApprover, HookSet, testing::thinks};

/// Much shorter than any deadline; a run that waits for one of them is too slow. The clock stands
/// still while a task works, so the load of the machine does not matter.
const PROMPT: Duration = Duration::from_millis(900);

/// Prompts a run, cancels it as soon as it has come to a rest, and checks that it ends at once.
async fn check(host: RunHost, change: impl FnOnce(&mut Started)) -> Driver {
    let mut started = started(&host);
    change(&mut started);
    let mut driver = Driver::start(started, host).await.unwrap();
    let handle = driver.handle();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        handle.cancel("enough").unwrap();
        Instant::now()
    };
    let (ending, asked) = tokio::join!(driver.prompt("go"), cancel);
    assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "enough".into() });
    assert!(asked.elapsed() < PROMPT, "it took {:?}", asked.elapsed());
    driver
}

fn deaf(name: &str) -> impl crate::Tool + 'static {
    tool_fn(declared(name), |_: ToolInvocation| std::future::pending())
}

#[tokio::test(start_paused = true)]
async fn while_a_model_thinks_and_its_bill_still_counts() {
    let driver = check(RunHost::new(thinks()), |_| {}).await;
    assert_eq!(driver.run().usage().output, 4);
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_it_is_dropped_and_begins_nothing() {
    let sink = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&sink);
    let host = RunHost::new(thinks()).events(move |event: &Numbered| {
        if let Event::QueueDropped { prompts, .. } = &event.event {
            recorded.lock().unwrap().extend(prompts.iter().map(Prompt::plain_text));
        }
    });
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        handle.follow_up("then deploy").unwrap();
        handle.steer("faster").unwrap();
        handle.cancel("enough").unwrap();
    };
    let (ending, ()) = tokio::join!(driver.prompt("go"), cancel);
    assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "enough".into() });
    assert_eq!(*sink.lock().unwrap(), ["faster", "then deploy"]);
    assert_eq!(driver.catch_up().await.unwrap(), None);
    assert!(driver.unheard().is_empty());
}

#[tokio::test(start_paused = true)]
async fn while_a_model_is_deaf_and_its_estimate_is_booked() {
    let deaf = model_fn(|_| Box::pin(std::future::pending()));
    let requested = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&requested);
    let host = RunHost::new(Arc::new(deaf)).events(move |event: &Numbered| {
        if let Event::ModelCalled { tokens, .. } = &event.event {
            recorded.lock().unwrap().push(*tokens);
        }
    });
    let driver = check(host, |_| {}).await;
    let used = driver.run().usage();
    assert_eq!((vec![used.total()], used.estimated), (requested.lock().unwrap().clone(), used.total()));
}

#[tokio::test(start_paused = true)]
async fn while_a_tool_is_deaf() {
    check(RunHost::new(plays([calls(&["deaf"])])).tool(deaf("deaf")), |_| {}).await;
}

#[tokio::test(start_paused = true)]
async fn while_a_person_thinks() {
    let act = tool_fn(declared("act").level(Level::Execute), |_: ToolInvocation| std::future::pending());
    let host = RunHost::new(plays([calls(&["act"])])).tool(act).approver(HandleApprover);
    let driver = check(host, |started| {
        started.config.mode = Mode::Default;
        started.config.approvals = Approvals::Ask;
    })
    .await;
    assert!(driver.handle().open_questions().is_empty(), "a question that was withdrawn is not open");
}

#[tokio::test(start_paused = true)]
async fn while_a_hook_hangs() {
    struct Hangs;
    impl crate::ContextHook for Hangs {
        fn context<'a>(
            &'a self,
            _: &'a [Arc<holm_kernel::Message>],
        ) -> BoxFuture<'a, Vec<holm_kernel::Patch>> {
            Box::pin(std::future::pending())
        }
    }
    let host = RunHost::new(plays([])).hooks(HookSet::new().context(Hangs));
    check(host, |started| started.config.consult = [ConsultPoint::Context].into()).await;
}

#[tokio::test(start_paused = true)]
async fn while_it_waits_to_try_again() {
    check(RunHost::new(plays([fails(FailureClass::RateLimited, Some(60_000))])), |_| {}).await;
}

#[tokio::test(start_paused = true)]
async fn however_much_waits_to_be_heard() {
    let host = RunHost::new(thinks());
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    for _ in 0..crate::MOST_WAITING {
        handle.follow_up("more").unwrap();
    }
    assert_eq!(handle.follow_up("too much"), Err(crate::HandleError::Full));
    handle.cancel("enough").unwrap();
    // Who says stop before anything has begun means what is about to begin.
    assert_eq!(driver.prompt("go").await.unwrap(), Ending::Cancelled { reason: "enough".into() });
}

#[tokio::test(start_paused = true)]
async fn and_not_again_when_the_next_prompt_comes() {
    let handle_slot: Arc<Mutex<Option<crate::RunHandle>>> = Arc::default();
    let held = Arc::clone(&handle_slot);
    let host =
        RunHost::new(plays([says("one"), says("two")])).events(move |event: &holm_kernel::Numbered| {
            // The first group is over, and a cancel arrives just then.
            let over = matches!(event.event, holm_kernel::Event::GroupEnded { .. });
            if let Some(handle) = over.then(|| held.lock().unwrap().take()).flatten() {
                handle.cancel("too late").unwrap();
            }
        });
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    *handle_slot.lock().unwrap() = Some(driver.handle());
    assert_eq!(driver.prompt("first").await.unwrap(), answered("one"));
    assert_eq!(driver.prompt("second").await.unwrap(), answered("two"));
}

/// Children that take longer to stop than a run waits for their bills.
struct Slow;

impl ChildSpawner for Slow {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        Box::pin(async move {
            child.started("child-1").await.unwrap();
            child.stop.cancelled().await;
            tokio::time::sleep(CHILD_LAST_WORDS + Duration::from_millis(200)).await;
            ChildResult { spent: NanoUsd::new(7), ..ChildResult::default() }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn while_a_child_stops_slowly_and_its_bill_counts_with_the_next_prompt() {
    let host = RunHost::new(plays([calls(&["helper"]), says("again")])).spawner(Slow);
    let mut started = started(&host);
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    started.config.tools.push(holm_kernel::ToolSpec { kind, ..declared("helper") });
    started.config.models[0].price = Some(Price::default());
    started.config.limits.budget.usd = Some(NanoUsd::new(100));
    let mut driver = Driver::start(started, host).await.unwrap();
    let handle = driver.handle();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        handle.cancel("enough").unwrap();
    };
    let (ending, ()) = tokio::join!(driver.prompt("go"), cancel);
    assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "enough".into() });
    // All that was left is with the child until it says what it took.
    assert_eq!(driver.prompt("and now?").await.unwrap(), answered("again"));
    assert_eq!(driver.run().spent(), NanoUsd::new(7));
}
