//! Compares the file that the tools wrote with what the journal says.

use std::{collections::BTreeMap, fs, path::Path};

use holm::{
    kernel::{Block, Outcome, Run},
    runtime::{Agent, Replayed},
    store::Store,
};

use crate::{
    case::Tally,
    child::RUN,
    provider::{CALLS, tool_of},
};

/// Judges a run that has ended; `process` is the one that ended it.
pub(crate) fn judge(folder: &Path, process: u32, tally: &mut Tally) -> Result<(), String> {
    let lines = effects(&folder.join("effects"))?;
    let replayed = replay(folder)?;
    let outcomes = outcomes(&replayed.run)?;
    for call in 0..CALLS {
        let lines = lines.get(&call).copied().unwrap_or(0);
        let outcome = outcomes.get(&call).ok_or_else(|| format!("call {call} was lost"))?;
        judge_call(call, *outcome, lines, tally)?;
    }
    same_events(folder, process, &replayed)
}

fn judge_call(call: usize, outcome: Outcome, lines: u64, tally: &mut Tally) -> Result<(), String> {
    match (tool_of(call), outcome, lines) {
        ("append", Outcome::Succeeded, 1) => tally.succeeded += 1,
        ("append", Outcome::Unknown, 1) => tally.ran_unanswered += 1,
        ("append", Outcome::Unknown, 0) => tally.never_ran += 1,
        ("put", Outcome::Succeeded, 1..) => {
            tally.succeeded += 1;
            tally.ran_again += lines - 1;
        }
        (tool, outcome, lines) => {
            return Err(format!(
                "call {call} of `{tool}`: the journal says {outcome:?}, the file has {lines} line(s)"
            ));
        }
    }
    Ok(())
}

/// How often each call's line stands in the file.
fn effects(path: &Path) -> Result<BTreeMap<usize, u64>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let number = line.split_once(r#"{"n":"#).and_then(|(_, rest)| rest.strip_suffix('}'));
        let call =
            number.and_then(|number| number.parse().ok()).ok_or_else(|| format!("a torn line: {line}"))?;
        *counts.entry(call).or_insert(0) += 1;
    }
    Ok(counts)
}

/// Tells the run again from its journal, with no model and no tool at hand.
fn replay(folder: &Path) -> Result<Replayed, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let store = Store::open(folder.join("holm.db")).await.map_err(|error| error.to_string())?;
        let nobody = holm::models::ScriptedModel::says([]);
        let agent = Agent::builder("double/lines", nobody).journals(store).build();
        let agent = agent.map_err(|error| error.to_string())?;
        agent.replay(RUN).await.map_err(|error| error.to_string())
    })
}

/// What each call came to, each exactly once.
fn outcomes(run: &Run) -> Result<BTreeMap<usize, Outcome>, String> {
    let mut outcomes = BTreeMap::new();
    for message in run.transcript() {
        for block in &message.blocks {
            let Block::ToolResult(result) = block else { continue };
            let number = result.call.strip_prefix("call-").and_then(|number| number.parse().ok());
            let call: usize =
                number.ok_or_else(|| format!("a result for the unknown call {}", result.call))?;
            if outcomes.insert(call, result.outcome).is_some() {
                return Err(format!("call {call} has two results"));
            }
        }
    }
    Ok(outcomes)
}

/// What the last process told its watchers is what the replay tells, event by event.
fn same_events(folder: &Path, process: u32, replayed: &Replayed) -> Result<(), String> {
    let live = fs::read_to_string(folder.join(format!("events-{process}"))).unwrap_or_default();
    let told: Vec<String> = replayed.events.iter().map(|event| format!("{event:?}")).collect();
    let live: Vec<&str> = live.lines().collect();
    let tail = told.len().checked_sub(live.len()).and_then(|from| told.get(from..));
    let tail = tail.ok_or("the process told more than the journal holds")?;
    match live.iter().zip(tail).find(|(live, told)| **live != told.as_str()) {
        Some((live, told)) => Err(format!("the replay tells another story: {told} instead of {live}")),
        None => Ok(()),
    }
}
