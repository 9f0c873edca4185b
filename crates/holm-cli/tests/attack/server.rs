//! An MCP server that misbehaves as it is told.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{command, outcome::Outcome, scene::Scene};

/// What it is called.
const NAME: &str = "sea";

/// Writes a server down, looks at it, and calls one of its tools.
pub(crate) fn server(
    behaves: &str,
    tool: &str,
    arguments: &Map<String, Value>,
    grants: &[String],
    mode: &str,
) -> Result<Outcome, String> {
    let scene = Scene::new()?;
    add(&scene, behaves)?;
    let arguments = Value::Object(arguments.clone()).to_string();
    command::execute_in(&scene, &["tool", "execute", tool, &arguments], grants, mode)
}

/// Writes a server down and looks at it.
pub(crate) fn add(scene: &Scene, behaves: &str) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py");
    let script = script.canonicalize().map_err(|error| format!("{}: {error}", script.display()))?;
    let (script, place) = (script.to_string_lossy(), scene.aside("server"));
    std::fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let (place, state) = (place.display(), place.join("state"));
    let reads = [format!("read:{script}"), format!("read:{place}/"), format!("write:{place}/")];
    let mut words = vec!["mcp", "add", NAME];
    words.extend(reads.iter().flat_map(|grant| ["--grant", grant]));
    let state = state.to_string_lossy();
    words.extend(["--", "/usr/bin/python3", &*script, behaves, &*state]);
    let added = scene.holm(words)?;
    if added.code != Some(0) {
        return Err(format!("the server cannot be written down: {}", added.err));
    }
    // What comes of looking is no matter here: a server that is not usable has no tools.
    scene.holm(["mcp", "test", NAME])?;
    Ok(())
}
