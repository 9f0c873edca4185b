//! Many servers at once.

use std::time::{Duration, Instant};

use holm_mcp::{ProtocolEra, RemoteServer, ServerSet};
use holm_tools::registry::ToolRegistry;

use crate::support::{PATIENCE, Place};

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_servers_five_hang_and_five_crash_and_the_rest_is_there() {
    let place = Place::new();
    let registry = ToolRegistry::new();
    let modes = (0..20).map(|number| match number % 4 {
        0 => "hangs",
        1 => "crashes",
        _ => "ok",
    });
    let remotes: Vec<RemoteServer> = modes
        .enumerate()
        .map(|(number, mode)| {
            RemoteServer::new(
                place.spec(&format!("s{number}"), mode).era(ProtocolEra::Handshake),
                place.means(),
            )
        })
        .collect();
    let begun = Instant::now();
    let fleet = ServerSet::start(&registry, remotes, &place.pins());
    assert!(begun.elapsed() < Duration::from_secs(5), "starting waits for nobody");
    tokio::time::timeout(PATIENCE, fleet.first()).await.expect("one is there");
    // The ten that behave and the five that crash have answered long before the five that hang are given up.
    let mut changes = registry.changes();
    let all = changes.wait_for(|held| held.tools().count() == 10);
    tokio::time::timeout(PATIENCE, all).await.expect("ten are there").unwrap();
    let failed = |word: &str| {
        let failed = |state: &Result<usize, String>| state.as_ref().is_err_and(|why| why.contains(word));
        fleet.states().values().filter(|state| failed(state)).count()
    };
    let deadline = Instant::now() + PATIENCE;
    while failed("cheese") < 5 {
        assert!(Instant::now() < deadline, "{:?}", fleet.states());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Those that hang are still waited for, or were given up by now.
    let silent = fleet.settle(Duration::ZERO).await;
    assert_eq!(silent.len() + failed("did not answer"), 5, "{silent:?}, {:?}", fleet.states());
    let held = registry.snapshot();
    assert_eq!(held.problems().len(), 10, "{:?}", held.problems());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_comes_later_is_there_when_the_server_says_so() {
    let place = Place::new();
    let registry = ToolRegistry::new();
    let remote = place.remote("late");
    let _fleet = ServerSet::start(&registry, [remote], &place.pins());
    let mut changes = registry.changes();
    let echo = changes.wait_for(|held| held.find("t_echo").is_some());
    let held = tokio::time::timeout(PATIENCE, echo).await.unwrap().unwrap().clone();
    assert!(held.find("t_late").is_none());
    let output = held.find("t_echo").unwrap().run(holm_runtime::ToolInvocation::alone("{}")).await;
    assert!(!output.outcome.is_error(), "{}", output.text);
    let late = changes.wait_for(|held| held.find("t_late").is_some());
    tokio::time::timeout(PATIENCE, late).await.expect("the list is read again").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_comes_without_a_word_is_there_when_the_list_is_no_longer_good() {
    let place = Place::new();
    let registry = ToolRegistry::new();
    let _fleet = ServerSet::start(&registry, [place.remote("quiet")], &place.pins());
    let mut changes = registry.changes();
    // The server says that its list is good for a second and never that it changed.
    let late = changes.wait_for(|held| held.find("t_late").is_some());
    tokio::time::timeout(PATIENCE, late).await.expect("the list is read again").unwrap();
}
