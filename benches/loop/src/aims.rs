//! What Holm's loop is meant to reach, beside what it reached. A missed aim is shown, never an error.

use serde::Serialize;

use crate::{measure::Figure, systems::System};

/// Microseconds per turn at the most.
const MICROS: f64 = 3.0;
/// Instructions per turn at the most.
const INSTRUCTIONS: f64 = 30_000.0;
/// Allocations per turn at the most.
const ALLOCATIONS: f64 = 20.0;
/// How much less time than `clark-agent` at the largest number of turns.
const OVER_CLARK: f64 = 500.0;
/// How much less time than `agnt-core` at the largest number of turns.
const OVER_AGNT: f64 = 10.0;
/// How much more a turn may take at the largest number of turns than at ten.
const GROWTH: f64 = 1.2;
/// Bytes kept per turn beyond the content.
const BEYOND: f64 = 1_024.0;

/// One aim and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aim {
    /// What is aimed at.
    pub aim: String,
    /// What was measured.
    pub measured: String,
    /// Whether that is enough; none when it was not measured.
    pub met: Option<bool>,
}

/// Compares the figures with the aims.
pub fn judge(figures: &[Figure]) -> Vec<Aim> {
    let turns: Vec<u64> = of(figures, System::Holm).map(|figure| figure.turns).collect();
    let most = turns.iter().copied().max().unwrap_or(0);
    let mut aims = Vec::new();
    for &at in &turns {
        let Some(figure) = find(figures, System::Holm, at) else { continue };
        let mut time = at_most(&format!("µs per turn at {at}"), Some(figure.micros), MICROS);
        time.measured = format!("{} (quickest {})", time.measured, crate::report::number(figure.quickest));
        aims.push(time);
        aims.push(at_most(&format!("instructions per turn at {at}"), figure.instructions, INSTRUCTIONS));
        aims.push(at_most(&format!("allocations per turn at {at}"), Some(figure.allocations), ALLOCATIONS));
    }
    let time = |system, at| find(figures, system, at).map(|figure| figure.micros);
    let ratio = |over: Option<f64>, under: Option<f64>| Some(over? / under?);
    let holm = time(System::Holm, most);
    for (peer, least) in [(System::Clark, OVER_CLARK), (System::Agnt, OVER_AGNT)] {
        let what = format!("times less than {} at {most}", peer.name());
        aims.push(at_least(&what, ratio(time(peer, most), holm), least));
    }
    let growth = ratio(holm, time(System::Holm, 10));
    aims.push(at_most(&format!("time per turn at {most}, by that at 10"), growth, GROWTH));
    let beyond = find(figures, System::Holm, most).map(|figure| figure.beyond);
    aims.push(at_most(&format!("bytes kept per turn beyond the content at {most}"), beyond, BEYOND));
    aims
}

/// The figure of one system at one number of turns.
pub fn find(figures: &[Figure], system: System, turns: u64) -> Option<&Figure> {
    of(figures, system).find(|figure| figure.turns == turns)
}

fn of(figures: &[Figure], system: System) -> impl Iterator<Item = &Figure> {
    figures.iter().filter(move |figure| figure.system == system.name())
}

fn at_most(what: &str, measured: Option<f64>, bound: f64) -> Aim {
    aim(what, measured, bound, "≤", |measured| measured <= bound)
}

fn at_least(what: &str, measured: Option<f64>, bound: f64) -> Aim {
    aim(what, measured, bound, "≥", |measured| measured >= bound)
}

fn aim(what: &str, measured: Option<f64>, bound: f64, sign: &str, holds: impl Fn(f64) -> bool) -> Aim {
    Aim {
        aim: format!("{what} {sign} {}", crate::report::number(bound)),
        measured: measured.map_or_else(|| "not measured".into(), crate::report::number),
        met: measured.map(holds),
    }
}

#[cfg(test)]
mod tests;
