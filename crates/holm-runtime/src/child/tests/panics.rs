//! Children whose tasks panic: failed results, and paid for by what their journals show.

use std::{path::PathBuf, time::Duration};

use holm_kernel::{Budget, ChildResult, ModelResult, ModelSpec, NanoUsd, Outcome, Price, Reply, Run, Usage};

use super::{audit::faults, *};
use crate::{
    AgentBuilder, BoxFuture, ChildLaunch, ChildSpawner, JournalStore as _, ResumeChanges, RunReplay, model_fn,
};

/// A bound for what must happen at some time, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A model whose every reply costs seven.
fn priced(name: &str) -> ModelSpec {
    ModelSpec { price: Some(Price { output: 7_000_000, ..Price::default() }), ..ModelSpec::named(name) }
}

fn paid(result: ModelResult) -> ModelResult {
    match result {
        ModelResult::Replied(reply) => {
            ModelResult::Replied(Reply { usage: Usage { input: 1, output: 1, ..Usage::default() }, ..reply })
        }
        other => other,
    }
}

/// The audit of everything that was kept, after the root has ended.
async fn audit(journals: &MemoryJournalStore) -> Vec<String> {
    let mut texts = std::collections::BTreeMap::new();
    for run in journals.runs() {
        texts.insert(run.clone(), journals.read(&run).await.unwrap());
    }
    faults("root", &texts)
}

fn outcomes(run: &Run) -> Vec<(Outcome, String)> {
    let blocks = run.transcript().iter().flat_map(|message| message.blocks.iter());
    let results = blocks.filter_map(|block| match block {
        holm_kernel::Block::ToolResult(result) => Some((result.outcome, result.text.clone())),
        _ => None,
    });
    results.collect()
}

/// An agent that knows these helpers but starts them with another spawner.
fn spawning(agent: AgentBuilder, helpers: &HelperSet, spawner: impl ChildSpawner + 'static) -> AgentBuilder {
    let tools = helpers.declarations();
    let agent = agent.config(|config| config.tools.extend(tools)).spawner(spawner);
    agent.grants(GrantSet::parse(["spawn:*"]).unwrap())
}

/// Folders that a child can never leave.
struct Trap;

impl ChildIsolation for Trap {
    fn enter<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<PathBuf, String>> {
        Box::pin(async { Ok(PathBuf::from("/")) })
    }

    fn leave<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async { panic!("on purpose") })
    }
}

#[tokio::test]
async fn a_budget_below_what_is_spent_ends_what_was_under_way_and_says_so() {
    let journals = MemoryJournalStore::new();
    let agent = || {
        let kid = HelperAgent::new("kid", "Thinks.", Agent::builder("test/child", thinks()).build().unwrap());
        let parent = Agent::builder(priced("test/one"), plays([paid(hands("kid", &["go"]))]));
        parent.journals(journals.clone()).helpers(HelperSet::new().with(kid)).build().unwrap()
    };
    let mut session = agent().start_as("root").await.unwrap();
    let at_work = async {
        while journals.runs().len() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        report = session.prompt("go") => panic!("{report:?}"),
        begun = tokio::time::timeout(PATIENCE, at_work) => begun.expect("a child at work"),
    }
    drop(session);
    let changes =
        ResumeChanges { budget: Some(Budget { usd: Some(NanoUsd::new(1)) }), ..ResumeChanges::default() };
    let mut session = agent().resume_with("root", changes).await.unwrap();
    let report = session.go_on().await.unwrap().expect("that it has ended is told");
    assert!(matches!(report.ending, Ending::OverBudget { .. }), "{report:?}");
    agent().replay("root").await.unwrap();
}

#[tokio::test]
async fn a_child_whose_task_panics_is_billed_for_what_it_did() {
    let journals = MemoryJournalStore::new();
    let kid = HelperAgent::isolated("kid", "Helps.", Trap, |_| {
        Agent::builder(priced("test/child"), plays([paid(says("I am done"))])).build()
    });
    let parent = Agent::builder("test/one", plays([hands("kid", &["go"]), says("I saw it")]));
    let parent = parent.journals(journals.clone()).helpers(HelperSet::new().with(kid)).build().unwrap();
    let mut session = parent.start_as("root").await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "I saw it");
    let [(outcome, text)] = &outcomes(session.run())[..] else { panic!("one result") };
    assert!(*outcome == Outcome::Failed && text.contains("the child run panicked"), "{text}");
    let used = session.run().usage();
    assert_eq!((session.run().spent(), used.total() - used.estimated), (NanoUsd::new(7), 2));
    drop(session);
    assert_eq!(audit(&journals).await, Vec::<String>::new());
}

/// Starts the children of helpers, and panics while one is at work, once there is a run below it that has spent.
struct Fragile {
    helpers: HelperSet,
    below: HelperSet,
    journals: MemoryJournalStore,
}

impl ChildSpawner for Fragile {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        let (work, below, journals) = (self.helpers.spawn(child), self.below.clone(), self.journals.clone());
        Box::pin(async move {
            let seen = async {
                loop {
                    for live in below.live() {
                        let text = journals.read(&live.id).await.unwrap_or_default();
                        if RunReplay::read(&text).is_ok_and(|replay| replay.run.spent() > NanoUsd::ZERO) {
                            return;
                        }
                    }
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::select! {
                _ = work => panic!("it was to work for ever"),
                () = seen => panic!("on purpose"),
            }
        })
    }
}

#[tokio::test]
async fn those_below_a_child_that_panics_are_brought_to_their_end_and_paid_for() {
    let journals = MemoryJournalStore::new();
    // It speaks once, which costs, and then thinks for ever.
    let look =
        tool_fn(crate::testing::declared("look"), |_: ToolInvocation| async { ToolOutput::text("seen") });
    let leaf = model_fn(|ask| {
        let first = ask.messages.len() == 1;
        let stop = ask.stop.clone();
        Box::pin(async move {
            if first {
                return paid(calls_with([("look", "{}".to_owned())]));
            }
            stop.cancelled().await;
            ModelResult::Aborted(Reply::default())
        })
    });
    let leaf = Agent::builder(priced("test/leaf"), leaf).tool(look).build().unwrap();
    let below = HelperSet::new().with(HelperAgent::new("leaf", "Looks.", leaf));
    let middle = Agent::builder(priced("test/middle"), plays([paid(hands("leaf", &["look"]))]));
    let middle = middle.helpers(below.clone()).build().unwrap();
    let asked = GrantSet::parse(["spawn:leaf"]).unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("middle", "Divides.", middle).grants(asked));
    let fragile = Fragile { helpers: helpers.clone(), below, journals: journals.clone() };
    let root = Agent::builder("test/one", plays([hands("middle", &["go"]), says("I saw it")]));
    let root = spawning(root, &helpers, fragile).journals(journals.clone()).build().unwrap();
    let mut session = root.start_as("root").await.unwrap();
    let report = tokio::time::timeout(PATIENCE, session.prompt("go")).await.expect("it ends").unwrap();
    assert_eq!(report.text().unwrap(), "I saw it");
    assert_eq!(session.run().spent(), NanoUsd::new(14), "a reply of the child and one of its own child");
    drop(session);
    assert_eq!(journals.runs().len(), 3);
    assert_eq!(audit(&journals).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_child_that_panics_before_it_began_costs_nothing() {
    struct Never;
    impl ChildSpawner for Never {
        fn spawn(&self, _: ChildLaunch) -> BoxFuture<'static, ChildResult> {
            panic!("on purpose")
        }
    }
    let helpers = HelperSet::new().with(helper_that("kid", []));
    let parent = Agent::builder("test/one", plays([hands("kid", &["go"]), says("I saw it")]));
    let parent = spawning(parent, &helpers, Never).build().unwrap();
    let mut session = parent.start_as("root").await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "I saw it");
    let [(outcome, text)] = &outcomes(session.run())[..] else { panic!("one result") };
    assert!(*outcome == Outcome::Failed && text.contains("the child run panicked"), "{text}");
    assert_eq!(session.run().spent(), NanoUsd::ZERO);
}
