mod audit;
mod background;
mod panics;
mod stage;
mod tree;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Approvals, Ending, ModelResult, NanoUsd, ToolOutput, Usage};

use super::*;
use crate::{
    Agent, BuildError, HookOpinion, MemoryJournalStore, ProposedCall, ToolInvocation,
    testing::{calls_with, plays, says, thinks},
    tool_fn,
};

fn task(text: &str) -> String {
    Json::object([("task", text.into())]).canonical()
}

fn hands(helper: &str, tasks: &[&str]) -> holm_kernel::ModelResult {
    calls_with(tasks.iter().map(|text| (helper, task(text))))
}

fn helper_that(name: &str, results: impl IntoIterator<Item = holm_kernel::ModelResult>) -> HelperAgent {
    let agent = Agent::builder("test/child", plays(results)).build().unwrap();
    HelperAgent::new(name, "Helps.", agent)
}

#[tokio::test]
async fn a_helper_is_a_tool_and_its_answer_is_the_result() {
    let journals = MemoryJournalStore::new();
    let helpers = HelperSet::new().with(helper_that("kid", [says("42")]));
    let agent = Agent::builder("test/one", plays([hands("kid", &["count"]), says("it is 42")]));
    let agent = agent.system("Be brief.").journals(journals.clone()).helpers(helpers).build().unwrap();
    assert_eq!(
        agent.config().system,
        "Be brief.\n\nHelpers you can delegate to; each is a tool:\n- kid: Helps."
    );
    let mut session = agent.start_as("root").await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "it is 42");
    assert_eq!(journals.runs().len(), 2, "the child has a journal of its own");
    let transcript = format!("{:?}", session.run().transcript());
    assert!(transcript.contains("42"), "{transcript}");
}

#[tokio::test]
async fn a_child_that_fails_is_a_result_for_its_parent() {
    let broken = crate::model_fn(|_| panic!("a transport that panics"));
    let broken = Agent::builder("test/broken", broken).build().unwrap();
    let over = Agent::builder("test/over", plays([says("too late")])).config(|config| {
        config.limits.turns = holm_kernel::Bound::AtMost(0);
    });
    for agent in [broken, over.build().unwrap()] {
        let helpers = HelperSet::new().with(HelperAgent::new("kid", "Helps.", agent));
        let parent = Agent::builder("test/one", plays([hands("kid", &["go"]), says("I saw it fail")]));
        let parent = parent.helpers(helpers).build().unwrap();
        let mut session = parent.start().await.unwrap();
        assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "I saw it fail");
        let transcript = format!("{:?}", session.run().transcript());
        assert!(transcript.contains("the helper `kid` failed"), "{transcript}");
    }
}

#[tokio::test]
async fn a_manager_with_a_tool_that_acts_cannot_be_built() {
    let look =
        tool_fn(crate::testing::declared("look"), |_: ToolInvocation| async { ToolOutput::text("seen") });
    let built = Agent::builder("test/one", plays([])).tool(look).manages(HelperSet::new()).build();
    assert_eq!(built.unwrap_err(), BuildError::ManagerActs { name: "look".into() });
    let twice = Agent::builder("test/one", plays([]))
        .tool(tool_fn(crate::testing::declared("kid"), |_: ToolInvocation| async { ToolOutput::text("") }))
        .helpers(HelperSet::new().with(helper_that("kid", [])));
    assert!(matches!(twice.build().unwrap_err(), BuildError::Tools(_)));
}

#[tokio::test]
async fn no_more_children_work_at_once_than_were_allowed() {
    let now = Arc::new(AtomicU64::new(0));
    let seen = Arc::new(Mutex::new(0));
    let (count, peak) = (Arc::clone(&now), Arc::clone(&seen));
    let client = crate::model_fn(move |_| {
        let (count, peak) = (Arc::clone(&count), Arc::clone(&peak));
        Box::pin(async move {
            let here = count.fetch_add(1, SeqCst) + 1;
            let highest = (*peak.lock().unwrap()).max(here);
            *peak.lock().unwrap() = highest;
            tokio::time::sleep(Duration::from_millis(5)).await;
            count.fetch_sub(1, SeqCst);
            says("done")
        })
    });
    let kid = HelperAgent::new("kid", "Helps.", Agent::builder("test/child", client).build().unwrap());
    let helpers = HelperSet::new().with(kid).at_most(2);
    let tasks = ["a", "b", "c", "d", "e", "f"];
    let parent = Agent::builder("test/one", plays([hands("kid", &tasks), says("all")]));
    let parent = parent.manages(helpers).build().unwrap();
    assert_eq!(parent.run("go").await.unwrap().text().unwrap(), "all");
    assert_eq!(*seen.lock().unwrap(), 2);
}

#[tokio::test]
async fn a_cancel_travels_down_and_steering_does_not() {
    let journals = MemoryJournalStore::new();
    let slow = Agent::builder("test/child", thinks()).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("kid", "Helps.", slow));
    let parent = Agent::builder("test/one", plays([hands("kid", &["think"])]));
    let parent = parent.journals(journals.clone()).helpers(helpers.clone()).build().unwrap();
    let mut session = parent.start_as("root").await.unwrap();
    let handle = session.handle();
    let watcher = async {
        let child = loop {
            match helpers.live().pop() {
                Some(child) => break child,
                None => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        assert_eq!((child.parent.as_str(), child.helper.as_str()), ("root", "kid"));
        handle.steer("for the parent alone").unwrap();
        child.handle.steer("for the child alone").unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
        handle.cancel("enough").unwrap();
        child.id
    };
    let (report, child) = tokio::join!(session.prompt("go"), watcher);
    assert_eq!(report.unwrap().ending, Ending::Cancelled { reason: "enough".into() });
    assert!(helpers.live().is_empty() && helpers.find(&child).is_none());
    let (above, below) = (parent.replay("root").await.unwrap(), parent.replay(&child).await.unwrap());
    assert!(above.run.is_idle() && below.run.is_idle(), "nobody is left at work");
    assert!(above.run.usage().total() >= 13, "the child's last words were paid");
    let (above, below) = (format!("{:?}", above.events), format!("{:?}", below.events));
    assert!(below.contains("its parent no longer waits for it"), "{below}");
    assert!(!below.contains("for the parent alone") && !above.contains("for the child alone"));
}

/// What a child's journal tells of its one call, where it may do anything and is configured like this; its parent's hook
/// has nothing against `look` and denies `act`.
async fn watched(approvals: Approvals, mode: Mode, tool: &'static str) -> String {
    let acts = |name: &str| {
        let declaration = crate::testing::declared(name).level(Level::Execute);
        tool_fn(declaration, |_: ToolInvocation| async { ToolOutput::text("acted") })
    };
    let child = Agent::builder("test/child", plays([calls_with([(tool, "{}".into())]), says("tried")]));
    let child = child.tool(acts("act")).tool(acts("look")).mode(mode);
    let child = child.config(|config| config.approvals = approvals).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("kid", "Helps.", child));
    let no_acts = |call: &ProposedCall| match &*call.proposal.tool {
        "act" => HookOpinion::deny("nobody acts here"),
        _ => HookOpinion::Pass,
    };
    let hooks = crate::HookSet::new().before_call(no_acts).inherit();
    let journals = MemoryJournalStore::new();
    let parent = Agent::builder("test/one", plays([hands("kid", &["act"]), says("done")])).hooks(hooks);
    let parent = parent.mode(Mode::Full).journals(journals.clone()).helpers(helpers).build().unwrap();
    parent.start_as("root").await.unwrap().prompt("go").await.unwrap();
    let child = journals.runs().into_iter().find(|run| run != "root").unwrap();
    format!("{:?}", parent.replay(&child).await.unwrap().events)
}

#[tokio::test]
async fn hooks_that_are_handed_on_look_at_the_calls_of_children_too() {
    for approvals in [Approvals::Ask, Approvals::Deny] {
        let transcript = watched(approvals, Mode::Full, "act").await;
        assert!(
            transcript.contains("nobody acts here") && !transcript.contains("acted"),
            "{approvals:?}: {transcript}"
        );
        let transcript = watched(approvals, Mode::Full, "look").await;
        assert!(transcript.contains("acted"), "{approvals:?}: {transcript}");
    }
    // If no person is there, hooks that do not object do not replace a person's approval.
    let transcript = watched(Approvals::Deny, Mode::default(), "look").await;
    assert!(!transcript.contains("acted"), "{transcript}");
}

/// A model that takes one step, which is paid for, and thinks from then on; it counts its calls.
fn steps_and_thinks(asked: Arc<AtomicU64>) -> Arc<dyn crate::Model> {
    Arc::new(crate::model_fn(move |_| {
        let first = asked.fetch_add(1, SeqCst) == 0;
        Box::pin(async move {
            let ModelResult::Replied(mut reply) = calls_with([("look", "{}".into())]) else {
                panic!("a reply")
            };
            reply.usage = Usage { input: 9, output: 4, ..Usage::default() };
            if !first {
                std::future::pending::<()>().await;
            }
            ModelResult::Replied(reply)
        })
    }))
}

fn kid(client: Arc<dyn crate::Model>) -> Agent {
    let look =
        tool_fn(crate::testing::declared("look"), |_: ToolInvocation| async { ToolOutput::text("seen") });
    Agent::builder("test/child", client).tool(look).build().unwrap()
}

fn parent_of(helper: HelperAgent, journals: &MemoryJournalStore) -> Agent {
    let client = crate::testing::follows(vec![hands("kid", &["think"]), says("I saw it fail")]);
    let parent = Agent::builder("test/one", client).journals(journals.clone());
    parent.helpers(HelperSet::new().with(helper)).build().unwrap()
}

/// A place that cannot be entered.
struct Full;

impl ChildIsolation for Full {
    fn enter<'a>(&'a self, _: &'a str) -> crate::BoxFuture<'a, Result<std::path::PathBuf, String>> {
        Box::pin(async { Err("no room is left".into()) })
    }

    fn leave<'a>(&'a self, _: &'a str) -> crate::BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async { Ok(None) })
    }
}

#[tokio::test]
async fn a_child_that_cannot_be_gone_on_with_is_brought_to_its_end_and_paid() {
    let made = |_: &std::path::Path| Ok(kid(plays([])));
    let no_room = || HelperAgent::isolated("kid", "Helps.", Full, made);
    for (helper, reason) in
        [(no_room(), "no room is left"), (helper_that("other", []), "the helper `kid` no longer exists")]
    {
        let journals = MemoryJournalStore::new();
        let asked = Arc::new(AtomicU64::new(0));
        let first = parent_of(
            HelperAgent::new("kid", "Helps.", kid(steps_and_thinks(Arc::clone(&asked)))),
            &journals,
        );
        let mut session = first.start_as("root").await.unwrap();
        let thinks = async {
            while asked.load(SeqCst) < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            _ = session.prompt("go") => panic!("it has nothing to say yet"),
            () = thinks => {}
        }
        drop(session);
        let second = parent_of(helper, &journals);
        let mut session = second.resume("root").await.unwrap();
        assert_eq!(session.go_on().await.unwrap().unwrap().text().unwrap(), "I saw it fail");
        let used = session.run().usage();
        assert_eq!(used.total() - used.estimated, 13, "{reason}: what it took is paid");
        let transcript = format!("{:?}", session.run().transcript());
        assert!(transcript.contains(reason), "{transcript}");
        for run in journals.runs() {
            assert!(second.replay(&run).await.unwrap().run.is_idle(), "{reason}: {run} is left at work");
        }
    }
}

#[tokio::test]
async fn a_child_at_work_is_stopped_if_its_parent_goes_on_in_plan_mode() {
    let journals = MemoryJournalStore::new();
    let asked = Arc::new(AtomicU64::new(0));
    let agent = || {
        let kid = kid(steps_and_thinks(Arc::clone(&asked)));
        parent_of(HelperAgent::new("kid", "Helps.", kid), &journals)
    };
    let mut session = agent().start_as("root").await.unwrap();
    let thinks = async {
        while asked.load(SeqCst) < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        _ = session.prompt("go") => panic!("it has nothing to say yet"),
        () = thinks => {}
    }
    drop(session);
    let changes = crate::ResumeChanges { mode: Some(Mode::Plan), ..crate::ResumeChanges::default() };
    let second = agent();
    let mut session = second.resume_with("root", changes).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), session.go_on()).await;
    ended.expect("the child is stopped").unwrap();
    let transcript = format!("{:?}", session.run().transcript());
    assert!(transcript.contains("a grant it needs was withdrawn"), "{transcript}");
    for run in journals.runs() {
        assert!(second.replay(&run).await.unwrap().run.is_idle(), "{run} is left at work");
    }
}

#[tokio::test]
async fn a_child_cannot_start_children_deeper_than_allowed() {
    let leaf = helper_that("leaf", [says("too deep")]);
    let middle = Agent::builder("test/middle", plays([hands("leaf", &["go"]), says("no leaf")]));
    let middle = middle.helpers(HelperSet::new().with(leaf)).build().unwrap();
    let asked = GrantSet::parse(["spawn:leaf"]).unwrap();
    let middle = HelperAgent::new("middle", "Helps.", middle).grants(asked.clone()).reserve(NanoUsd::ZERO);
    let journals = MemoryJournalStore::new();
    let root = Agent::builder("test/root", plays([hands("middle", &["go"]), says("done")]));
    let root = root.grants(asked).config(|config| config.limits.depth = 1).journals(journals.clone());
    let root = root.helpers(HelperSet::new().with(middle)).build().unwrap();
    assert_eq!(root.run("go").await.unwrap().text().unwrap(), "done");
    assert_eq!(journals.runs().len(), 2, "the leaf never began");
}
