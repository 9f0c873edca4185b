//! Swapping, names, collisions, levels and schemas on demand.

use std::collections::BTreeSet;
use std::sync::Arc;

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{CHILDREN, OWN_NAMES, ToolKind, ToolOutput};
use holm_runtime::tool_fn;

use super::super::{SourceRank, ToolOffer, ToolRegistry, ToolSource};
use super::{names, problems, said, says};
use crate::agents::AgentLoader;
use crate::catalogue::{RenameCause, SchemaDisclosure};
use crate::conversation::{TOOL_SEARCH, plan_tools};
use crate::shell::{RUN_PROGRAM, SHELL};

fn user(origin: &str) -> ToolSource {
    ToolSource::new(SourceRank::User, origin)
}

#[tokio::test]
async fn a_source_replaces_what_it_offered_and_a_snapshot_stays_as_it_was() {
    let registry = ToolRegistry::new();
    let first = registry.edit(|edit| edit.set(user("a"), [says("one", "1"), says("two", "2")]));
    let second = registry.edit(|edit| edit.set(user("a"), [says("one", "new")]));
    assert_eq!(names(&first), ["one", "two"]);
    assert_eq!(names(&second), ["one"]);
    assert_eq!(said(&first, "one").await.as_deref(), Some("1"));
    assert_eq!(said(&second, "one").await.as_deref(), Some("new"));
    registry.edit(|edit| edit.remove(&user("a")));
    assert!(names(&registry.snapshot()).is_empty());
}

#[tokio::test]
async fn several_changes_become_visible_together_and_none_makes_no_snapshot() {
    let registry = ToolRegistry::new();
    let mut changes = registry.changes();
    registry.edit(|edit| {
        edit.set(user("a"), [says("a", "")]);
        edit.set(user("b"), [says("b", "")]);
        edit.remove(&user("never there"));
    });
    assert!(changes.has_changed().unwrap());
    assert_eq!(names(&changes.borrow_and_update()), ["a", "b"]);
    registry.edit(|edit| edit.remove(&user("never there")));
    assert!(!changes.has_changed().unwrap(), "nothing happened");
    assert_eq!(registry.snapshot().number(), 1);
}

#[tokio::test]
async fn a_project_takes_no_name_from_the_user_nor_the_user_from_the_program() {
    let registry = ToolRegistry::new();
    let source = |rank, origin: &str| ToolSource::new(rank, origin);
    registry.edit(|edit| {
        edit.set(source(SourceRank::Project, ".holm/tools/read.wasm"), [says("read", "project")]);
        edit.set(source(SourceRank::User, "~/tools/read.wasm"), [says("read", "user")]);
    });
    let snapshot =
        registry.edit(|edit| edit.set(source(SourceRank::BuiltIn, "built in"), [says("read", "ours")]));
    assert_eq!(said(&snapshot, "read").await.as_deref(), Some("ours"));
    assert_eq!(said(&snapshot, "read_2").await.as_deref(), Some("user"));
    assert_eq!(said(&snapshot, "read_3").await.as_deref(), Some("project"));
    let told: Vec<&str> = snapshot.renamed().iter().map(|renamed| renamed.origin.as_str()).collect();
    assert_eq!(told, ["~/tools/read.wasm", ".holm/tools/read.wasm"]);
    assert_eq!(snapshot.find("read_3").unwrap().declaration().name, "read_3", "runs see the new name");
}

#[tokio::test]
async fn a_name_that_a_run_answers_itself_is_given_to_no_tool_whoever_offers_it() {
    for rank in [SourceRank::BuiltIn, SourceRank::User, SourceRank::Project, SourceRank::Server] {
        let registry = ToolRegistry::new();
        let tools: Vec<ToolOffer> = OWN_NAMES.iter().map(|name| says(name, "mine")).collect();
        let snapshot = registry.edit(|edit| edit.set(ToolSource::new(rank, "here"), tools));
        let expected: Vec<String> = OWN_NAMES.iter().map(|name| format!("{name}_2")).collect();
        assert_eq!(names(&snapshot), expected, "{rank:?}");
        let told: Vec<_> =
            snapshot.renamed().iter().map(|renamed| (&*renamed.wanted, &renamed.cause)).collect();
        let cause = RenameCause::Reserved;
        let reserved: Vec<_> = OWN_NAMES.iter().map(|name| (*name, &cause)).collect();
        assert_eq!(told, reserved, "{rank:?}");
        assert!(problems(&snapshot).is_empty() && snapshot.toolbox().check().is_ok(), "{snapshot:?}");
    }
}

#[tokio::test]
async fn only_the_program_itself_offers_tools_under_the_names_of_the_command_tools() {
    let registry = ToolRegistry::new();
    let server = ToolSource::new(SourceRank::Server, "run");
    let snapshot =
        registry.edit(|edit| edit.set(server, [says(SHELL, "server"), says(RUN_PROGRAM, "server")]));
    assert_eq!(names(&snapshot), ["shell_2", "run_program_2"], "the program offers neither");
    let built_in = ToolSource::new(SourceRank::BuiltIn, "built in");
    let snapshot = registry.edit(|edit| edit.set(built_in, [says(SHELL, "ours")]));
    assert_eq!(names(&snapshot), [SHELL, "shell_2", "run_program_2"]);
    assert_eq!(said(&snapshot, SHELL).await.as_deref(), Some("ours"));
}

#[tokio::test]
async fn the_program_offers_a_tool_that_runs_answer_under_its_own_name() {
    let registry = ToolRegistry::new();
    let own = ToolOffer::new(AgentLoader::children());
    registry.edit(|edit| edit.set(user("file"), [says(CHILDREN, "file")]));
    let snapshot = registry.edit(|edit| edit.set(ToolSource::new(SourceRank::BuiltIn, "built in"), [own]));
    assert_eq!(names(&snapshot), [CHILDREN, "children_2"]);
    assert_eq!(snapshot.find(CHILDREN).unwrap().declaration().kind, ToolKind::Children);
}

#[test]
fn every_tool_that_a_run_answers_has_a_name_that_is_kept_for_it() {
    let own = [AgentLoader::children().declaration().clone()].into_iter().chain(plan_tools());
    for tool in own {
        assert_eq!(tool.kind.own_name(), Some(tool.name.as_str()));
        assert!(OWN_NAMES.contains(&tool.name.as_str()), "{}", tool.name);
    }
    assert!(OWN_NAMES.contains(&TOOL_SEARCH));
}

#[tokio::test]
async fn a_name_in_other_letters_is_taken_as_well() {
    let registry = ToolRegistry::new();
    registry.edit(|edit| edit.set(ToolSource::new(SourceRank::BuiltIn, "built in"), [says("read", "ours")]));
    let mine = [says("READ", "user"), says("Enter_Plan", "user")];
    let snapshot = registry.edit(|edit| edit.set(user("~/tools/read.wasm"), mine));
    assert_eq!(names(&snapshot), ["read", "READ_2", "Enter_Plan_2"]);
    assert_eq!(said(&snapshot, "READ_2").await.as_deref(), Some("user"));
    assert_eq!(snapshot.renamed()[0].cause, RenameCause::TakenBy { origin: "built in".into() });
}

#[tokio::test]
async fn a_tool_that_no_run_could_use_is_left_out_and_does_not_take_the_others_along() {
    let schema = Json::object([("type", Json::from("no such type"))]);
    let broken =
        tool_fn(holm_kernel::ToolSpec::new("broken", "", schema), |_| async { ToolOutput::text("") });
    let registry = ToolRegistry::new();
    let snapshot =
        registry.edit(|edit| edit.set(user("both"), [ToolOffer::new(Arc::new(broken)), says("whole", "")]));
    assert_eq!(names(&snapshot), ["whole"]);
    assert!(problems(&snapshot)[0].contains("`broken` cannot be used"), "{:?}", problems(&snapshot));
    assert!(snapshot.toolbox().check().is_ok());
    let mended = registry.edit(|edit| edit.set(user("both"), [says("whole", "")]));
    assert!(problems(&mended).is_empty());
}

#[test]
fn toolboxes_hold_what_the_level_allows_and_what_was_asked_for() {
    let tool = |name: &str, level, disclosure| {
        let declared =
            holm_kernel::ToolSpec::new(name, "Does it.", Json::object([("type", "object".into())]))
                .level(level);
        let run = tool_fn(declared, |_| async { ToolOutput::text("") });
        ToolOffer::new(Arc::new(run)).disclosure(disclosure).keywords([format!("word-{name}")])
    };
    let registry = ToolRegistry::new();
    let snapshot = registry.edit(|edit| {
        let all = [
            tool("look", Level::ReadOnly, SchemaDisclosure::Full),
            tool("change", Level::Write, SchemaDisclosure::Full),
            tool("rare", Level::ReadOnly, SchemaDisclosure::OnDemand),
        ];
        edit.set(user("x"), all);
    });
    let held = |toolbox: holm_runtime::Toolbox| {
        toolbox.iter().map(|tool| tool.declaration().name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(held(snapshot.toolbox()), ["look", "change", "rare"]);
    assert_eq!(held(snapshot.up_to(Level::ReadOnly)), ["look", "rare"]);
    assert_eq!(held(snapshot.disclosed(Level::Execute, &BTreeSet::new())), ["look", "change"]);
    let asked = BTreeSet::from(["rare".to_owned()]);
    assert_eq!(held(snapshot.disclosed(Level::ReadOnly, &asked)), ["look", "rare"]);
    let found = snapshot.search("word-rare", Level::ReadOnly, 5);
    assert_eq!(found.hits[0].tool.name, "rare", "what is not shown is found");
}
