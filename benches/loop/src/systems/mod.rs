//! The loops under test, all driven through one small trait.

mod agnt;
mod clark;
mod floor;
mod holm;
mod naive;
mod wire;

use holm::{Holm, Variant};

/// One loop under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    /// The least that any loop must do: append the encoded messages to the body.
    Floor,
    /// A loop that encodes the whole body anew each turn.
    Naive,
    /// `agnt-core`.
    Agnt,
    /// `clark-agent`.
    Clark,
    /// Holm's kernel; a call's need is filled in from its arguments, the history is kept whole.
    Holm,
    /// Holm with a tool that declares no need.
    HolmNoNeeds,
    /// Holm with the planner's own figures: what no longer fits the window leaves the view.
    HolmPlanned,
}

impl System {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 7] =
        [Self::Floor, Self::Naive, Self::Agnt, Self::Clark, Self::Holm, Self::HolmNoNeeds, Self::HolmPlanned];

    /// The name used in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Naive => "naive",
            Self::Agnt => "agnt-core",
            Self::Clark => "clark-agent",
            Self::Holm => "holm",
            Self::HolmNoNeeds => "holm-no-needs",
            Self::HolmPlanned => "holm-planned",
        }
    }

    /// The system of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.name() == name)
    }

    /// Sets a loop up for `turns` turns with one tool call each and a plain answer after them.
    pub fn prepare(self, turns: u64) -> Box<dyn Session> {
        match self {
            Self::Floor => Box::new(floor::Floor::new(turns)),
            Self::Naive => Box::new(naive::Naive::new(turns)),
            Self::Agnt => Box::new(agnt::Agnt::new(turns)),
            Self::Clark => Box::new(clark::Clark::new(turns)),
            Self::Holm => Box::new(Holm::new(turns, Variant::Judged)),
            Self::HolmNoNeeds => Box::new(Holm::new(turns, Variant::NoNeeds)),
            Self::HolmPlanned => Box::new(Holm::new(turns, Variant::Planned)),
        }
    }
}

/// A loop that is set up and was not prompted yet.
pub trait Session {
    /// Goes from the prompt to the answer. What a caller would keep afterwards is kept in the session.
    fn run(&mut self) -> Outcome;

    /// The encoded body that the session keeps, for those that keep one.
    fn body(&self) -> &[u8] {
        &[]
    }
}

/// What can be told of a finished session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Tool calls that ran.
    pub calls: u64,
    /// The answer at the end.
    pub answer: String,
    /// What was made of the request bytes.
    pub consumed: u64,
}

#[cfg(test)]
mod tests;
