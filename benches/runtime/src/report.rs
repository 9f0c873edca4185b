//! The figures as Markdown for people and as JSON for comparisons over time.

use holm_bench_kit::{Aim, Figure, Machine, System as _, find, head, judgement, number, one_more_turn, row};
use serde::Serialize;

use crate::{aims, append::Appended, crowd::Crowd, group::Group, systems::System};

/// Everything that one run of the benchmark found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    machine: Machine,
    figures: Vec<Figure>,
    appends: Vec<Appended>,
    group: Group,
    crowd: Crowd,
    aims: Vec<Aim>,
}

impl Report {
    /// Judges the figures and keeps all of it.
    pub fn new(
        machine: Machine,
        figures: Vec<Figure>,
        appends: Vec<Appended>,
        group: Group,
        crowd: Crowd,
    ) -> Self {
        let aims = aims::judge(&figures, &appends, &group, &crowd);
        Self { machine, figures, appends, group, crowd, aims }
    }

    /// For people.
    pub fn markdown(&self) -> String {
        let more = one_more_turn::<System>(&self.figures);
        let parts = [
            head(&self.machine),
            self.loops(),
            more,
            self.appends(),
            self.group(),
            self.crowd(),
            judgement(&self.aims),
        ];
        parts.join("\n")
    }

    fn loops(&self) -> String {
        let mut out = String::from(
            "| loop | turns | µs per turn | quickest | processor µs | least | by the floor | by Holm's | \
             instructions per turn | allocations per turn | bytes kept per turn | set-up µs |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for figure in &self.figures {
            let by = |other: System| {
                let other = find(&self.figures, other.name(), figure.turns)?;
                Some(format!("{}×", number(figure.quickest / other.quickest)))
            };
            out.push_str(&row(&[
                figure.system.into(),
                figure.turns.to_string(),
                number(figure.micros),
                number(figure.quickest),
                number(figure.processor),
                number(figure.processor_least),
                by(System::Floor).unwrap_or_default(),
                by(System::Holm).unwrap_or_default(),
                figure.instructions.map_or_else(|| "–".into(), number),
                number(figure.allocations),
                number(figure.retained),
                number(figure.set_up),
            ]));
        }
        out
    }

    fn appends(&self) -> String {
        let mut out = String::from(
            "| append | bytes | bare µs | quickest | store µs | quickest | ratio | by processor time | \
             instructions, bare | store |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for one in &self.appends {
            let (bare, store) = one.instructions.unzip();
            let count = |count: Option<f64>| count.map_or_else(|| "–".into(), number);
            out.push_str(&row(&[
                one.durability.into(),
                number(one.bytes),
                number(one.bare.micros),
                number(one.bare.quickest),
                number(one.store.micros),
                number(one.store.quickest),
                format!("{}×", number(one.ratio)),
                format!("{}×", number(one.processor_ratio)),
                count(bare),
                count(store),
            ]));
        }
        out
    }

    fn group(&self) -> String {
        let Group { runs, single, together, times, per_sync } = &self.group;
        format!(
            "Synced appends a second: {} by single commits, {} by {runs} runs together, {}× ({} appends shared a \
             sync).\n",
            number(*single),
            number(*together),
            number(*times),
            number(*per_sync)
        )
    }

    fn crowd(&self) -> String {
        let Crowd { runs, turns, all_ms, median_ms, longest_ms, heap_mib, resident_mib, cancel_ms } =
            &self.crowd;
        let resident = resident_mib.map_or_else(|| "–".into(), |mib| format!("{mib:.3}"));
        format!(
            "{runs} runs of {turns} turns on 2 threads, in SQLite:\n\n| all ms | middle run ms | longest ms | MiB of a \
             run | resident MiB of a run | cancel all ms |\n|--:|--:|--:|--:|--:|--:|\n{}",
            row(&[
                number(*all_ms),
                number(*median_ms),
                number(*longest_ms),
                format!("{heap_mib:.3}"),
                resident,
                number(*cancel_ms),
            ])
        )
    }
}

#[cfg(test)]
pub(crate) mod tests;
