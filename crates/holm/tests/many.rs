//! A thousand runs in one process: all of them get on, none takes much memory, and all stop when
//! they are told to.
//!
//! Times are measured by `make bench`; here is what must hold however busy the machine is.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm::{
    grants::Level,
    guards::json::Json,
    kernel::{Block, Bound, Ending, Limits, ModelResult, Reply, ToolCall, ToolOutput},
    runtime::{Agent, RunHandle, RunReport, model_fn, tool_fn},
    store::Store,
};
use tokio::{sync::Barrier, task::JoinSet};

const RUNS: usize = 1_000;
const TURNS: usize = 20;

/// What one run may take at its peak; the figure that was measured is printed by the benchmark.
const MOST_MIB_PER_RUN: f64 = 1.0;

/// Calls the tool until it has been answered [`TURNS`] times. Every reply takes a
/// moment, as replies do.
fn talker() -> impl holm::runtime::Model {
    model_fn(|ask| {
        let is_result = |block: &&Block| matches!(block, Block::ToolResult(_));
        let turns = ask.messages.iter().flat_map(|message| &message.blocks).filter(is_result).count();
        let block = if turns < TURNS {
            let arguments = format!(r#"{{"turn":{turns}}}"#);
            Block::ToolCall(ToolCall {
                id: format!("c{turns}"),
                name: "step".into(),
                arguments,
                replay: None,
            })
        } else {
            Block::Text("done".into())
        };
        let reply = Reply { blocks: vec![block], ..Reply::default() };
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            ModelResult::Replied(reply)
        })
    })
}

fn agent(store: Store, steps: &Arc<AtomicU64>) -> Agent {
    let steps = Arc::clone(steps);
    let step =
        holm::kernel::ToolSpec::new("step", "Takes a step.", Json::object([("type", "object".into())]));
    let step = tool_fn(step.level(Level::ReadOnly), move |_| {
        steps.fetch_add(1, Ordering::Relaxed);
        async { ToolOutput::text("a step was taken") }
    });
    let limits = Limits { turns: Bound::AtMost(100), ..Limits::default() };
    Agent::builder("scripted/talker", talker()).tool(step).limits(limits).journals(store).build().unwrap()
}

fn resident_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib / 1024.0
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn a_thousand_runs_of_twenty_turns_all_end_in_bounded_memory() {
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("holm.db")).await.unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let agent = Arc::new(agent(store, &steps));
        agent.run("warm up").await.unwrap();
        let before = resident_mib();

        // No run is dropped before all have ended, so the last measurement is the peak.
        let all_ended = Arc::new(Barrier::new(RUNS + 1));
        let mut runs = JoinSet::new();
        for _ in 0..RUNS {
            let (agent, all_ended) = (Arc::clone(&agent), Arc::clone(&all_ended));
            runs.spawn(async move {
                let mut session = agent.start().await.unwrap();
                let report = session.prompt("go on").await.unwrap();
                all_ended.wait().await;
                report
            });
        }
        all_ended.wait().await;
        let each = (resident_mib() - before) / RUNS as f64;
        println!("{each:.3} MiB per run");
        assert!(each < MOST_MIB_PER_RUN, "{each:.3} MiB per run");

        let reports = runs.join_all().await;
        assert!(reports.iter().all(|report| report.text() == Ok("done")));
        assert_eq!(
            steps.load(Ordering::Relaxed),
            ((RUNS + 1) * TURNS) as u64,
            "no step is lost or taken twice"
        );
    });
}

#[test]
fn a_thousand_runs_stop_when_they_are_told_to() {
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("holm.db")).await.unwrap();
        let hanging = model_fn(|ask| {
            let stop = ask.stop.clone();
            Box::pin(async move {
                stop.cancelled().await;
                ModelResult::Aborted(Reply::default())
            })
        });
        let agent = Agent::builder("scripted/hanging", hanging).journals(store).build().unwrap();
        let mut runs: JoinSet<RunReport> = JoinSet::new();
        let mut handles: Vec<RunHandle> = Vec::new();
        for _ in 0..RUNS {
            let mut session = agent.start().await.unwrap();
            handles.push(session.handle());
            runs.spawn(async move { session.prompt("wait").await.unwrap() });
        }
        for handle in &handles {
            handle.cancel("enough").unwrap();
        }
        let reports = runs.join_all().await;
        let cancelled = |report: &&RunReport| matches!(report.ending, Ending::Cancelled { .. });
        assert_eq!(reports.iter().filter(cancelled).count(), RUNS);
    });
}
