//! The whole suite on SQLite.

use std::{
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Block, ModelResult, Reply, StopReason, Timestamp, ToolCall, ToolOutput, ToolSpec};
use holm_runtime::{Agent, Durability, JournalStore as _, ToolInvocation, model_fn, tool_fn};
use holm_store::{Store, StoreError, StoreOptions};

use crate::suite::{Place, script::Script};

pub(crate) struct Folder(tempfile::TempDir);

impl Place for Folder {
    fn open(&self, options: StoreOptions) -> Pin<Box<dyn Future<Output = Store> + Send + '_>> {
        Box::pin(async { self.try_open(options).await.unwrap() })
    }

    fn try_open(
        &self,
        options: StoreOptions,
    ) -> Pin<Box<dyn Future<Output = Result<Store, StoreError>> + Send + '_>> {
        let path = self.0.path().join("holm.db");
        Box::pin(async move { options.open(path).await })
    }
}

pub(crate) async fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

whole_suite!(crate::sqlite::folder);

/// Replies by turns with a call of a tool that only reads and with a text.
fn reader(store: &Store) -> Agent {
    let count = AtomicUsize::new(0);
    let model = model_fn(move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let reply = if number.is_multiple_of(2) {
            let arguments = format!("{{\"n\":{number}}}");
            let call = ToolCall { id: "c".into(), name: "look".into(), arguments, replay: None };
            Reply { blocks: vec![Block::ToolCall(call)], stop: StopReason::ToolUse, ..Reply::default() }
        } else {
            Reply { blocks: vec![Block::Text("seen".into())], ..Reply::default() }
        };
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let look =
        ToolSpec::new("look", "Looks.", Json::object([("type", "object".into())])).level(Level::ReadOnly);
    let look = tool_fn(look, |_: ToolInvocation| async { ToolOutput::text("a result") });
    Agent::builder("test/one", model).mode(Mode::Full).tool(look).journals(store.clone()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_costs_one_sync_for_its_prompt_and_none_for_replies_and_reads() {
    let place = folder().await;
    let store = place.open(StoreOptions::new()).await;
    let mut session = reader(&store).start_as("one").await.unwrap();
    for turn in 0..5 {
        let before = store.commits();
        assert_eq!(session.prompt("look").await.unwrap().text().unwrap(), "seen");
        let after = store.commits();
        assert_eq!(after.syncs - before.syncs, 1, "turn {turn}");
    }
    let before = store.commits().syncs;
    assert!(store.put_slip("prompts", "one", Timestamp::new(1), b"go").await.unwrap());
    assert!(!store.put_slip("prompts", "one", Timestamp::new(1), b"go").await.unwrap());
    assert_eq!(store.commits().syncs - before, 1, "one for the note, and none where nothing was put");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_count_that_does_not_fit_its_journal_is_made_again() {
    let place = folder().await;
    let store = place.open(StoreOptions::new()).await;
    let (mut one, mut two) = (Script::new("one"), Script::new("two"));
    for group in 0..40 {
        one.prompt("go on").tool("look", "{}", "some output").answer("done");
        two.prompt("go on").tool("look", "{}", &format!("output {group}")).answer("done");
    }
    let mut journals = Vec::new();
    for script in [&one, &two] {
        let mut journal = store.create(script.run().started().run.as_str()).await.unwrap();
        journal.append(&script.text(), Durability::Written).await.unwrap();
        journals.push(journal);
    }
    let both = store.spent().await.unwrap().value();
    assert_eq!(both, one.run().spent().value() + two.run().spent().value());
    let database = rusqlite::Connection::open(place.0.path().join("holm.db")).unwrap();
    let states = "SELECT count(*) FROM folds WHERE state IS NOT NULL";
    assert_eq!(database.query_row(states, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
    let other_run =
        "UPDATE folds SET state = (SELECT other.state FROM folds other WHERE other.run <> folds.run)";
    let other_form =
        r#"UPDATE folds SET state = CAST(replace(CAST(state AS TEXT), '"v":1', '"v":999') AS BLOB)"#;
    let other_length = "UPDATE folds SET state = substr(state, 1, length(state) / 2)";
    let other_record = "UPDATE folds SET state_at = state_at - 1";
    for change in [other_run, other_form, other_length, other_record] {
        assert_eq!(database.execute(change, []).unwrap(), 2, "{change}");
        for (script, journal) in [&mut one, &mut two].into_iter().zip(&mut journals) {
            let known = script.lines.len();
            script.prompt("go on").answer("done");
            journal.append(&script.lines[known..].concat(), Durability::Written).await.unwrap();
        }
        let spent = store.spent().await.unwrap().value();
        assert_eq!(spent, one.run().spent().value() + two.run().spent().value(), "{change}");
        // Stored again, for the next change.
        store.rebuild().await.unwrap();
    }
}
