//! What journals are meant to reach, beside what they reached. A missed aim is shown, never an error.

use holm_bench_kit::{Aim, at_most, number};

use crate::{
    append::Figure,
    keepers::Way,
    replay::{LONG, Replayed, SIZES, Step, find},
    size::Size,
};

/// An append to the store, by one to SQLite by hand of the same durability.
const BY_HAND: f64 = 1.3;
/// A record of the longest journal, by one of the shortest: more would mean that a long run is slower to take up than its length.
const FLAT: f64 = 1.2;
/// Bytes of a record in the store, by those of its line.
const BYTES: f64 = 1.25;

/// Compares the figures with the aims.
pub fn judge(figures: &[Figure], replays: &[Replayed], sizes: &[Size]) -> Vec<Aim> {
    let mut aims = Vec::new();
    for figure in figures.iter().filter(|figure| figure.system == Way::Holm.name()) {
        let what = format!("an append that is {}, by one to SQLite by hand", figure.durability);
        let seconds = format!("{} a second", number(figure.per_second));
        aims.push(at_most(&what, Some(figure.by_sqlite), BY_HAND).remark(&seconds));
    }
    for step in [Step::Fold, Step::FromSnapshot] {
        let what = format!("`{}`: a record of {LONG}, by one of {}", step.name(), SIZES[0]);
        aims.push(at_most(&what, flat(replays, step), FLAT));
    }
    let ours = sizes.iter().find(|size| size.system == Way::Holm.name());
    let bytes = ours.map(|size| size.record_bytes / size.line_bytes);
    aims.push(at_most("bytes of a record, by those of its line", bytes, BYTES));
    aims
}

/// What a record of the longest journal costs, by one of the shortest, by the quickest passes.
fn flat(replays: &[Replayed], step: Step) -> Option<f64> {
    Some(find(replays, step, LONG)?.quickest / find(replays, step, SIZES[0])?.quickest)
}

#[cfg(test)]
mod tests;
