//! Computes the scores of models from the events of a run.
//!
//! It uses events only, so a replay of the journal gives the same scores as the run itself. It
//! judges the model and not the world: endings by a person, a limit or a provider say nothing.
//! Choosing a model by the scores is in `ledger/starting_rung.rs`.
//!
//! Whether a run did anything is told by `ledger/work.rs`; the numbers are `ledger/score.rs`, and
//! `holm-store` stores them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use holm_kernel::{
    Config, Ending, Event, Numbered, Outcome, StepCause, TaskKind, Timestamp, ToolCallId, loop_in_words,
};

use serde::{Deserialize, Serialize};

use super::{ModelScore, ModelStanding, TaskFailure, WorkTally};

/// Watches one run and computes the scores of its models at the end of each turn group.
///
/// It only uses events, so a replay of the journal gives the same scores as the run itself.
///
/// ```
/// use holm_kernel::{Config, ModelSpec};
/// use holm_runtime::RunScorer;
///
/// let mut config = Config::new(ModelSpec::named("local/small"));
/// config.ladder = Some(holm_kernel::Ladder::of_kind("translation"));
/// assert_eq!(RunScorer::new(&config).kind().as_str(), "translation");
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunScorer {
    kind: TaskKind,
    group: u64,
    /// The model that was called last.
    model: Arc<str>,
    scores: BTreeMap<Arc<str>, ModelScore>,
    /// Calls of the current reply whose arguments were valid.
    proposed: BTreeSet<ToolCallId>,
    /// Invalid calls of the current reply.
    invalid: u64,
    #[serde(default)]
    work: WorkTally,
}

/// The scores of one turn group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupScores {
    /// The number of the group in the run, from 1.
    pub group: u64,
    /// The scores of its models.
    pub standings: Vec<ModelStanding>,
}

impl RunScorer {
    /// Starts with a run's configuration; without a ladder, its tasks are of the general kind.
    pub fn new(config: &Config) -> Self {
        let kind = config.ladder.as_ref().map(|ladder| ladder.kind.clone()).unwrap_or_default();
        Self {
            kind,
            group: 0,
            model: Arc::from(""),
            scores: BTreeMap::new(),
            proposed: BTreeSet::new(),
            invalid: 0,
            work: WorkTally::new(config),
        }
    }

    /// The kind of task of the run.
    pub fn kind(&self) -> &TaskKind {
        &self.kind
    }

    /// Takes one event; returns the scores of a group when it ends.
    pub fn event(&mut self, numbered: &Numbered) -> Option<GroupScores> {
        self.work.event(numbered);
        match &numbered.event {
            Event::GroupStarted { group } => {
                self.group = *group;
                self.scores.clear();
                self.proposed.clear();
                self.invalid = 0;
            }
            Event::ModelCalled { model, .. } => {
                self.count_invalid();
                self.model = Arc::clone(model);
            }
            Event::ModelReplied { .. } => self.score().calls += 1,
            Event::CallProposed { call, .. } => {
                self.proposed.insert(*call);
            }
            Event::CallFinished { call, outcome, .. } => {
                let valid = self.proposed.remove(call);
                self.invalid += u64::from(!valid && *outcome == Outcome::Refused);
            }
            Event::Ruled { rejected: true, .. } => self.score().rejections += 1,
            Event::SteppedUp { from, to, cause, reason } => {
                self.count_invalid();
                let score = self.scores.entry(Arc::clone(from)).or_default();
                score.tasks += 1;
                score.step_ups += 1;
                let (cause, reason, to) = (Some(*cause), reason.clone(), Some(to.to_string()));
                score.recall(TaskFailure { at: numbered.at, cause, reason, to });
            }
            Event::GroupEnded { ending, .. } => return Some(self.end(ending, numbered.at)),
            _ => {}
        }
        None
    }

    fn score(&mut self) -> &mut ModelScore {
        self.scores.entry(Arc::clone(&self.model)).or_default()
    }

    fn count_invalid(&mut self) {
        let invalid = std::mem::take(&mut self.invalid);
        if invalid > 0 {
            self.score().invalid_calls += invalid;
        }
    }

    fn end(&mut self, ending: &Ending, at: Timestamp) -> GroupScores {
        // A call that was not run because the budget was spent is not the model's mistake.
        if matches!(ending, Ending::OverBudget { .. }) {
            self.invalid = 0;
        }
        self.count_invalid();
        match verdict(ending, &self.work) {
            EndingVerdict::Success => {
                let score = self.score();
                score.tasks += 1;
                score.successes += 1;
            }
            EndingVerdict::Failure { cause, reason } => {
                let score = self.score();
                score.tasks += 1;
                score.recall(TaskFailure { at, cause, reason, to: None });
            }
            EndingVerdict::SaysNothing => {}
        }
        let standing = |(model, score): (Arc<str>, ModelScore)| ModelStanding {
            model: model.to_string(),
            kind: self.kind.clone(),
            score,
        };
        let scores = std::mem::take(&mut self.scores);
        GroupScores { group: self.group, standings: scores.into_iter().map(standing).collect() }
    }
}

/// What an ending says about the model.
enum EndingVerdict {
    Success,
    Failure { cause: Option<StepCause>, reason: String },
    SaysNothing,
}

fn verdict(ending: &Ending, work: &WorkTally) -> EndingVerdict {
    match ending {
        // An answer about calls that were all denied is no proof that the model can do the task,
        // and none that it cannot.
        Ending::Answered { .. } if work.is_all_refused() => EndingVerdict::SaysNothing,
        Ending::Answered { .. } => EndingVerdict::Success,
        Ending::Rejected { what, reason } => {
            EndingVerdict::Failure { cause: Some(StepCause::Rejected), reason: format!("{what}: {reason}") }
        }
        Ending::Looping { tool, times } => {
            EndingVerdict::Failure { cause: None, reason: loop_in_words(tool, *times) }
        }
        // A person, a limit, a filter or a provider ended it, not the quality of the work.
        Ending::Refused { .. }
        | Ending::OverBudget { .. }
        | Ending::OverLimit { .. }
        | Ending::Cancelled { .. }
        | Ending::Failed { .. } => EndingVerdict::SaysNothing,
    }
}
