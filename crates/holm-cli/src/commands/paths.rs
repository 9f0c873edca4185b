//! `holm paths`: prints where Holm stores its files. It creates the data folder and the tool
//! folder, because users copy files into what it shows. Which folders these are is decided in
//! `holm_paths.rs`.

use std::path::{Path, PathBuf};

use holm_config::ExplicitPath;
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{exit::CommandExit, holm_paths::HolmPaths, screen::TerminalOutput};

/// Arguments of `holm paths`.
#[derive(Debug, clap::Args)]
pub(crate) struct PathsArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn execute(args: &PathsArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let places = HolmPaths::find(data)?;
    let found = places.found();
    let mut rows: Vec<(&str, PathBuf, &str)> = vec![
        ("data", places.data.clone(), "your sessions, keys and trust; no tool may touch it"),
        ("sessions", places.database(), "your sessions: messages, calls and results"),
        (
            "tools",
            places.tools(),
            "your tools: drop a .wasm file, a program, an agent's .md, a .mcp.json or an .openapi.json file here",
        ),
        ("project_tools", places.project_tools(), "this project's tools, once you trust them"),
        ("agents", places.agents(), "your agents"),
        ("project_agents", places.project_agents(), "this project's agents, once you trust them"),
        ("keys", places.keys(), "your provider keys"),
        ("hooks", places.hooks(), "your hooks, for every project"),
        ("project_hooks", places.project_hooks(), "this project's hooks, once you trust them"),
        ("trust", places.trust(), "which files of projects you have trusted"),
        ("pins", places.pins(), "which code of your tools you have confirmed"),
        ("code", places.code(), "compiled code; Holm compiles it again if you delete it"),
    ];
    rows.extend(found.user.map(|file| ("config", file, "your settings")));
    rows.extend(
        found.project.map(|file| ("project_config", file, "this project's settings, once you trust them")),
    );
    rows.extend(found.policies.into_iter().map(|(file, named)| match named {
        ExplicitPath::Yes => ("own_policy", file, "what binds you because $HOLM_POLICY names it"),
        ExplicitPath::No => ("policy", file, "the administrator's settings"),
    }));
    let screen = TerminalOutput::default();
    if args.json {
        let object: serde_json::Map<String, serde_json::Value> =
            rows.iter().map(|(name, path, _)| ((*name).to_owned(), json!(path))).collect();
        screen.line(&serde_json::Value::Object(object).to_string());
        return Ok(CommandExit::Done);
    }
    for (name, path, about) in rows {
        screen.answer(&format!("{name:14}  {}  ({about})", path.shown()));
    }
    Ok(CommandExit::Done)
}
