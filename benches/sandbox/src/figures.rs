//! What was measured, and how it is told.

use std::time::{Duration, Instant};

use holm_bench_kit::{Aim, Machine, at_least, at_most, head, judgement, look, number, row};
use serde::Serialize;

use crate::scaling::{WORKS, threads_beside_one, threads_beside_programs};

/// All rows of one run.
#[derive(Serialize)]
pub(crate) struct Figures {
    machine: Machine,
    /// The row that all others are compared with in the report of all benchmarks.
    reference: &'static str,
    rows: Vec<Row>,
    /// Figures that are no times of calls, by their names.
    notes: Vec<Note>,
    aims: Vec<Aim>,
    /// A word; rows without it in their names are left out.
    #[serde(skip)]
    only: Option<String>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    calls: usize,
    /// Nothing where the program is missing.
    p50_us: Option<f64>,
    p99_us: Option<f64>,
    /// The middle of all rounds.
    all_p50_us: Option<f64>,
}

#[derive(Serialize)]
struct Note {
    what: String,
    value: f64,
    unit: &'static str,
}

impl Figures {
    /// Nothing measured yet; later only rows with this word in their names, for whoever looks for what one of them costs.
    pub(crate) fn new(only: Option<String>) -> Self {
        let (rows, notes, aims) = (Vec::new(), Vec::new(), Vec::new());
        Self { machine: look(), reference: "text", rows, notes, aims, only }
    }

    /// Whether rows of this name are wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|word| name.contains(word))
    }

    /// Measures one row: warms up, then takes its calls in rounds. The round with the lowest middle is the one that is told: what
    /// makes another one slower is what else the machine does.
    pub(crate) fn take(&mut self, name: &'static str, calls: usize, mut call: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        eprintln!("measuring {name}");
        for _ in 0..calls.min(200) / 10 + 1 {
            call();
        }
        let count = (calls / LEAST).clamp(1, ROUNDS);
        let rounds: Vec<Round> = (0..count).map(|_| Round::of(calls / count, &mut call)).collect();
        let all = Round::all(&rounds);
        let best = rounds.into_iter().min_by_key(|round| round.at(50)).unwrap_or_else(|| all.clone());
        self.rows.push(Row {
            name,
            calls,
            p50_us: best.at(50).map(micros),
            p99_us: best.at(99).map(micros),
            all_p50_us: all.at(50).map(micros),
        });
    }

    /// Says that a row could not be measured.
    pub(crate) fn missing(&mut self, name: &'static str) {
        self.rows.push(Row { name, calls: 0, p50_us: None, p99_us: None, all_p50_us: None });
    }

    /// Adds a figure that is no time of a call.
    pub(crate) fn note(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        self.notes.push(Note { what: what.into(), value, unit });
    }

    /// Compares what was measured with what was aimed at.
    pub(crate) fn judge(&mut self) {
        let p50 = |name: &str| self.row(name).and_then(|row| row.p50_us);
        let p99 = |name: &str| self.row(name).and_then(|row| row.p99_us);
        let times = |ours: &str, other: &str| Some(p50(other)? / p50(ours)?);
        let note = |what: &str| self.notes.iter().find(|note| note.what == what).map(|note| note.value);
        let mut aims = vec![
            at_most("`command`, p50 µs", p50("command"), 60.0),
            at_most("`command`, p99 µs", p99("command"), 200.0),
            at_most("`command reads`, p50 µs", p50("command reads"), 60.0),
            at_most("`text`, p50 µs", p50("text"), 15.0),
            at_most("`guest: base64`, p50 µs", p50("guest: base64"), 15.0),
            at_most("`guest: read`, p50 µs", p50("guest: read"), 15.0),
            at_most("`tool: base64`, p50 µs", p50("tool: base64"), 15.0),
            at_most("a running guest, KiB", note(RUNNING), 40.0),
        ];
        for ours in ["text", "guest: base64", "guest: read"] {
            for (other, least) in [("load each time", 45.0), ("process", 40.0), ("bubblewrap", 200.0)] {
                let aim = format!("`{ours}` beside `{other}`, times");
                aims.push(at_least(&aim, times(ours, other), least));
            }
        }
        for work in WORKS {
            let (one, programs) = (threads_beside_one(work), threads_beside_programs(work));
            aims.push(at_least(&format!("{one}, times"), note(&one), 1.8));
            aims.push(at_least(&format!("{programs}, times"), note(&programs), 0.9));
        }
        self.aims = aims;
    }

    pub(crate) fn markdown(&self) -> String {
        let cells = |row: [&str; 5]| row.map(str::to_owned);
        let mut text = head(&self.machine);
        text.push('\n');
        text.push_str(&row(&cells(["call", "p50 µs", "p99 µs", "p50 of all rounds", "calls"])));
        text.push_str("|---|--:|--:|--:|--:|\n");
        for one in &self.rows {
            let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
            let calls = if one.calls == 0 { "not there".to_owned() } else { one.calls.to_string() };
            let [p50, p99, all] = [one.p50_us, one.p99_us, one.all_p50_us].map(shown);
            text.push_str(&row(&[one.name.to_owned(), p50, p99, all, calls]));
        }
        text.push('\n');
        for note in &self.notes {
            text.push_str(&format!("- {}: {} {}\n", note.what, number(note.value), note.unit));
        }
        text.push('\n');
        text.push_str(&self.ratios());
        text.push('\n');
        text.push_str(&judgement(&self.aims));
        text
    }

    /// How many times faster our rows are than others, by the middle of the times.
    fn ratios(&self) -> String {
        const OURS: [&str; 7] =
            ["text", "module", "command", "guest: base64", "guest: read", "tool: base64", "tool: read"];
        const OTHERS: [&str; 5] = ["compile each time", "load each time", "process", "bubblewrap", "python"];
        let p50 = |name: &str| self.row(name).and_then(|row| row.p50_us);
        let letters = ["(a)", "(b)", "(c)", "(d)", "(e)"];
        let titles = letters.iter().zip(OTHERS).map(|(letter, other)| format!("{letter} {other}"));
        let mut text =
            row(&std::iter::once("times faster than".to_owned()).chain(titles).collect::<Vec<_>>());
        text.push_str("|---|--:|--:|--:|--:|--:|\n");
        for ours in OURS {
            let times = OTHERS.iter().map(|other| {
                let times = p50(ours).zip(p50(other)).map(|(ours, other)| number(other / ours));
                times.unwrap_or_else(|| "–".to_owned())
            });
            text.push_str(&row(&std::iter::once(format!("`{ours}`")).chain(times).collect::<Vec<_>>()));
        }
        text
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

/// Name of a figure that an aim is about.
pub(crate) const RUNNING: &str = "memory of a running guest, with its thread";

/// How many rounds a row has, where each still has so many calls that its middle says something.
const ROUNDS: usize = 10;
const LEAST: usize = 30;

/// The times of calls that were made one after the other, sorted.
#[derive(Clone)]
struct Round(Vec<Duration>);

impl Round {
    fn of(calls: usize, call: &mut impl FnMut()) -> Self {
        let mut times: Vec<Duration> = (0..calls)
            .map(|_| {
                let began = Instant::now();
                call();
                began.elapsed()
            })
            .collect();
        times.sort();
        Self(times)
    }

    fn all(rounds: &[Self]) -> Self {
        let mut times: Vec<Duration> = rounds.iter().flat_map(|round| round.0.iter().copied()).collect();
        times.sort();
        Self(times)
    }

    /// The time that so many calls of a hundred stay within.
    fn at(&self, percent: usize) -> Option<Duration> {
        self.0.get(self.0.len().saturating_sub(1) * percent / 100).copied()
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
