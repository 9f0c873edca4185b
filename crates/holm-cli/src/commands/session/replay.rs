//! `holm session replay`: replays a journal, without a model and without tools, and shows what
//! happened. The words are in `commands/session/replay_narrator.rs`, stepping by keys in
//! `commands/session/step.rs`. With `--json` it prints the same bytes that `holm run --output
//! stream-json` printed at the time.

use std::collections::VecDeque;

use holm::{
    kernel::{
        Effect,
        journal::{self, JournalRecord},
    },
    store::{Store, withheld},
};

use super::{replay_narrator, step};
use crate::{exit::CommandExit, screen::TerminalOutput, withheld_prompts};

/// Arguments of `holm session replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionReplayArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) id: String,
    /// Print one event per line, as `holm run --output stream-json` does
    #[arg(long, conflicts_with = "step")]
    json: bool,
    /// Step through the records with the keyboard; without a terminal, print every record
    #[arg(long)]
    step: bool,
    /// Start --step at this record
    #[arg(long, value_name = "RECORD", requires = "step")]
    at: Option<u64>,
}

pub(super) async fn replay(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionReplayArgs,
) -> anyhow::Result<CommandExit> {
    let records = super::records(store, &args.id).await?;
    if args.step {
        let steps = replay_narrator::tell(&records)?;
        return step::through(screen, &args.id, &steps, args.at);
    }
    let events = if args.json { events(screen, &records)? } else { words(screen, &records)? };
    screen.note(&format!("holm: {} records give the same {events} events as before", records.len()));
    Ok(CommandExit::Done)
}

/// For people. Gives how many events there were.
fn words(screen: &TerminalOutput, records: &[JournalRecord]) -> anyhow::Result<u64> {
    for step in replay_narrator::tell(records)? {
        for line in &step.lines {
            screen.answer(&format!("{:>5}  {line}", step.record.value()));
        }
    }
    let mut events = 0;
    journal::replay_with(records, |_, effect| events += u64::from(matches!(effect, Effect::Emit(_))))?;
    Ok(events)
}

/// For programs. Gives how many events there were.
fn events(screen: &TerminalOutput, records: &[JournalRecord]) -> anyhow::Result<u64> {
    let (mut events, mut fault) = (0_u64, None);
    let mut withheld = VecDeque::from(withheld(records));
    journal::replay_with(records, |seq, effect| {
        // A program was told before the request that the prompt is not in.
        while let Some(known) = withheld.pop_front_if(|known| known.record <= seq) {
            screen.line(&withheld_prompts::line(known.message, &known.shown));
        }
        let Effect::Emit(event) = effect else { return };
        events += 1;
        match serde_json::to_string(event) {
            Ok(line) => screen.line(&line),
            Err(error) => fault = Some(error),
        }
    })?;
    fault.map_or(Ok(events), |error| Err(error.into()))
}
