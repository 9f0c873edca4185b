//! Journals and large results.

use std::{sync::Arc, time::Duration};

use holm_kernel::journal;
use holm_runtime::{BlobError, BlobStore as _, Durability, JournalStorageError, JournalStore as _};
use holm_store::{SessionQuery, SessionSort, Store, StoreError, StoreOptions};

use super::{
    Place,
    script::{Script, session},
};

const BOTH: [Durability; 2] = [Durability::Written, Durability::Synced];

pub(crate) async fn lines_are_found_again_to_the_byte(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello \u{1f600} \u{0} \"quoted\"", "out\r\nput", "answer");
    let mut journal = store.create("one").await.unwrap();
    for (line, durability) in script.lines.iter().zip(BOTH.iter().cycle()) {
        journal.append(line, *durability).await.unwrap();
    }
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes(), "while it is driven");
    drop(journal);
    let opened = store.open("one").await.unwrap();
    assert_eq!(opened.text, script.text().as_bytes());
    assert_eq!(opened.snapshot, None);
    let records = journal::decode_strict(&opened.text).unwrap();
    assert_eq!(journal::replay(&records).unwrap().receipt(), script.run().receipt());
}

pub(crate) async fn several_lines_are_kept_together(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let mut script = Script::new("many");
    for turn in 0..30 {
        script.prompt(&format!("prompt {turn}")).answer("fine");
    }
    let mut journal = store.create("many").await.unwrap();
    let mut rest = script.lines.as_slice();
    // Sizes around every number of rows that one statement takes.
    for (size, durability) in [1, 2, 7, 8, 9, 17].into_iter().zip(BOTH.iter().cycle()) {
        let (now, later) = rest.split_at(size);
        journal.append(&now.concat(), *durability).await.unwrap();
        rest = later;
    }
    journal.append(&rest.concat(), Durability::Written).await.unwrap();
    assert_eq!(store.read("many").await.unwrap(), script.text().as_bytes());
}

pub(crate) async fn a_run_is_never_written_over(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let _journal = store.create("one").await.unwrap();
    let again = store.create("one").await.map(|_| ());
    assert_eq!(again, Err(JournalStorageError::Exists { run: "one".into() }));
    let elsewhere = place.open(StoreOptions::new()).await.create("one").await.map(|_| ());
    assert_eq!(elsewhere, Err(JournalStorageError::Exists { run: "one".into() }));
    let missing = store.open("two").await.map(|_| ());
    assert_eq!(missing, Err(JournalStorageError::Missing { run: "two".into() }));
    assert_eq!(store.read("two").await, Err(JournalStorageError::Missing { run: "two".into() }));
}

pub(crate) async fn a_name_whose_first_record_was_never_kept_is_free(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    // What a killed creator leaves: the name exists, without a record and without a lease.
    drop(store.create("one").await.unwrap());
    let elsewhere = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "answer");
    let mut journal = elsewhere.create("one").await;
    // The maker's lease ends a moment after it is dropped.
    for _ in 0..1_500 {
        if journal.is_ok() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        journal = elsewhere.create("one").await;
    }
    let mut journal = journal.unwrap();
    journal.append(&script.text(), Durability::Synced).await.unwrap();
    drop(journal);
    assert_eq!(store.create("one").await.map(|_| ()), Err(JournalStorageError::Exists { run: "one".into() }));
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
}

pub(crate) async fn a_name_without_a_record_is_no_session(place: &dyn Place) {
    let (here, there) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    begin(&here, "other").await;
    let maker = here.create("one").await.unwrap();
    for store in [&here, &there] {
        nobody_finds(store, "one").await;
    }
    // Nor when its maker is gone.
    drop(maker);
    for store in [&here, &there] {
        nobody_finds(store, "one").await;
    }
    // It was created last, and takes no other session's place on a page.
    let wanted = SessionQuery { sort: SessionSort::Created, limit: Some(1), ..SessionQuery::default() };
    let page = here.list(&wanted).await.unwrap();
    let listed: Vec<&str> = page.sessions.iter().map(|session| session.run.as_str()).collect();
    assert_eq!((listed, page.next), (vec!["other"], None));
}

async fn nobody_finds(store: &Store, run: &str) {
    assert_eq!(store.open(run).await.map(|_| ()), Err(JournalStorageError::Missing { run: run.into() }));
    assert_eq!(store.read(run).await, Err(JournalStorageError::Missing { run: run.into() }));
    let asked = [
        store.session(run).await.map(|_| ()),
        store.has_record(run, 0).await.map(|_| ()),
        store.tag(run, "tag").await,
        store.erase(run).await.map(|_| ()),
    ];
    for found in asked {
        assert_eq!(found, Err(StoreError::Missing { run: run.into() }));
    }
    let listed = store.list(&SessionQuery::default()).await.unwrap().sessions;
    assert!(listed.iter().all(|session| session.run != run), "{listed:?}");
}

/// Makes a run with its first record, and lets it go.
async fn begin(store: &Store, run: &str) {
    let mut journal = store.create(run).await.unwrap();
    journal.append(&Script::new(run).lines[0], Durability::Synced).await.unwrap();
}

pub(crate) async fn lines_out_of_order_are_refused_and_leave_nothing(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "answer");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    let unfinished = script.lines[1].trim_end();
    for bad in ["", "\n", "no record\n", unfinished, &script.lines[0], &script.lines[2]] {
        assert!(journal.append(bad, Durability::Synced).await.is_err(), "{bad:?}");
    }
    let skipping = format!("{}{}", script.lines[1], script.lines[3]);
    assert!(journal.append(&skipping, Durability::Written).await.is_err());
    assert_eq!(store.read("one").await.unwrap(), script.lines[0].as_bytes());
    journal.append(&script.lines[1..].concat(), Durability::Written).await.unwrap();
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
}

pub(crate) async fn a_run_is_driven_in_one_place_at_a_time(place: &dyn Place) {
    let (here, there) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    let mut journal = here.create("one").await.unwrap();
    journal.append(&Script::new("one").lines[0], Durability::Synced).await.unwrap();
    assert!(here.session("one").await.unwrap().holder.is_some());
    for store in [&here, &there] {
        let refused = store.open("one").await.map(|_| ());
        assert!(matches!(refused, Err(JournalStorageError::Busy { .. })), "{refused:?}");
        assert!(matches!(store.erase("one").await, Err(StoreError::Busy { .. })));
    }
    drop(journal);
    let journal = patiently(&there, "one").await;
    assert!(matches!(here.open("one").await.map(|_| ()), Err(JournalStorageError::Busy { .. })));
    drop(journal);
    drop(patiently(&here, "one").await);
}

/// A lease is given back at once or very soon.
pub(super) async fn patiently(store: &Store, run: &str) -> holm_runtime::OpenedJournal {
    for _ in 0..1_500 {
        match store.open(run).await {
            Ok(opened) => return opened,
            Err(JournalStorageError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the lease was not given back within 30 s");
}

pub(crate) async fn a_store_that_is_gone_holds_nothing(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "answer");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // As a process that is killed: nothing is given back.
    drop(store);
    std::mem::drop(journal);
    let again = place.open(StoreOptions::new()).await;
    let mut opened = patiently(&again, "one").await;
    assert_eq!(opened.text, script.lines[0].as_bytes());
    opened.journal.append(&script.lines[1], Durability::Synced).await.unwrap();
}

pub(crate) async fn whoever_stops_waiting_for_a_run_holds_nothing(place: &dyn Place) {
    let (here, there) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    let script = session("one", "hello", "out", "answer");
    let mut journal = here.create("one").await.unwrap();
    journal.append(&script.text(), Durability::Synced).await.unwrap();
    drop(journal);
    for _ in 0..10 {
        // Asked for once and then given up, as a timeout does.
        tokio::select! {
            biased;
            _ = here.open("one") => {}
            () = std::future::ready(()) => {}
        }
        drop(patiently(&there, "one").await);
        drop(patiently(&here, "one").await);
    }
    // A run whose creator left early exists or not, but its lease is free.
    tokio::select! {
        biased;
        _ = here.create("two") => {}
        () = std::future::ready(()) => {}
    }
    for _ in 0..1_500 {
        if there.create("two").await.is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the name is held by nobody and yet taken");
}

pub(crate) async fn the_next_holder_of_a_run_finds_the_appends_that_were_under_way(place: &dyn Place) {
    let (store, other) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    for (round, durability) in BOTH.into_iter().cycle().take(40).enumerate() {
        let id = format!("run-{round}");
        let script = session(&id, "hello", "out", "fine");
        let mut journal = store.create(&id).await.unwrap();
        journal.append(&script.lines[0], Durability::Synced).await.unwrap();
        let mut append = journal.append(&script.lines[1], durability);
        tokio::select! {
            biased;
            appended = &mut append => appended.unwrap(),
            () = std::future::ready(()) => {}
        }
        drop(append);
        drop(journal);
        // By turns the same process and another one.
        let next = if round % 4 < 2 { &other } else { &store };
        assert_eq!(patiently(next, &id).await.text, script.lines[..2].concat().as_bytes(), "{id}");
    }
}

pub(crate) async fn another_writer_cannot_put_a_second_record_in_a_place(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "answer");
    let mut first = store.create("one").await.unwrap();
    first.append(&script.lines[0], Durability::Synced).await.unwrap();
    drop(first);
    let mut second = patiently(&store, "one").await.journal;
    second.append(&script.lines[1], Durability::Written).await.unwrap();
    assert!(second.append(&script.lines[1], Durability::Written).await.is_err());
    assert_eq!(store.read("one").await.unwrap(), script.lines[..2].concat().as_bytes());
}

pub(crate) async fn names_that_are_no_names_are_refused(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    for bad in ["", "..", ".hidden", "a/b", "a b", "x\0y", &"x".repeat(129)] {
        assert!(
            matches!(store.create(bad).await.map(|_| ()), Err(JournalStorageError::BadName { .. })),
            "{bad:?}"
        );
        assert!(
            matches!(store.open(bad).await.map(|_| ()), Err(JournalStorageError::BadName { .. })),
            "{bad:?}"
        );
        assert!(matches!(store.read(bad).await, Err(JournalStorageError::BadName { .. })), "{bad:?}");
    }
}

pub(crate) async fn many_runs_append_at_once_and_lose_nothing(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let other = place.open(StoreOptions::new()).await;
    let mut tasks = Vec::new();
    for number in 0..32 {
        let store = if number % 2 == 0 { store.clone() } else { other.clone() };
        tasks.push(tokio::spawn(async move {
            let id = format!("run-{number}");
            let mut script = Script::new(&id);
            for turn in 0..10 {
                script.prompt(&format!("{id} {turn}")).answer("fine");
            }
            let mut journal = store.create(&id).await.unwrap();
            for (line, durability) in script.lines.iter().zip(BOTH.iter().cycle()) {
                journal.append(line, *durability).await.unwrap();
            }
            (id, script.text())
        }));
    }
    for task in tasks {
        let (id, text) = task.await.unwrap();
        assert_eq!(store.read(&id).await.unwrap(), text.as_bytes(), "{id}");
    }
}

pub(crate) async fn runs_that_wait_together_share_a_sync(place: &dyn Place) {
    const RUNS: u64 = 64;
    const LINES: u64 = 20;
    let store = place.open(StoreOptions::new()).await;
    let mut journals = Vec::new();
    for number in 0..RUNS {
        journals.push(store.create(&format!("run-{number}")).await.unwrap());
    }
    let mut tasks = Vec::new();
    for mut journal in journals {
        tasks.push(tokio::spawn(async move {
            let mut script = Script::new("any");
            for turn in 0..LINES {
                journal.append(script.lines.last().unwrap(), Durability::Synced).await.unwrap();
                script.prompt(&format!("{turn}"));
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let commits = store.commits();
    assert_eq!(commits.grouped, RUNS * LINES, "{commits:?}");
    assert!(commits.syncs >= LINES, "a run waits for its own line: {commits:?}");
    assert!(commits.syncs * 2 < RUNS * LINES, "a sync serves several: {commits:?}");
    let mut journal = store.create("alone").await.unwrap();
    journal.append(&Script::new("alone").lines[0], Durability::Synced).await.unwrap();
    assert_eq!(store.commits().syncs, commits.syncs + 1, "and one alone has its own");
}

pub(crate) async fn an_append_that_nobody_waits_for_leaves_the_journal_uncertain(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    for number in 0..100 {
        let name = format!("run-{number}");
        let script = session(&name, "hello", "out", "answer");
        let mut journal = store.create(&name).await.unwrap();
        journal.append(&script.lines[0], Durability::Synced).await.unwrap();
        let given_up = {
            let append = journal.append(&script.lines[1], Durability::Synced);
            let nothing = std::future::ready(());
            tokio::select! { biased; result = append => { result.unwrap(); false } () = nothing => true }
        };
        // On a busy machine the answer may be there at the first look; then nothing was given up, and another is tried.
        if !given_up {
            continue;
        }
        let after = journal.append(&script.lines[2], Durability::Synced).await;
        assert!(matches!(after, Err(JournalStorageError::System { .. })), "{after:?}");
        drop(journal);
        let opened = patiently(&store, &name).await;
        let found = std::str::from_utf8(&opened.text).unwrap();
        assert!(
            [&script.lines[..1], &script.lines[..2]].iter().any(|kept| kept.concat() == found),
            "{found}"
        );
        return;
    }
    panic!("every append was done before it could be given up");
}

pub(crate) async fn a_snapshot_is_kept_and_helps(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let mut script = session("one", "hello", "out", "answer");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.text(), Durability::Synced).await.unwrap();
    assert!(journal.keeps_snapshots());
    journal.keep_snapshot(b"an older one").await.unwrap();
    journal.keep_snapshot(script.snapshot().as_bytes()).await.unwrap();
    let kept = script.lines.len();
    script.prompt("more").answer("done");
    journal.append(&script.lines[kept..].concat(), Durability::Synced).await.unwrap();
    drop(journal);
    let opened = patiently(&store, "one").await;
    let snapshot = opened.snapshot.unwrap();
    assert_eq!(opened.text, script.lines[kept - 1..].concat().as_bytes());
    let tail = journal::decode_after(snapshot.head(), &opened.text).unwrap();
    assert_eq!(journal::resume_from(&snapshot, &tail).unwrap().receipt(), script.run().receipt());
}

pub(crate) async fn large_results_are_kept_once_and_read_in_parts(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    begin(&store, "one").await;
    begin(&store, "two").await;
    let text: Vec<u8> = (0..300_000_u32).flat_map(u32::to_be_bytes).collect();
    let digest = store.put("one", &text).await.unwrap();
    assert_eq!(digest, journal::Sha256Hash::of(&text).to_string());
    assert_eq!(store.put("two", &text).await.unwrap(), digest);
    assert_eq!(store.put("one", &text).await.unwrap(), digest);
    let length = text.len() as u64;
    for range in [0..length, 0..1, 65_535..65_537, 70_000..200_001, length - 3..length, 5..5, length..length]
    {
        let expect = &text[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
        assert_eq!(store.get(&digest, range.clone()).await.unwrap(), expect, "{range:?}");
    }
    assert_eq!(store.get(&digest, length - 2..u64::MAX).await.unwrap(), &text[text.len() - 2..]);
    assert_eq!(store.get(&digest, u64::MAX - 1..u64::MAX).await.unwrap(), b"");
    let empty = store.put("one", b"").await.unwrap();
    assert_eq!(store.get(&empty, 0..10).await.unwrap(), b"");
    for unknown in ["", "../../etc/passwd", &"0".repeat(64)] {
        assert!(matches!(store.get(unknown, 0..1).await, Err(BlobError::Missing { .. })), "{unknown}");
    }
    assert!(store.put("three", b"x").await.is_err(), "no such run");
}

pub(crate) async fn large_results_live_as_long_as_a_run_refers_to_them(place: &dyn Place) {
    let store = Arc::new(place.open(StoreOptions::new()).await);
    begin(&store, "one").await;
    begin(&store, "two").await;
    let shared = store.put("one", b"both").await.unwrap();
    store.put("two", b"both").await.unwrap();
    let own = store.put("one", b"only one").await.unwrap();
    assert_eq!(store.blob_bytes("one").await.unwrap(), 12);
    store.erase("one").await.unwrap();
    assert_eq!(store.get(&shared, 0..9).await.unwrap(), b"both");
    assert!(matches!(store.get(&own, 0..9).await, Err(BlobError::Missing { .. })));
    store.erase("two").await.unwrap();
    assert!(matches!(store.get(&shared, 0..9).await, Err(BlobError::Missing { .. })));
}
