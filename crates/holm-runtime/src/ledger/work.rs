//! Whether a run did anything of what it was asked to do.

use std::collections::{BTreeMap, BTreeSet};

use holm_grants::Level;
use holm_kernel::{Config, Event, Numbered, Outcome, ToolCallId};
use serde::{Deserialize, Serialize};

/// Counts the calls of a turn group that ran and those that were refused. It looks at events alone.
///
/// Calls that can only talk (a list, a search for tools) are not work and do not count. Where a write
/// was refused, look-ups do not make up for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkTally {
    /// Tools that can do nothing but talk.
    talk: BTreeSet<String>,
    /// The levels of tools that can change something.
    changing: BTreeMap<String, Level>,
    /// Valid calls without an outcome yet, with the level of the tool if it can change something.
    open: BTreeMap<ToolCallId, Option<Level>>,
    ran: u64,
    /// Calls that ran and could change something.
    changed: u64,
    refused: u64,
    refused_writes: u64,
}

impl WorkTally {
    /// For a run of this configuration.
    pub fn new(config: &Config) -> Self {
        let talk = config.tools.iter().filter(|tool| tool.level == Level::None).map(|tool| tool.name.clone());
        let changing = config.tools.iter().filter(|tool| tool.level >= Level::Write);
        let changing = changing.map(|tool| (tool.name.clone(), tool.level)).collect();
        Self { talk: talk.collect(), changing, ..Self::default() }
    }

    /// Counts one event of the run.
    pub fn event(&mut self, numbered: &Numbered) {
        match &numbered.event {
            Event::GroupStarted { .. } => {
                self.open.clear();
                (self.ran, self.changed, self.refused, self.refused_writes) = (0, 0, 0, 0);
            }
            Event::CallProposed { call, tool, .. } if !self.talk.contains(&**tool) => {
                self.open.insert(*call, self.changing.get(&**tool).copied());
            }
            Event::CallFinished { call, outcome, .. } => {
                if let Some(level) = self.open.remove(call) {
                    self.count(*outcome, level);
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, outcome: Outcome, level: Option<Level>) {
        if outcome == Outcome::Refused {
            self.refused += 1;
            // A command may have been one that looks.
            self.refused_writes += u64::from(level == Some(Level::Write));
        } else {
            self.ran += 1;
            self.changed += u64::from(level.is_some());
        }
    }

    /// Whether the group tried to work, and not one of its calls was let through; or it tried to
    /// write, and no call ran that can change something.
    pub const fn is_all_refused(&self) -> bool {
        (self.refused > 0 && self.ran == 0) || (self.refused_writes > 0 && self.changed == 0)
    }
}
