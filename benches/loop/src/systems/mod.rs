//! The loops under test.

mod holm;
mod naive;

use holm_bench_kit::{
    Session,
    holm::Variant,
    peers::{Agnt, Clark, Floor},
};

use holm::Holm;
use naive::Naive;

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

impl holm_bench_kit::System for System {
    const ALL: &'static [Self] = &[
        Self::Floor,
        Self::Naive,
        Self::Agnt,
        Self::Clark,
        Self::Holm,
        Self::HolmNoNeeds,
        Self::HolmPlanned,
    ];

    fn name(self) -> &'static str {
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

    fn prepare(self, turns: u64) -> Box<dyn Session> {
        match self {
            Self::Floor => Box::new(Floor::new(turns)),
            Self::Naive => Box::new(Naive::new(turns)),
            Self::Agnt => Box::new(Agnt::new(turns)),
            Self::Clark => Box::new(Clark::new(turns)),
            Self::Holm => Box::new(Holm::new(turns, Variant::Judged)),
            Self::HolmNoNeeds => Box::new(Holm::new(turns, Variant::NoNeeds)),
            Self::HolmPlanned => Box::new(Holm::new(turns, Variant::Planned)),
        }
    }
}

#[cfg(test)]
mod tests;
