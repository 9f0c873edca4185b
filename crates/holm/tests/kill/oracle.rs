//! Compares the file that the tools wrote with what the journal says.

use std::{collections::BTreeMap, fs, io, path::Path};

use holm::{
    kernel::{Block, Outcome, Run},
    runtime::{Agent, RunReplay},
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
        judge_call(call, outcomes.get(&call).copied(), lines, tally)?;
    }
    tally.told += same_events(folder, process, &replayed)?;
    Ok(())
}

/// Counts a call. The outcome is `None` if the journal does not mention the call.
fn judge_call(call: usize, outcome: Option<Outcome>, lines: u64, tally: &mut Tally) -> Result<(), String> {
    let tool = tool_of(call);
    let fault =
        || format!("call {call} of `{tool}`: the journal says {outcome:?}, the file has {lines} line(s)");
    match (tool, outcome, lines) {
        ("append", Some(Outcome::Succeeded), 1) => tally.succeeded += 1,
        ("append", Some(Outcome::Unknown), 1) => tally.ran_unanswered += 1,
        ("append", Some(Outcome::Unknown), 0) => tally.never_ran += 1,
        ("put", Some(Outcome::Succeeded), 1..) => {
            tally.succeeded += 1;
            tally.ran_again += lines - 1;
        }
        (_, None, _) | (_, Some(Outcome::Succeeded), 0) => {
            tally.lost += 1;
            tally.faults.push(fault());
        }
        ("append", Some(_), 2..) => {
            tally.doubled += lines - 1;
            tally.faults.push(fault());
        }
        _ => return Err(fault()),
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
fn replay(folder: &Path) -> Result<RunReplay, String> {
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

/// What the last process told its watchers is what the replay tells, event by event; how many there
/// were. One that finds the run ended already has nothing to tell.
fn same_events(folder: &Path, process: u32, replayed: &RunReplay) -> Result<u64, String> {
    let path = folder.join(format!("events-{process}"));
    let live = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| format!("{}: {error}", path.display()))?,
    };
    let told: Vec<String> = replayed.events.iter().map(|event| format!("{event:?}")).collect();
    let live: Vec<&str> = live.lines().collect();
    let tail = told.len().checked_sub(live.len()).and_then(|from| told.get(from..));
    let tail = tail.ok_or("the process told more than the journal holds")?;
    match live.iter().zip(tail).find(|(live, told)| **live != told.as_str()) {
        Some((live, told)) => Err(format!("the replay tells another story: {told} instead of {live}")),
        None => Ok(live.len() as u64),
    }
}
