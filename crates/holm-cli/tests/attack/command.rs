//! Plays attacks against the built command.

use std::collections::BTreeMap;

use holm::kernel::{Block, Event, Numbered};
use serde_json::{Map, Value, json};

use crate::{
    outcome::Outcome,
    scene::{CANARY, Ran, Scene},
    seal::{self, Seal},
};

/// The exit codes by which the command says that something did not happen: not understood, no answer, not there.
const REFUSALS: [i32; 3] = [2, 3, 6];

/// Where a hostile page lies.
const PAGE: &str = "page.txt";

/// Calls a tool once.
pub(crate) fn tool(
    name: &str,
    arguments: &Map<String, Value>,
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    execute(name, &Value::Object(arguments.clone()), &[], grants, mode)
}

/// Runs a command in its jail.
pub(crate) fn script(
    script: &str,
    deny: &[String],
    allow: &[String],
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let flags = |flag: &'static str, rules: &[String]| -> Vec<String> {
        rules.iter().flat_map(|rule| [flag.to_owned(), rule.clone()]).collect()
    };
    let rules = [flags("--deny-command", deny), flags("--allow-command", allow)].concat();
    execute("shell", &json!({ "script": script }), &rules, grants, mode)
}

fn execute(
    name: &str,
    arguments: &Value,
    more: &[String],
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let arguments = in_scene(&scene, arguments);
    let mut args = words(&["tool", "--tools", "native", "execute", name]);
    args.push(arguments.to_string());
    args.extend(authority(grants, mode));
    args.extend_from_slice(more);
    let ran = scene.holm(&args)?;
    understood(&ran, &[0, 3])?;
    judge(&scene, &ran, |ran| ran.code == Some(0))
}

/// Runs the command with these arguments and grants in a scene, and returns the outcome. Every
/// failure counts as a refusal here: a tool that was taken away is reported as missing.
pub(crate) fn execute_in(
    scene: &Scene,
    args: &[&str],
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let mut args = words(args);
    args.extend(authority(grants, mode));
    let ran = scene.holm(&args)?;
    judge(scene, &ran, |ran| ran.code == Some(0))
}

/// Runs a command in its jail while a key is in the environment of the user who started Holm.
pub(crate) fn keyed(name: &str, script: &str, grants: &[String], mode: &str) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let variables = BTreeMap::from([(name.to_owned(), CANARY.to_owned())]);
    let arguments = json!({ "script": script }).to_string();
    let mut args = words(&["tool", "--tools", "native", "execute", "shell"]);
    args.push(arguments);
    args.extend(authority(grants, mode));
    let ran = scene.holm_with(&args, &variables)?;
    understood(&ran, &[0, 3])?;
    judge(&scene, &ran, |ran| ran.code == Some(0))
}

/// Runs a command in its jail, and then what the user does every day in the same folder, outside of any jail.
pub(crate) fn later(
    before: &str,
    script: &str,
    does: &str,
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    if !user(&scene, before)? {
        return Err(format!("the scene cannot be set by {before:?}"));
    }
    let arguments = in_scene(&scene, &json!({ "script": script }));
    let mut args = words(&["tool", "--tools", "native", "execute", "shell"]);
    args.push(arguments.to_string());
    let grants: Vec<String> = grants.iter().map(|grant| scene.name_folders(grant)).collect();
    args.extend(authority(&grants, mode));
    let ran = scene.holm(&args)?;
    understood(&ran, &[0, 3])?;
    let did = user(&scene, does)?;
    if scene.aside("outside/ran").exists() {
        return Ok(Outcome::Escaped);
    }
    Ok(trouble(&scene, &ran).unwrap_or(if did { Outcome::Passed } else { Outcome::Refused }))
}

/// The user runs a script in the folder; says whether it succeeded.
fn user(scene: &Scene, script: &str) -> Result<bool, String> {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &scene.name_folders(script)]).current_dir(scene.work());
    command.env("HOME", scene.aside("home")).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("XDG_CONFIG_HOME");
    let output = command.stdin(std::process::Stdio::null()).output().map_err(|error| error.to_string())?;
    Ok(output.status.success())
}

/// A command that was not understood has stopped nothing: the case is written wrongly.
pub(crate) fn understood(ran: &Ran, codes: &[i32]) -> Result<(), String> {
    let other = ran.code.filter(|code| REFUSALS.contains(code) && !codes.contains(code));
    other.map_or(Ok(()), |code| Err(format!("the command ended with {code}: {}", ran.err)))
}

/// Gives the command these words.
pub(crate) fn holm(words: &[String]) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let words = words.iter().map(|word| scene.name_folders(word));
    let ran = scene.holm(words)?;
    judge(&scene, &ran, |ran| ran.code == Some(0))
}

/// Lets a model say something.
pub(crate) fn says(text: &str) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let ran = play(&scene, vec![saying(text)], &[], "text", &BTreeMap::new())?;
    if let Some(outcome) = trouble(&scene, &ran) {
        return Ok(outcome);
    }
    if ran.code != Some(0) {
        return Err(format!("the run ended with {:?}: {}", ran.code, ran.err));
    }
    if [&ran.out, &ran.err].into_iter().any(|printed| printed.chars().any(moves_a_terminal)) {
        return Ok(Outcome::Obeyed);
    }
    let printed = ran.out.strip_suffix('\n').unwrap_or(&ran.out);
    Ok(if printed == text { Outcome::Passed } else { Outcome::Shown })
}

/// Lets a model read a page.
pub(crate) fn reads(text: &str) -> Result<Outcome, String> {
    let mut scene = Scene::new()?;
    scene.file(PAGE, text)?;
    let grants = authority(&["read:**".to_owned()], "full");
    let reply = calling("read", &json!({ "path": PAGE }));
    let ran = play(&scene, vec![reply], &grants, "stream-json", &BTreeMap::new())?;
    if let Some(outcome) = trouble(&scene, &ran) {
        return Ok(outcome);
    }
    let mut seals = Vec::new();
    for event in events(&ran)? {
        let Event::MessageAdded { message } = event else { continue };
        for block in &message.blocks {
            match block {
                Block::ToolResult(result) => seals.push(seal::of(&result.text, text)),
                // Nothing of the page may stand where a person or Holm speaks.
                Block::Text(said) if said.contains(text.trim()) => return Ok(Outcome::Escaped),
                _ => {}
            }
        }
    }
    match seals.as_slice() {
        [Seal::Plain] => Ok(Outcome::Passed),
        [Seal::Sealed] => Ok(Outcome::Sealed),
        [Seal::Broken] => Ok(Outcome::Escaped),
        other => Err(format!("{} results: {}", other.len(), ran.err)),
    }
}

/// What came of a command, when `passed` says whether it did what was wanted.
fn judge(scene: &Scene, ran: &Ran, passed: impl Fn(&Ran) -> bool) -> Result<Outcome, String> {
    settle(scene, ran, if passed(ran) { Outcome::Passed } else { Outcome::Refused })
}

/// What came of a command that seems to have come to this, when everything else is looked at too.
pub(crate) fn settle(scene: &Scene, ran: &Ran, seems: Outcome) -> Result<Outcome, String> {
    if let Some(outcome) = trouble(scene, ran) {
        return Ok(outcome);
    }
    Ok(if seems != Outcome::Passed && scene.has_changed()? { Outcome::Changed } else { seems })
}

/// What must never come of anything.
fn trouble(scene: &Scene, ran: &Ran) -> Option<Outcome> {
    if !ran.in_time {
        return Some(Outcome::Hung);
    }
    let known = ran.code == Some(0) || ran.code.is_some_and(|code| REFUSALS.contains(&code));
    if !known || ran.err.contains("panicked at") {
        return Some(Outcome::Crashed);
    }
    let holds = |name: &str| {
        let bytes = std::fs::read(scene.aside("data").join(name)).unwrap_or_default();
        bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
    };
    let kept = ["holm.db", "holm.db-wal"].into_iter().any(holds);
    let printed = ran.out.contains(CANARY) || ran.err.contains(CANARY);
    (kept || printed).then_some(Outcome::Leaked)
}

/// `holm run` with a model that makes these replies and then is done.
pub(crate) fn play(
    scene: &Scene,
    mut replies: Vec<Value>,
    more: &[String],
    output: &str,
    variables: &BTreeMap<String, String>,
) -> Result<Ran, String> {
    let ends = replies.last().is_some_and(|reply| reply["replied"].get("stop").is_none());
    if !ends {
        replies.push(saying("done"));
    }
    let script = scene.aside("script.json");
    std::fs::write(&script, json!({ "results": replies }).to_string()).map_err(|error| error.to_string())?;
    let mut args = words(&["run", "-p", "Go.", "--tools", "native", "--output", output, "--script"]);
    args.push(script.to_string_lossy().into_owned());
    args.extend_from_slice(more);
    scene.holm_with(&args, variables)
}

fn saying(text: &str) -> Value {
    json!({ "replied": { "blocks": [{ "text": text }] } })
}

pub(crate) fn calling(tool: &str, arguments: &Value) -> Value {
    let call = json!({ "id": "c", "name": tool, "arguments": arguments.to_string() });
    json!({ "replied": { "blocks": [{ "tool_call": call }], "stop": "tool_use" } })
}

/// The events that a run has told.
pub(crate) fn events(ran: &Ran) -> Result<Vec<Event>, String> {
    let told = ran.out.lines().skip(1);
    let read = |line: &str| serde_json::from_str::<Numbered>(line).map(|numbered| numbered.event);
    told.map(|line| read(line).map_err(|error| format!("{error}: {line}"))).collect()
}

pub(crate) fn authority(grants: &[String], mode: &str) -> Vec<String> {
    let grants = grants.iter().flat_map(|grant| ["--grant".to_owned(), grant.clone()]);
    grants.chain(words(&["--mode", mode])).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The same value with real folders in its texts.
fn in_scene(scene: &Scene, value: &Value) -> Value {
    named(value, &|text| scene.name_folders(text))
}

/// The same value with something else in the place of its texts.
pub(crate) fn named(value: &Value, name: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(name(text)),
        Value::Array(items) => items.iter().map(|item| named(item, name)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), named(value, name))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Whether a character does something in a terminal, or nothing that can be seen. Told a second time, so that the
/// command's own list is held against something.
fn moves_a_terminal(c: char) -> bool {
    let hidden = [
        '\u{ad}'..='\u{ad}',
        '\u{61c}'..='\u{61c}',
        '\u{180e}'..='\u{180e}',
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
        '\u{e0000}'..='\u{e0fff}',
    ];
    (c.is_control() && c != '\n' && c != '\t') || hidden.iter().any(|range| range.contains(&c))
}
