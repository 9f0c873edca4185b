//! One append, in every way and with both durabilities.
//!
//! The ways take turns within a round, and what counts is their ratio in a round: disks and neighbours change by the second.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use holm_bench_kit::median;
use holm_runtime::Durability;
use serde::Serialize;

use crate::{
    keepers::{Keeper, Way},
    scratch,
};

/// How durable an append is, and how much of it is measured.
struct Kind {
    name: &'static str,
    durability: Durability,
    /// Appends of a way in a round: so many that a checkpoint or two fall into each, and few where each waits for the disk.
    appends: usize,
    rounds: usize,
}

const KINDS: [Kind; 2] = [
    Kind { name: "written", durability: Durability::Written, appends: 2_000, rounds: 15 },
    Kind { name: "synced", durability: Durability::Synced, appends: 40, rounds: 25 },
];

/// No further round of one durability is begun after so long, on slow disks.
const PATIENCE: Duration = Duration::from_secs(18);

/// Rounds there are in any case: a middle needs some.
const FEWEST: usize = 3;

/// Seconds that all of this takes at the most, but for disks so slow that the fewest rounds take longer.
pub const LONGEST: u64 = PATIENCE.as_secs() * KINDS.len() as u64;

/// What appends cost in one way. Times are microseconds of one append.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Who keeps the lines.
    pub system: &'static str,
    /// How durable: `written` or `synced`.
    pub durability: &'static str,
    /// The middle of all appends.
    pub p50_us: f64,
    /// What 99 of 100 stay within.
    pub p99_us: f64,
    /// The quickest.
    pub least_us: f64,
    /// Appends a second, in the middle round.
    #[serde(rename = "appends_per_second")]
    pub per_second: f64,
    /// The time of a round by that of SQLite by hand, in the middle round.
    pub by_sqlite: f64,
    /// Appends that were measured.
    pub appends: u64,
}

/// Measures both durabilities.
pub fn all(lines: &[String]) -> Vec<Figure> {
    KINDS.iter().flat_map(|kind| measure(kind, lines)).collect()
}

/// The time of `percent` of a hundred, of samples that are in order.
pub fn within(sorted: &[f64], percent: usize) -> f64 {
    sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN)
}

fn measure(kind: &Kind, lines: &[String]) -> Vec<Figure> {
    let lines = lines.get(..kind.appends).unwrap_or(lines);
    let mut keepers: Vec<(Way, Box<dyn Keeper>)> = Way::ALL
        .into_iter()
        .map(|way| {
            let folder = scratch::folder(&format!("append-{}-{}", kind.name, way.name()));
            (way, way.open(&folder, kind.durability))
        })
        .collect();
    let mut samples: BTreeMap<Way, Samples> = BTreeMap::new();
    let begun = Instant::now();
    for round in 0..kind.rounds {
        // Whoever comes later finds the disk as the others have left it, so everybody is first at some time.
        keepers.rotate_left(1);
        for (way, keeper) in &mut keepers {
            samples.entry(*way).or_default().add(keeper.append(round, lines));
        }
        if round + 1 >= FEWEST && begun.elapsed() >= PATIENCE {
            break;
        }
    }
    let by_hand = samples.get(&Way::Sqlite).map(|samples| samples.rounds.clone()).unwrap_or_default();
    let figure = |(way, samples): (Way, Samples)| samples.figure(way, kind, lines.len(), &by_hand);
    samples.into_iter().map(figure).collect()
}

/// The appends of one way.
#[derive(Default)]
struct Samples {
    /// Each of them, in microseconds.
    each: Vec<f64>,
    /// What the rounds took.
    rounds: Vec<f64>,
}

impl Samples {
    fn add(&mut self, times: Vec<f64>) {
        self.rounds.push(times.iter().sum());
        self.each.extend(times);
    }

    fn figure(mut self, way: Way, kind: &Kind, appends: usize, by_hand: &[f64]) -> Figure {
        let mut ratios: Vec<f64> =
            self.rounds.iter().zip(by_hand).map(|(ours, other)| ours / other).collect();
        self.each.sort_by(f64::total_cmp);
        Figure {
            system: way.name(),
            durability: kind.name,
            p50_us: within(&self.each, 50),
            p99_us: within(&self.each, 99),
            least_us: within(&self.each, 0),
            per_second: appends as f64 * 1e6 / median(&mut self.rounds),
            by_sqlite: median(&mut ratios),
            appends: self.each.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests;
