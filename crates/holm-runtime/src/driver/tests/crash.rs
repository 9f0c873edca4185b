//! A run is killed at every record, in every way a crash can leave a journal, and taken over: nothing is lost, and
//! nothing with side effects runs twice. `PROPTEST_CASES` says how many random scripts are played.

use std::{cell::Cell, collections::BTreeMap};

use holm_kernel::{Effect, Repeat};
use proptest::{prelude::*, test_runner::TestRunner};

use super::*;
use crate::testing::{calls_with, follows};

/// Random scripts unless `PROPTEST_CASES` says otherwise: each dies at all its appends, in every way.
const SCRIPTS: u32 = 12;

/// How a crash leaves what was being appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crash {
    /// Nothing of it is there: everything before was performed.
    Before,
    /// Only its first line is there.
    Within,
    /// All of it is there, and none of it was performed.
    After,
    /// Nothing of it is there, because the disk is full; the process lives on.
    Full,
}

const WAYS: [Crash; 4] = [Crash::Before, Crash::Within, Crash::After, Crash::Full];

/// A journal in memory that dies with the process at a given append.
struct Dies {
    text: Arc<Mutex<String>>,
    left: u64,
    how: Crash,
}

impl Journal for Dies {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        _: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        assert!(self.left > 0, "nothing is appended after what could not be kept");
        self.left -= 1;
        let mut text = self.text.lock().unwrap();
        let dies = self.left == 0;
        let kept = match (dies, self.how) {
            (false, _) | (true, Crash::After) => lines,
            (true, Crash::Within) => lines.split_inclusive('\n').next().unwrap_or_default(),
            (true, Crash::Before | Crash::Full) => "",
        };
        text.push_str(kept);
        drop(text);
        let reason = if self.how == Crash::Full { "disk full" } else { "the process died" };
        Box::pin(async move {
            if dies { Err(JournalStorageError::System { reason: reason.into() }) } else { Ok(()) }
        })
    }
}

/// What really happened, outside the process: how often each call ran, by its key.
type World = Arc<Mutex<BTreeMap<String, u64>>>;

const TOOLS: [&str; 3] = ["look", "save", "act"];

fn host(world: &World, script: &[Vec<usize>]) -> RunHost {
    let replies = script.iter().enumerate().map(|(turn, tools)| {
        calls_with(
            tools
                .iter()
                .enumerate()
                .map(|(place, tool)| (TOOLS[*tool], format!(r#"{{"turn":{turn},"place":{place}}}"#))),
        )
    });
    let mut host = RunHost::new(follows(replies.collect()));
    for name in TOOLS {
        let world = Arc::clone(world);
        let mut declaration = declared(name);
        match name {
            "save" => {
                declaration.level = Level::Write;
                declaration.repeat = Repeat::Idempotent;
            }
            "act" => declaration.level = Level::Execute,
            _ => {}
        }
        host = host.tool(tool_fn(declaration, move |job: ToolInvocation| {
            let key = format!("{name} {}", job.key);
            *world.lock().unwrap().entry(key).or_default() += 1;
            async { ToolOutput::text("did it") }
        }));
    }
    host
}

/// Drives a run to its end although it dies now and then. Gives the journal and how often it died.
async fn survive(script: &[Vec<usize>], world: &World, deaths: &[(u64, Crash)]) -> (String, u64) {
    let text = Arc::new(Mutex::new(String::new()));
    let mut died = 0;
    let mut deaths = deaths.iter();
    loop {
        let (left, how) = deaths.next().copied().unwrap_or((u64::MAX, Crash::Before));
        let host = host(world, script).journal(Dies { text: Arc::clone(&text), left, how });
        let so_far = text.lock().unwrap().clone();
        let driven = async {
            let mut driver = if so_far.is_empty() {
                Driver::start(started(&host), host).await?
            } else {
                Driver::resume(so_far.as_bytes(), "again", host).await?
            };
            // A crash before the prompt was stored: the user asks again.
            let ended = if driver.run().view().is_empty() {
                driver.prompt("go").await
            } else if driver.is_at_work() {
                driver.go_on().await
            } else {
                Ok(answered("done"))
            };
            if how == Crash::Full && ended.is_err() {
                live_on(&mut driver, world).await;
            }
            ended
        };
        match driven.await {
            Ok(ending) => {
                assert_eq!(ending, answered("done"));
                let text = text.lock().unwrap().clone();
                return (text, died);
            }
            Err(DriveError::Journal(_)) => died += 1,
            Err(error) => panic!("{error}"),
        }
    }
}

/// A host whose journal cannot be written is asked for more, and does nothing any more.
async fn live_on(driver: &mut Driver, world: &World) {
    let before = world.lock().unwrap().clone();
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    assert_eq!(driver.go_on().await, Err(DriveError::Lost));
    assert_eq!(driver.prompt("more").await, Err(DriveError::Lost));
    tokio::task::yield_now().await;
    assert_eq!(*world.lock().unwrap(), before, "nothing runs behind what could not be kept");
}

/// The outcome of every call as the model was told, by its key.
fn told(journal: &str) -> BTreeMap<String, Outcome> {
    let records = journal::decode_strict(journal.as_bytes()).unwrap();
    let (mut keys, mut outcomes) = (BTreeMap::new(), BTreeMap::new());
    journal::replay_with(&records, |_, effect| match effect {
        Effect::RunTool { call, request } => {
            keys.insert(*call, format!("{} {}", request.tool, request.key));
        }
        Effect::Emit(event) => {
            if let holm_kernel::Event::CallFinished { call, outcome, .. } = &event.event
                && let Some(key) = keys.get(call)
            {
                let twice = outcomes.insert(key.clone(), *outcome);
                assert_eq!(twice, None, "a call is answered once");
            }
        }
        _ => {}
    })
    .unwrap();
    outcomes
}

fn check(script: &[Vec<usize>], journal: &str, world: &World) {
    let (outcomes, world) = (told(journal), world.lock().unwrap());
    let expected: usize = script.iter().map(Vec::len).sum();
    assert_eq!(outcomes.len(), expected, "no call is lost");
    for (key, outcome) in &outcomes {
        let ran = world.get(key).copied().unwrap_or_default();
        if key.starts_with("act") {
            match outcome {
                Outcome::Succeeded => assert_eq!(ran, 1, "{key}"),
                Outcome::Unknown => assert!(ran <= 1, "{key} ran {ran} times"),
                Outcome::Failed | Outcome::Refused | Outcome::Stopped => panic!("{key}: {outcome:?}"),
            }
        } else {
            assert_eq!(*outcome, Outcome::Succeeded, "{key}");
            assert!(ran >= 1, "{key} is said to have run");
        }
    }
    for key in world.keys() {
        assert!(outcomes.contains_key(key), "{key} ran and nobody was told");
    }
}

/// Kills at every append in every way; `second` also kills the run that took over. Says how often something died.
async fn kill_everywhere(script: &[Vec<usize>], second: Option<(u64, Crash)>) -> u64 {
    let appends = 2 + 3 * script.len() as u64 + script.iter().map(|turn| turn.len() as u64).sum::<u64>();
    let (mut unknown, mut all) = (0, 0);
    for left in 1..=appends {
        for how in WAYS {
            let world = World::default();
            let deaths: Vec<_> = [(left, how)].into_iter().chain(second).collect();
            let (journal, died) = survive(script, &world, &deaths).await;
            check(script, &journal, &world);
            all += died;
            unknown += told(&journal).values().filter(|outcome| **outcome == Outcome::Unknown).count();
        }
    }
    if script.iter().flatten().any(|tool| TOOLS[*tool] == "act") {
        assert!(unknown > 0, "some crash must leave an act of which nobody knows");
    }
    all
}

fn within_a_runtime(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
}

#[test]
fn an_undisturbed_run_does_everything_once() {
    within_a_runtime(async {
        let script = vec![vec![0, 1, 2], vec![2], vec![0, 0]];
        let world = World::default();
        let (journal, died) = survive(&script, &world, &[]).await;
        check(&script, &journal, &world);
        assert_eq!((died, world.lock().unwrap().values().sum::<u64>()), (0, 6));
    });
}

#[test]
fn the_records_of_one_reply_are_one_append() {
    within_a_runtime(async {
        let world = World::default();
        let (journal, _) = survive(&[vec![2, 2, 2]], &world, &[(3, Crash::Within)]).await;
        // Started, prompted, the reply (its dispatches were torn off), and the one who took over.
        let fourth = journal.lines().nth(3).unwrap();
        assert!(fourth.contains("\"resumed\""), "{fourth}");
        check(&[vec![2, 2, 2]], &journal, &world);
        assert_eq!(world.lock().unwrap().values().sum::<u64>(), 3, "what was never dispatched runs once");
    });
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice_wherever_it_dies() {
    let configured = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if configured { ProptestConfig::default().cases } else { SCRIPTS };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let script = prop::collection::vec(prop::collection::vec(0_usize..3, 1..4), 1..4);
    let second = prop::option::of((1_u64..8, prop::sample::select(WAYS.to_vec())));
    let deaths = Cell::new(0);
    let found = TestRunner::new(config).run(&(script, second), |(script, second)| {
        within_a_runtime(async { deaths.set(deaths.get() + kill_everywhere(&script, second).await) });
        Ok(())
    });
    println!(
        "RESULT crash.driver scripts={cases} deaths={} violations={}",
        deaths.get(),
        u64::from(found.is_err())
    );
    assert_eq!(found, Ok(()));
}
