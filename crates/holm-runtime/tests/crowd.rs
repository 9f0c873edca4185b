//! A thousand runs in one process: what each holds on to, and that all are heard.

#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, Instant},
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{Block, Ending, ModelResult, Reply, Role, StopReason, ToolCall, ToolOutput, ToolSpec};
use holm_runtime::{Agent, BuildError, CancellationToken, ToolInvocation, model_fn, tool_fn};

/// Bytes that are in use.
static LIVE: AtomicI64 = AtomicI64::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; only a counter moves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(i64::try_from(layout.size()).unwrap_or(0), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(i64::try_from(layout.size()).unwrap_or(0), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RUNS: usize = 1_000;

/// Turns of each run.
const TURNS: usize = 20;

/// What a run of twenty turns may hold on to, its transcript included.
const MOST_BYTES: i64 = 128 * 1024;

/// An agent whose last turn is held up until everybody has come that far.
fn agent(meet: CancellationToken) -> Result<Agent, BuildError> {
    let client = model_fn(move |ask| {
        let turn = ask.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let (meet, stop) = (meet.clone(), ask.stop);
        Box::pin(async move {
            if turn + 1 < TURNS {
                let arguments = format!(r#"{{"turn":{turn}}}"#);
                let call = ToolCall { id: format!("c{turn}"), name: "look".into(), arguments, replay: None };
                let (blocks, stop) = (vec![Block::ToolCall(call)], StopReason::ToolUse);
                return ModelResult::Replied(Reply { blocks, stop, ..Reply::default() });
            }
            tokio::select! {
                () = meet.cancelled() => {
                    let blocks = vec![Block::Text("done".into())];
                    ModelResult::Replied(Reply { blocks, ..Reply::default() })
                }
                () = stop.cancelled() => ModelResult::Aborted(Reply::default()),
            }
        })
    });
    let look =
        ToolSpec::new("look", "Looks.", Json::object([("type", "object".into())])).level(Level::ReadOnly);
    let look = tool_fn(look, |_: ToolInvocation| async {
        tokio::task::yield_now().await;
        ToolOutput::text("looked at what there is to see, and it was good")
    });
    Agent::builder("test/one", client).tool(look).build()
}

#[test]
fn a_thousand_runs_are_bounded_heard_and_cancelled_within_a_second() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build();
    runtime.expect("a runtime").block_on(async {
        let meet = CancellationToken::new();
        let agent = agent(meet.clone()).expect("it is sound");
        agent.start().await.expect("what all runs share is made once");
        let before = LIVE.load(Ordering::Relaxed);
        let mut handles = Vec::new();
        let mut runs = tokio::task::JoinSet::new();
        let (arrived, mut arrivals) = tokio::sync::mpsc::channel(RUNS);
        for _ in 0..RUNS {
            let mut session = agent.start().await.expect("a session");
            handles.push(session.handle());
            let arrived = arrived.clone();
            runs.spawn(async move {
                let mut events = session.handle().events();
                let watch = async {
                    let mut turns = 0;
                    while let Some(event) = events.event().await {
                        turns += u64::from(matches!(event.event, holm_kernel::Event::ModelCalled { .. }));
                        if turns == TURNS as u64 {
                            break;
                        }
                    }
                    drop(events);
                    arrived.send(()).await.expect("somebody counts");
                };
                let (report, ()) = tokio::join!(session.prompt("go"), watch);
                (session, report.expect("a report"))
            });
        }
        for _ in 0..RUNS {
            arrivals.recv().await.expect("everybody arrives");
        }
        let each = (LIVE.load(Ordering::Relaxed) - before) / i64::try_from(RUNS).unwrap_or(1);
        println!("{each} bytes a run at its last turn");
        assert!(each < MOST_BYTES, "{each} bytes a run");

        // One half ends by itself, the other is stopped.
        let began = Instant::now();
        for handle in handles.iter().step_by(2) {
            handle.cancel("enough").expect("it is there");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        meet.cancel();
        let (mut cancelled, mut answered) = (0, 0);
        while let Some(ended) = runs.join_next().await {
            match ended.expect("no panic").1.ending {
                Ending::Cancelled { .. } => cancelled += 1,
                Ending::Answered { .. } => answered += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(cancelled + answered, RUNS);
        assert!(cancelled > 0 && answered >= RUNS / 2, "{cancelled} were cancelled");
        assert!(began.elapsed() < Duration::from_secs(30), "it took {:?}", began.elapsed());
    });
}
