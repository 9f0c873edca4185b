use std::{collections::BTreeSet, sync::Arc};

use holm_jail::{JailEngine, JailLauncher};
use holm_runtime::Tool;

use super::aliases;
use crate::{
    files::{FileToolContext, tools},
    root::WorkspaceRoot,
    shell::WorkspaceShell,
};

/// All tools that have other names.
fn tools_with_aliases() -> Vec<Arc<dyn Tool>> {
    let folder = tempfile::tempdir().unwrap();
    let (launcher, engine) = (JailLauncher::this_executable(), JailEngine::Landlock);
    let shell = WorkspaceShell::new(launcher, engine, folder.path()).unwrap();
    file_tools().into_iter().chain([Arc::new(shell.script_tool()) as Arc<dyn Tool>]).collect()
}

fn file_tools() -> Vec<Arc<dyn Tool>> {
    let folder = tempfile::tempdir().unwrap();
    tools(FileToolContext::new(WorkspaceRoot::open(folder.path()).unwrap()))
}

#[test]
fn every_alias_means_a_tool_and_an_argument_that_are_there() {
    let tools = tools_with_aliases();
    for alias in aliases() {
        let tool = tools.iter().find(|tool| tool.declaration().name == alias.tool);
        let schema = &tool.unwrap_or_else(|| panic!("{}", alias.tool)).declaration().schema;
        for (written, meant) in &alias.arguments {
            let (place, written) = match written.split_once('.') {
                Some((list, inner)) => (format!("/properties/{list}/items/properties"), inner),
                None => ("/properties".into(), written.as_str()),
            };
            assert!(schema.pointer(&format!("{place}/{meant}")).is_some(), "{} {meant}", alias.name);
            assert!(schema.pointer(&format!("{place}/{written}")).is_none(), "{} {written}", alias.name);
        }
    }
}

#[test]
fn a_name_means_one_tool() {
    let aliases = aliases();
    let names: BTreeSet<&str> = aliases.iter().map(|alias| alias.name.as_str()).collect();
    assert_eq!(names.len(), aliases.len());
    let tools = tools_with_aliases();
    let own = |name: &str| tools.iter().any(|tool| tool.declaration().name == name);
    assert!(aliases.iter().all(|alias| alias.name == alias.tool || !own(&alias.name)));
}

#[test]
fn an_unknown_argument_of_a_file_tool_is_named() {
    for tool in file_tools() {
        let tool = tool.declaration();
        let closed = tool.schema.pointer("/additionalProperties").map(holm_guards::json::Json::canonical);
        assert_eq!(closed.as_deref(), Some("false"), "{}", tool.name);
    }
}
