//! Compares two evaluations: pass rates with confidence intervals, the paired difference, totals,
//! and the failures by the first call that differs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::AttemptResult;

/// The 97.5 % point of the normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// How often cases passed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassRate {
    pub passed: usize,
    pub attempts: usize,
    /// The interval of 95 % confidence (Wilson).
    pub interval: (f64, f64),
}

impl PassRate {
    /// The rate of these results.
    #[must_use]
    pub fn of(results: &[&AttemptResult]) -> Self {
        let passed = results.iter().filter(|result| result.is_passed()).count();
        Self { passed, attempts: results.len(), interval: wilson(passed, results.len()) }
    }

    /// The part that passed, from 0 to 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.attempts == 0 { 0.0 } else { self.passed as f64 / self.attempts as f64 }
    }
}

/// The interval of Wilson for a proportion.
fn wilson(passed: usize, attempts: usize) -> (f64, f64) {
    if attempts == 0 {
        return (0.0, 1.0);
    }
    let (count, total) = (passed as f64, attempts as f64);
    let (rate, square) = (count / total, Z * Z);
    let middle = rate + square / (2.0 * total);
    let width = Z * (rate * (1.0 - rate) / total + square / (4.0 * total * total)).sqrt();
    let scale = 1.0 + square / total;
    (((middle - width) / scale).max(0.0), ((middle + width) / scale).min(1.0))
}

/// The difference of the pass rates over the attempts that both evaluations made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedDifference {
    pub pairs: usize,
    /// Passed before and not now.
    pub lost: usize,
    /// Passed now and not before.
    pub won: usize,
    /// The second rate minus the first.
    pub difference: f64,
    /// The interval of 95 % confidence (Agresti and Min).
    pub interval: (f64, f64),
}

impl PairedDifference {
    fn of(lost: usize, won: usize, pairs: usize) -> Self {
        let (fewer, more, total) = (lost as f64, won as f64, pairs as f64);
        let difference = if pairs == 0 { 0.0 } else { (more - fewer) / total };
        // Half an attempt is added to each of the four kinds of pairs.
        let wide = total + 2.0;
        let middle = (more - fewer) / wide;
        let spread = ((more + fewer + 1.0) - (more - fewer) * (more - fewer) / wide).max(0.0).sqrt() / wide;
        let interval = ((middle - Z * spread).max(-1.0), (middle + Z * spread).min(1.0));
        Self { pairs, lost, won, difference, interval }
    }
}

/// The means over all attempts of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct AttemptMeans {
    pub cost_usd: f64,
    pub tokens: f64,
    pub turns: f64,
    pub seconds: f64,
}

impl AttemptMeans {
    fn of(results: &[&AttemptResult]) -> Self {
        let count = results.len().max(1) as f64;
        let mean = |value: &dyn Fn(&AttemptResult) -> f64| {
            results.iter().map(|result| value(result)).sum::<f64>() / count
        };
        Self {
            cost_usd: mean(&|result| result.cost_nano_usd as f64 / 1e9),
            tokens: mean(&|result| result.tokens as f64),
            turns: mean(&|result| result.turns as f64),
            seconds: mean(&|result| result.seconds),
        }
    }
}

/// The comparison of two evaluations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalComparison {
    pub rates: (PassRate, PassRate),
    pub means: (AttemptMeans, AttemptMeans),
    pub paired: PairedDifference,
    /// The cases that passed every time before and never now; with several models, by model.
    pub broken: Vec<String>,
    /// The cases that changed between the two evaluations, so that a difference may be theirs.
    pub changed: Vec<String>,
    /// The attempts that passed before and not now, by the first call that differs.
    pub lost_by_call: BTreeMap<String, Vec<String>>,
}

impl EvalComparison {
    /// Compares the results of a first and a second evaluation. Attempts are paired by case, model and
    /// number. If no model is in both and the first has one model, they are paired by case and number,
    /// so two models can be compared.
    #[must_use]
    pub fn between(first: &[&AttemptResult], second: &[&AttemptResult]) -> Self {
        let models = |results: &[&AttemptResult]| -> BTreeSet<String> {
            results.iter().map(|result| result.model.clone()).collect()
        };
        let before = models(first);
        let is_by_model = before.len() > 1 || !before.is_disjoint(&models(second));
        let model = |result: &AttemptResult| if is_by_model { result.model.clone() } else { String::new() };
        let key = |result: &AttemptResult| (result.case.clone(), model(result), result.attempt);
        let known: BTreeMap<_, _> = first.iter().map(|result| (key(result), *result)).collect();
        let (mut lost, mut won, mut pairs) = (0, 0, 0);
        let mut lost_by_call: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut by_case: BTreeMap<String, (bool, bool)> = BTreeMap::new();
        let mut changed = BTreeSet::new();
        for new in second {
            let Some(old) = known.get(&key(new)) else { continue };
            pairs += 1;
            if old.digest != new.digest {
                changed.insert(new.case.clone());
            }
            let name =
                if before.len() > 1 { format!("{} with {}", new.case, new.model) } else { new.case.clone() };
            let case = by_case.entry(name).or_insert((true, true));
            *case = (case.0 && old.is_passed(), case.1 && !new.is_passed());
            match (old.is_passed(), new.is_passed()) {
                (true, false) => {
                    lost += 1;
                    let name = format!("{} ({})", new.case, new.attempt);
                    lost_by_call.entry(first_differing_call(old, new)).or_default().push(name);
                }
                (false, true) => won += 1,
                (true, true) | (false, false) => {}
            }
        }
        let is_broken = |(case, (before, now)): (String, (bool, bool))| (before && now).then_some(case);
        Self {
            rates: (PassRate::of(first), PassRate::of(second)),
            means: (AttemptMeans::of(first), AttemptMeans::of(second)),
            paired: PairedDifference::of(lost, won, pairs),
            broken: by_case.into_iter().filter_map(is_broken).collect(),
            changed: changed.into_iter().collect(),
            lost_by_call,
        }
    }

    /// Whether the second evaluation is worse: a case is broken, or the whole interval of the
    /// difference is below zero, or nothing could be compared.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        !self.broken.is_empty() || self.paired.interval.1 < 0.0 || self.paired.pairs == 0
    }
}

fn first_differing_call(old: &AttemptResult, new: &AttemptResult) -> String {
    let length = old.calls.len().max(new.calls.len());
    let differing = (0..length).find(|index| old.calls.get(*index) != new.calls.get(*index));
    let tool = |call: Option<&String>| {
        call.and_then(|call| call.split(' ').next()).map_or_else(|| "no call".to_owned(), str::to_owned)
    };
    match differing {
        Some(index) => {
            let (before, now) = (tool(old.calls.get(index)), tool(new.calls.get(index)));
            format!("call {}: {now} in place of {before}", index + 1)
        }
        None => "the same calls".into(),
    }
}

#[cfg(test)]
mod tests;
