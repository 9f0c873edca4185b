//! The figures as Markdown for people and as JSON for comparisons over time.

use std::fmt::Write;

use serde::Serialize;

use crate::{
    aims::{self, Aim},
    copy::Copied,
    machine::Machine,
    measure::Figure,
    systems::System,
};

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
        [self.head(), self.table(), self.one_more_turn(), self.copies(), self.judgement()].join("\n")
    }

    /// For programs.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn head(&self) -> String {
        let Machine { cores, cpu, rustc, load } = &self.machine;
        let mut out = format!("{cores} cores, {cpu}, {rustc}");
        if let Some(load) = load {
            write!(out, ", load {load:.1}").unwrap_or_default();
        }
        out.push('\n');
        if self.machine.is_busy() {
            out.push_str(
                "The machine was busy: read the quickest times and the instructions, not the medians.\n",
            );
        }
        out
    }

    fn table(&self) -> String {
        let mut out = String::from(
            "| loop | turns | µs per turn | quickest | by Holm's | instructions per turn | allocations per turn | \
             bytes kept per turn | beyond content | set-up µs |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for figure in &self.figures {
            let holm = aims::find(&self.figures, System::Holm, figure.turns).map(|holm| holm.micros);
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

    /// What a turn adds once a run is under way, free of what happens once in a run.
    fn one_more_turn(&self) -> String {
        let at = |system, turns| {
            let figure = aims::find(&self.figures, system, turns)?;
            Some(figure.instructions? * figure.turns as f64)
        };
        let most = self.figures.iter().map(|figure| figure.turns).max().unwrap_or(0);
        let of = |system: System| {
            let added = at(system, most)? - at(system, 10)?;
            let turns = most.checked_sub(10).filter(|turns| *turns > 0)?;
            Some(format!("{} {}", system.name(), number(added / turns as f64)))
        };
        let each: Vec<String> = System::ALL.into_iter().filter_map(of).collect();
        if each.is_empty() {
            return String::new();
        }
        format!("Instructions of one more turn, from 10 to {most}: {}.\n", each.join(", "))
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

    fn judgement(&self) -> String {
        let mut out = String::from("| aim for `holm` | measured | |\n|---|--:|---|\n");
        for aim in &self.aims {
            let met = match aim.met {
                Some(true) => "met",
                Some(false) => "missed",
                None => "–",
            };
            out.push_str(&row(&[aim.aim.clone(), aim.measured.clone(), met.into()]));
        }
        out
    }
}

/// A number with as many digits as it deserves: three that count, none behind the point of a large one.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    let Some(whole) = text.strip_suffix(".00").or_else(|| text.strip_suffix(".0")) else { return text };
    whole.into()
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests;
