//! The numbers of a ledger: how often a model worked, succeeded, and why it did not.
//!
//! They are sums and can be added in any order; only the list of reasons is bounded and keeps the
//! latest. How they are computed is in `ledger/scorer.rs`, what follows from them in
//! `ledger/starting_rung.rs`. Numbers are whole, so that every machine agrees.

use std::collections::BTreeMap;

use holm_kernel::{StepCause, TaskKind, Timestamp};
use serde::{Deserialize, Serialize};

/// The most reasons stored per model and kind: the latest ones, enough to see a pattern.
pub const MOST_WHYS: usize = 8;

/// The score of one model for one kind of task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStanding {
    /// The model, by its name in the configuration.
    pub model: String,
    /// The kind of task.
    pub kind: TaskKind,
    /// The score of the model.
    pub score: ModelScore,
}

impl ModelStanding {
    /// Adds up standings of the same model and kind; the result is sorted by kind and model.
    pub fn sum(standings: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sums = BTreeMap::<(TaskKind, String), ModelScore>::new();
        for Self { model, kind, score } in standings {
            sums.entry((kind, model)).or_default().add(&score);
        }
        sums.into_iter().map(|((kind, model), score)| Self { model, kind, score }).collect()
    }
}

/// How well a model has worked.
///
/// A *task* is a turn group that says something about the model. Either the model answered, or its
/// work was rejected or looped, or a stronger model took over. A group that ended for another
/// reason (a cancel, a limit, a provider's failure) is not a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelScore {
    /// How many replies it gave.
    pub calls: u64,
    /// How many tasks it had.
    pub tasks: u64,
    /// Tasks that it answered.
    pub successes: u64,
    /// Results of its work that a guard rejected.
    pub rejections: u64,
    /// Invalid calls: an unknown tool, or arguments that do not fit.
    pub invalid_calls: u64,
    /// Tasks that a stronger model took over.
    pub step_ups: u64,
    /// Why tasks failed or were taken over; the latest, oldest first.
    pub whys: Vec<TaskFailure>,
}

impl ModelScore {
    /// Adds another score; only the latest reasons are kept.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tasks = self.tasks.saturating_add(other.tasks);
        self.successes = self.successes.saturating_add(other.successes);
        self.rejections = self.rejections.saturating_add(other.rejections);
        self.invalid_calls = self.invalid_calls.saturating_add(other.invalid_calls);
        self.step_ups = self.step_ups.saturating_add(other.step_ups);
        for failure in &other.whys {
            self.recall(failure.clone());
        }
    }

    /// Stores a reason, if it is one of the latest.
    pub fn recall(&mut self, why: TaskFailure) {
        let index = self.whys.partition_point(|known| known.at <= why.at);
        self.whys.insert(index, why);
        if self.whys.len() > MOST_WHYS {
            self.whys.remove(0);
        }
    }
}

/// Why a task failed or was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFailure {
    /// When it failed or was taken over.
    pub at: Timestamp,
    /// How the model failed; `None` if the task looped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<StepCause>,
    /// The details of the failure.
    pub reason: String,
    /// The model that took over; `None` if the task failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
