//! Hands out a script's lines, each once.

use holm_kernel::{Answer, CheckRuling, Usage};

use crate::{Child, Line, Mishap, Ruling, Script, Then, What, Work};

/// A script and how far it has been used.
#[derive(Debug)]
pub(super) struct Supply {
    script: Script,
    prompts: usize,
    lines: usize,
    works: usize,
    rulings: usize,
    answers: usize,
    checks: usize,
    children: usize,
    interrupts: usize,
    /// Faults that have happened.
    used: Vec<bool>,
    /// Whether nothing goes wrong any more, and everybody answers.
    calm: bool,
}

impl Supply {
    pub(super) fn new(mut script: Script) -> Self {
        script.interrupts.sort_by_key(|interrupt| interrupt.after);
        let used = vec![false; script.faults.len()];
        Self {
            script,
            prompts: 0,
            lines: 0,
            works: 0,
            rulings: 0,
            answers: 0,
            checks: 0,
            children: 0,
            interrupts: 0,
            used,
            calm: false,
        }
    }

    pub(super) fn into_script(self) -> Script {
        self.script
    }

    /// From now on nothing goes wrong, and everybody answers.
    pub(super) fn calm_down(&mut self) {
        self.calm = true;
    }

    /// Whether from this record on nothing is left that goes wrong, and nobody is left to speak up.
    pub(super) fn is_spent(&self, from: u64) -> bool {
        let mut faults = self.script.faults.iter().zip(&self.used);
        self.interrupts >= self.script.interrupts.len()
            && faults.all(|(fault, used)| *used || fault.at < from)
    }

    pub(super) fn prompt(&mut self) -> Option<String> {
        next(&self.script.prompts, &mut self.prompts)
    }

    pub(super) fn line(&mut self) -> Line {
        if self.script.then == Then::Repeats && self.lines >= self.script.model.len() {
            self.lines = 0;
        }
        next(&self.script.model, &mut self.lines).unwrap_or_else(|| Line::says("done"))
    }

    pub(super) fn usage(&self) -> Usage {
        self.script.usage
    }

    /// Where nothing is scripted, a tool echoes.
    pub(super) fn work(&mut self, arguments: &str) -> Work {
        let scripted = next(&self.script.tools, &mut self.works);
        let answers = scripted.filter(|work| !(self.calm && *work == Work::Hangs));
        answers.unwrap_or_else(|| Work::Gives(format!("did {arguments}")))
    }

    pub(super) fn ruling(&mut self) -> Ruling {
        let scripted = next(&self.script.people, &mut self.rulings);
        scripted.filter(|ruling| !(self.calm && *ruling == Ruling::Silent)).unwrap_or(Ruling::Allows)
    }

    pub(super) fn answer(&mut self) -> Answer {
        next(&self.script.hooks, &mut self.answers).unwrap_or(Answer::Nothing)
    }

    pub(super) fn check(&mut self) -> CheckRuling {
        next(&self.script.checks, &mut self.checks).unwrap_or(CheckRuling::Passed)
    }

    pub(super) fn child(&mut self) -> Child {
        let done = || Child::Answers("the child is done".into(), 500);
        next(&self.script.children, &mut self.children).unwrap_or_else(done)
    }

    /// The next interruption that is due at a record.
    pub(super) fn interrupt(&mut self, seq: u64) -> Option<What> {
        let interrupt = self.script.interrupts.get(self.interrupts)?;
        if interrupt.after > seq {
            return None;
        }
        self.interrupts += 1;
        Some(interrupt.what.clone())
    }

    /// What drops the run at a record, if anything does; two at one record make a crash within a recovery.
    pub(super) fn crash(&mut self, seq: u64) -> Option<Mishap> {
        self.take(seq, Mishap::drops_the_run)
    }

    /// The other mishaps at a record.
    pub(super) fn mishaps(&mut self, seq: u64) -> Vec<Mishap> {
        let mut found = Vec::new();
        while let Some(mishap) = self.take(seq, |_| true) {
            found.push(mishap);
        }
        found
    }

    fn take(&mut self, seq: u64, wanted: impl Fn(Mishap) -> bool) -> Option<Mishap> {
        if self.calm {
            return None;
        }
        for (fault, used) in self.script.faults.iter().zip(&mut self.used) {
            if !*used && fault.at == seq && wanted(fault.mishap) {
                *used = true;
                return Some(fault.mishap);
            }
        }
        None
    }
}

fn next<T: Clone>(list: &[T], at: &mut usize) -> Option<T> {
    let item = list.get(*at).cloned()?;
    *at += 1;
    Some(item)
}
