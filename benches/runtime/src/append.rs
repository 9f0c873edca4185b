//! One append to the store, beside the same row written to a bare database with the same durability.
//!
//! Both take turns within a round, and what counts is their ratio in a round: disks and neighbours change by the second.
//! The bare database is one connection, one prepared statement and one table, with SQLite's own checkpoints.

use std::{path::Path, time::Instant};

use holm_bench_kit::{self as kit, median, micros, processor};
use holm_runtime::{Durability, Journals as _};
use holm_store::Store;
use rusqlite::{Connection, params};
use serde::Serialize;
use tokio::runtime::Runtime;

use crate::{lines::lines, scratch};

/// How durable an append is, and how much of it is measured.
struct Kind {
    name: &'static str,
    durability: Durability,
    /// SQLite's word for it.
    pragma: &'static str,
    /// Appends in a round: so many that a checkpoint or two fall into each, and few where each waits for the disk.
    appends: usize,
    rounds: usize,
}

const KINDS: [Kind; 2] = [
    Kind { name: "written", durability: Durability::Written, pragma: "NORMAL", appends: 2_000, rounds: 25 },
    Kind { name: "synced", durability: Durability::Synced, pragma: "FULL", appends: 40, rounds: 15 },
];

/// Appends of a short and of a long profile; their difference is free of what happens once.
const PROFILES: [u64; 2] = [500, 2_500];

/// What appends of one durability cost. Times are microseconds of one append.
#[derive(Debug, Clone, Serialize)]
pub struct Appended {
    /// How durable: `written` or `synced`.
    pub durability: &'static str,
    /// Bytes of a line, on the average.
    pub bytes: f64,
    /// To a bare database.
    pub bare: Time,
    /// To the store.
    pub store: Time,
    /// The store's time by the bare one's, in the middle round.
    pub ratio: f64,
    /// The same of processor time.
    pub processor_ratio: f64,
    /// Instructions of a bare append and of the store's, where they could be counted.
    pub instructions: Option<(f64, f64)>,
}

/// What an append took, over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Time {
    /// In the middle round.
    pub micros: f64,
    /// In the quickest round.
    pub quickest: f64,
    /// Processor time in the middle round, on all threads.
    pub processor: f64,
}

/// Measures both durabilities.
pub fn all() -> Vec<Appended> {
    KINDS.iter().map(measure).collect()
}

/// Adds instruction counts to what was written; a sync is the system's work.
///
/// # Errors
/// Says why there are none.
pub fn count(appended: &mut [Appended]) -> Result<(), String> {
    let job = |way: &str, lines: u64| vec![String::from("append"), way.into(), lines.to_string()];
    let jobs: Vec<_> =
        ["bare", "store"].iter().flat_map(|way| PROFILES.map(|lines| job(way, lines))).collect();
    let totals = kit::totals("runtime", &jobs, &kit::folder())?;
    let each = |way: &str| {
        let [short, long] = PROFILES.map(|lines| totals.get(&job(way, lines)).copied().unwrap_or(0) as f64);
        (long - short) / (PROFILES[1] - PROFILES[0]) as f64
    };
    for one in appended.iter_mut().filter(|one| one.durability == "written") {
        one.instructions = Some((each("bare"), each("store")));
    }
    Ok(())
}

/// Appends to one of both, for a profiler. As many lines are made for a short profile as for a long one, or making them
/// would be part of the difference.
pub fn single(way: &str, count: &str) -> Option<()> {
    let lines = lines(usize::try_from(PROFILES[1]).ok()?);
    let lines = lines.get(..count.parse().ok()?)?;
    match way {
        "bare" => Bare::new(&scratch::database("bare"), "NORMAL").append(0, lines),
        "store" => {
            let (runtime, store) = (scratch::small_runtime(), scratch::open("appends"));
            append(&runtime, &store, "one", lines, Durability::Written);
        }
        _ => return None,
    }
    Some(())
}

/// A database without a store around it.
pub struct Bare(Connection);

impl Bare {
    /// Makes one.
    pub fn new(path: &Path, synchronous: &str) -> Self {
        let connect = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", synchronous)?;
            connection.execute_batch("CREATE TABLE records (id INTEGER PRIMARY KEY, line BLOB NOT NULL)")?;
            Ok(connection)
        };
        Self(connect().expect("a database can be made"))
    }

    /// Writes each line in a transaction of its own. The keys are those that the store gives.
    pub fn append(&self, run: usize, lines: &[String]) {
        let write = || -> rusqlite::Result<()> {
            let mut insert = self.0.prepare_cached("INSERT INTO records VALUES (?,?)")?;
            let first = i64::try_from(run).unwrap_or(0) << 32;
            for (key, line) in (first..).zip(lines) {
                insert.execute(params![key, line.trim_end()])?;
            }
            Ok(())
        };
        write().expect("the database can be written");
    }
}

/// Appends each line by itself to a new run, and says what that took, the making of the run not counted.
fn append(
    runtime: &Runtime,
    store: &Store,
    run: &str,
    lines: &[String],
    durability: Durability,
) -> (f64, f64) {
    runtime.block_on(async {
        let mut journal = store.create(run).await.expect("a run can be made");
        let (begun, spent) = (Instant::now(), processor());
        for line in lines {
            journal.append(line, durability).await.expect("the store can be written");
        }
        (micros(begun.elapsed()), micros(processor().saturating_sub(spent)))
    })
}

/// The rounds of one way: wall and processor microseconds of an append.
#[derive(Default)]
struct Rounds {
    wall: Vec<f64>,
    processor: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, (wall, processor): (f64, f64), appends: usize) {
        self.wall.push(wall / appends as f64);
        self.processor.push(processor / appends as f64);
    }

    fn time(mut self) -> Time {
        let micros = median(&mut self.wall);
        let quickest = self.wall.first().copied().unwrap_or(f64::NAN);
        Time { micros, quickest, processor: median(&mut self.processor) }
    }
}

fn measure(kind: &Kind) -> Appended {
    let lines = lines(kind.appends);
    let bare = Bare::new(&scratch::database(&format!("bare-{}", kind.name)), kind.pragma);
    let (runtime, store) = (scratch::small_runtime(), scratch::open(&format!("store-{}", kind.name)));
    let (mut bares, mut stores) = (Rounds::default(), Rounds::default());
    for round in 0..kind.rounds {
        let mut to_bare = || {
            let (begun, spent) = (Instant::now(), processor());
            bare.append(round, &lines);
            let took = (micros(begun.elapsed()), micros(processor().saturating_sub(spent)));
            bares.add(took, lines.len());
        };
        let mut to_store = || {
            let took = append(&runtime, &store, &format!("run-{round}"), &lines, kind.durability);
            stores.add(took, lines.len());
        };
        // Whoever comes second finds the disk as the other has left it.
        if round % 2 == 0 {
            to_bare();
            to_store();
        } else {
            to_store();
            to_bare();
        }
    }
    let bytes = lines.iter().map(String::len).sum::<usize>() as f64 / lines.len() as f64;
    let ratio = ratio(&stores.wall, &bares.wall);
    let processor_ratio = self::ratio(&stores.processor, &bares.processor);
    let (bare, store) = (bares.time(), stores.time());
    Appended { durability: kind.name, bytes, bare, store, ratio, processor_ratio, instructions: None }
}

/// The ratio in the middle round.
fn ratio(over: &[f64], under: &[f64]) -> f64 {
    let mut ratios: Vec<f64> = over.iter().zip(under).map(|(over, under)| over / under).collect();
    median(&mut ratios)
}

#[cfg(test)]
mod tests;
