//! Reading files, line by line, and making agents of them.

use std::{fs, path::Path, sync::Arc};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, Limits, ModelResult, NanoUsd, Reply, StopReason, ToolCall, ToolKind, ToolOutput, ToolSpec,
};
use holm_runtime::{Agent, AgentBuilder, ToolInvocation, Toolbox, model_fn, tool_fn};
use proptest::prelude::proptest;

use super::*;
use crate::registry::{AllowAllGate, SourceRank, ToolFolder, ToolFolders, ToolRegistry};

const WHOLE: &str = "---\r
# A comment.
name: code-reviewer
description: >
  Reviews a change:
  what is wrong, and where.
model: \"small/one\" # fast enough
tools:
  - read_file
  - 'grep'

grants: [\"read:src/**\", read:docs/]
mode: plan
isolation: worktree
background: true
color: blue
limits:
  turns: 12
  tokens: 100_000
  time: 5m
  spend: 0.20usd
  depth: 1
---

You review code.
---
And say so.
";

fn head(lines: &str) -> String {
    format!("---\nname: a\ndescription: b\n{lines}\n---\nbody\n")
}

#[test]
fn everything_that_a_file_says_is_read() {
    let file = AgentFile::parse(WHOLE).unwrap();
    assert_eq!(file.name, "code-reviewer");
    assert_eq!(file.description, "Reviews a change: what is wrong, and where.");
    assert_eq!(file.model.as_deref(), Some("small/one"));
    assert_eq!(file.tools, AgentToolNames::These(vec!["read_file".into(), "grep".into()]));
    assert_eq!(
        file.grants.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["read:docs/", "read:src/**"]
    );
    assert_eq!(
        (file.mode, file.place, file.waits),
        (Some(Mode::Plan), AgentWorkspace::Worktree, CallerWaitMode::AsAsked)
    );
    let limits = AgentLimits {
        turns: Some(12),
        tokens: Some(100_000),
        time_ms: Some(300_000),
        spend: Some(NanoUsd::new(200_000_000)),
        depth: Some(1),
    };
    assert_eq!(file.limits, limits);
    assert_eq!(file.system, "You review code.\n---\nAnd say so.");
    assert_eq!(file.ignored, [IgnoredKey { line: 16, key: "color".into() }]);
}

#[test]
fn what_is_not_said_is_not_given() {
    let file = AgentFile::parse(&head("")).unwrap();
    assert_eq!(file.tools, AgentToolNames::These(Vec::new()));
    assert!(file.grants.is_empty() && file.model.is_none() && file.mode.is_none());
    assert_eq!(file.limits, AgentLimits::default());
}

#[test]
fn keys_that_mean_nothing_are_named_with_what_may_have_been_meant() {
    let file = AgentFile::parse(&head("tool: read\ngrant: [\"read:**\"]\ncolour: red")).unwrap();
    let [tool, grant, colour]: [String; 3] = file.remarks().try_into().unwrap();
    assert_eq!(tool, "line 4: unknown key `tool`; did you mean `tools`?");
    assert_eq!(grant, "line 5: unknown key `grant`; did you mean `grants`?");
    assert!(colour.starts_with("line 6: unknown key `colour`; known keys: name, "), "{colour}");
}

#[test]
fn lists_are_written_in_three_ways() {
    let expect = AgentToolNames::These(vec!["x".into(), "y".into()]);
    for lines in
        ["tools: x, y", "tools: [x, \"y\"]", "tools:\n- x\n- y", "tools:\n  - x\n  # no\n  - y # yes"]
    {
        assert_eq!(AgentFile::parse(&head(lines)).unwrap().tools, expect, "{lines}");
    }
    assert_eq!(AgentFile::parse(&head("tools: \"*\"")).unwrap().tools, AgentToolNames::All);
    assert_eq!(AgentFile::parse(&head("tools: '*'")).unwrap().tools, AgentToolNames::All);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let check = |text: &str, line: usize, says: &str| {
        let error = AgentFile::parse(text).unwrap_err();
        assert!(error.line == line && error.to_string().contains(says), "{text:?}: {error}");
    };
    check("", 1, "front matter is missing");
    check("# Readme\n", 1, "front matter is missing");
    check("---", 1, "front matter is missing");
    check("---\nname: a\n", 1, "not closed");
    check("---\ndescription: b\n---\n", 1, "`name` is missing");
    check("---\nname: a\n---\n", 1, "`description` is missing");
    check("---\nname: a\ndescripton: b\n---\n", 3, "did you mean `description`?");
    check("---\nname: 7up\ndescription: b\n---\n", 2, "`name` must be a letter");
    check("---\nname: a b\ndescription: b\n---\n", 2, "`name` must be");
    check(&head("name: c"), 4, "twice");
    check(&head("what is this"), 4, "expected `key: value`");
    check(&head("  indented: x"), 4, "expected `key: value`");
    check(&head("tools: [x, y"), 4, "not closed on its line");
    check(&head("model: \"x"), 4, "quotes do not match");
    check(&head("model: \"x\" y"), 4, "quotes do not match");
    check(&head("model: &anchor"), 4, "in quotes");
    check(&head("tools:\n  - x\n  y: z"), 6, "expected `- item`");
    check(&head("grants:\n  - read:src/**\n  - fly:high"), 6, "`fly:high` is not a valid grant");
    check(&head("mode: yolo"), 4, "accept-edits");
    check(&head("isolation: moon"), 4, "none or worktree");
    check(&head("background: maybe"), 4, "true or false");
    check(&head("limits: 3"), 4, "keys below it");
    check(&head("tools: 5"), 4, "a list of names");
    check(&head("manages: []"), 4, "the names of agents");
    check(&head("manages: [b]\nat_once: 0"), 5, "1 or more");
    check(&head("limits:\n  turns: many"), 5, "a whole number");
    check(&head("limits:\n  turnz: 3"), 5, "unknown limit `turnz`");
    check(&head("limits:\n  spend: 3"), 5, "0.50usd");
    check(&head("limits:\n  turns: 1\n  turns: 2"), 6, "twice");
    check(&format!("{}{}", head(""), "x".repeat(MOST_FILE_BYTES)), 1, "larger than");
}

#[test]
fn limits_only_narrow() {
    let mut limits = Limits::default();
    AgentLimits { turns: Some(1_000), depth: Some(99), ..AgentLimits::default() }.narrow(&mut limits);
    assert_eq!(limits, Limits::default());
    let mut limits = Limits::default();
    let spend = Some(NanoUsd::new(5));
    AgentLimits { turns: Some(2), spend, ..AgentLimits::default() }.narrow(&mut limits);
    assert_eq!((limits.turns.limit(), limits.budget.usd), (Some(2), spend));
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "(---\n)?([a-z]{1,4}: ?[-\\[\\]\"'|>&, a-z#]{0,9}\n| {0,3}- ?[a-z\"']{0,4}\n|\\PC{0,9}\n){0,12}(---\n)?.{0,9}") {
        if let Err(error) = AgentFile::parse(&text) {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1) + 1, "{error}");
        }
    }
}

/// A host with one tool and one model, which calls the tool that its system prompt names.
struct House;

impl AgentHost for House {
    fn begin(&self, model: Option<&str>) -> Result<AgentBuilder, String> {
        if model.is_some_and(|model| model != "small/one") {
            return Err("there is no such model here".into());
        }
        let client = model_fn(|ask| {
            let answered = ask.messages.len() > 1;
            let name = ask
                .request
                .system
                .lines()
                .next()
                .unwrap_or_default()
                .strip_prefix("call ")
                .map(str::to_owned);
            let said = ask.messages.last().map(|message| format!("{:?}", message.blocks)).unwrap_or_default();
            let block = match name.filter(|_| !answered) {
                Some(name) => {
                    let arguments = r#"{"task":"look"}"#.to_owned();
                    Block::ToolCall(ToolCall { id: "c".into(), name, arguments, replay: None })
                }
                None => Block::Text(format!("done after {said}")),
            };
            let stop =
                if matches!(block, Block::ToolCall(_)) { StopReason::ToolUse } else { StopReason::default() };
            Box::pin(
                async move { ModelResult::Replied(Reply { blocks: vec![block], stop, ..Reply::default() }) },
            )
        });
        Ok(Agent::builder("small/one", client))
    }

    fn tools(&self, _: Option<&Path>) -> Toolbox {
        let schema = Json::object([("type", "object".into())]);
        let look = ToolSpec::new("look", "Looks.", schema).level(Level::None);
        Toolbox::new()
            .with(tool_fn(look, |_: ToolInvocation| async { ToolOutput::text("seen with own eyes") }))
    }
}

fn agent(name: &str, tools: &str, rest: &str, system: &str) -> AgentFile {
    let text = format!("---\nname: {name}\ndescription: Is {name}.\ntools: [{tools}]\n{rest}\n---\n{system}");
    AgentFile::parse(&text).unwrap()
}

fn gather(files: Vec<AgentFile>) -> (Vec<String>, Vec<String>) {
    let crew = AgentSet::gather(files, Arc::new(House));
    let names = crew.helpers.declarations().into_iter().map(|tool| tool.name).collect();
    (names, crew.faults.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn agents_of_files_hand_work_to_each_other_and_the_prompt_names_them() {
    let files = vec![agent("lead", "scout", "", "call scout"), agent("scout", "look", "", "call look")];
    let crew = AgentSet::gather(files, Arc::new(House));
    assert_eq!(crew.faults, []);
    let main = House.begin(None).unwrap().system("call lead").helpers(crew.helpers).build().unwrap();
    assert!(
        main.config().system.contains("- lead: Is lead.\n- scout: Is scout."),
        "{}",
        main.config().system
    );
    let answer = main.run("go").await.unwrap().into_text().unwrap();
    assert!(answer.contains("seen with own eyes"), "{answer}");
}

#[test]
fn what_a_file_says_of_how_it_is_called_is_declared() {
    let rest = "background: true\ngrants: [read:src/**]\nlimits:\n  spend: 0.10usd\n  tokens: 5_000";
    let crew =
        AgentSet::gather([agent("lead", "scout", rest, ""), agent("scout", "", "", "")], Arc::new(House));
    let declared = crew.helpers.declarations().into_iter().find(|tool| tool.name == "lead").unwrap();
    let ToolKind::Agent { grants, reserve, tokens } = declared.kind else { panic!("it is an agent") };
    assert_eq!(grants, GrantSet::parse(["read:src/**", "spawn:scout"]).unwrap());
    assert_eq!((reserve, tokens), (NanoUsd::new(100_000_000), 5_000));
    assert!(declared.schema.canonical().contains("background"));
}

#[test]
fn a_manager_only_delegates_and_only_to_agents() {
    let files = vec![
        agent("lead", "", "manages: [scout, aide]\nat_once: 2", ""),
        agent("scout", "look", "", ""),
        agent("aide", "", "", ""),
        agent("tooled", "", "manages: [look]", ""),
        agent("lost", "", "manages: [nobody]", ""),
    ];
    let crew = AgentSet::gather(files, Arc::new(House));
    let declared = crew.helpers.declarations();
    let names: Vec<&str> = declared.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["aide", "lead", "scout"]);
    let ToolKind::Agent { grants, .. } = &declared[1].kind else { panic!("it is an agent") };
    assert_eq!(*grants, GrantSet::parse(["spawn:aide", "spawn:scout"]).unwrap());
    let said: Vec<String> = crew.faults.iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|fault| fault.contains("`look` is a tool, and a manager delegates only to agents")),
        "{said:?}"
    );
    assert!(said.iter().any(|fault| fault.contains("no tool or agent is named `nobody`")), "{said:?}");
}

#[test]
fn a_manager_with_a_tool_that_acts_is_told_so() {
    let files = vec![agent("lead", "change", "manages: [scout]", ""), agent("scout", "", "", "")];
    let crew = AgentSet::gather(files, Arc::new(Acting));
    let [fault]: [AgentBuildError; 1] = crew.faults.try_into().unwrap();
    assert!(
        fault.to_string().contains("a manager only delegates and cannot have the tool `change`"),
        "{fault}"
    );
}

/// A host with a tool that writes.
struct Acting;

impl AgentHost for Acting {
    fn begin(&self, model: Option<&str>) -> Result<AgentBuilder, String> {
        House.begin(model)
    }

    fn tools(&self, _: Option<&Path>) -> Toolbox {
        let schema = Json::object([("type", "object".into())]);
        let change = ToolSpec::new("change", "Changes.", schema).level(Level::Write);
        Toolbox::new().with(tool_fn(change, |_: ToolInvocation| async { ToolOutput::text("changed") }))
    }
}

#[test]
fn circles_are_found_and_hurt_nobody_else() {
    let files = vec![
        agent("a", "b", "", ""),
        agent("b", "c", "", ""),
        agent("c", "a", "", ""),
        agent("own", "own", "", ""),
        agent("fine", "look", "", ""),
    ];
    let (names, faults) = gather(files);
    assert_eq!(names, ["fine"]);
    assert!(faults.iter().any(|fault| fault.contains("a -> b -> c -> a")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.contains("own -> own")), "{faults:?}");
    assert_eq!(faults.len(), 4);
}

#[tokio::test]
async fn agents_that_may_call_themselves_and_each_other_end_at_the_last_level() {
    let again = |name: &str, tools: &str| AgentFile {
        recursion: AgentRecursion::Bounded,
        ..agent(name, tools, "", "call self")
    };
    let crew = AgentSet::gather([again("self", "self, other"), again("other", "self")], Arc::new(House));
    assert_eq!(crew.faults, []);
    let main = House.begin(None).unwrap().system("call self").helpers(crew.helpers).build().unwrap();
    let answer = main.run("go").await.unwrap().into_text().unwrap();
    // Four levels answer; the fifth does not exist, and its caller is told so.
    assert_eq!(answer.matches("done after").count(), 5, "{answer}");

    let all: Vec<String> = (0..4).map(|number| format!("a{number}")).collect();
    let crew = AgentSet::gather(all.iter().map(|name| again(name, &all.join(", "))), Arc::new(House));
    assert_eq!((crew.faults, crew.helpers.declarations().len()), (Vec::new(), 4));
}

#[test]
fn files_that_cannot_be_used_are_said_and_the_others_are_made() {
    let deep = |name: &str, below: &str| agent(name, below, "", "");
    let files = vec![
        agent("fine", "", "", ""),
        agent("fine", "look", "", ""),
        agent("strange", "no_such", "", ""),
        agent("rich", "", "model: large/two", ""),
        agent("relies", "rich", "", ""),
        agent("apart", "", "isolation: worktree", ""),
        deep("one", "two"),
        deep("two", "three"),
        deep("three", "four"),
        deep("four", "five"),
        deep("five", ""),
    ];
    let (names, faults) = gather(files);
    assert_eq!(names, ["fine", "fine_2", "five", "four", "three", "two"]);
    let said = faults.join("\n");
    for text in [
        "no tool or agent is named `no_such`",
        "there is no such model here",
        "`relies` cannot be used: it delegates to `rich`",
        "this folder is not in a git repository",
        "one -> two -> three -> four",
    ] {
        assert!(said.contains(text), "{text} in\n{said}");
    }
}

fn text(name: &str, tools: &str, system: &str) -> String {
    format!("---\nname: {name}\ndescription: Is {name}.\ntools: [{tools}]\n---\n{system}\n")
}

#[tokio::test]
async fn a_file_in_a_tool_folder_is_a_helper_while_it_lies_there() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    // The one that is needed is found last.
    write("a-lead.md", text("lead", "scout", "call scout"));
    write("b-scout.md", text("scout", "look", "call look"));
    write("c-twin.md", text("scout", "", ""));
    write("d-circle.md", text("circle", "circle", ""));
    write("e-broken.md", "---\nname: broken\nmode: yolo\n---\n".into());
    write("README.md", "# Not an agent\n".into());
    let registry = ToolRegistry::new();
    let loader = AgentLoader::new(House).at_most(2);
    let folders = ToolFolders::new(&registry).loader(loader.clone()).folder(ToolFolder::new(
        folder.path(),
        SourceRank::User,
        AllowAllGate,
    ));
    folders.load().await;
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.catalogue().names().collect::<Vec<_>>(), ["lead", "scout", "scout_2"]);
    let second = snapshot.find("scout_2").unwrap().declaration();
    let needs: Vec<String> = second.needs.iter().map(ToString::to_string).collect();
    assert_eq!(needs, ["spawn:scout_2"], "who may be called goes by the name that it has");
    let problems = snapshot.problems().iter().map(|problem| &*problem.what).collect::<Vec<_>>().join("\n");
    for said in ["circle -> circle", "line 3: `mode`"] {
        assert!(problems.contains(said), "{said} in {problems}");
    }
    assert!(
        loader.introduction().ends_with("- lead: Is lead.\n- scout: Is scout.\n- scout_2: Is scout."),
        "{}",
        loader.introduction()
    );

    let grants = GrantSet::parse(["spawn:*"]).unwrap();
    let main =
        || House.begin(None).unwrap().system("call lead").grants(grants.clone()).spawner(loader.clone());
    let agent = main().tools(snapshot.toolbox()).build().unwrap();
    let answer = agent.run("go").await.unwrap().into_text().unwrap();
    assert!(answer.contains("seen with own eyes"), "{answer}");
    let other = main().system("call scout_2").tools(snapshot.toolbox()).build().unwrap();
    let answer = other.run("go").await.unwrap().into_text().unwrap();
    assert!(answer.contains("done after") && !answer.contains("no helper"), "{answer}");

    // Without the second file the first can still be called, and says what it lacks.
    let gone = ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate)
        .source(&folder.path().join("b-scout.md"));
    registry.edit(|edit| edit.remove(&gone));
    let twin = ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate)
        .source(&folder.path().join("c-twin.md"));
    registry.edit(|edit| edit.remove(&twin));
    drop((snapshot, agent, other));
    let agent = main().tools(registry.snapshot().toolbox()).build().unwrap();
    let answer = agent.run("go").await.unwrap().into_text().unwrap();
    assert!(answer.contains("no tool or agent is named `scout`"), "{answer}");
}

#[tokio::test]
async fn an_agent_that_works_in_the_background_is_declared_as_itself() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lead", "aide"] {
        let text = format!("---\nname: {name}\ndescription: Is {name}.\nbackground: true\n---\nHelp.\n");
        fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
    }
    let (registry, loader) = (ToolRegistry::new(), AgentLoader::new(House));
    let folders = ToolFolders::new(&registry).loader(loader).folder(ToolFolder::new(
        folder.path(),
        SourceRank::User,
        AllowAllGate,
    ));
    folders.load().await;
    let snapshot = registry.snapshot();
    assert!(snapshot.problems().is_empty(), "{:?}", snapshot.problems());
    let declared = snapshot.toolbox().declarations();
    for name in ["lead", "aide"] {
        let own = declared.iter().find(|tool| tool.name == name).unwrap();
        assert!(matches!(own.kind, ToolKind::Agent { .. }), "{:?}", own.kind);
    }
    assert_eq!(AgentLoader::children().declaration().kind, ToolKind::Children);
}
