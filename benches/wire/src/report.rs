//! The figures as Markdown for people and as JSON for comparisons over time.

use std::fmt::Write;

use serde::Serialize;

use crate::{
    aims::{self, Aim},
    encode::Encoded,
    machine::Machine,
    measure::Figure,
    readers::Reader,
};

/// Everything that one run of the benchmark found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    machine: Machine,
    figures: Vec<Figure>,
    encoded: Vec<Encoded>,
    aims: Vec<Aim>,
}

impl Report {
    /// Judges the figures and keeps all of it.
    pub fn new(machine: Machine, figures: Vec<Figure>, encoded: Vec<Encoded>) -> Self {
        let aims = aims::judge(&figures, &encoded);
        Self { machine, figures, encoded, aims }
    }

    /// For people.
    pub fn markdown(&self) -> String {
        [self.head(), self.decoding(), self.encoding(), self.judgement()].join("\n")
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
                "The machine was busy: read the quickest speeds and the instructions, not the medians.\n",
            );
        }
        out
    }

    fn decoding(&self) -> String {
        let mut out = String::from(
            "Decoding, one event a piece:\n\n\
             | stream | reader | bytes per event | MB/s | quickest | by the peer's quickest | instructions per event |\n\
             |---|---|--:|--:|--:|--:|--:|\n",
        );
        for figure in &self.figures {
            let peer = aims::find(&self.figures, figure.stream, Reader::Peer).map(|peer| peer.quickest);
            out.push_str(&row(&[
                figure.stream.into(),
                figure.reader.into(),
                number(figure.bytes as f64 / figure.events as f64),
                number(figure.speed),
                number(figure.quickest),
                peer.map_or_else(String::new, |peer| format!("{}×", number(figure.quickest / peer))),
                figure.instructions.map_or_else(|| "–".into(), number),
            ]));
        }
        out
    }

    fn encoding(&self) -> String {
        let mut out = String::from(
            "Encoding the request of one more turn (a call and its result); the copy is that of the whole body:\n\n\
             | format | turn | new bytes | µs for them | instructions | body bytes | copy µs | copy GB/s | memcpy GB/s |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for one in &self.encoded {
            out.push_str(&row(&[
                one.format.into(),
                one.turn.to_string(),
                one.new_bytes.to_string(),
                number(one.new_micros),
                one.new_instructions.map_or_else(|| "–".into(), number),
                one.body_bytes.to_string(),
                number(one.copy_micros),
                number(one.copy_speed),
                number(one.bare_speed),
            ]));
        }
        out
    }

    fn judgement(&self) -> String {
        let mut out = String::from("| aim | measured | |\n|---|--:|---|\n");
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
