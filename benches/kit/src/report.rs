//! Figures as Markdown for people.

use std::fmt::Write;

use crate::{Figure, Machine, System, find};

/// Where the figures come from, and a warning when others were at work.
pub fn head(machine: &Machine) -> String {
    let Machine { cores, cpu, rustc, load } = machine;
    let mut out = format!("{cores} cores, {cpu}, {rustc}");
    if let Some(load) = load {
        write!(out, ", load {load:.1}").unwrap_or_default();
    }
    out.push('\n');
    if machine.is_busy() {
        out.push_str(
            "The machine was busy: read the quickest times and the instructions, not the medians.\n",
        );
    }
    out
}

/// What a turn adds once a run is under way, free of what happens once in a run.
pub fn one_more_turn<S: System>(figures: &[Figure]) -> String {
    let at = |system: S, turns| {
        let figure = find(figures, system.name(), turns)?;
        Some(figure.instructions? * figure.turns as f64)
    };
    let most = figures.iter().map(|figure| figure.turns).max().unwrap_or(0);
    let of = |system: S| {
        let added = at(system, most)? - at(system, 10)?;
        let turns = most.checked_sub(10).filter(|turns| *turns > 0)?;
        Some(format!("{} {}", system.name(), number(added / turns as f64)))
    };
    let each: Vec<String> = S::ALL.iter().copied().filter_map(of).collect();
    if each.is_empty() {
        return String::new();
    }
    format!("Instructions of one more turn, from 10 to {most}: {}.\n", each.join(", "))
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

/// One row of a table.
pub fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests;
