//! Telling a run again: reading its lines, checking their chain, and folding them into the state.
//!
//! Every step is measured by itself, at two lengths: what a record costs must not depend on how many there are.

use std::{
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

use holm_bench_kit::{median, micros};
use holm_kernel::journal::{self, Record, Snapshot};
use holm_runtime::{Durability, Journals as _};
use holm_store::Store;
use serde::Serialize;
use tokio::runtime::Runtime;

use crate::{
    keepers::{ByHand, Way, database, name},
    scratch,
};

/// Records of the journals that are told again.
pub const SIZES: [usize; 2] = [1_000, LONG];

/// Records of the longest.
pub const LONG: usize = 10_000;

const ROUNDS: usize = 9;

/// How long one step of a round lasts, one whole journal at least: short ones are told again and again.
const SLICE: Duration = Duration::from_millis(100);

/// What one step costs at one length.
#[derive(Debug, Clone, Serialize)]
pub struct Replayed {
    /// The step.
    pub system: &'static str,
    /// Records of the journal.
    pub records: u64,
    /// Microseconds of one record: the middle of all passes.
    pub micros: f64,
    /// The same of the quickest pass, which is what a quiet machine would come near.
    pub quickest: f64,
    /// Records a second in the quickest pass.
    #[serde(rename = "records_per_second")]
    pub per_second: f64,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Lines to state, the chain checked: what resuming a run takes once its lines are there.
    Fold,
    /// The same with a snapshot of the last record at hand; the chain is checked all the same.
    FromSnapshot,
    /// Lines to records, the chain checked.
    Decode,
    /// Each line as JSON by `serde_json`, and nothing else: what any reader of such lines does at least.
    Json,
    /// The lines out of the store.
    Read,
    /// The lines out of a database by hand.
    ReadByHand,
}

impl Step {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 6] =
        [Self::Fold, Self::FromSnapshot, Self::Decode, Self::Json, Self::Read, Self::ReadByHand];

    /// Its name in the report; the first is what the others are compared with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "holm",
            Self::FromSnapshot => "holm-snapshot",
            Self::Decode => "decode",
            Self::Json => "serde_json",
            Self::Read => "read from the store",
            Self::ReadByHand => "read by hand",
        }
    }
}

/// Measures every step at every length.
pub fn all(lines: &[String]) -> Vec<Replayed> {
    let shelf = Shelf::new(lines);
    let mut samples: BTreeMap<(Step, usize), Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (at, told) in shelf.journals.iter().enumerate() {
            for step in Step::ALL {
                let samples = samples.entry((step, told.records.len())).or_default();
                slice(samples, || shelf.perform(step, at, told));
            }
        }
    }
    samples.into_iter().map(|((step, records), samples)| figure(step, records, samples)).collect()
}

/// The figure of one step at one length.
pub fn find(replays: &[Replayed], step: Step, records: usize) -> Option<&Replayed> {
    replays.iter().find(|one| one.system == step.name() && one.records == records as u64)
}

fn slice(samples: &mut Vec<f64>, mut work: impl FnMut()) {
    let slice = Instant::now();
    loop {
        let begun = Instant::now();
        work();
        samples.push(micros(begun.elapsed()));
        if slice.elapsed() >= SLICE {
            return;
        }
    }
}

fn figure(step: Step, records: usize, mut samples: Vec<f64>) -> Replayed {
    let of_one = |whole: f64| whole / records as f64;
    let middle = median(&mut samples);
    let quickest = of_one(samples.first().copied().unwrap_or(f64::NAN));
    Replayed {
        system: step.name(),
        records: records as u64,
        micros: of_one(middle),
        quickest,
        per_second: 1e6 / quickest,
    }
}

/// One journal in every form that a step begins with.
struct Told {
    text: Vec<u8>,
    records: Vec<Record>,
    snapshot: Snapshot,
}

impl Told {
    fn new(lines: &[String]) -> Self {
        let text = lines.concat().into_bytes();
        let records = journal::decode_strict(&text).expect("it is whole");
        let run = journal::replay(&records).expect("it can be told again");
        let head = records.last().map(Record::head).expect("it has a record");
        let snapshot = Snapshot::take(&run, head).expect("the run was drained");
        Self { text, records, snapshot }
    }
}

/// The journals, and where they are kept.
struct Shelf {
    store: Store,
    runtime: Runtime,
    by_hand: ByHand,
    journals: Vec<Told>,
}

impl Shelf {
    fn new(lines: &[String]) -> Self {
        let parts = SIZES.map(|size| lines.get(..size).unwrap_or(lines));
        let folders = [scratch::folder("replay-store"), scratch::folder("replay-by-hand")];
        let [ours, by_hand] = folders.each_ref().map(|folder| database(folder));
        for (way, folder) in [Way::Holm, Way::Sqlite].into_iter().zip(&folders) {
            let mut keeper = way.open(folder, Durability::Written);
            for (at, lines) in parts.iter().enumerate() {
                keeper.append(at, lines);
            }
        }
        let runtime = scratch::runtime();
        Self {
            store: runtime.block_on(Store::open(ours)).expect("it was made"),
            by_hand: ByHand::open(&by_hand, Durability::Written).expect("it was made"),
            runtime,
            journals: parts.map(Told::new).into(),
        }
    }

    fn perform(&self, step: Step, at: usize, told: &Told) {
        match step {
            Step::Fold => fold(&told.text, None),
            Step::FromSnapshot => fold(&told.text, Some(&told.snapshot)),
            Step::Decode => drop(black_box(journal::decode_strict(&told.text).expect("it is whole"))),
            Step::Json => parse(&told.text),
            Step::Read => {
                let text = self.runtime.block_on(self.store.read(&name(at))).expect("it is there");
                assert_eq!(text.len(), told.text.len());
            }
            Step::ReadByHand => {
                let text = self.by_hand.read(at).expect("it is there");
                assert_eq!(text.len(), told.text.len());
            }
        }
    }
}

/// As the driver folds a journal that was opened.
fn fold(text: &[u8], snapshot: Option<&Snapshot>) {
    let records = journal::decode_strict(text).expect("it is whole");
    black_box(journal::resume(snapshot, &records).expect("it can be told again"));
}

fn parse(text: &[u8]) {
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        black_box(serde_json::from_slice::<serde_json::Value>(line).expect("a line is JSON"));
    }
}

#[cfg(test)]
mod tests;
