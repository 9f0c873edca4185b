//! Long sessions: work is counted, not time.

use holm_kernel::{Input, Seq, journal};
use holm_runtime::{Durability, Journal, JournalStore as _};
use holm_store::{
    MasterKey, SessionQuery, Store, StoreOptions, UsageEntry, UsageGrouping, UsageQuery, UsageSubject,
};

use super::{
    Place,
    script::{Script, session},
};

/// Records of a prompt with a tool call and an answer.
const GROUP: usize = 5;

/// A session of many groups.
fn long(id: &str, groups: usize) -> Script {
    let mut script = Script::new(id);
    for _ in 0..groups {
        add_group(&mut script);
    }
    script
}

fn add_group(script: &mut Script) {
    script.prompt("go on").tool("look", r#"{"where":"here"}"#, "some output").answer("done");
}

async fn append(journal: &mut dyn Journal, lines: &[String]) {
    journal.append(&lines.concat(), Durability::Written).await.unwrap();
}

/// Records that were read since `before`.
fn read_since(store: &Store, before: u64) -> u64 {
    store.commits().records - before
}

pub(crate) async fn opening_reads_the_records_after_the_snapshot_alone(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let mut script = long("one", 60);
    let mut journal = store.create("one").await.unwrap();
    append(&mut *journal, &script.lines).await;
    journal.keep_snapshot(script.snapshot().as_bytes()).await.unwrap();
    let kept = script.lines.len();
    add_group(&mut script);
    append(&mut *journal, &script.lines[kept..]).await;
    drop(journal);
    // When the lease can be taken again, all work that held it back is over.
    drop(super::journals::patiently(&store, "one").await);
    let before = store.commits().records;
    let opened = super::journals::patiently(&store, "one").await;
    // The snapshot's own record, those after it, and record 0, which says that there is a session.
    assert!(read_since(&store, before) <= (GROUP + 3) as u64, "{}", read_since(&store, before));
    assert_eq!(opened.text, script.lines[kept - 1..].concat().as_bytes());
    let snapshot = opened.snapshot.unwrap();
    let tail = journal::decode_after(snapshot.head(), &opened.text).unwrap();
    let run = journal::resume_from(&snapshot, &tail).unwrap();
    assert_eq!(run.receipt(), script.run().receipt());
    assert_eq!(run.view(), script.run().view());
    let mut journal = opened.journal;
    let known = script.lines.len();
    add_group(&mut script);
    append(&mut *journal, &script.lines[known..]).await;
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
}

pub(crate) async fn a_snapshot_that_fits_no_record_is_left_aside(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let (short, longer) = (long("one", 2), long("one", 4));
    let mut journal = store.create("one").await.unwrap();
    append(&mut *journal, &short.lines).await;
    for bad in [longer.snapshot(), "nonsense".into()] {
        journal.keep_snapshot(bad.as_bytes()).await.unwrap();
        drop(journal);
        let opened = super::journals::patiently(&store, "one").await;
        assert_eq!(opened.snapshot, None);
        assert_eq!(opened.text, short.text().as_bytes());
        journal = opened.journal;
    }
}

pub(crate) async fn a_long_journal_without_a_snapshot_is_folded_some_records_at_a_time(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = long("one", 120);
    store.import(script.text().as_bytes(), None).await.unwrap();
    let opened = super::journals::patiently(&store, "one").await;
    assert!(opened.rest.is_some() && opened.snapshot.is_none());
    assert!(opened.text.len() < script.text().len() && script.text().as_bytes().starts_with(&opened.text));
    let (mut text, mut rest) = (opened.text, opened.rest.unwrap());
    while let Some(more) = rest.next().await.unwrap() {
        text.extend(more);
    }
    assert_eq!(text, script.text().as_bytes());
    drop((opened.journal, rest));
    drop(super::journals::patiently(&store, "one").await);
    let model = holm_runtime::model_fn(|_| Box::pin(std::future::pending()));
    let agent = holm_runtime::Agent::builder("test/one", model).journals(store.clone()).build().unwrap();
    let session = agent.resume("one").await.unwrap();
    let run = session.run();
    assert!(run.earlier_messages() > 0, "what was folded first is left to the journal");
    let all = run.earlier_messages() + run.transcript().len() as u64;
    assert_eq!(all, script.run().transcript().len() as u64);
    assert_eq!(run.view(), script.run().view());
}

/// What a store says of a run, entry by entry.
async fn counted(store: &Store, run: &str, entry: &UsageEntry) -> holm_store::UsageTally {
    let (by, name) = match &entry.subject {
        UsageSubject::Model(name) => (UsageGrouping::Model, name),
        UsageSubject::Tool(name) => (UsageGrouping::Tool, name),
    };
    let query = UsageQuery { run: Some(run.into()), since: Some(entry.day), until: Some(entry.day) };
    let lines = store.usage(by, &query).await.unwrap();
    lines.into_iter().find(|line| &line.name == name).unwrap().tally
}

async fn counts_what_is_new(store: &Store) {
    let mut script = long("one", 60);
    let mut journal = store.create("one").await.unwrap();
    append(&mut *journal, &script.lines).await;
    for other in 0..5 {
        let id = format!("other-{other}");
        store.import(long(&id, 20).text().as_bytes(), None).await.unwrap();
    }
    assert_eq!(store.usage(UsageGrouping::Session, &UsageQuery::default()).await.unwrap().len(), 6);
    for _ in 0..20 {
        let known = script.lines.len();
        add_group(&mut script);
        append(&mut *journal, &script.lines[known..]).await;
        let before = store.commits().records;
        let spent = store.spent().await.unwrap();
        // Those that are new, and at the most so many that were not worth a state of their own.
        assert!(read_since(store, before) < 64 + GROUP as u64, "{}", read_since(store, before));
        let others = long("other-0", 20).run().spent().value() * 5;
        assert_eq!(spent.value(), script.run().spent().value() + others);
        let before = store.commits().records;
        store.spent().await.unwrap();
        assert_eq!(read_since(store, before), 0, "nothing moved");
    }
    let whole = store.fold_usage("one").await.unwrap();
    assert_eq!(whole.understood, script.lines.len() as u64);
    for entry in &whole.entries {
        assert_eq!(counted(store, "one", entry).await, entry.tally, "{entry:?}");
    }
    let ledger = store.model_ledger(None).await.unwrap();
    store.rebuild().await.unwrap();
    assert_eq!(store.model_ledger(None).await.unwrap(), ledger);
}

pub(crate) async fn usage_is_counted_from_the_records_that_are_new(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    counts_what_is_new(&store).await;
    assert_eq!(store.search("some output", 1_000).await.unwrap().len(), 80 + 5 * 20, "each text once");
}

pub(crate) async fn an_encrypted_store_goes_on_from_its_folds_too(place: &dyn Place) {
    let store = place.open(StoreOptions::new().key(MasterKey::new([7; 32]))).await;
    counts_what_is_new(&store).await;
}

pub(crate) async fn a_list_of_many_sessions_that_moved_takes_a_few_questions(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    for number in 0..300 {
        let id = format!("session-{number}");
        store
            .import(session(&id, &format!("task {number}"), "out", "done").text().as_bytes(), None)
            .await
            .unwrap();
    }
    let wanted = SessionQuery { limit: Some(1_000), ..SessionQuery::default() };
    let before = store.commits().questions;
    let page = store.list(&wanted).await.unwrap();
    let asked = store.commits().questions - before;
    assert!(asked <= 8, "{asked} questions for 300 sessions");
    assert_eq!(page.sessions.len(), 300);
    for session in &page.sessions {
        let number = session.run.trim_start_matches("session-");
        assert_eq!(session.title, format!("task {number}"));
        assert_eq!((session.records, session.agent.as_str()), (6, "tester"));
        assert!(session.updated > session.created || session.updated.value() > 0);
    }
    let before = store.commits().questions;
    assert_eq!(store.list(&wanted).await.unwrap().sessions, page.sessions);
    assert!(store.commits().questions - before <= 2, "nothing moved");
}

pub(crate) async fn single_facts_are_read_without_the_rest(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = long("one", 20);
    store.import(script.text().as_bytes(), None).await.unwrap();
    let before = store.commits().records;
    assert_eq!(store.started("one").await.unwrap(), *script.run().started());
    let last = script.lines.len() as u64 - 1;
    let inputs = store.inputs_after("one", Seq::new(last - GROUP as u64)).await.unwrap();
    assert!(read_since(&store, before) <= GROUP as u64 + 3);
    assert_eq!(inputs.len(), GROUP);
    assert!(matches!(inputs[0], Input::Prompted(_)));
    assert!(store.inputs_after("one", Seq::new(last)).await.unwrap().is_empty());
    assert!(store.started("two").await.is_err());
}
