//! Group commit: many runs that need a sync at the same time, beside one that syncs each commit by itself.

use std::{sync::Arc, time::Instant};

use holm_bench_kit::median;
use holm_runtime::{Durability, Journals as _};
use holm_store::Store;
use serde::Serialize;
use tokio::{runtime::Runtime, sync::Barrier, task::JoinSet};

use crate::{append::Bare, lines::lines, scratch};

/// Runs that append at the same time.
pub const RUNS: usize = 64;

/// Appends of each run in a round.
const EACH: usize = 20;

/// Single commits in a round.
const SINGLE: usize = 60;

const ROUNDS: usize = 9;

/// What group commit brings.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    /// Runs that append at the same time.
    pub runs: u64,
    /// Appends a second of one bare connection with `synchronous = FULL`, in the middle round.
    pub single: f64,
    /// Appends a second of all runs together.
    pub together: f64,
    /// Times more, in the middle round.
    pub times: f64,
    /// Appends that shared a sync, on the average.
    pub per_sync: f64,
}

/// Measures it.
pub fn measure() -> Group {
    let lines = Arc::new(lines(SINGLE.max(EACH)));
    let bare = Bare::new(&scratch::database("bare-group"), "FULL");
    let (runtime, store) = (scratch::wide_runtime(), scratch::open("group"));
    let (mut singles, mut together, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut appends = 0;
    let mut syncs = 0;
    for round in 0..ROUNDS {
        let begun = Instant::now();
        bare.append(round, lines.get(..SINGLE).unwrap_or_default());
        let single = SINGLE as f64 / begun.elapsed().as_secs_f64();
        let before = store.commits();
        let seconds = all(&runtime, &store, round, &lines);
        let after = store.commits();
        appends += after.grouped - before.grouped;
        syncs += after.syncs - before.syncs;
        let rate = (RUNS * EACH) as f64 / seconds;
        singles.push(single);
        together.push(rate);
        times.push(rate / single);
    }
    Group {
        runs: RUNS as u64,
        single: median(&mut singles),
        together: median(&mut together),
        times: median(&mut times),
        per_sync: appends as f64 / syncs.max(1) as f64,
    }
}

/// Seconds from the moment when all runs are there until the last has appended its last line.
fn all(runtime: &Runtime, store: &Store, round: usize, lines: &Arc<Vec<String>>) -> f64 {
    runtime.block_on(async {
        let ready = Arc::new(Barrier::new(RUNS + 1));
        let mut runs = JoinSet::new();
        for run in 0..RUNS {
            let (store, lines, ready) = (store.clone(), Arc::clone(lines), Arc::clone(&ready));
            runs.spawn(async move {
                let name = format!("round-{round}-{run}");
                let mut journal = store.create(&name).await.expect("a run can be made");
                ready.wait().await;
                for line in lines.iter().take(EACH) {
                    journal.append(line, Durability::Synced).await.expect("the store can be written");
                }
                journal
            });
        }
        ready.wait().await;
        let begun = Instant::now();
        let journals = runs.join_all().await;
        let seconds = begun.elapsed().as_secs_f64();
        drop(journals);
        seconds
    })
}
