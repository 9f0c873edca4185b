//! A host dies, and another one takes over.

use holm_kernel::{
    Input,
    journal::{self, Snapshot, Writer},
};

use super::{Coming, Sim};
use crate::Ran;

/// What becomes of the answers that a dead host waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// They die with it.
    Lost,
    /// They arrive all the same, late.
    Answers,
}

impl Sim {
    /// Folds the journal and goes on; the state must be the one that the dead host had written down.
    pub(super) fn recover(&mut self, stood: &str, elsewhere: Elsewhere) {
        self.todo.clear();
        self.mishap = None;
        self.dying = false;
        if elsewhere == Elsewhere::Lost {
            self.coming.clear();
        }
        let folded = journal::decode_strict(self.journal.as_bytes())
            .map_err(|error| error.to_string())
            .and_then(|records| {
                let run =
                    journal::resume(self.snapshot.as_ref(), &records).map_err(|error| error.to_string())?;
                Ok((run, records.last().map(holm_kernel::journal::Record::head)))
            });
        match folded {
            Ok((run, Some(head))) => {
                self.run = run;
                self.writer = Writer::after(head);
            }
            Ok((_, None)) => self.violate("a journal folds again", "it holds no record"),
            Err(error) => self.violate("a journal folds again", error),
        }
        if self.state() != stood {
            self.violate("a fold gives the state that was", "the states differ");
        }
        self.clock = self.clock.saturating_add(self.takeovers.saturating_mul(10));
        let resumed = self.resumed();
        self.give(resumed, None);
    }

    /// Dies after everything was performed and before any of it was heard of: what tools did stays done.
    pub(super) fn die_having_performed(&mut self) {
        let seq = self.run.receipt().seq;
        for coming in std::mem::take(&mut self.coming).into_values() {
            match coming {
                Coming::Fact(..) => {}
                Coming::Work { call, tool, arguments, key, .. } => {
                    self.supply.work(&arguments);
                    self.ran.push(Ran { seq, call, tool, key });
                }
            }
        }
        let stood = self.state();
        self.recover(&stood, Elsewhere::Lost);
    }

    /// The fact that another host takes over.
    pub(super) fn resumed(&mut self) -> Input {
        self.takeovers += 1;
        Input::Resumed { host: format!("host-{}", self.takeovers) }
    }

    pub(super) fn take_snapshot(&mut self) {
        let Some(head) = self.writer.head() else { return };
        let taken =
            Snapshot::take(&self.run, head).and_then(|taken| Snapshot::decode(taken.encode().as_bytes()));
        match taken {
            Ok(snapshot) => self.snapshot = Some(snapshot),
            Err(error) => self.violate("a snapshot can be taken and read", error.to_string()),
        }
    }
}
