//! Simulates a host that crashes or cannot write, and the recovery of the run from its journal.
//! The mishaps are in `script/fault.rs`, and what happens at which record is in `sim/mod.rs`.

use holm_kernel::{
    Input, Run,
    journal::{self, Head, JournalFault as Damage, JournalRecord, JournalTail, JournalWriter, Snapshot},
};

use super::{Coming, Sim};
use crate::planted::{Slip, planted};
use crate::{Mishap, Ran};

/// What happens to the answers that a crashed host was waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// They are lost.
    Lost,
    /// They still arrive, late.
    Answers,
}

impl Sim {
    /// The record was not appended, so it must have no effect. `stood` is the state before it.
    pub(super) fn fail_to_append(&mut self, mishap: Mishap, line: &str, stood: &str) {
        if let Mishap::Torn(cut) = mishap {
            self.tear(line, cut);
        }
        // With a full disk the host is still alive and receives the answers.
        let lives = mishap == Mishap::DiskFull;
        self.recover(stood, if lives { Elsewhere::Answers } else { Elsewhere::Lost });
    }

    /// Writes the beginning of a line: at least one byte of it, and never its end.
    fn tear(&mut self, line: &str, cut: u64) {
        let most = (line.len() as u64).saturating_sub(1).max(1);
        let written = usize::try_from(1 + cut % most).unwrap_or(1);
        self.journal.extend_from_slice(line.as_bytes().get(..written).unwrap_or_default());
        self.torn = true;
    }

    /// Restores the run from the journal and continues; the state must equal `stood`.
    pub(super) fn recover(&mut self, stood: &str, elsewhere: Elsewhere) {
        self.todo.clear();
        self.mishap = None;
        self.swaps = None;
        self.dying = false;
        if elsewhere == Elsewhere::Lost {
            self.coming.clear();
        }
        match self.fold() {
            Ok((run, head)) => {
                self.run = run;
                self.writer = JournalWriter::after(head);
            }
            Err(error) => self.violate("a journal can be replayed", error),
        }
        if self.state() != stood {
            self.violate("a replay restores the same state", "the states differ");
        }
        self.clock = self.clock.saturating_add(self.takeovers.saturating_mul(10));
        let resumed = self.resumed();
        if planted(Slip::TakeoverUnsaid) {
            return;
        }
        self.give(resumed, None);
        if planted(Slip::TimerUnarmed) {
            self.wait = None;
        }
    }

    /// Reads the journal like a host that takes over: an incomplete last line is dropped, any other damage is an error.
    fn fold(&mut self) -> Result<(Run, Head), String> {
        let decoded = journal::decode(&self.journal).map_err(|error| error.to_string())?;
        let mut records = decoded.records;
        match (std::mem::take(&mut self.torn), decoded.tail) {
            (false, JournalTail::Clean) => {}
            (true, JournalTail::Torn(error)) if error.fault == Damage::Unfinished => {
                self.cut(error.at_byte, &mut records);
            }
            (true, JournalTail::Clean) => {
                return Err("the last line is incomplete, and the reader did not notice it".into());
            }
            (_, JournalTail::Torn(error)) => return Err(error.to_string()),
        }
        let head = records.last().map(JournalRecord::head).ok_or("the journal holds no record")?;
        let run = journal::resume(self.snapshot.as_ref(), &records).map_err(|error| error.to_string())?;
        Ok((run, head))
    }

    /// Truncates the journal after its last complete record.
    fn cut(&mut self, at_byte: u64, records: &mut Vec<JournalRecord>) {
        if planted(Slip::TornLineKept) {
            return;
        }
        let mut end = usize::try_from(at_byte).unwrap_or(usize::MAX);
        if planted(Slip::WholeRecordCut) && records.len() > 1 {
            end = end.saturating_sub(records.pop().map_or(0, |record| record.line().len()));
        }
        self.journal.truncate(end);
    }

    /// Crashes after all effects were performed and before any result arrived: the work of tools remains.
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

    /// The input that says that another host takes over.
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
