//! Goes through the records with both kernels and stops at the first difference.

use holm_kernel::{Config, Effect, Event, Ladder, Protocol};

use super::{
    due_work::{Due, without},
    kernel::{Halt, Kernel},
};
use crate::Step;

/// How far two kernels were compared, and where they differed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Records after which both decided the same.
    pub records: u64,
    /// The record at which the comparison ended early, and why.
    pub left: Option<(u64, Left)>,
    /// The first difference; nothing is compared after it.
    pub difference: Option<Difference>,
}

/// Two kernels decided differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The record.
    pub seq: u64,
    /// What each of them wants.
    pub message: String,
}

/// What the naive kernel does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// Calls are written as text.
    Text,
    /// Tools have other names.
    Aliases,
    /// A stronger model takes over, or the ladder is no plain one.
    Ladder,
    /// A part of the transcript is summed up.
    Summary,
    /// The conversation is longer than the window.
    Overflow,
    /// The loop detector spoke.
    Loop,
    /// A result was not believed.
    Guard,
    /// A result is checked by the host.
    Check,
    /// A tool has a quota.
    Quota,
    /// A skill, a change of plan, or a child in the background.
    Kind,
    /// The run waits for what children hold, or has very many.
    Shares,
}

impl Left {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Text,
        Self::Aliases,
        Self::Ladder,
        Self::Summary,
        Self::Overflow,
        Self::Loop,
        Self::Guard,
        Self::Check,
        Self::Quota,
        Self::Kind,
        Self::Shares,
    ];

    /// A few words for a table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "calls are text",
            Self::Aliases => "tools have aliases",
            Self::Ladder => "a ladder is climbed",
            Self::Summary => "a summary is made",
            Self::Overflow => "the window overflows",
            Self::Loop => "a loop is seen",
            Self::Guard => "a result is not believed",
            Self::Check => "a result is checked by the host",
            Self::Quota => "a tool has a quota",
            Self::Kind => "a skill, a plan or a child in the background",
            Self::Shares => "the shares of children are waited for",
        }
    }
}

/// Compares a whole list of records, from the first on.
pub fn compare(config: &Config, steps: &[Step]) -> Comparison {
    let mut naive = Naive::new(config);
    for step in steps {
        naive.hear(step);
    }
    naive.comparison
}

/// The naive kernel in lockstep with the real one.
#[derive(Debug)]
pub(crate) struct Naive {
    kernel: Kernel,
    pub(crate) comparison: Comparison,
}

impl Naive {
    pub(crate) fn new(config: &Config) -> Self {
        let left = unknown_setting(config).map(|left| (0, left));
        Self { kernel: Kernel::new(config), comparison: Comparison { left, ..Comparison::default() } }
    }

    /// Takes a record with what the real kernel made of it.
    pub(crate) fn hear(&mut self, step: &Step) {
        if self.comparison.left.is_some() || self.comparison.difference.is_some() {
            return;
        }
        let seq = step.seq.value();
        match self.agree(step) {
            Ok(()) => self.comparison.records += 1,
            Err(Halt::Left(left)) => self.comparison.left = Some((seq, left)),
            Err(Halt::Differs(message)) => self.comparison.difference = Some(Difference { seq, message }),
        }
    }

    fn agree(&mut self, step: &Step) -> Result<(), Halt> {
        if let Some(left) = unknown_step(step) {
            return Err(Halt::Left(left));
        }
        self.kernel.take(step)?;
        let did = Due::read(step);
        let (only_naive, only_real) = (without(&self.kernel.due, &did), without(&did, &self.kernel.due));
        if !only_naive.is_empty() || !only_real.is_empty() {
            return Err(Halt::Differs(format!(
                "the naive kernel wants {only_naive:?} and the kernel {only_real:?} after {:?}",
                step.input
            )));
        }
        self.kernel.adopt(step)?;
        let wait = self.kernel.wait();
        if wait != step.wait {
            return Err(Halt::Differs(format!(
                "the naive kernel waits until {wait:?} and the kernel until {:?}",
                step.wait
            )));
        }
        Ok(())
    }
}

/// What in a configuration the naive kernel does not know.
fn unknown_setting(config: &Config) -> Option<Left> {
    if config.protocol == Protocol::Text {
        return Some(Left::Text);
    }
    if !config.policy.aliases.is_empty() {
        return Some(Left::Aliases);
    }
    let plain = |ladder: &Ladder| ladder.start == 0 && ladder.rungs.is_empty();
    let priced = config.models.iter().all(|model| model.price.is_some());
    if config.ladder.as_ref().is_some_and(|ladder| !plain(ladder) || !priced) {
        return Some(Left::Ladder);
    }
    None
}

/// What at a record the naive kernel does not know.
fn unknown_step(step: &Step) -> Option<Left> {
    step.effects.iter().find_map(|effect| match effect {
        Effect::Check { .. } => Some(Left::Check),
        Effect::Summarise { .. } => Some(Left::Summary),
        Effect::Emit(numbered) => match &numbered.event {
            Event::LoopSeen { .. } => Some(Left::Loop),
            Event::SteppedUp { .. } | Event::LadderExhausted { .. } => Some(Left::Ladder),
            Event::Ruled { rejected: true, .. } => Some(Left::Guard),
            _ => None,
        },
        Effect::CallModel { .. }
        | Effect::RunTool { .. }
        | Effect::Spawn { .. }
        | Effect::Abort(_)
        | Effect::Judge(_)
        | Effect::Consult(_)
        | Effect::Finish(_)
        | Effect::Wait(_) => None,
    })
}
