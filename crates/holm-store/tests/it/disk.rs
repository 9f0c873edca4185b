//! What SQLite's files hold, and what happens when they cannot be written.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use crate::suite::script::{Script, session};
use holm_kernel::{RecordReceipt, journal};
use holm_runtime::{BlobError, BlobStore as _, Durability, JournalStorageError, JournalStore as _};
use holm_store::{
    MasterKey, SessionFileFormat, SessionQuery, Store, StoreError, StoreOptions, UsageGrouping, UsageLine,
    UsageQuery,
};

const NEEDLE: &str = "xyzzy-needle-in-the-haystack";

fn holds(path: &Path, needle: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
}

fn files_with(store: &Store, needle: &str) -> Vec<String> {
    let found = store.files().into_iter().filter(|path| holds(path, needle));
    found.map(|path| path.display().to_string()).collect()
}

/// Sessions whose lines lie between each other's, some large enough to need pages of their own.
async fn interleaved(store: &Store, count: usize, said: impl Fn(usize) -> String) {
    let mut scripts = Vec::new();
    let mut journals = Vec::new();
    for number in 0..count {
        let id = format!("run-{number}");
        let mut script = Script::new(&id);
        for turn in 0..12 {
            let padding = "p".repeat(turn * turn * 60);
            script.prompt(&format!("{} {turn} {padding}", said(number))).answer(&said(number));
        }
        journals.push(store.create(&id).await.unwrap());
        scripts.push(script);
    }
    for line in 0..scripts[0].lines.len() {
        for (journal, script) in journals.iter_mut().zip(&scripts) {
            journal.append(&script.lines[line], Durability::Written).await.unwrap();
        }
    }
}

#[tokio::test]
async fn nothing_of_an_erased_session_is_left_in_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    interleaved(&store, 24, |number| {
        if number % 3 == 0 { format!("{NEEDLE}-{number}") } else { format!("hay-{number}") }
    })
    .await;
    for number in (0..24).step_by(3) {
        let id = format!("run-{number}");
        store.put(&id, format!("{NEEDLE} spilled {number}").as_bytes()).await.unwrap();
        store.rename(&id, Some(&format!("{NEEDLE} title"))).await.unwrap();
        let mut opened = store.open(&id).await.unwrap();
        opened
            .journal
            .keep_snapshot(format!("{NEEDLE} snapshot {}", "s".repeat(9_000)).as_bytes())
            .await
            .unwrap();
    }
    assert_eq!(store.search(NEEDLE, 1_000).await.unwrap().len(), 8 * 24);
    assert!(!files_with(&store, NEEDLE).is_empty(), "it was there");
    for number in (0..24).step_by(3) {
        store.erase(&format!("run-{number}")).await.unwrap();
    }
    assert_eq!(files_with(&store, NEEDLE), Vec::<String>::new());
    assert_eq!(files_with(&store, "eedle-in-the-hay"), Vec::<String>::new());
    // A trigram of the needle alone would tell that it was there.
    let conn = rusqlite::Connection::open(folder.path().join("holm.db")).unwrap();
    conn.execute_batch("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, texts, row)").unwrap();
    let left: i64 =
        conn.query_row("SELECT count(*) FROM temp.words WHERE term = 'xyz'", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    assert_eq!(
        store.search("hay-1", 1_000).await.unwrap().len(),
        24 * 8,
        "hay-1, 10, 11, 13, 14, 16, 17, 19"
    );
}

#[tokio::test]
async fn an_encrypted_store_holds_nothing_readable() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions::new().key(MasterKey::new([3; 32]));
    let store = options.open(folder.path().join("holm.db")).await.unwrap();
    interleaved(&store, 3, |_| NEEDLE.to_owned()).await;
    let digest = store.put("run-0", NEEDLE.as_bytes()).await.unwrap();
    store.rename("run-0", Some(NEEDLE)).await.unwrap();
    let mut opened = store.open("run-0").await.unwrap();
    opened.journal.keep_snapshot(NEEDLE.as_bytes()).await.unwrap();
    store.list(&SessionQuery::default()).await.unwrap();
    assert_eq!(store.search(NEEDLE, 5).await.unwrap().len(), 5);
    store.usage(holm_store::UsageGrouping::Model, &holm_store::UsageQuery::default()).await.unwrap();
    assert_eq!(files_with(&store, NEEDLE), Vec::<String>::new());
    assert!(store.files().iter().all(|path| !path.display().to_string().contains(&digest)), "nor its digest");
    assert_eq!(files_with(&store, &digest), Vec::<String>::new());
}

#[tokio::test]
async fn every_file_is_listed_and_only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("deep/er/holm.db")).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&session("one", NEEDLE, "out", "fine").text(), Durability::Synced).await.unwrap();
    store.put("one", NEEDLE.as_bytes()).await.unwrap();
    store.export_to("one", SessionFileFormat::JsonLines, folder.path().join("one.jsonl")).await.unwrap();
    store.export_to("one", SessionFileFormat::Markdown, folder.path().join("one.md")).await.unwrap();
    assert!(
        store.export_to("one", SessionFileFormat::Markdown, folder.path().join("one.md")).await.is_err(),
        "never over a file"
    );
    let mut found = Vec::new();
    walk(folder.path(), &mut found);
    let mut listed = store.files();
    found.sort();
    listed.sort();
    assert_eq!(listed, found);
    for path in &found {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
    assert!(files_with(&store, NEEDLE).len() >= 4, "log, result, two exports");
}

fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

#[tokio::test]
async fn a_full_store_says_so_and_stays_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = StoreOptions::new().max_bytes(200 * 1024).open(&path).await.unwrap();
    let mut script = Script::new("one");
    let mut journal = store.create("one").await.unwrap();
    let mut kept = String::new();
    let failed = loop {
        let known = kept.len();
        script.prompt(&"x".repeat(5_000)).answer("fine");
        let text = script.text();
        let durability = if kept.len().is_multiple_of(2) { Durability::Written } else { Durability::Synced };
        match journal.append(&text[known..], durability).await {
            Ok(()) => kept = text,
            Err(error) => break error,
        }
        assert!(kept.len() < 1 << 20, "it must be full some time");
    };
    assert!(matches!(&failed, JournalStorageError::System { reason } if reason.contains("full")), "{failed}");
    assert!(journal.append("x\n", Durability::Written).await.is_err(), "until it is opened again");
    drop(journal);
    assert_eq!(store.read("one").await.unwrap(), kept.as_bytes());
    drop(store);
    // Room again: the run continues where it stopped.
    let store = Store::open(&path).await.unwrap();
    let mut opened = store.open("one").await.unwrap();
    assert_eq!(opened.text, kept.as_bytes());
    opened.journal.append(&script.text()[kept.len()..], Durability::Synced).await.unwrap();
}

#[tokio::test]
async fn places_that_cannot_be_written_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for place in [Path::new("/proc/holm/holm.db"), &file.join("holm.db")] {
        let error = Store::open(place).await.map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. } | StoreError::System { .. }), "{error}");
        assert!(error.to_string().contains("proc") || error.to_string().contains("file"), "{error}");
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_written_refuses_the_append_and_keeps_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = Store::open(&path).await.unwrap();
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // Another process that makes every write to the table fail stands for a disk that does.
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TRIGGER broken BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'no'); END;",
    )
    .unwrap();
    assert!(journal.append(&script.lines[1], Durability::Written).await.is_err());
    conn.execute_batch("DROP TRIGGER broken;").unwrap();
    assert!(journal.append(&script.lines[1], Durability::Written).await.is_err(), "it is uncertain");
    drop(journal);
    let mut opened = store.open("one").await.unwrap();
    assert_eq!(opened.text, script.lines[0].as_bytes());
    opened.journal.append(&script.lines[1], Durability::Synced).await.unwrap();
}

/// A store with one complete session, which is not open.
async fn with_one(path: &Path) -> Store {
    let store = Store::open(path).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&session("one", "hello", "out", "fine").text(), Durability::Synced).await.unwrap();
    store
}

#[tokio::test]
async fn a_last_record_that_does_not_fit_is_never_left_out_of_what_is_read() {
    for damage in [
        "UPDATE records SET line = replace(line, 'fine', 'foul') WHERE id = (SELECT max(id) FROM records)",
        "INSERT INTO records SELECT id + 1, line FROM records ORDER BY id DESC LIMIT 1",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        let store = with_one(&path).await;
        assert!(store.export("one", SessionFileFormat::Markdown).await.is_ok());
        let conn = rusqlite::Connection::open(&path).unwrap();
        assert_eq!(conn.execute(damage, []).unwrap(), 1);
        let refused = store.export("one", SessionFileFormat::Markdown).await;
        let Err(StoreError::Damaged { run, reason }) = refused else { panic!("{damage}: {refused:?}") };
        assert!(run == "one" && reason.starts_with("record "), "{damage}: {reason}");
    }
}

#[tokio::test]
async fn records_that_cannot_be_read_are_not_said_to_be_unwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = with_one(&path).await;
    rusqlite::Connection::open(&path).unwrap().execute_batch("DROP TABLE records").unwrap();
    let refused = [store.read("one").await.map(|_| ()), store.open("one").await.map(|_| ())];
    for refused in refused {
        let error = refused.unwrap_err();
        assert!(matches!(error, JournalStorageError::Unreadable { .. }), "{error:?}");
        assert!(
            error.to_string().contains("cannot read the journal (the store failed (no such table"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_disk_that_is_full_before_the_first_record_leaves_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = Store::open(&path).await.unwrap();
    let script = session("one", "hello", "out", "fine");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TRIGGER broken BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'no'); END;",
    )
    .unwrap();
    let mut journal = store.create("one").await.unwrap();
    assert!(journal.append(&script.lines[0], Durability::Synced).await.is_err());
    drop(journal);
    conn.execute_batch("DROP TRIGGER broken;").unwrap();
    let names: i64 = conn.query_row("SELECT count(*) FROM runs", [], |row| row.get(0)).unwrap();
    assert_eq!(names, 1, "the name alone is there");
    assert_eq!(store.open("one").await.map(|_| ()), Err(JournalStorageError::Missing { run: "one".into() }));
    assert!(store.list(&SessionQuery::default()).await.unwrap().sessions.is_empty());
    // Another process starts it again.
    drop(store);
    let store = Store::open(&path).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.text(), Durability::Synced).await.unwrap();
    assert_eq!(store.read("one").await.unwrap(), script.text().as_bytes());
    assert_eq!(store.list(&SessionQuery::default()).await.unwrap().sessions.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_who_holds_the_write_lock_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = Store::open(&path).await.unwrap();
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    let stranger = rusqlite::Connection::open(&path).unwrap();
    stranger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (locked, append) = tokio::join!(
        async {
            // A writer that waits gives no sign. However long this is, it ends no sooner than the stranger does.
            tokio::time::sleep(Duration::from_millis(300)).await;
            stranger.execute_batch("COMMIT").unwrap();
            Instant::now()
        },
        async {
            journal.append(&script.lines[0], Durability::Written).await.unwrap();
            Instant::now()
        }
    );
    assert!(append >= locked, "nobody writes beside the stranger");
    assert_eq!(store.read("one").await.unwrap(), script.lines[0].as_bytes());
}

#[tokio::test]
async fn a_changed_result_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&Script::new("one").lines[0], Durability::Synced).await.unwrap();
    drop(journal);
    let digest = store.put("one", b"some large text").await.unwrap();
    assert_eq!(store.get(&digest, 5..10).await.unwrap(), b"large");
    let file = store.files().into_iter().find(|path| path.ends_with(&digest)).unwrap();
    fs::write(&file, b"some larGe text").unwrap();
    // Within one tick of the system's clock the file would seem to be the same.
    let later = SystemTime::now() + Duration::from_secs(1);
    fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    assert_eq!(store.get(&digest, 5..10).await, Err(BlobError::Changed { digest: digest.clone() }));
    fs::write(&file, b"some").unwrap();
    assert_eq!(store.get(&digest, 0..1).await, Err(BlobError::Changed { digest: digest.clone() }));
    fs::remove_file(&file).unwrap();
    assert_eq!(store.get(&digest, 0..1).await, Err(BlobError::Missing { digest: digest.clone() }));
    store.put("one", b"some large text").await.unwrap();
    assert_eq!(store.get(&digest, 5..10).await.unwrap(), b"large");
}

#[tokio::test]
async fn a_gap_in_a_journal_is_damage_and_nothing_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = with_one(&path).await;
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute("DELETE FROM records WHERE id & 4294967295 = 2", []).unwrap();
    let found = store.open("one").await.map(|_| ());
    assert!(
        matches!(&found, Err(JournalStorageError::Damaged { reason, .. }) if reason.contains("record 2")),
        "{found:?}"
    );
    assert_eq!(store.list(&SessionQuery::default()).await.unwrap().sessions.len(), 1, "the list goes on");
    // Without its first record it is no name that anybody may have.
    conn.execute("DELETE FROM records WHERE id & 4294967295 = 0", []).unwrap();
    let found = store.open("one").await.map(|_| ());
    assert!(
        matches!(&found, Err(JournalStorageError::Damaged { reason, .. }) if reason.contains("record 0")),
        "{found:?}"
    );
    assert_eq!(store.create("one").await.map(|_| ()), Err(JournalStorageError::Exists { run: "one".into() }));
    assert_eq!(store.list(&SessionQuery::default()).await.unwrap().sessions.len(), 1, "and it is listed");
}

/// The same journal as a kernel with other rules would have written it: its effects differ
/// from a record on.
fn of_other_rules(script: &Script, from: u64) -> Vec<String> {
    let mut writer = journal::JournalWriter::new();
    let records = journal::decode_strict(script.text().as_bytes()).unwrap();
    let line = |record: &journal::JournalRecord| {
        let effects = record.effects() ^ u64::from(record.seq().value() >= from);
        let receipt = RecordReceipt { seq: record.seq(), at: record.at(), effects };
        writer.append(receipt, record.payload()).unwrap()
    };
    records.iter().map(line).collect()
}

#[tokio::test]
async fn what_was_spent_stays_spent_where_this_kernel_cannot_fold_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let store = Store::open(&path).await.unwrap();
    let mut script = session("one", "hello", "output", "answer");
    store.import(script.text().as_bytes(), None).await.unwrap();
    let spent = store.spent().await.unwrap();
    assert_eq!(spent, script.run().spent());
    script.prompt("more").answer("done");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute("DELETE FROM records", []).unwrap();
    for (seq, line) in (0_i64..).zip(of_other_rules(&script, 3)) {
        let line = line.trim_end_matches('\n');
        conn.execute("INSERT INTO records VALUES ((1 << 32) + ?, ?)", rusqlite::params![seq, line]).unwrap();
    }
    conn.execute("INSERT OR IGNORE INTO moved VALUES (1)", []).unwrap();
    let all = script.run().spent();
    assert!(all > spent);
    assert_eq!(
        store.spent().await.unwrap(),
        all,
        "nothing comes back as budget, and what came since has a price"
    );
    let calls = |lines: Vec<UsageLine>| lines.iter().map(|line| line.tally.calls).sum::<u64>();
    let models = store.usage(UsageGrouping::Model, &UsageQuery::default()).await.unwrap();
    assert_eq!(calls(models), 3, "what came since is counted by what it says");
    store.rebuild().await.unwrap();
    assert_eq!(store.spent().await.unwrap(), all);
    assert_eq!(calls(store.usage(UsageGrouping::Model, &UsageQuery::default()).await.unwrap()), 3);
}
