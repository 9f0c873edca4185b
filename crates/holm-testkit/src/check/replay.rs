//! The journal alone gives everything again.

use holm_kernel::{
    Effect, Numbered, Run, Seq, Timestamp,
    journal::{self, Record, Snapshot, Writer},
};

use crate::outcome::{event_lines, state_of};
use crate::{Outcome, Violation};

/// A replay gives the same effects, the same event bytes and the same state; so does a snapshot with its tail.
pub fn replays_the_same(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a replay gives the same, byte for byte";
    let wrong = |message: String| vec![Violation::new(promise, None, message)];
    let records = match journal::decode_strict(outcome.journal.as_bytes()) {
        Ok(records) => records,
        Err(error) => return wrong(error.to_string()),
    };
    let mut shown = Vec::new();
    let replayed = journal::replay_with(&records, |seq, effect| shown.push((seq, effect.clone())));
    let replayed = match replayed {
        Ok(run) => run,
        Err(error) => return wrong(error.to_string()),
    };
    let mut found = Vec::new();
    if let Some((seq, effect)) = differing(outcome, &shown) {
        found.push(Violation::new(promise, seq, format!("{effect:?} is not what was")));
    }
    let events = shown.iter().filter_map(|(_, effect)| event(effect));
    if event_lines(events) != outcome.event_bytes() {
        found.push(Violation::new(promise, None, "the bytes of the events differ"));
    }
    let Some(head) = records.last().map(Record::head) else { return wrong("the journal is empty".into()) };
    let same = |run: &Run| state_of(run, head).as_ref() == Ok(&outcome.state);
    if !same(&replayed) {
        found.push(Violation::new(promise, None, "the state differs"));
    }
    let at = middle(outcome, &records);
    match from_snapshot(&records, at) {
        Ok(run) if same(&run) => {}
        Ok(_) => {
            found.push(Violation::new(promise, records[at].seq(), "snapshot and tail give another state"))
        }
        Err(error) => found.push(Violation::new(promise, records[at].seq(), error)),
    }
    found
}

/// Two futures of the same past go the same way as long as they are told the same.
pub fn forks_go_the_same_way(outcome: &Outcome) -> Vec<Violation> {
    let promise = "a fork has the same past and the same future";
    let Ok(records) = journal::decode_strict(outcome.journal.as_bytes()) else { return Vec::new() };
    if records.is_empty() {
        return Vec::new();
    }
    let at = middle(outcome, &records);
    match told_again(outcome, &records, at) {
        Ok(journal) if journal == outcome.journal => Vec::new(),
        Ok(_) => vec![Violation::new(promise, records[at].seq(), "its journal differs")],
        Err(error) => vec![Violation::new(promise, records[at].seq(), error)],
    }
}

fn told_again(outcome: &Outcome, records: &[Record], at: usize) -> Result<String, String> {
    let past = journal::fork(records, Seq::new(at as u64)).map_err(|error| error.to_string())?;
    let mut run = journal::replay(past).map_err(|error| error.to_string())?;
    let head = past.last().map(Record::head).ok_or("the past is empty")?;
    let mut writer = Writer::after(head);
    let mut text: String = past.iter().map(Record::line).collect();
    for step in outcome.steps.get(at + 1..).unwrap_or_default() {
        let now = Timestamp::new(step.at.value());
        let line = journal::step(&mut run, &mut writer, now, step.input.clone());
        text.push_str(&line.map_err(|error| error.to_string())?);
        while !matches!(run.poll(), Effect::Wait(_)) {}
    }
    Ok(text)
}

/// A place in the journal, from the seed.
fn middle(outcome: &Outcome, records: &[Record]) -> usize {
    let count = records.len().max(1) as u64;
    usize::try_from(outcome.seed % count).unwrap_or(0)
}

fn from_snapshot(records: &[Record], at: usize) -> Result<Run, String> {
    let (past, tail) = records.split_at(at + 1);
    let run = journal::replay(past).map_err(|error| error.to_string())?;
    let head = past.last().map(Record::head).ok_or("the past is empty")?;
    let snapshot = Snapshot::take(&run, head).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::decode(snapshot.encode().as_bytes()).map_err(|error| error.to_string())?;
    journal::resume_from(&snapshot, tail).map_err(|error| error.to_string())
}

fn event(effect: &Effect) -> Option<&Numbered> {
    if let Effect::Emit(numbered) = effect { Some(numbered) } else { None }
}

/// The first effect of the replay that the live run did not have at that place.
fn differing<'a>(outcome: &Outcome, shown: &'a [(Seq, Effect)]) -> Option<(Seq, &'a Effect)> {
    let live = outcome.steps.iter().flat_map(|step| {
        let wait = Effect::Wait(step.wait);
        step.effects.iter().cloned().chain([wait]).map(|effect| (step.seq, effect))
    });
    let mut live = live.fuse();
    let differs = shown.iter().find(|there| live.next().as_ref() != Some(there));
    differs.map(|(seq, effect)| (*seq, effect))
}
