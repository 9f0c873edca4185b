//! What Holm's loop is meant to reach, beside what it reached. A missed aim is shown, never an error.

use holm_bench_kit::{Aim, Figure, System as _, at_least, at_most, find, number};

use crate::systems::System;

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

/// Compares the figures with the aims.
pub fn judge(figures: &[Figure]) -> Vec<Aim> {
    let of = |system: System, at| find(figures, system.name(), at);
    let is_holm = |figure: &&Figure| figure.system == System::Holm.name();
    let turns: Vec<u64> = figures.iter().filter(is_holm).map(|figure| figure.turns).collect();
    let most = turns.iter().copied().max().unwrap_or(0);
    let mut aims = Vec::new();
    for &at in &turns {
        let Some(figure) = of(System::Holm, at) else { continue };
        let quickest = format!("quickest {}", number(figure.quickest));
        aims.push(at_most(&format!("µs per turn at {at}"), Some(figure.micros), MICROS).remark(&quickest));
        aims.push(at_most(&format!("instructions per turn at {at}"), figure.instructions, INSTRUCTIONS));
        aims.push(at_most(&format!("allocations per turn at {at}"), Some(figure.allocations), ALLOCATIONS));
    }
    let time = |system, at| of(system, at).map(|figure| figure.micros);
    let ratio = |over: Option<f64>, under: Option<f64>| Some(over? / under?);
    let holm = time(System::Holm, most);
    for (peer, least) in [(System::Clark, OVER_CLARK), (System::Agnt, OVER_AGNT)] {
        let what = format!("times less than {} at {most}", peer.name());
        aims.push(at_least(&what, ratio(time(peer, most), holm), least));
    }
    let growth = ratio(holm, time(System::Holm, 10));
    aims.push(at_most(&format!("time per turn at {most}, by that at 10"), growth, GROWTH));
    let beyond = of(System::Holm, most).map(|figure| figure.beyond);
    aims.push(at_most(&format!("bytes kept per turn beyond the content at {most}"), beyond, BEYOND));
    aims
}

#[cfg(test)]
mod tests;
