//! Many attempts: every case with every model, several times, in parallel. Results are appended to a
//! file as they come, so an evaluation that was broken off goes on where it ended.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{AttemptMode, AttemptResult, CaseRunner, EvalCase, EvalError};

/// The results of an evaluation, a line for each attempt.
pub(crate) const RESULTS: &str = "results.jsonl";

/// What an evaluation is to do.
#[derive(Debug, Clone)]
pub struct EvalPlan {
    pub cases: Vec<EvalCase>,
    /// Who answers; each case is attempted with each of them.
    pub modes: Vec<AttemptMode>,
    /// How often each case is attempted with each of them.
    pub repeat: u32,
    /// How many attempts run at the same time.
    pub jobs: usize,
    /// The most that all attempts together may cost, in US dollars.
    pub budget: Option<f64>,
}

/// An evaluation in its folder.
#[derive(Debug)]
pub struct Evaluation {
    folder: PathBuf,
    results: Vec<AttemptResult>,
}

/// An attempt that is to be made.
type PlannedAttempt<'a> = (&'a EvalCase, &'a AttemptMode, u32);

impl Evaluation {
    /// Opens the evaluation in this folder, with the results that it has. A last line that is not
    /// complete belongs to an attempt that was broken off, and is dropped.
    ///
    /// # Errors
    /// If its results cannot be read.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, EvalError> {
        let folder = folder.into();
        let path = folder.join(RESULTS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(EvalError::file(&path)(error)),
        };
        let whole = text.rfind('\n').map_or("", |end| text.get(..end).unwrap_or_default());
        let mut results = Vec::new();
        for (index, line) in whole.lines().enumerate() {
            let wrong = |error: serde_json::Error| EvalError::Results {
                path: path.clone(),
                line: index + 1,
                why: error.to_string(),
            };
            results.push(serde_json::from_str(line).map_err(wrong)?);
        }
        if whole.len() + 1 < text.len() {
            fs::write(&path, format!("{whole}\n").trim_start_matches('\n'))
                .map_err(EvalError::file(&path))?;
        }
        Ok(Self { folder, results })
    }

    /// The results in the order of cases, models and attempts, whatever the order in which they came.
    #[must_use]
    pub fn results(&self) -> Vec<&AttemptResult> {
        let mut sorted: Vec<&AttemptResult> = self.results.iter().collect();
        sorted.sort_by(|one, two| {
            (&one.case, &one.model, one.attempt).cmp(&(&two.case, &two.model, two.attempt))
        });
        sorted
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the attempts that are left. `told` hears of each result as it comes.
    ///
    /// # Errors
    /// If a case has changed since its first attempt, or results cannot be written. An attempt that
    /// cannot be made ends the evaluation; results so far are kept.
    pub fn run(
        &mut self,
        plan: &EvalPlan,
        runner: &CaseRunner,
        told: impl Fn(&AttemptResult) + Sync,
    ) -> Result<(), EvalError> {
        let left = self.left(plan)?;
        fs::create_dir_all(&self.folder).map_err(EvalError::file(&self.folder))?;
        let path = self.folder.join(RESULTS);
        let file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(EvalError::file(&path))?;
        let spent: u64 = self.results.iter().map(|result| result.cost_nano_usd).sum();
        let work = EvalWork {
            left: &left,
            next: AtomicUsize::new(0),
            sink: Mutex::new(ResultSink { file, results: Vec::new(), problem: None }),
            money: Mutex::new(plan.budget.map(|budget| budget - spent as f64 / 1e9)),
        };
        let jobs = plan.jobs.clamp(1, left.len().max(1));
        thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| work.take_part(plan, runner, &told));
            }
        });
        let sink = work.sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.results.extend(sink.results);
        sink.problem.map_or(Ok(()), Err)
    }

    /// The attempts that have no result yet.
    fn left<'a>(&self, plan: &'a EvalPlan) -> Result<Vec<PlannedAttempt<'a>>, EvalError> {
        let mut known: BTreeMap<(&str, &str, u32), &AttemptResult> = BTreeMap::new();
        for result in &self.results {
            known.insert((&result.case, &result.model, result.attempt), result);
        }
        let mut left = Vec::new();
        for case in &plan.cases {
            for mode in &plan.modes {
                let name = mode.name();
                for attempt in 1..=plan.repeat.max(1) {
                    match known.get(&(case.name.as_str(), &*name, attempt)) {
                        None => left.push((case, mode, attempt)),
                        Some(result) if result.digest == case.digest => {}
                        Some(_) => return Err(EvalError::Changed { case: case.name.clone() }),
                    }
                }
            }
        }
        Ok(left)
    }
}

/// The work that threads share.
struct EvalWork<'a> {
    left: &'a [PlannedAttempt<'a>],
    next: AtomicUsize,
    sink: Mutex<ResultSink>,
    /// What is left of the budget, in US dollars.
    money: Mutex<Option<f64>>,
}

struct ResultSink {
    file: File,
    results: Vec<AttemptResult>,
    problem: Option<EvalError>,
}

impl EvalWork<'_> {
    /// Makes attempts until none is left, a problem came up, or the budget is used up.
    fn take_part(&self, plan: &EvalPlan, runner: &CaseRunner, told: &(impl Fn(&AttemptResult) + Sync)) {
        loop {
            if self.sink.lock().unwrap_or_else(PoisonError::into_inner).problem.is_some() {
                return;
            }
            let Some((case, mode, attempt)) = self.left.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let share = match self.reserve(plan, case) {
                MoneyShare::Unlimited => None,
                MoneyShare::AtMost(share) => Some(share),
                MoneyShare::UsedUp => return,
            };
            let result = runner.attempt_within(case, mode, *attempt, share);
            if let (Some(share), Ok(result)) = (share, &result) {
                let mut money = self.money.lock().unwrap_or_else(PoisonError::into_inner);
                *money = money.map(|left| left + share - result.cost_nano_usd as f64 / 1e9);
            }
            self.keep(result, told);
        }
    }

    /// Sets aside what an attempt may cost, so that attempts at the same time stay within the budget.
    fn reserve(&self, plan: &EvalPlan, case: &EvalCase) -> MoneyShare {
        let mut money = self.money.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = *money else { return MoneyShare::Unlimited };
        let share = case.budget.unwrap_or(left / plan.jobs.max(1) as f64).min(left);
        if share <= 0.0 {
            return MoneyShare::UsedUp;
        }
        *money = Some(left - share);
        MoneyShare::AtMost(share)
    }

    fn keep(&self, result: Result<AttemptResult, EvalError>, told: &(impl Fn(&AttemptResult) + Sync)) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let written = result.and_then(|result| {
            let path = PathBuf::from(RESULTS);
            let line =
                serde_json::to_string(&result).map_err(|error| EvalError::case(&path, error.to_string()))?;
            writeln!(sink.file, "{line}").map_err(EvalError::file(&path))?;
            Ok(result)
        });
        match written {
            Ok(result) => {
                told(&result);
                sink.results.push(result);
            }
            Err(error) => sink.problem = sink.problem.take().or(Some(error)),
        }
    }
}

/// What an attempt, or a part of it, may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MoneyShare {
    Unlimited,
    /// At most so many US dollars.
    AtMost(f64),
    UsedUp,
}

impl MoneyShare {
    /// What is left of a budget in US dollars, of which so much is spent.
    pub(crate) fn left(budget: Option<f64>, spent_nano_usd: u64) -> Self {
        let left = budget.map(|budget| budget - spent_nano_usd as f64 / 1e9);
        match left {
            None => Self::Unlimited,
            // A smaller amount could not be given to a command.
            Some(left) if left >= 0.000_001 => Self::AtMost(left),
            Some(_) => Self::UsedUp,
        }
    }
}

#[cfg(test)]
mod tests;
