use super::*;

fn folder() -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!(
        "holm-journal-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[tokio::test]
async fn lines_are_appended_and_a_file_is_never_written_over() {
    let path = folder().join("run.jsonl");
    let _ = std::fs::remove_file(&path);
    let mut journal = JsonLinesJournal::create(&path).unwrap();
    journal.append("one\n", Durability::Written).await.unwrap();
    journal.append("two\n", Durability::Synced).await.unwrap();
    assert!(JsonLinesJournal::create(&path).is_err(), "it already exists");
    JsonLinesJournal::open(&path).unwrap().append("three\n", Durability::Written).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    std::fs::remove_dir_all(folder()).unwrap();
}

#[tokio::test]
async fn clones_of_a_journal_in_memory_are_one_journal() {
    let journal = MemoryJournal::new();
    journal.clone().append("a\n", Durability::Synced).await.unwrap();
    assert_eq!(journal.text(), "a\n");
}

/// A journal of two records, as a run writes it.
fn two_records(run: &str) -> String {
    use holm_kernel::{Config, Input, ModelSpec, Prompt, Started, Timestamp, journal};
    let started = Started::new(run, 7, Config::new(ModelSpec::named("test/one")));
    let (mut run, mut writer, text) = journal::begin(started, Timestamp::new(1)).unwrap();
    let prompted = Input::Prompted(Prompt::text("hi"));
    text + &journal::step(&mut run, &mut writer, Timestamp::new(2), prompted).unwrap()
}

#[tokio::test]
async fn a_folder_keeps_a_file_a_run_and_one_writer_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    let mut journal = journals.create("run-1").await.unwrap();
    journal.append(&two_records("run-1"), Durability::Synced).await.unwrap();
    assert!(matches!(journals.open("run-1").await, Err(JournalStorageError::Busy { .. })));
    assert!(matches!(journals.create("run-1").await, Err(JournalStorageError::Exists { .. })));
    assert_eq!(journals.read("run-1").await.unwrap(), two_records("run-1").as_bytes());
    drop(journal);
    assert_eq!(journals.open("run-1").await.unwrap().text, two_records("run-1").as_bytes());
    assert_eq!(journals.runs().unwrap(), ["run-1"]);
    assert!(matches!(journals.read("run-2").await, Err(JournalStorageError::Missing { .. })));
    assert!(matches!(journals.open("run-2").await, Err(JournalStorageError::Missing { .. })));
}

#[cfg(unix)]
#[tokio::test]
async fn journals_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("journals");
    let journals = JsonLinesFolder::new(&root).unwrap();
    drop(journals.create("run-1").await.unwrap());
    drop(JsonLinesJournal::create(root.join("other")).unwrap());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&root), 0o700);
    assert_eq!([mode(&root.join("run-1.jsonl")), mode(&root.join("other"))], [0o600, 0o600]);
}

#[tokio::test]
async fn a_name_whose_first_record_was_never_kept_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    let maker = journals.create("run-1").await.unwrap();
    assert!(
        matches!(journals.create("run-1").await, Err(JournalStorageError::Exists { .. })),
        "the maker lives"
    );
    drop(maker);
    journals.create("run-1").await.unwrap().append("a\n", Durability::Synced).await.unwrap();
    assert!(matches!(journals.create("run-1").await, Err(JournalStorageError::Exists { .. })));
}

#[tokio::test]
async fn a_torn_last_line_is_cut_and_other_damage_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    let (path, journal) = (folder.path().join("run-1.jsonl"), two_records("run-1"));
    let first = journal.lines().next().unwrap().len() + 1;
    for torn in [journal.len() - 1, first + 1, first + 40] {
        std::fs::write(&path, &journal[..torn]).unwrap();
        let opened = journals.open("run-1").await.unwrap();
        assert_eq!(opened.text, &journal.as_bytes()[..first]);
        drop(opened);
        assert_eq!(std::fs::read(&path).unwrap(), &journal.as_bytes()[..first], "the file is cut too");
    }
    for (from, to) in [("\"hi\"", "\"ho\""), ("\"seq\":0", "\"seq\":9"), ("{\"v\":1", "{\"v\":2")] {
        let damaged = journal.replacen(from, to, 1);
        assert_ne!(damaged, journal);
        std::fs::write(&path, &damaged).unwrap();
        assert!(matches!(journals.open("run-1").await, Err(JournalStorageError::Damaged { .. })), "{from}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged, "nothing was cut");
    }
}

#[tokio::test]
async fn a_journal_that_the_system_does_not_let_be_read_is_not_said_to_be_unwritten() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    std::fs::create_dir(folder.path().join("run-1.jsonl")).unwrap();
    let refused = journals.read("run-1").await.unwrap_err();
    assert!(matches!(refused, JournalStorageError::Unreadable { .. }), "{refused:?}");
    assert!(refused.to_string().starts_with("cannot read the journal ("), "{refused}");
}

#[test]
fn names_of_runs_are_plain() {
    for good in ["a", "run-1", "2026.01.02_x", &"n".repeat(MOST_NAME_BYTES)] {
        assert!(check_run_name(good).is_ok(), "{good}");
    }
    let long = "n".repeat(MOST_NAME_BYTES + 1);
    for bad in ["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "ü", "a\n", "a\0", &long] {
        let error = check_run_name(bad).unwrap_err();
        assert!(matches!(&error, JournalStorageError::BadName { .. }), "{bad:?}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[tokio::test]
async fn what_keeps_nothing_finds_nothing() {
    let mut journal = NullJournalStore.create("run-1").await.unwrap();
    journal.append("…\n", Durability::Synced).await.unwrap();
    assert!(!journal.keeps_snapshots());
    assert!(matches!(NullJournalStore.open("run-1").await, Err(JournalStorageError::Missing { .. })));
    assert!(matches!(NullJournalStore.read("run-1").await, Err(JournalStorageError::Missing { .. })));
    assert!(matches!(NullJournalStore.create("no/name").await, Err(JournalStorageError::BadName { .. })));
}

#[tokio::test]
async fn runs_in_memory_are_held_by_one_and_can_be_forgotten() {
    let journals = MemoryJournalStore::new();
    let held = journals.create("b").await.unwrap();
    drop(journals.create("a").await.unwrap());
    assert_eq!(journals.runs(), ["a", "b"]);
    assert!(matches!(journals.open("b").await, Err(JournalStorageError::Busy { .. })));
    drop(held);
    journals.forget("b");
    assert!(matches!(journals.open("b").await, Err(JournalStorageError::Missing { .. })));
}

/// A device takes lines and cannot be synced.
#[cfg(unix)]
#[tokio::test]
async fn after_a_sync_that_failed_none_is_trusted_and_lines_are_still_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let device = std::fs::OpenOptions::new().append(true).open("/dev/null").unwrap();
    let file = std::fs::OpenOptions::new().append(true).create_new(true).open(&path).unwrap();
    let failure = jsonl::SyncFailure::default();
    let (mut first, mut next) =
        (JsonLinesJournal::on(device, failure.clone()), JsonLinesJournal::on(file, failure));
    next.append("one\n", Durability::Synced).await.unwrap();
    let failed = first.append("lost\n", Durability::Synced).await.unwrap_err();
    assert_eq!(next.append("two\n", Durability::Synced).await, Err(failed), "what was lost is not known");
    next.append("three\n", Durability::Written).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    JsonLinesJournal::open(&path).unwrap().append("four\n", Durability::Synced).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_next_driver_of_a_folder_is_refused_a_sync_after_one_that_failed() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    let device = std::fs::OpenOptions::new().append(true).open("/dev/null").unwrap();
    let mut journal = JsonLinesJournal::on(device, journals.failure.clone());
    assert!(journal.append("one\n", Durability::Synced).await.is_err());
    let mut other = journals.clone().create("run-2").await.unwrap();
    assert!(other.append("one\n", Durability::Synced).await.is_err());
    let again = JsonLinesFolder::new(folder.path()).unwrap();
    again.create("run-3").await.unwrap().append("one\n", Durability::Synced).await.unwrap();
}

#[test]
fn a_slow_sync_holds_up_no_other_journal() {
    let failure = jsonl::SyncFailure::default();
    let (other, (slow, done)) = (failure.clone(), std::sync::mpsc::channel());
    // The first sync ends when the second has.
    let synced = failure.sync(move || {
        let second = std::thread::spawn(move || {
            other.sync(|| Ok(())).unwrap();
            slow.send(()).unwrap();
        });
        done.recv_timeout(std::time::Duration::from_secs(30)).expect("the second waits for the first");
        second.join().unwrap();
        Ok(())
    });
    assert_eq!(synced, Ok(()));
}

#[tokio::test]
async fn a_long_file_is_opened_from_its_snapshot_and_whole_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let journals = JsonLinesFolder::new(folder.path()).unwrap();
    let agent = || {
        let model = crate::testing::plays([]);
        crate::Agent::builder("test/model", model).journals(journals.clone()).build().unwrap()
    };
    for run in ["run-1", "run-2"] {
        let mut session = agent().start_as(run).await.unwrap();
        for _ in 0..150 {
            session.prompt(format!("again in {run}").as_str()).await.unwrap();
        }
    }
    let (path, kept) = (folder.path().join("run-1.jsonl"), folder.path().join("run-1.snapshot"));
    let (journal, other) =
        (std::fs::read(&path).unwrap(), std::fs::read(folder.path().join("run-2.snapshot")).unwrap());
    let torn = [&journal[..], b"{\"v\":1,"].concat();
    std::fs::write(&path, &torn).unwrap();
    let opened = journals.open("run-1").await.unwrap();
    assert!(opened.snapshot.is_some());
    assert!(
        opened.text.len() < journal.len() / 2 && journal.ends_with(&opened.text),
        "only what came after it"
    );
    drop(opened);
    assert_eq!(std::fs::read(&path).unwrap(), journal, "what a crash left unfinished is cut off");
    let good = std::fs::read(&kept).unwrap();
    for bad in [&b"nonsense"[..], b"", &other, &good[..good.len() / 2], &[b"9", &good[..]].concat()] {
        std::fs::write(&kept, bad).unwrap();
        let opened = journals.open("run-1").await.unwrap();
        assert_eq!((opened.snapshot, opened.text), (None, journal.clone()));
    }
    // Resuming writes a new one.
    drop(agent().resume("run-1").await.unwrap());
    assert!(journals.open("run-1").await.unwrap().snapshot.is_some());
}

#[test]
fn costs_are_known_from_the_first_record_that_was_measured_on() {
    use holm_kernel::NanoUsd;
    let mut costs = RecordCosts::after(3);
    assert_eq!((costs.records(), costs.since(3)), (3, Some(NanoUsd::ZERO)));
    for cost in [0, 5, 0, 7] {
        costs.add(NanoUsd::new(cost));
    }
    let check = |record, expect: Option<u64>| {
        assert_eq!(costs.since(record), expect.map(NanoUsd::new), "from {record} on");
    };
    check(2, None);
    check(3, Some(12));
    check(4, Some(12));
    check(5, Some(7));
    check(7, Some(0));
    // Of a longer journal, which is another one.
    check(8, None);
    let mut long = RecordCosts::default();
    (0..3_000).for_each(|_| long.add(NanoUsd::new(1)));
    assert_eq!((long.since(0), long.since(2_990)), (None, Some(NanoUsd::new(10))));
}
