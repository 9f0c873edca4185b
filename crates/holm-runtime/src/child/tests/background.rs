//! Helpers that work while their parent continues.

use std::{sync::Arc, time::Duration};

use holm_kernel::{ChildrenAtEnd, Ending, Role, ToolKind};

use super::{HelperAgent, HelperSet, helper_that};
use crate::{
    Agent, MemoryJournalStore, Model, Session, model_fn,
    testing::{calls_with, follows, plays, says, thinks},
};

fn leaves(helper: &str, task: &str) -> holm_kernel::ModelResult {
    calls_with([(helper, format!(r#"{{"background":true,"task":"{task}"}}"#))])
}

/// The messages that the model got in addition to its own.
fn heard(session: &Session) -> Vec<String> {
    let messages = session.run().transcript().iter().filter(|message| message.role == Role::User);
    messages.map(|message| message.plain_text()).collect()
}

#[tokio::test]
async fn the_parent_goes_on_and_hears_the_result_before_it_ends() {
    let client = model_fn(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            says("42")
        })
    });
    let kid = Agent::builder("test/child", client).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("kid", "Counts.", kid).background());
    let script = [leaves("kid", "count"), says("meanwhile"), says("it is 42")];
    let agent = Agent::builder("test/one", plays(script)).helpers(helpers).build().unwrap();
    let mut session = agent.start().await.unwrap();
    assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "it is 42");
    let messages = heard(&session);
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[1].starts_with("The background helper `kid` (child 1) has ended."), "{messages:?}");
    assert!(messages[1].contains(">42<"), "{messages:?}");
}

#[tokio::test]
async fn only_helpers_that_may_work_in_the_background_bring_the_tool_that_looks_after_them() {
    let tools = |helper: HelperAgent| {
        let agent = Agent::builder("test/one", plays([])).helpers(HelperSet::new().with(helper));
        let tools = agent.build().unwrap().config().tools.clone();
        tools.iter().filter(|tool| tool.kind == ToolKind::Children).count()
    };
    assert_eq!(tools(helper_that("kid", [])), 0);
    assert_eq!(tools(helper_that("kid", []).background()), 1);
    // A helper that was not told so does not take the argument.
    let agent = Agent::builder("test/one", plays([leaves("kid", "count"), says("no")]));
    let agent = agent.helpers(HelperSet::new().with(helper_that("kid", [says("42")]))).build().unwrap();
    let mut session = agent.start().await.unwrap();
    session.prompt("go").await.unwrap();
    assert!(format!("{:?}", session.run().transcript()).contains("background"));
    assert_eq!(heard(&session).len(), 1);
}

#[tokio::test]
async fn a_parent_that_is_cancelled_or_told_to_stops_what_works_in_the_background() {
    for at_end in [ChildrenAtEnd::Wait, ChildrenAtEnd::Stop] {
        let journals = MemoryJournalStore::new();
        let slow = Agent::builder("test/child", thinks()).build().unwrap();
        let helpers =
            HelperSet::new().with(HelperAgent::new("kid", "Thinks.", slow).background()).at_end(at_end);
        let script = [leaves("kid", "think"), says("the end")];
        let parent = Agent::builder("test/one", plays(script)).journals(journals.clone());
        let parent = parent.helpers(helpers.clone()).build().unwrap();
        let mut session = parent.start_as("root").await.unwrap();
        let handle = session.handle();
        let watcher = async {
            while helpers.live().is_empty() && at_end == ChildrenAtEnd::Wait {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            if at_end == ChildrenAtEnd::Wait {
                handle.steer("for the parent alone").unwrap();
                tokio::time::sleep(Duration::from_millis(10)).await;
                handle.cancel("enough").unwrap();
            }
        };
        let (report, ()) = tokio::join!(session.prompt("go"), watcher);
        let expected = match at_end {
            ChildrenAtEnd::Wait => Ending::Cancelled { reason: "enough".into() },
            ChildrenAtEnd::Stop => Ending::Answered { text: "the end".into() },
        };
        assert_eq!(report.unwrap().ending, expected);
        assert!(helpers.live().is_empty());
        for run in journals.runs() {
            let replayed = parent.replay(&run).await.unwrap();
            assert!(replayed.run.is_idle(), "{run} is left at work");
            let events = format!("{:?}", replayed.events);
            assert!(run == "root" || !events.contains("for the parent alone"), "{events}");
        }
    }
}

/// A parent that leaves one task to a helper with this model, and hears of it.
fn parent(journals: &MemoryJournalStore, kid: Arc<dyn Model>) -> (Agent, HelperSet) {
    let kid = Agent::builder("test/child", kid).build().unwrap();
    let helpers = HelperSet::new().with(HelperAgent::new("kid", "Helps.", kid).background());
    let script = vec![leaves("kid", "think"), says("waiting"), says("heard it")];
    let parent = Agent::builder("test/one", follows(script)).journals(journals.clone());
    (parent.helpers(helpers.clone()).build().unwrap(), helpers)
}

/// A run whose process goes while its child thinks.
async fn left_thinking(journals: &MemoryJournalStore) {
    let (first, helpers) = parent(journals, thinks());
    let mut session = first.start_as("root").await.unwrap();
    let begun = async {
        while helpers.live().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        _ = session.prompt("go") => panic!("it has nothing to say yet"),
        () = begun => {}
    }
}

#[tokio::test]
async fn a_session_that_is_dropped_and_resumed_goes_on_with_what_works_in_the_background() {
    let journals = MemoryJournalStore::new();
    left_thinking(&journals).await;
    let (second, _) = parent(&journals, plays([says("42")]));
    let mut session = second.resume("root").await.unwrap();
    let report = session.go_on().await.unwrap().unwrap();
    assert_eq!(report.text().unwrap(), "heard it");
    assert_eq!(journals.runs().len(), 2);
    assert!(heard(&session)[1].contains(">42<"));
}

#[tokio::test]
async fn a_run_that_was_forked_off_has_children_of_its_own_and_stops_nobody_elses() {
    let journals = MemoryJournalStore::new();
    left_thinking(&journals).await;
    let child = journals.runs().into_iter().find(|run| run != "root").unwrap();
    let (second, _) = parent(&journals, plays([says("42"), says("43")]));
    let last = second.replay("root").await.unwrap().run.receipt().seq;
    let mut branch = second.fork("root", last, "branch").await.unwrap();
    assert_eq!(branch.go_on().await.unwrap().unwrap().text().unwrap(), "heard it");
    drop(branch);
    assert!(!second.replay(&child).await.unwrap().run.is_idle(), "the other's child stands where it stood");
    let mut session = second.resume("root").await.unwrap();
    session.go_on().await.unwrap().unwrap();
    assert!(heard(&session)[1].contains(">43<"), "{:?}", heard(&session));
    assert_eq!(journals.runs().len(), 4);
}
