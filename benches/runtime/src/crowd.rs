//! A thousand runs in one process, on two threads, with one SQLite store: what each takes, whether all get on, and how
//! soon all can be stopped.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use holm_bench_kit::{median, script, watch};
use holm_kernel::Ending;
use holm_runtime::{Agent, Session};
use holm_store::Store;
use serde::Serialize;
use tokio::{
    sync::{Barrier, mpsc},
    task::JoinSet,
};

use crate::{
    scratch,
    systems::{LastTurn, Scripted, agent},
};

/// Runs at the same time.
pub const RUNS: usize = 1_000;

/// Turns of each run.
pub const TURNS: u64 = 20;

const MIB: f64 = 1024.0 * 1024.0;

/// What was seen of the crowd.
#[derive(Debug, Clone, Serialize)]
pub struct Crowd {
    /// Runs at the same time.
    pub runs: u64,
    /// Turns of each.
    pub turns: u64,
    /// Milliseconds until all had answered.
    pub all_ms: f64,
    /// Milliseconds of the middle run, from its prompt to its answer.
    pub median_ms: f64,
    /// Milliseconds of the run that took longest.
    pub longest_ms: f64,
    /// Mebibytes of a run when most was in use, as the allocator counts.
    pub heap_mib: f64,
    /// Mebibytes of a run by which the whole process grew, the database's own memory among them.
    pub resident_mib: Option<f64>,
    /// Milliseconds from the first cancel until the last of all runs had ended and was written down.
    pub cancel_ms: f64,
}

/// Measures it.
pub fn measure() -> Crowd {
    let before = resident("VmRSS:");
    let runtime = scratch::wide_runtime();
    let store = scratch::open("crowd");
    let answering = agent(Scripted::new(TURNS - 1), &Arc::default(), store.clone());
    let begun = Instant::now();
    let (mut times, sessions) = runtime.block_on(run_all(&answering));
    let all_ms = millis(begun.elapsed());
    let grown = resident("VmHWM:").zip(before).map(|(peak, before)| (peak - before) / RUNS as f64);
    drop(sessions);
    // Counting slows every allocation, so times are taken in the runs before.
    let (_, heap) = watch(|| runtime.block_on(run_all(&answering)));
    let cancel_ms = runtime.block_on(cancel_all(store));
    let median_ms = median(&mut times);
    Crowd {
        runs: RUNS as u64,
        turns: TURNS,
        all_ms,
        median_ms,
        longest_ms: times.last().copied().unwrap_or(f64::NAN),
        heap_mib: heap.peak as f64 / RUNS as f64 / MIB,
        resident_mib: grown,
        cancel_ms,
    }
}

/// Prompts all runs at the same moment. The sessions are kept, so that the last run ends beside all others.
async fn run_all(agent: &Agent) -> (Vec<f64>, Vec<Session>) {
    let ready = Arc::new(Barrier::new(RUNS));
    let mut runs = JoinSet::new();
    for _ in 0..RUNS {
        let (agent, ready) = (agent.clone(), Arc::clone(&ready));
        runs.spawn(async move {
            let mut session = agent.start().await.expect("a run can be started");
            ready.wait().await;
            let begun = Instant::now();
            let report = session.prompt(script::PROMPT).await.expect("it is journaled");
            assert_eq!(report.text(), Ok(script::ANSWER));
            (millis(begun.elapsed()), session)
        });
    }
    runs.join_all().await.into_iter().unzip()
}

/// Lets all runs come to a model that never answers, and stops them. Gives the milliseconds that this takes.
async fn cancel_all(store: Store) -> f64 {
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let model = Scripted { last: LastTurn::Hang(arrived), ..Scripted::new(TURNS - 1) };
    let agent = agent(model, &Arc::default(), store);
    let (handle_of, mut handles) = mpsc::unbounded_channel();
    let mut runs = JoinSet::new();
    for _ in 0..RUNS {
        let (agent, handle_of) = (agent.clone(), handle_of.clone());
        runs.spawn(async move {
            let mut session = agent.start().await.expect("a run can be started");
            handle_of.send(session.handle()).expect("somebody stops the run");
            let report = session.prompt(script::PROMPT).await.expect("it is journaled");
            assert!(matches!(report.ending, Ending::Cancelled { .. }), "{:?}", report.ending);
            session
        });
    }
    let mut all = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        arrivals.recv().await.expect("every run comes to its last turn");
        all.extend(handles.recv().await);
    }
    let begun = Instant::now();
    for handle in &all {
        handle.cancel("enough").expect("the run is there");
    }
    let sessions = runs.join_all().await;
    let took = millis(begun.elapsed());
    assert_eq!(sessions.len(), RUNS);
    took
}

/// A line of the process's status, in mebibytes; none where the system does not tell.
fn resident(line: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|found| found.strip_prefix(line))?;
    let kib: f64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests;
