//! The figures as Markdown for people and as JSON for comparisons over time.

use holm_bench_kit::{Aim, Machine, head, judgement, number, row};
use serde::Serialize;

use crate::{aims, append::Figure, replay::Replayed, size::Size};

/// Everything that one run of the benchmark found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    machine: Machine,
    figures: Vec<Figure>,
    replays: Vec<Replayed>,
    sizes: Vec<Size>,
    aims: Vec<Aim>,
}

impl Report {
    /// Judges the figures and keeps all of it.
    pub fn new(machine: Machine, figures: Vec<Figure>, replays: Vec<Replayed>, sizes: Vec<Size>) -> Self {
        let aims = aims::judge(&figures, &replays, &sizes);
        Self { machine, figures, replays, sizes, aims }
    }

    /// For people.
    pub fn markdown(&self) -> String {
        [head(&self.machine), self.appends(), self.replays(), self.sizes(), judgement(&self.aims)].join("\n")
    }

    fn appends(&self) -> String {
        let mut out = String::from(
            "| kept by | append | p50 µs | p99 µs | least | appends a second | by SQLite by hand | appends |\n\
             |---|---|--:|--:|--:|--:|--:|--:|\n",
        );
        for one in &self.figures {
            out.push_str(&row(&[
                one.system.into(),
                one.durability.into(),
                number(one.p50_us),
                number(one.p99_us),
                number(one.least_us),
                number(one.per_second),
                format!("{}×", number(one.by_sqlite)),
                one.appends.to_string(),
            ]));
        }
        out
    }

    fn replays(&self) -> String {
        let mut out = String::from(
            "| step | records | µs per record | quickest | records a second |\n|---|--:|--:|--:|--:|\n",
        );
        for one in &self.replays {
            out.push_str(&row(&[
                one.system.into(),
                one.records.to_string(),
                number(one.micros),
                number(one.quickest),
                number(one.per_second),
            ]));
        }
        out
    }

    fn sizes(&self) -> String {
        let mut out =
            String::from("| kept by | records | bytes of a line | bytes of a record |\n|---|--:|--:|--:|\n");
        for one in &self.sizes {
            out.push_str(&row(&[
                one.system.into(),
                one.records.to_string(),
                number(one.line_bytes),
                number(one.record_bytes),
            ]));
        }
        out
    }
}

#[cfg(test)]
pub(crate) mod tests;
