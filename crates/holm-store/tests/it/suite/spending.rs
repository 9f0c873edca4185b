//! What sessions cost, as their drivers store it, compared with what folds of their journals say.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm_grants::Mode;
use holm_kernel::{
    Block, Failure, FailureClass, ModelResult, ModelSpec, NanoUsd, Price, Reply, Role, StopReason, ToolCall,
    Usage,
};
use holm_runtime::{Agent, Durability, HelperAgent, HelperSet, JournalStore as _, model_fn};
use holm_store::{SessionQuery, Store, StoreOptions};

use super::{Place, journals::patiently, script::Script};

/// Numbers that look random and are the same in each run of the test.
#[derive(Clone)]
struct Dice(Arc<AtomicU64>);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    fn roll(&self, sides: u64) -> u64 {
        let last = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (last ^ (last >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % sides
    }
}

fn priced(name: &str) -> ModelSpec {
    let price = Price { input: 3_000_000_000, output: 15_000_000_000, ..Price::default() };
    ModelSpec { price: Some(price), ..ModelSpec::named(name) }
}

/// Answers, delegates, fails or never returns.
fn agent(store: &Store, dice: &Dice) -> Agent {
    let builder = |name: &str, delegates: bool| {
        let dice = dice.clone();
        let model = model_fn(move |ask| {
            let is_prompt = ask.messages.last().is_some_and(|message| message.role == Role::User);
            let usage = Usage { input: dice.roll(2_000), output: dice.roll(300), ..Usage::default() };
            let kind = dice.roll(8);
            Box::pin(async move {
                let call = || ToolCall {
                    id: "c".into(),
                    name: "kid".into(),
                    arguments: r#"{"task":"help"}"#.into(),
                    replay: None,
                };
                let (blocks, stop) = match kind {
                    0 => return std::future::pending().await,
                    1 => {
                        let class = FailureClass::BadRequest;
                        let (message, retry_after_ms) = ("no".to_owned(), None);
                        return ModelResult::Failed(Failure { class, message, retry_after_ms, usage });
                    }
                    2..5 if delegates && is_prompt => (Block::ToolCall(call()), StopReason::ToolUse),
                    _ => (Block::Text("done".into()), StopReason::EndTurn),
                };
                ModelResult::Replied(Reply { blocks: vec![blocks], usage, stop, model: None })
            })
        });
        Agent::builder(priced(name), model).mode(Mode::Full).journals(store.clone())
    };
    let kid = HelperAgent::new("kid", "Helps.", builder("test/kid", false).build().unwrap());
    builder("test/one", true).helpers(HelperSet::new().with(kid)).build().unwrap()
}

/// What the journals say, each folded as a whole.
async fn folded(store: &Store) -> NanoUsd {
    let all = SessionQuery { limit: Some(1_000), ..SessionQuery::default() };
    let mut sum = NanoUsd::ZERO;
    for session in store.list(&all).await.unwrap().sessions {
        let usage = store.fold_usage(&session.run).await.unwrap();
        sum = usage.entries.iter().fold(sum, |sum, entry| sum.plus(entry.tally.cost));
    }
    sum
}

async fn check(store: &Store, what: &str) {
    for _ in 0..100 {
        if store.spent().await.unwrap() == folded(store).await {
            return;
        }
        // A child that is being stopped may have written in between.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(store.spent().await.unwrap(), folded(store).await, "{what}");
}

pub(crate) async fn what_drivers_store_is_what_folds_count(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let dice = Dice::new(26);
    let agent = agent(&store, &dice);
    for round in 0..60 {
        let name = format!("session-{}", dice.roll(6));
        let session = match agent.resume(&name).await {
            Ok(session) => Ok(session),
            Err(_) => agent.start_as(&name).await,
        };
        // A session that was just given up may not be free yet.
        let Ok(mut session) = session else { continue };
        if dice.roll(2) == 0 {
            check(&store, &format!("round {round}, resumed")).await;
        }
        let ended = tokio::time::timeout(Duration::from_millis(40), session.prompt("go on")).await;
        if dice.roll(3) == 0 {
            check(&store, &format!("round {round}, {}", if ended.is_ok() { "ended" } else { "at work" }))
                .await;
        }
        // Without closing: as if the process ended here.
        drop(session);
        check(&store, &format!("round {round}, left")).await;
    }
    assert!(store.spent().await.unwrap() > NanoUsd::ZERO);
}

pub(crate) async fn no_journal_is_read_for_what_drivers_have_stored(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let model = model_fn(|_| {
        let usage = Usage { input: 100, output: 10, ..Usage::default() };
        let reply = Reply { blocks: vec![Block::Text("done".into())], usage, ..Reply::default() };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let agent = Agent::builder(priced("test/one"), model).journals(store.clone()).build().unwrap();
    for number in 0..3 {
        agent.start_as(&format!("session-{number}")).await.unwrap().prompt("hello").await.unwrap();
    }
    for _ in 0..3 {
        let mut session = agent.resume("session-1").await.unwrap();
        let before = store.commits().records;
        store.spent().await.unwrap();
        assert_eq!(store.commits().records, before, "taking over is stored too");
        session.prompt("again").await.unwrap();
        let before = store.commits().records;
        let spent = store.spent().await.unwrap();
        assert_eq!(store.commits().records, before);
        assert_eq!(spent, folded(&store).await);
        drop(session);
        drop(patiently(&store, "session-1").await);
    }
}

pub(crate) async fn records_that_a_crash_left_behind_the_stored_cost_are_counted(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let mut script = Script::new("one");
    script.prompt("hello").answer("done");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.text(), Durability::Synced).await.unwrap();
    check(&store, "nothing was stored at all").await;
    let known = script.lines.len();
    script.prompt("more").answer("done");
    // The process ends between the append and the cost.
    journal.append(&script.lines[known..].concat(), Durability::Synced).await.unwrap();
    drop(journal);
    let spent = store.spent().await.unwrap();
    assert_eq!(spent, script.run().spent());
    // Another driver continues from what the fold has found.
    drop(patiently(&store, "one").await);
    let reply = Reply {
        blocks: vec![Block::Text("done".into())],
        usage: Usage { input: 100, output: 10, ..Usage::default() },
        ..Reply::default()
    };
    let model = model_fn(move |_| {
        let reply = reply.clone();
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let agent = Agent::builder(priced("test/one"), model).journals(store.clone()).build().unwrap();
    agent.resume("one").await.unwrap().prompt("again").await.unwrap();
    assert!(store.spent().await.unwrap() > spent);
    check(&store, "resumed").await;
    drop(patiently(&store, "one").await);
    store.erase("one").await.unwrap();
    assert_eq!(store.spent().await.unwrap(), NanoUsd::ZERO, "an erased session leaves nothing");
}
