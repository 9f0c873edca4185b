//! What was measured, and how it is told.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::json;

/// All rows of one run.
#[derive(Default)]
pub(crate) struct Figures {
    rows: Vec<Row>,
    notes: Vec<(String, String)>,
}

struct Row {
    name: &'static str,
    /// Sorted; nothing where the program is missing.
    times: Vec<Duration>,
}

impl Figures {
    /// Measures one row: warms up, then takes as many calls as fit.
    pub(crate) fn take(&mut self, name: &'static str, calls: usize, mut call: impl FnMut()) {
        eprintln!("measuring {name}");
        for _ in 0..calls.min(200) / 10 + 1 {
            call();
        }
        let mut times: Vec<Duration> = (0..calls)
            .map(|_| {
                let began = Instant::now();
                call();
                began.elapsed()
            })
            .collect();
        times.sort();
        self.rows.push(Row { name, times });
    }

    /// Says that a row could not be measured.
    pub(crate) fn missing(&mut self, name: &'static str) {
        self.rows.push(Row { name, times: Vec::new() });
    }

    /// Adds a figure that is no time of a call.
    pub(crate) fn note(&mut self, what: &str, value: String) {
        self.notes.push((what.to_owned(), value));
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = "| call | p50 µs | p99 µs | calls |\n|---|---:|---:|---:|\n".to_owned();
        for row in &self.rows {
            let _ = match row.at(50) {
                Some(p50) => writeln!(
                    text,
                    "| {} | {} | {} | {} |",
                    row.name,
                    micros(p50),
                    micros(row.at(99).unwrap_or(p50)),
                    row.times.len()
                ),
                None => writeln!(text, "| {} | not installed | | |", row.name),
            };
        }
        text.push('\n');
        for (what, value) in &self.notes {
            let _ = writeln!(text, "- {what}: {value}");
        }
        let _ = writeln!(text, "\n{}", self.comparison());
        text
    }

    pub(crate) fn json(&self) -> String {
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                let nanos = |percent| row.at(percent).map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
                json!({ "name": row.name, "p50_ns": nanos(50), "p99_ns": nanos(99), "calls": row.times.len() })
            })
            .collect();
        json!({ "rows": rows, "notes": self.notes }).to_string()
    }

    /// How many times faster our rows are than others.
    fn comparison(&self) -> String {
        let p50 = |name: &str| self.rows.iter().find(|row| row.name == name).and_then(|row| row.at(50));
        let mut text = String::new();
        for ours in ["text", "module", "command"] {
            for other in ["process", "bubblewrap", "load each time"] {
                if let (Some(ours_time), Some(theirs)) = (p50(ours), p50(other)) {
                    let times = theirs.as_secs_f64() / ours_time.as_secs_f64();
                    let _ = writeln!(text, "- `{ours}` is {times:.0}× faster than `{other}`");
                }
            }
        }
        text
    }
}

impl Row {
    fn at(&self, percent: usize) -> Option<Duration> {
        self.times.get((self.times.len().saturating_sub(1)) * percent / 100).copied()
    }
}

fn micros(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}
