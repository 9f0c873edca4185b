//! An agent on a store, through nothing but the traits.

use holm_grants::Mode;
use holm_kernel::{Block, Message, ModelResult, Reply, Role, Seq, StopReason, ToolCall, journal};
use holm_runtime::{Agent, BlobStore as _, JournalStore as _, model_fn, tool};
use holm_store::{MasterKey, Store, StoreOptions, UsageGrouping, UsageQuery};

use super::Place;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Count {
    lines: usize,
}

/// Calls a tool that floods once, and then says what it was told.
fn agent(store: &Store) -> Agent {
    let client = model_fn(|ask| {
        let asked = ask.messages.last().map(|message: &std::sync::Arc<Message>| message.role);
        let reply = if asked == Some(Role::User) {
            let arguments = r#"{"lines":40000}"#.to_owned();
            let call = ToolCall { id: "c".into(), name: "flood".into(), arguments, replay: None };
            Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
        } else {
            Reply { blocks: vec![Block::Text("it was long".into())], ..Reply::default() }
        };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let flood =
        tool(
            "flood",
            "Writes many lines.",
            |count: Count| async move { "a line of text\n".repeat(count.lines) },
        );
    Agent::builder("test/one", client)
        .name("flooder")
        .mode(Mode::Full)
        .tool(flood)
        .journals(store.clone())
        .blobs(store.clone())
        .build()
        .unwrap()
}

pub(crate) async fn an_agent_runs_resumes_and_forks(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let agent = agent(&store);
    let mut session = agent.start_as("first").await.unwrap();
    let report = session.prompt("go").await.unwrap();
    assert_eq!(report.text().unwrap(), "it was long");
    session.close().await;
    assert_eq!(store.blob_bytes("first").await.unwrap(), 600_000, "the flood was spilled");

    let mut session = agent.resume("first").await.unwrap();
    session.prompt("again").await.unwrap();
    session.close().await;
    let (first, records) =
        (store.read("first").await.unwrap(), store.session("first").await.unwrap().records);
    let fork = agent.fork("first", Seq::new(records - 1), "second").await.unwrap();
    fork.close().await;
    let second = store.read("second").await.unwrap();
    let payloads = |text: &[u8]| -> Vec<_> {
        journal::decode_strict(text).unwrap().iter().map(|record| record.payload().hash()).collect()
    };
    let past = usize::try_from(records).unwrap();
    assert_eq!(payloads(&first)[1..], payloads(&second)[1..past], "one past under two names");
    assert!(!agent.replay("first").await.unwrap().events.is_empty());
    let tools = store
        .usage(UsageGrouping::Tool, &UsageQuery { run: Some("first".into()), ..UsageQuery::default() })
        .await
        .unwrap();
    assert_eq!((tools[0].name.as_str(), tools[0].tally.calls), ("flood", 2));
    let found = store.search("\"line of text\"", 9).await.unwrap();
    assert_eq!(found.len(), 4, "by the ends that the journals carry");

    let digest = journal::Sha256Hash::of("a line of text\n".repeat(40_000).as_bytes()).to_string();
    store.erase("first").await.unwrap();
    assert_eq!(store.get(&digest, 0..6).await.unwrap(), b"a line", "the fork refers to it too");
    store.erase("second").await.unwrap();
    assert!(store.get(&digest, 0..6).await.is_err());
}

pub(crate) async fn a_copy_in_an_encrypted_store_has_its_own_large_results(place: &dyn Place) {
    let store = place.open(StoreOptions::new().key(MasterKey::new([5; 32]))).await;
    let mut session = agent(&store).start_as("first").await.unwrap();
    session.prompt("go").await.unwrap();
    session.close().await;
    let text = store.read("first").await.unwrap();
    store.import(&text, Some("copy")).await.unwrap();
    let digest = journal::Sha256Hash::of("a line of text\n".repeat(40_000).as_bytes()).to_string();
    store.erase("first").await.unwrap();
    assert_eq!(store.get(&digest, 599_990..700_000).await.unwrap(), b"e of text\n");
}
