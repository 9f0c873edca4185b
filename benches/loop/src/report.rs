//! The figures as Markdown for people and as JSON for comparisons over time.

use holm_bench_kit::{Aim, Figure, Machine, System as _, find, head, judgement, number, one_more_turn, row};
use serde::Serialize;

use crate::{aims, copy::Copied, systems::System};

/// Everything that one run of the benchmark found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    machine: Machine,
    figures: Vec<Figure>,
    copies: Vec<Copied>,
    aims: Vec<Aim>,
}

impl Report {
    /// Judges the figures and keeps all of it.
    pub fn new(machine: Machine, figures: Vec<Figure>, copies: Vec<Copied>) -> Self {
        let aims = aims::judge(&figures);
        Self { machine, figures, copies, aims }
    }

    /// For people.
    pub fn markdown(&self) -> String {
        let more = one_more_turn::<System>(&self.figures);
        [head(&self.machine), self.table(), more, self.copies(), judgement(&self.aims)].join("\n")
    }

    fn table(&self) -> String {
        let mut out = String::from(
            "| loop | turns | µs per turn | quickest | by Holm's | instructions per turn | allocations per turn | \
             bytes kept per turn | beyond content | set-up µs |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for figure in &self.figures {
            let holm = find(&self.figures, System::Holm.name(), figure.turns).map(|holm| holm.micros);
            let cells = [
                figure.system.into(),
                figure.turns.to_string(),
                number(figure.micros),
                number(figure.quickest),
                holm.map_or_else(String::new, |holm| format!("{}×", number(figure.micros / holm))),
                figure.instructions.map_or_else(|| "–".into(), number),
                number(figure.allocations),
                number(figure.retained),
                number(figure.beyond),
                number(figure.set_up),
            ];
            out.push_str(&row(&cells));
        }
        out
    }

    fn copies(&self) -> String {
        let mut out = String::from(
            "Copy of the body into a request, in GB/s:\n\n| turns | bytes | kept buffer | new buffer | memcpy | µs |\n\
             |--:|--:|--:|--:|--:|--:|\n",
        );
        for copied in &self.copies {
            out.push_str(&row(&[
                copied.turns.to_string(),
                copied.bytes.to_string(),
                number(copied.reused),
                number(copied.fresh),
                number(copied.bare),
                number(copied.micros),
            ]));
        }
        out
    }
}

#[cfg(test)]
mod tests;
