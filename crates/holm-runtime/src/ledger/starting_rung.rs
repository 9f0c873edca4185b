//! Chooses the rung of the ladder on which a run begins.
//!
//! It is a pure function over whole numbers, because two hosts with the same ledger must choose
//! alike. Stepping up during a run is decided by the kernel (`holm-kernel/src/run/ladder.rs`). The
//! choice and its reason are stored in record 0 by `driver/ledger.rs`.

use holm_kernel::{Budget, Ladder, ModelSpec};

use super::{ModelScore, ModelStanding};

/// A rung is good enough if at least `GOOD` of `GOOD_OF` tasks are expected to succeed.
const GOOD: u64 = 3;
const GOOD_OF: u64 = 5;

/// After this many tasks of a kind, one begins at the bottom again. Models and prompts change, and
/// a model that is never tried could not show its progress.
pub const RETRY_EVERY: u64 = 16;

/// Where to begin, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartingRung {
    /// The rung, from 0.
    pub rung: u64,
    pub why: String,
}

/// Chooses the rung on which a task of the ladder's kind begins.
///
/// The rule uses whole numbers, so that every machine agrees. A model that succeeded in *s* of *n*
/// tasks is expected to succeed in *(s + 1) of (n + 1)*, so an untried model counts as able. From
/// the ladder's start upwards, the rule takes the first model that is expected to succeed in 3 of 5
/// tasks, or else the last. One failure is therefore enough to begin higher, and two successes make
/// up for it. Each sixteenth task begins at the start regardless. If a budget is set, models
/// without a known price are skipped: they could not be called.
///
/// ```
/// use holm_kernel::{Budget, Ladder, ModelSpec};
/// use holm_runtime::{ModelScore, ModelStanding, first_rung};
///
/// let (ladder, models) = (Ladder::of_kind("copying"), ["small", "large"].map(ModelSpec::named));
/// let budget = Budget::default();
/// assert_eq!(first_rung(&ladder, &models, budget, &[]).rung, 0);
///
/// let score = ModelScore { tasks: 1, step_ups: 1, ..ModelScore::default() };
/// let standing = ModelStanding { model: "small".into(), kind: ladder.kind.clone(), score };
/// let choice = first_rung(&ladder, &models, budget, &[standing]);
/// assert_eq!(choice.rung, 1);
/// assert_eq!(choice.why, "small brought 0 of 1 tasks of the kind copying to an answer");
/// ```
pub fn first_rung(
    ladder: &Ladder,
    models: &[ModelSpec],
    budget: Budget,
    standings: &[ModelStanding],
) -> StartingRung {
    let rungs = rungs(ladder, models);
    let start = ladder.start.min((rungs.len() as u64).saturating_sub(1));
    let score = |name: &str| {
        let own = |standing: &&ModelStanding| standing.model == name && standing.kind == ladder.kind;
        standings.iter().find(own).map(|standing| &standing.score)
    };
    let tasks: u64 = rungs.iter().filter_map(|name| score(name)).map(|score| score.tasks).sum();
    if tasks % RETRY_EVERY == RETRY_EVERY - 1 {
        return StartingRung { rung: start, why: format!("one task in {RETRY_EVERY} begins at the start") };
    }
    let priced = |name: &str| models.iter().any(|model| model.name == name && model.price.is_some());
    let mut passed = Vec::new();
    let mut rung = start;
    for (name, index) in rungs.iter().zip(0_u64..).skip(usize::try_from(start).unwrap_or(usize::MAX)) {
        if budget.usd.is_some() && !priced(name) {
            passed.push(format!("a budget is set, and the price of {name} is unknown"));
            continue;
        }
        rung = index;
        match score(name) {
            Some(score) if !is_good_enough(score) => {
                passed.push(format!(
                    "{name} brought {} of {} tasks of the kind {} to an answer",
                    score.successes, score.tasks, ladder.kind
                ));
            }
            Some(_) | None => break,
        }
    }
    // The run begins at the ladder's start, so the models that were passed over are not the reason.
    if rung == start {
        passed.clear();
    }
    StartingRung { rung, why: passed.join("; ") }
}

fn is_good_enough(score: &ModelScore) -> bool {
    let expected = u128::from(score.successes) + 1;
    let of = u128::from(score.tasks) + 1;
    expected * u128::from(GOOD_OF) >= of * u128::from(GOOD)
}

/// The names of the rungs as the kernel climbs them: those with a configured model.
fn rungs<'a>(ladder: &'a Ladder, models: &'a [ModelSpec]) -> Vec<&'a str> {
    let configured = models.iter().map(|model| model.name.as_str());
    if ladder.rungs.is_empty() {
        return configured.collect();
    }
    let known = |name: &&str| models.iter().any(|model| model.name == **name);
    ladder.rungs.iter().map(String::as_str).filter(known).collect()
}
