//! Whether a run did anything of what it was asked to do.

use std::collections::BTreeSet;

use holm_grants::Level;
use holm_kernel::{Config, Event, Numbered, Outcome, ToolCallId};
use serde::{Deserialize, Serialize};

/// Counts the calls of a turn group that ran and those that were refused. It looks at events alone.
///
/// Calls that can only talk (a list, a search for tools) are not work and do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkTally {
    /// Tools that can do nothing but talk.
    talk: BTreeSet<String>,
    /// Valid calls without an outcome yet.
    open: BTreeSet<ToolCallId>,
    ran: u64,
    refused: u64,
}

impl WorkTally {
    /// For a run of this configuration.
    pub fn new(config: &Config) -> Self {
        let talk = config.tools.iter().filter(|tool| tool.level == Level::None).map(|tool| tool.name.clone());
        Self { talk: talk.collect(), ..Self::default() }
    }

    /// Counts one event of the run.
    pub fn event(&mut self, numbered: &Numbered) {
        match &numbered.event {
            Event::GroupStarted { .. } => {
                self.open.clear();
                (self.ran, self.refused) = (0, 0);
            }
            Event::CallProposed { call, tool, .. } if !self.talk.contains(&**tool) => {
                self.open.insert(*call);
            }
            Event::CallFinished { call, outcome, .. } if self.open.remove(call) => match outcome {
                Outcome::Refused => self.refused += 1,
                _ => self.ran += 1,
            },
            _ => {}
        }
    }

    /// Whether the group tried to work, and not one of its calls was let through.
    pub const fn is_all_refused(&self) -> bool {
        self.refused > 0 && self.ran == 0
    }
}
