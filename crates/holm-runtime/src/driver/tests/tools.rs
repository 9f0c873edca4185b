//! Runs whose host has other tools than their journal says.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{Effect, Input, Outcome, ToolKind, journal};

use crate::{
    Agent, HelperAgent, HelperSet, JournalStore as _, MemoryJournalStore, ToolInvocation, Toolbox,
    testing::{calls, declared, follows, plays, says},
    tool_fn,
};

/// An agent whose tool `act` is of this level, counts its runs and never ends unless it may.
fn agent(journals: &MemoryJournalStore, level: Level, ends: bool, ran: &Arc<AtomicU64>) -> Agent {
    let ran = Arc::clone(ran);
    let act = tool_fn(declared("act").level(level), move |_: ToolInvocation| {
        ran.fetch_add(1, Ordering::Relaxed);
        async move {
            if !ends {
                std::future::pending::<()>().await;
            }
            holm_kernel::ToolOutput::text("acted")
        }
    });
    let agent = Agent::builder("test/one", follows(vec![calls(&["act"]), says("done")])).tool(act);
    agent.mode(holm_grants::Mode::Full).journals(journals.clone()).build().unwrap()
}

/// How often a journal records changed tools.
async fn changes(journals: &MemoryJournalStore) -> usize {
    let records = journal::decode_strict(&journals.read("root").await.unwrap()).unwrap();
    let inputs = records.iter().map(|record| record.payload().input().unwrap());
    inputs.filter(|input| matches!(input, Input::ToolsChanged(_))).count()
}

#[tokio::test(start_paused = true)]
async fn a_resumed_run_judges_a_call_by_the_tool_that_its_host_has() {
    for (now, runs, outcome) in [
        (Level::ReadOnly, 2, Outcome::Succeeded),
        // It was read-only and now it executes: it must not run again as if it were read-only.
        (Level::Execute, 1, Outcome::Unknown),
    ] {
        let (journals, ran) = (MemoryJournalStore::new(), Arc::new(AtomicU64::new(0)));
        let mut session = agent(&journals, Level::ReadOnly, false, &ran).start_as("root").await.unwrap();
        let _ = tokio::time::timeout(Duration::from_millis(50), session.prompt("go")).await;
        assert_eq!(ran.load(Ordering::Relaxed), 1);
        drop(session);
        let mut session = agent(&journals, now, true, &ran).resume("root").await.unwrap();
        assert_eq!(session.go_on().await.unwrap().unwrap().text().unwrap(), "done");
        assert_eq!(ran.load(Ordering::Relaxed), runs, "{now:?}");
        let results = session.run().transcript().iter().flat_map(|message| &message.blocks);
        let outcomes: Vec<_> = results
            .filter_map(|block| match block {
                holm_kernel::Block::ToolResult(result) => Some(result.outcome),
                _ => None,
            })
            .collect();
        assert_eq!(outcomes, [outcome]);
        assert_eq!(changes(&journals).await, usize::from(now == Level::Execute));
    }
}

#[tokio::test(start_paused = true)]
async fn the_journal_of_a_run_that_was_told_of_other_tools_replays() {
    let (journals, ran) = (MemoryJournalStore::new(), Arc::new(AtomicU64::new(0)));
    let mut session = agent(&journals, Level::ReadOnly, true, &ran).start_as("root").await.unwrap();
    session.prompt("go").await.unwrap();
    drop(session);
    let mut session = agent(&journals, Level::Write, true, &ran).resume("root").await.unwrap();
    session.prompt("again").await.unwrap();
    let records = journal::decode_strict(&journals.read("root").await.unwrap()).unwrap();
    let mut offered = Vec::new();
    journal::replay_with(&records, |_, effect| {
        if let Effect::CallModel { request, .. } = effect {
            offered.push(request.tools.tools[0].level);
        }
    })
    .unwrap();
    assert_eq!(offered, [Level::ReadOnly, Level::ReadOnly, Level::Write]);
}

#[tokio::test(start_paused = true)]
async fn helpers_stay_when_the_tools_of_a_toolbox_change() {
    let kid = Agent::builder("test/child", plays([says("42")])).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("kid", "Helps.", kid).background());
    let agent = Agent::builder("test/one", plays([])).helpers(helpers).build().unwrap();
    let mut session = agent.start().await.unwrap();
    let new = tool_fn(declared("new"), |_: ToolInvocation| async { holm_kernel::ToolOutput::text("") });
    session.handle().change_tools(Toolbox::new().with(new)).unwrap();
    session.prompt("go").await.unwrap();
    let names: Vec<&str> = session.run().tools().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["new", "kid", "children"]);
    // What came with a toolbox goes with it, also if another run carries it out.
    let mut found = declared("found");
    found.kind = ToolKind::Agent {
        grants: holm_grants::GrantSet::new(),
        reserve: holm_kernel::NanoUsd::ZERO,
        tokens: 0,
    };
    let found = tool_fn(found, |_: ToolInvocation| async { holm_kernel::ToolOutput::text("") });
    for (tools, expected) in [
        (Toolbox::new().with(found), ["found", "kid", "children"].as_slice()),
        (Toolbox::new(), ["kid", "children"].as_slice()),
    ] {
        session.handle().change_tools(tools).unwrap();
        session.prompt("go").await.unwrap();
        let names: Vec<&str> = session.run().tools().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn tools_that_change_before_the_first_prompt_are_offered_in_the_first_request() {
    let journals = MemoryJournalStore::new();
    let agent = Agent::builder("test/one", plays([says("done")])).journals(journals.clone()).build().unwrap();
    let mut session = agent.start_as("root").await.unwrap();
    for name in ["older", "newer"] {
        let tool = tool_fn(declared(name), |_: ToolInvocation| async { holm_kernel::ToolOutput::text("") });
        session.handle().change_tools(Toolbox::new().with(tool)).unwrap();
    }
    session.prompt("go").await.unwrap();
    let records = journal::decode_strict(&journals.read("root").await.unwrap()).unwrap();
    let mut offered = Vec::new();
    journal::replay_with(&records, |_, effect| {
        if let Effect::CallModel { request, .. } = effect {
            offered.extend(request.tools.tools.iter().map(|tool| tool.name.clone()));
        }
    })
    .unwrap();
    assert_eq!(offered, ["newer"]);
}

#[tokio::test(start_paused = true)]
async fn tools_that_cannot_be_journaled_are_not_used() {
    let tool = |text: &'static str| {
        tool_fn(declared("act"), move |_: ToolInvocation| async move { holm_kernel::ToolOutput::text(text) })
    };
    let agent = Agent::builder("test/one", plays([calls(&["act"]), says("done")])).tool(tool("the old one"));
    let mut session = agent.build().unwrap().start().await.unwrap();
    let mut deep = declared("act");
    let nested = (0..200).fold(Json::Null, |inner, _| Json::Array(vec![inner]));
    deep.schema = Json::object([("type", "object".into()), ("default", nested)]);
    let deep = tool_fn(deep, |_: ToolInvocation| async { holm_kernel::ToolOutput::text("the new one") });
    session.handle().change_tools(Toolbox::new().with(deep)).unwrap();
    assert!(session.prompt("go").await.is_err(), "the host is told");
    let report = session.prompt("go").await.unwrap();
    assert_eq!(report.text().unwrap(), "done");
    let transcript = format!("{:?}", session.run().transcript());
    assert!(transcript.contains("the old one") && !transcript.contains("the new one"), "{transcript}");
}
