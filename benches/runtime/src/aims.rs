//! What the driver and the store are meant to reach, beside what they reached. A missed aim is shown, never an error.

use holm_bench_kit::{Aim, Figure, System as _, at_least, at_most, find, number};

use crate::{TURNS, append::Appended, crowd::Crowd, group::Group, systems::System};

/// Microseconds per turn at the most, with journals in memory.
const MICROS: f64 = 15.0;
/// An append to the store, by one to a bare database of the same durability.
const BY_BARE: f64 = 1.3;
/// Appends a second of many runs together, by those of single synced commits.
const BY_SINGLE: f64 = 8.0;
/// Milliseconds until a whole crowd is cancelled.
const CANCEL: f64 = 1_000.0;
/// The longest run of a crowd by the middle one: all begin together, so whoever takes longer than this was passed over.
const STARVED: f64 = 2.0;
/// Kibibytes of a run, as the runtime's own test holds it.
const KIB: f64 = 128.0;

/// Compares the figures with the aims.
pub fn judge(figures: &[Figure], appends: &[Appended], group: &Group, crowd: &Crowd) -> Vec<Aim> {
    let mut aims = Vec::new();
    for at in TURNS {
        let Some(figure) = find(figures, System::Holm.name(), at) else { continue };
        let quickest = format!("quickest {}", number(figure.quickest));
        aims.push(at_most(&format!("µs per turn at {at}"), Some(figure.micros), MICROS).remark(&quickest));
        let least = format!("least {}", number(figure.processor_least));
        let what = format!("processor µs per turn at {at}");
        aims.push(at_most(&what, Some(figure.processor), MICROS).remark(&least));
    }
    for one in appends {
        let what = format!("an append that is {}, by a bare one", one.durability);
        let remark = match one.instructions {
            Some((bare, store)) => format!(
                "by processor time {}, by instructions {}",
                number(one.processor_ratio),
                number(store / bare)
            ),
            None => format!("by processor time {}", number(one.processor_ratio)),
        };
        aims.push(at_most(&what, Some(one.ratio), BY_BARE).remark(&remark));
    }
    let what = format!("appends a second of {} runs, by single commits", group.runs);
    aims.push(at_least(&what, Some(group.times), BY_SINGLE));
    aims.push(at_most(&format!("ms to cancel {} runs", crowd.runs), Some(crowd.cancel_ms), CANCEL));
    let longest = crowd.longest_ms / crowd.median_ms;
    aims.push(at_most("the longest run of the crowd, by the middle one", Some(longest), STARVED));
    aims.push(at_most("KiB of a run at the peak", Some(crowd.heap_mib * 1024.0), KIB));
    aims
}

#[cfg(test)]
mod tests;
