//! What Holm is meant to reach, beside what it reached. A missed aim is shown, never an error.

use serde::Serialize;

use crate::{number, row};

/// One aim and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aim {
    /// What is aimed at.
    pub aim: String,
    /// What was measured.
    pub measured: String,
    /// Whether that is enough; none when it was not measured.
    pub met: Option<bool>,
}

impl Aim {
    /// The same aim with a remark behind what was measured.
    #[must_use]
    pub fn remark(mut self, remark: &str) -> Self {
        self.measured = format!("{} ({remark})", self.measured);
        self
    }
}

/// Something that is to stay at or below a bound.
pub fn at_most(what: &str, measured: Option<f64>, bound: f64) -> Aim {
    aim(what, measured, bound, "≤", |measured| measured <= bound)
}

/// Something that is to reach a bound.
pub fn at_least(what: &str, measured: Option<f64>, bound: f64) -> Aim {
    aim(what, measured, bound, "≥", |measured| measured >= bound)
}

/// All aims as a table.
pub fn judgement(aims: &[Aim]) -> String {
    let mut out = String::from("| aim for `holm` | measured | |\n|---|--:|---|\n");
    for aim in aims {
        let met = match aim.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "–",
        };
        out.push_str(&row(&[aim.aim.clone(), aim.measured.clone(), met.into()]));
    }
    out
}

fn aim(what: &str, measured: Option<f64>, bound: f64, sign: &str, holds: impl Fn(f64) -> bool) -> Aim {
    Aim {
        aim: format!("{what} {sign} {}", number(bound)),
        measured: measured.map_or_else(|| "not measured".into(), number),
        met: measured.map(holds),
    }
}

#[cfg(test)]
mod tests;
