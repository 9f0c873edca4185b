//! Calls that a model makes one after the other. The outcome of the last is read from the events of
//! the run, and from the requests that two local sites received.

use std::collections::BTreeMap;

use holm::kernel::{Block, Event, Outcome as Came};
use serde_json::Value;

use crate::{
    case::Call,
    command::{authority, calling, events, named, play, settle, understood},
    outcome::Outcome,
    scene::Scene,
    server,
    site::Sites,
};

/// What the tools of the MCP server begin with.
const SERVERS: &str = "sea_";

/// Helpers by name. The same script answers a helper from its beginning, so a helper tries calls in
/// vain that it was not granted. A call that it was granted, it makes before the run does.
const HELPERS: [(&str, &str); 2] =
    [("runner", "tools: [fetch]\ngrants: [\"fetch:http://{site}\"]\n"), ("idler", "tools: [date]\n")];

/// Lets a model make calls after a prompt with these flags; what counts is the last call.
pub(crate) fn calls(
    flags: &[String],
    calls: &[Call],
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let (scene, sites) = (Scene::new()?, Sites::open()?);
    let name = |text: &str| sites.name(&scene.name_folders(text));
    let variables = equip(&scene, calls, &name)?;
    let asked: Vec<(&str, Value)> = calls
        .iter()
        .map(|call| (call.tool.as_str(), named(&Value::Object(call.arguments.clone()), &name)))
        .collect();
    let replies = asked.iter().map(|(tool, arguments)| calling(tool, arguments)).collect();
    let grants: Vec<String> = grants.iter().map(|grant| name(grant)).collect();
    let flags = [authority(&grants, mode), flags.to_vec()].concat();
    let ran = play(&scene, replies, &flags, "stream-json", &variables)?;
    understood(&ran, &[0, 3])?;
    let told = events(&ran)?;
    let ended = told.iter().filter(|event| matches!(event, Event::CallFinished { .. })).count();
    if ended != calls.len() && ran.code == Some(0) {
        return Err(format!("{ended} of {} calls ended: {}", calls.len(), ran.err));
    }
    let wall = calls.last().and_then(|call| call.told.as_deref());
    let outcome = settle(&scene, &ran, came(&told, wall))?;
    let heard = asked.last().map_or(0, |(tool, arguments)| match arguments["url"].as_str() {
        Some(url) => sites.heard(url),
        None if *tool == "web_search" => sites.searched(),
        None => 0,
    });
    Ok(if outcome != Outcome::Passed && heard > by_helpers(calls) { Outcome::Leaked } else { outcome })
}

/// How often helpers may have asked for what the last call asks for.
fn by_helpers(calls: &[Call]) -> usize {
    calls.iter().filter(|call| HELPERS.iter().any(|(helper, _)| call.tool == *helper)).count()
}

/// Sets up what the calls want to find: a server, helpers, a search service. Gives the variables that name it.
fn equip(
    scene: &Scene,
    calls: &[Call],
    name: &impl Fn(&str) -> String,
) -> Result<BTreeMap<String, String>, String> {
    let wants = |tool: &str| calls.iter().any(|call| call.tool == tool);
    if calls.iter().any(|call| call.tool.starts_with(SERVERS)) {
        server::add(scene, "ok")?;
    }
    for (helper, given) in HELPERS.into_iter().filter(|(helper, _)| wants(helper)) {
        let file = format!(
            "---\nname: {helper}\ndescription: Helps.\n{}---\nYou are {helper}, and you help.\n",
            name(given)
        );
        // Which makes the folder.
        scene.holm(["paths"])?;
        let path = scene.aside("data").join(format!("tools/{helper}.md"));
        std::fs::write(path, file).map_err(|error| format!("the helper {helper}: {error}"))?;
    }
    let search = wants("web_search").then(|| ("HOLM_SEARCH".to_owned(), name("http://{site}")));
    Ok(search.into_iter().collect())
}

/// What came of the last call. One that was begun and failed was not stopped by anybody, unless the wall says so in its own words:
/// elsewhere, or on another day, it might not have failed.
fn came(told: &[Event], wall: Option<&str>) -> Outcome {
    let finished = told.iter().rev().find_map(|event| match event {
        Event::CallFinished { call, outcome, .. } => Some((*call, *outcome)),
        _ => None,
    });
    let Some((last, outcome)) = finished else { return Outcome::Failed };
    if outcome == Came::Succeeded {
        return Outcome::Passed;
    }
    let was_begun = told.iter().any(|event| matches!(event, Event::CallStarted { call } if *call == last));
    let was_asked = told.iter().any(|event| matches!(event, Event::ApprovalAsked { call } if *call == last));
    if was_begun {
        let said = last_result(told);
        let stopped = wall.is_some_and(|words| said.contains(words));
        return if stopped { Outcome::Refused } else { Outcome::Failed };
    }
    if was_asked { Outcome::Asked } else { Outcome::Refused }
}

/// What the model was told of the call that ended last.
fn last_result(told: &[Event]) -> &str {
    let result = told.iter().rev().find_map(|event| match event {
        Event::MessageAdded { message } => message.blocks.iter().rev().find_map(|block| match block {
            Block::ToolResult(result) => Some(result.text.as_str()),
            _ => None,
        }),
        _ => None,
    });
    result.unwrap_or_default()
}
