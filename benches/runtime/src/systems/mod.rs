//! The loops under test.

mod holm;
mod rig;
mod scripted;

use holm_bench_kit::{
    Session,
    peers::{Agnt, Clark, Floor},
};

pub use holm::agent;
pub use scripted::{LastTurn, Scripted};

use holm::{Driven, Journaled};
use rig::Rig;

/// One loop under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    /// The least that any loop must do: append the encoded messages to the body.
    Floor,
    /// Holm's driver with journals in memory.
    Holm,
    /// Holm's driver with journals in SQLite.
    HolmSqlite,
    /// `agnt-core`.
    Agnt,
    /// `clark-agent`.
    Clark,
    /// `rig-core` with the loop of `rig-agent`.
    Rig,
}

impl holm_bench_kit::System for System {
    const ALL: &'static [Self] =
        &[Self::Floor, Self::Holm, Self::HolmSqlite, Self::Agnt, Self::Clark, Self::Rig];

    fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Holm => "holm",
            Self::HolmSqlite => "holm-sqlite",
            Self::Agnt => "agnt-core",
            Self::Clark => "clark-agent",
            Self::Rig => "rig-core",
        }
    }

    fn prepare(self, turns: u64) -> Box<dyn Session> {
        match self {
            Self::Floor => Box::new(Floor::new(turns)),
            Self::Holm => Box::new(Driven::new(turns, Journaled::InMemory)),
            Self::HolmSqlite => Box::new(Driven::new(turns, Journaled::InSqlite)),
            Self::Agnt => Box::new(Agnt::new(turns)),
            Self::Clark => Box::new(Clark::new(turns)),
            Self::Rig => Box::new(Rig::new(turns)),
        }
    }
}

#[cfg(test)]
mod tests;
