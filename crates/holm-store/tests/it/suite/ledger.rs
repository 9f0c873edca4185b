//! What models have shown, from the journals that are kept.

use holm_grants::{Level, Mode};
use holm_guards::{
    json::Json,
    postcondition::{Must, Postcondition, Rule},
};
use holm_kernel::{
    Block, Input, Ladder, ModelResult, Reply, Role, StepCause, StopReason, TaskKind, ToolCall, ToolOutput,
    ToolSpec, journal,
};
use holm_runtime::{Agent, JournalStore as _, ModelLedger as _, ToolInvocation, model_fn, tool_fn};
use holm_store::{MasterKey, Store, StoreOptions};

use super::Place;

const KIND: &str = "Copying files";

/// Two models: the small one asks for what the guard does not accept, the large one
/// for what it does.
fn agent(store: &Store) -> Agent {
    let client = model_fn(|ask| {
        let small = ask.request.model.name == "test/small";
        let tries = ask.messages.iter().filter(|message| message.role == Role::Tool).count();
        let believed =
            ask.messages.last().is_some_and(|last| format!("{:?}", last.blocks).contains("seven files"));
        let what = if small { "nothing" } else { "seven" };
        let call = ToolCall {
            id: format!("c{tries}"),
            name: "copy".into(),
            arguments: format!(r#"{{"what":"{what} {tries}"}}"#),
            replay: None,
        };
        let reply = if believed {
            Reply { blocks: vec![Block::Text("done".into())], ..Reply::default() }
        } else {
            Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
        };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let promise = Rule::Pattern { regex: "copied$".into(), must: Must::Match };
    let schema = Json::object([("type", "object".into())]);
    let mut copy = ToolSpec::new("copy", "Copies files.", schema).level(Level::ReadOnly);
    copy.postconditions.push(Postcondition::new("a copy is there", promise));
    let copy = tool_fn(copy, |job: ToolInvocation| async move {
        let worked = job.arguments.contains("seven");
        ToolOutput::text(if worked { "seven files were copied" } else { "nothing to see here" })
    });
    Agent::builder("test/small", client)
        .fallback("test/large")
        .mode(Mode::Full)
        .tool(copy)
        .ladder(Ladder::of_kind(KIND))
        .journals(store.clone())
        .ledger(store.clone())
        .build()
        .unwrap()
}

async fn copies(agent: &Agent, run: &str) {
    let mut session = agent.start_as(run).await.unwrap();
    assert_eq!(session.prompt("copy").await.unwrap().text().unwrap(), "done");
    session.close().await;
}

async fn ladder_of(store: &Store, run: &str) -> Ladder {
    let records = journal::decode_strict(&store.read(run).await.unwrap()).unwrap();
    let Input::Started(started) = records[0].payload().input().unwrap() else { panic!("no start") };
    started.config.ladder.unwrap()
}

/// The two rows: of the large model, and of the small one.
async fn tasks(store: &Store) -> Vec<(String, u64, u64, u64)> {
    let known = store.model_ledger(Some(&TaskKind::new(KIND))).await.unwrap();
    let row = |known: holm_runtime::ModelStanding| {
        (known.model, known.score.tasks, known.score.successes, known.score.step_ups)
    };
    known.into_iter().map(row).collect()
}

pub(crate) async fn a_weak_model_is_stepped_up_and_the_next_similar_task_begins_higher(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let agent = agent(&store);
    copies(&agent, "first").await;
    let (large, small) = ("test/large".to_owned(), "test/small".to_owned());
    assert_eq!(tasks(&store).await, [(large.clone(), 1, 1, 0), (small.clone(), 1, 0, 1)]);
    let known = store.standings(None).await.unwrap();
    let [why] = &known[1].score.whys[..] else { panic!("{known:?}") };
    assert_eq!((why.cause, why.to.as_deref()), (Some(StepCause::Rejected), Some("test/large")));
    assert!(why.reason.contains("a copy is there"), "{why:?}");

    copies(&agent, "second").await;
    let ladder = ladder_of(&store, "second").await;
    assert_eq!((ladder_of(&store, "first").await.start, ladder.start), (0, 1));
    assert_eq!(ladder.why, "test/small brought 0 of 1 tasks of the kind copying-files to an answer");
    assert_eq!(tasks(&store).await, [(large.clone(), 2, 2, 0), (small, 1, 0, 1)]);
    assert_eq!(store.model_ledger(Some(&TaskKind::new("drawing"))).await.unwrap(), []);

    // It is all in the journals, and goes with them.
    let before = store.model_ledger(None).await.unwrap();
    store.rebuild().await.unwrap();
    assert_eq!(store.model_ledger(None).await.unwrap(), before);
    store.erase("first").await.unwrap();
    assert_eq!(tasks(&store).await, [(large, 1, 1, 0)]);
}

pub(crate) async fn another_process_knows_what_models_have_shown(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    copies(&agent(&store), "first").await;
    let other = place.open(StoreOptions::new()).await;
    copies(&agent(&other), "second").await;
    assert_eq!(ladder_of(&store, "second").await.start, 1);
    let (here, there) = (store.model_ledger(None).await.unwrap(), other.model_ledger(None).await.unwrap());
    assert_eq!(here, there);
}

pub(crate) async fn an_encrypted_store_keeps_the_reasons_to_itself(place: &dyn Place) {
    let store = place.open(StoreOptions::new().key(MasterKey::new([3; 32]))).await;
    copies(&agent(&store), "first").await;
    let known = store.model_ledger(None).await.unwrap();
    assert!(known[1].score.whys[0].reason.contains("a copy is there"), "{known:?}");
    drop(store);
    let again = place.open(StoreOptions::new().key(MasterKey::new([3; 32]))).await;
    assert_eq!(again.model_ledger(None).await.unwrap(), known);
    for file in again.files() {
        let bytes = std::fs::read(&file).unwrap();
        let reason = b"a copy is there";
        assert!(!bytes.windows(reason.len()).any(|part| part == reason), "{}", file.display());
    }
}
