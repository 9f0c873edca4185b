use holm_kernel::{Block, ModelResult, NanoUsd, Prompt, Reply, Seq};
use holm_runtime::{Agent, Session, model_fn};
use holm_store::Store;

use super::{bound, done, forget_bound, keep, note_bound, unheard, waiting};
use crate::SessionId;

struct Stage {
    _folder: tempfile::TempDir,
    store: Store,
    agent: Agent,
    id: SessionId,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("holm.db")).await.unwrap();
        let model = model_fn(|_| {
            let reply = Reply { blocks: vec![Block::Text("fine".into())], ..Reply::default() };
            Box::pin(async { ModelResult::Replied(reply) })
        });
        let agent = Agent::builder("scripted/any", model).journals(store.clone()).blobs(store.clone());
        Self { _folder: folder, store, agent: agent.build().unwrap(), id: "one".parse().unwrap() }
    }

    async fn accept(&self, session: &Session, words: &str) {
        let after = session.run().receipt().seq;
        keep(&self.store, &self.id, &Prompt::text(words), after).await.unwrap();
    }
}

#[tokio::test]
async fn a_prompt_that_was_accepted_is_found_until_the_journal_has_it() {
    let stage = Stage::new().await;
    let (store, id) = (&stage.store, &stage.id);
    let mut session = stage.agent.start_as("one").await.unwrap();
    assert_eq!(unheard(store, id).await.unwrap(), None);
    stage.accept(&session, "hello").await;
    assert_eq!(waiting(store).await, std::slice::from_ref(id));
    assert_eq!(unheard(store, id).await.unwrap(), Some(Prompt::text("hello")));
    session.prompt("hello").await.unwrap();
    assert_eq!(unheard(store, id).await.unwrap(), None, "it is not asked for twice");
    assert_eq!(
        waiting(store).await,
        std::slice::from_ref(id),
        "it is under way until somebody says that it has ended"
    );
    done(store, id).await.unwrap();
    assert!(waiting(store).await.is_empty());
    // The prompt before it is no reason to believe that the next one was heard.
    stage.accept(&session, "again").await;
    assert_eq!(unheard(store, id).await.unwrap(), Some(Prompt::text("again")));
}

#[tokio::test]
async fn a_prompt_that_somebody_left_behind_does_not_stand_in_the_way() {
    let stage = Stage::new().await;
    let session = stage.agent.start_as("one").await.unwrap();
    for words in ["first", "second"] {
        stage.accept(&session, words).await;
    }
    assert_eq!(unheard(&stage.store, &stage.id).await.unwrap(), Some(Prompt::text("second")));
    keep(&stage.store, &stage.id, &Prompt::text("third"), Seq::new(99)).await.unwrap();
    assert_eq!(waiting(&stage.store).await.len(), 1);
}

#[tokio::test]
async fn a_bound_is_noted_and_forgotten() {
    let stage = Stage::new().await;
    let (store, id) = (&stage.store, &stage.id);
    assert_eq!(bound(store, id).await.unwrap(), None);
    for own in [None, Some(NanoUsd::new(7))] {
        note_bound(store, id, own).await.unwrap();
        assert_eq!(bound(store, id).await.unwrap(), Some(own));
    }
    forget_bound(store, id).await.unwrap();
    assert_eq!(bound(store, id).await.unwrap(), None);
}
