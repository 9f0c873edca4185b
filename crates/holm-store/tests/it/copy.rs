//! A copy of a store, made while it is used.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::suite::script::{Script, session};
use holm_kernel::journal;
use holm_runtime::{BlobStore as _, Durability, JournalStore as _};
use holm_store::{MasterKey, SessionQuery, Store, StoreOptions};

/// Writes sessions, one after the other, until it is asked to stop. Gives how many there are.
async fn write_on(store: Store, writer: usize, stop: Arc<AtomicBool>) -> usize {
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        let id = format!("w{writer}-{count}");
        let script = session(&id, "question", "found", "answer");
        let mut journal = store.create(&id).await.unwrap();
        for line in &script.lines {
            journal.append(line, Durability::Written).await.unwrap();
        }
        store.put(&id, format!("large result of {id}").as_bytes()).await.unwrap();
        count += 1;
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_made_under_load_holds_whole_journals_and_their_results() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    let before = session("before", "hello", "there", "yes");
    let mut journal = store.create("before").await.unwrap();
    for line in &before.lines {
        journal.append(line, Durability::Synced).await.unwrap();
    }
    let digest = store.put("before", b"what is large").await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> =
        (0..3).map(|writer| tokio::spawn(write_on(store.clone(), writer, Arc::clone(&stop)))).collect();
    for number in 0..4 {
        let path = folder.path().join(format!("copy-{number}.db"));
        let copied = store.copy_to(&path).await.unwrap();
        assert!(copied.bytes > 0 && copied.results >= 1, "{copied:?}");
        let copy = Store::open(&path).await.unwrap();
        assert_eq!(copy.read("before").await.unwrap(), before.text().as_bytes());
        assert_eq!(copy.get(&digest, 0..u64::MAX).await.unwrap(), b"what is large");
        let wanted = SessionQuery { limit: Some(1_000), ..SessionQuery::default() };
        for listed in copy.list(&wanted).await.unwrap().sessions.iter().filter(|listed| listed.records > 0) {
            let text = copy.read(&listed.run).await.unwrap();
            journal::replay(&journal::decode(&text).unwrap().records)
                .unwrap_or_else(|error| panic!("{}: {error}", listed.run));
        }
        // A lease on a session here is not a lease on the one in the copy.
        copy.open("before").await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        assert!(writer.await.unwrap() > 0, "nobody was kept from writing");
    }
}

#[tokio::test]
async fn a_copy_replaces_nothing_and_holds_nothing_that_was_erased() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    for id in ["stays", "goes"] {
        let mut journal = store.create(id).await.unwrap();
        journal.append(&Script::new(id).lines[0], Durability::Synced).await.unwrap();
        store.put(id, format!("needle of {id}").as_bytes()).await.unwrap();
    }
    store.erase("goes").await.unwrap();
    let path = folder.path().join("copy.db");
    assert_eq!(store.copy_to(&path).await.unwrap().results, 1);
    let copied = std::fs::read(&path).unwrap();
    store.copy_to(&path).await.unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), copied, "what is there stays as it is");
    let copy = Store::open(&path).await.unwrap();
    let left = copy.list(&SessionQuery::default()).await.unwrap().sessions;
    assert_eq!(left.iter().map(|listed| listed.run.as_str()).collect::<Vec<_>>(), ["stays"]);
    let holds = |path: &std::path::Path| {
        std::fs::read(path).unwrap().windows(14).any(|bytes| bytes == b"needle of goes")
    };
    assert!(!copy.files().iter().any(|file| holds(file)));
}

#[cfg(unix)]
#[tokio::test]
async fn a_copy_is_its_owners_alone_and_as_secret_as_the_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store =
        StoreOptions::new().key(MasterKey::new([7; 32])).open(folder.path().join("holm.db")).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&Script::new("one").lines[0], Durability::Synced).await.unwrap();
    let path = folder.path().join("copy.db");
    store.copy_to(&path).await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    Store::open(&path).await.unwrap_err();
    let copy = StoreOptions::new().key(MasterKey::new([7; 32])).open(&path).await.unwrap();
    assert_eq!(copy.list(&SessionQuery::default()).await.unwrap().sessions.len(), 1);
}
