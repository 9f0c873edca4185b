//! The journal alone gives everything again.

use holm_kernel::{
    Effect, Numbered, Run, Seq,
    journal::{self, Head, JournalRecord, JournalWriter, Snapshot},
};

use crate::outcome::{event_lines, state_of};
use crate::{Outcome, Violation};

const PROMISE: &str = "a replay gives the same, byte for byte";

/// A replay gives the same effects, the same event bytes and the same state. So does a snapshot with the records after
/// it, and so does a fork that is told the same: both are taken at a record that the seed chooses.
pub fn replays_the_same(outcome: &Outcome) -> Vec<Violation> {
    let wrong = |message: String| vec![Violation::new(PROMISE, None, message)];
    let records = match journal::decode_strict(outcome.journal.as_bytes()) {
        Ok(records) => records,
        Err(error) => return wrong(error.to_string()),
    };
    let Some(head) = records.last().map(JournalRecord::head) else {
        return wrong("the journal is empty".into());
    };
    let mut found = whole(outcome, &records, head);
    let at = outcome.seed % records.len() as u64;
    if let Err(message) = from(outcome, &records, head, at) {
        found.push(Violation::new(PROMISE, Seq::new(at), message));
    }
    found
}

/// Folds the whole journal and compares everything that came out.
fn whole(outcome: &Outcome, records: &[JournalRecord], head: Head) -> Vec<Violation> {
    let mut shown = Vec::new();
    let replayed = journal::replay_with(records, |seq, effect| shown.push((seq, effect.clone())));
    let replayed = match replayed {
        Ok(run) => run,
        Err(error) => return vec![Violation::new(PROMISE, None, error.to_string())],
    };
    let mut found = Vec::new();
    let live: usize = outcome.steps.iter().map(|step| step.effects.len() + 1).sum();
    if shown.len() != live {
        found.push(Violation::new(PROMISE, None, format!("{} effects instead of {live}", shown.len())));
    }
    if let Some((seq, effect)) = differing(outcome, &shown) {
        found.push(Violation::new(PROMISE, seq, format!("{effect:?} is not what was")));
    }
    if event_lines(shown.iter().filter_map(|(_, effect)| event(effect))) != outcome.event_bytes() {
        found.push(Violation::new(PROMISE, None, "the bytes of the events differ"));
    }
    if state_of(&replayed, head).as_ref() != Ok(&outcome.state) {
        found.push(Violation::new(PROMISE, None, "the state differs"));
    }
    found
}

/// Goes on from record `at`, once from a snapshot and once as a fork.
fn from(outcome: &Outcome, records: &[JournalRecord], head: Head, at: u64) -> Result<(), String> {
    let past = journal::fork(records, Seq::new(at)).map_err(text)?;
    let tail = records.get(past.len()..).unwrap_or_default();
    let stood = past.last().map(JournalRecord::head).ok_or("there is no past")?;
    let mut forked = Run::replay(past).map_err(text)?;
    let snapshot = Snapshot::take(&forked, stood).map_err(text)?;
    let snapshot = Snapshot::decode(snapshot.encode().as_bytes()).map_err(text)?;
    let resumed = journal::resume_from(&snapshot, tail).map_err(text)?;
    if state_of(&resumed, head).as_ref() != Ok(&outcome.state) {
        return Err("snapshot and tail give another state".into());
    }
    let brief = |run: &Run, head| Snapshot::without_transcript(run, head).map_err(text);
    let snapshot = Snapshot::decode(brief(&forked, stood)?.encode().as_bytes()).map_err(text)?;
    let resumed = journal::resume_from(&snapshot, tail).map_err(text)?;
    if brief(&resumed, head)? != brief(&outcome.run, head)? {
        return Err("a snapshot without the transcript and its tail give another state".into());
    }
    let mut writer = JournalWriter::after(stood);
    let mut journal: String = past.iter().map(JournalRecord::line).collect();
    for step in outcome.steps.get(past.len()..).unwrap_or_default() {
        let line = journal::step(&mut forked, &mut writer, step.at, step.input.clone());
        journal.push_str(&line.map_err(text)?);
        while !matches!(forked.poll(), Effect::Wait(_)) {}
    }
    if journal != outcome.journal {
        return Err("a fork that is told the same writes another journal".into());
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands the error over")]
fn text(error: impl ToString) -> String {
    error.to_string()
}

fn event(effect: &Effect) -> Option<&Numbered> {
    if let Effect::Emit(numbered) = effect { Some(numbered) } else { None }
}

/// The first effect of the replay that the live run did not have at that place.
fn differing<'a>(outcome: &Outcome, shown: &'a [(Seq, Effect)]) -> Option<(Seq, &'a Effect)> {
    let mut there = shown.iter();
    for step in &outcome.steps {
        let wait = Effect::Wait(step.wait);
        for effect in step.effects.iter().chain([&wait]) {
            let (seq, other) = there.next()?;
            if *seq != step.seq || other != effect {
                return Some((*seq, other));
            }
        }
    }
    there.next().map(|(seq, effect)| (*seq, effect))
}
