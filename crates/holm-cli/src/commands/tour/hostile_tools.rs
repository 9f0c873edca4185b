//! Three tools that are not what they claim to be. A script calls them, so that no model has to be
//! persuaded. The sandbox must stop each of them; if one gets what it wanted, the tour ends with an
//! error. They work in a temporary folder with a false key, never in the user's folder. The tools
//! are opened by `commands/tour/guest.rs`.
//!
//! What the sandbox refuses is decided in `holm-sandbox`; the other steps of the tour are in
//! `lookup.rs`.

use std::{fs, path::PathBuf};

use holm::{
    grants::GrantSet,
    guards::json::Json,
    kernel::{Block, Event, ModelResult, Reply, StopReason, ToolCall},
    models::ScriptedModel,
    runtime::Agent,
};

use super::{TourContext, alarm, guest, lookup::refusals, replay::EventRecorder};

/// What the first one was given, harmless; the key lies beside it.
const GRANT: &str = "read:weather.txt";
/// A secret that must never leak.
const SECRET: &str = "a-key-that-opens-nothing";

pub(super) async fn show(tour: &TourContext) -> anyhow::Result<()> {
    let island = DecoyFolder::make()?;
    let watch = EventRecorder::default();
    let mut agent = Agent::builder("scripted/hostile", script()).name("tour");
    for guest in [guest::KEY, guest::CONNECT, guest::LOOP] {
        agent = agent.tool(guest::open(&tour.places, &island.0, guest).await?);
    }
    let agent = agent
        .grants(GrantSet::parse([GRANT])?)
        .journals(tour.store.clone())
        .blobs(tour.store.clone())
        .events(watch.clone())
        .build()?;
    tour.tell("granted", &format!("{GRANT}, and nothing else"));
    let report = agent.run("Try everything.").await?;
    let mut finished = watch.events().into_iter().filter_map(|event| match event {
        Event::CallFinished { metadata, .. } => Some(metadata),
        _ => None,
    });
    for (name, attempt) in [
        (guest::KEY.0, "opens keys.txt in its folder"),
        (guest::CONNECT.0, "connects to http://collector.example"),
        (guest::LOOP.0, "loops forever"),
    ] {
        let metadata = finished.next().flatten();
        tour.tell(name, attempt);
        let (word, why) =
            stopped(metadata.as_deref()).ok_or_else(|| alarm("a hostile tool was not stopped"))?;
        tour.tell(word, &why);
    }
    if watch.events().iter().any(|event| format!("{event:?}").contains(SECRET)) {
        return Err(alarm("a hostile tool has read the key"));
    }
    watch.compare(tour, &report).await
}

/// What stopped a call, in a word and in words.
fn stopped(metadata: Option<&Json>) -> Option<(&'static str, String)> {
    let micros = metadata.and_then(|data| data.get("micros")?.as_u64()).unwrap_or(0);
    if let Some(refusal) = refusals(metadata).first() {
        return Some(("DENIED", format!("{refusal} ({micros} µs)")));
    }
    let ended = metadata?.get("ended")?.as_str()?;
    ended.starts_with("out of ").then(|| ("CUT", format!("{ended} ({} ms)", micros / 1000)))
}

/// Calls each of them once.
fn script() -> ScriptedModel {
    let calls = [guest::KEY.0, guest::CONNECT.0, guest::LOOP.0].map(|name| {
        let call = ToolCall {
            id: format!("hostile-{name}"),
            name: name.into(),
            arguments: "{}".into(),
            replay: None,
        };
        Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
    });
    let done = Reply { blocks: vec![Block::Text("I got nothing.".into())], ..Reply::default() };
    ScriptedModel::new(calls.into_iter().chain([done]).map(ModelResult::Replied))
}

/// A folder with a harmless file and a key, removed when it is dropped.
struct DecoyFolder(PathBuf);

impl DecoyFolder {
    fn make() -> std::io::Result<Self> {
        let name = format!("holm-tour-{}", std::process::id());
        let island = Self(std::env::temp_dir().canonicalize()?.join(name));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&island.0)?;
        fs::write(island.0.join("weather.txt"), "It is sunny.\n")?;
        fs::write(island.0.join("keys.txt"), SECRET)?;
        Ok(island)
    }
}

impl Drop for DecoyFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stopped_is_said_and_what_was_not_is_noticed() {
        let check = |metadata: &str, expect: Option<(&str, &str)>| {
            let found = stopped(Some(&Json::parse(metadata).unwrap()));
            assert_eq!(found.as_ref().map(|(word, why)| (*word, why.as_str())), expect);
        };
        let denied =
            r#"{"ended":"ended with status 1","micros":7,"refused":["missing grant read:keys.txt"]}"#;
        check(denied, Some(("DENIED", "missing grant read:keys.txt (7 µs)")));
        check(r#"{"ended":"out of fuel; x","micros":2000}"#, Some(("CUT", "out of fuel; x (2 ms)")));
        check(r#"{"ended":"ended","micros":7}"#, None);
        assert_eq!(stopped(None), None);
    }
}
