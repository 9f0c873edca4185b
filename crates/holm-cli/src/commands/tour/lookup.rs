//! A look-up in this folder: the model calls, the kernel decides, the sandbox runs, the guards
//! check. What is printed comes from the events of the run, so it shows what happened and not what
//! should happen. The replay is compared in `commands/tour/replay.rs`.

use holm::{
    grants::GrantSet,
    guards::json::Json,
    kernel::{Bound, Event, Outcome},
    runtime::Agent,
};

use super::{TourContext, guest, replay::EventRecorder};
use crate::tools::BuiltinToolSet;

const QUESTION: &str = "Which files are in this folder?";
/// What is granted: to look into this folder.
const GRANT: &str = "read:**";
/// Turns: a call, an answer, and room for a correction.
const TURNS: u64 = 4;

pub(super) async fn show(tour: &TourContext) -> anyhow::Result<()> {
    let tool = guest::open(&tour.places, &tour.places.work, guest::LOOK).await?;
    let watch = EventRecorder::default();
    let agent = Agent::builder(tour.chosen.card.clone(), std::sync::Arc::clone(&tour.chosen.client))
        .name("tour")
        .tool(tool)
        .grants(GrantSet::parse([GRANT])?)
        .config(|config| {
            config.limits.turns = Bound::AtMost(TURNS);
            if tour.chosen.fits == BuiltinToolSet::Few {
                // As `holm run` does it: what a small model finds is the answer, word for word.
                config.policy.terminal_tools.insert(guest::LOOK.0.into());
            }
        })
        .journals(tour.store.clone())
        .blobs(tour.store.clone())
        .events(watch.clone())
        .build()?;
    tour.tell("you", QUESTION);
    let report = agent.run(QUESTION).await?;
    for event in watch.events() {
        told(tour, &event);
    }
    match report.text() {
        Ok(text) => tour.tell("answer", text),
        Err(why) => tour.tell("no answer", &why.to_string()),
    }
    watch.compare(tour, &report).await
}

fn told(tour: &TourContext, event: &Event) {
    match event {
        Event::CallProposed { tool, arguments, .. } => {
            tour.tell("model", &format!("{tool} {arguments}"));
        }
        Event::CallStarted { .. } => {
            tour.tell("kernel", &format!("allows it: it needs {GRANT}, and {GRANT} was granted"));
        }
        Event::CallFinished { outcome: Outcome::Succeeded, bytes, metadata, .. } => {
            let number =
                |name: &str| metadata.as_ref().and_then(|data| data.get(name)?.as_u64()).unwrap_or(0);
            let (micros, fuel, memory) = (number("micros"), number("fuel"), number("memory") >> 10);
            tour.tell("sandbox", &format!("WASM, {micros} µs, {fuel} steps, {memory} KiB of memory"));
            tour.tell("check", &format!("{bytes} bytes: not empty, not an error message"));
        }
        Event::CallFinished { metadata, .. } => {
            let why = metadata.as_ref().and_then(|data| data.get("ended")?.as_str().map(ToOwned::to_owned));
            tour.tell("sandbox", &why.unwrap_or_else(|| "the call failed".into()));
        }
        Event::Ruled { guard, reason, .. } => tour.tell("check", &format!("{guard}: {reason}")),
        Event::ModelFailed { message, .. } => tour.tell("failed", message),
        _ => {}
    }
}

/// What a sandboxed call was refused.
pub(super) fn refusals(metadata: Option<&Json>) -> Vec<String> {
    let listed = metadata.and_then(|data| data.get("refused")?.as_array()).unwrap_or_default();
    listed.iter().filter_map(Json::as_str).map(ToOwned::to_owned).collect()
}
