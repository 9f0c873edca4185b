use super::*;

/// A store's thread over a database of its own, with a log that may be elsewhere.
fn committer(folder: &std::path::Path, log: &str) -> Committer {
    let path = folder.join("holm.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    super::super::schema::migrate(&conn, &path).unwrap();
    conn.execute("INSERT INTO runs (no, id, created) VALUES (1, 'one', 0)", []).unwrap();
    let (writer, counters) = (Arc::new(Writer::new(conn)), Arc::default());
    let copier = Connection::open(&path).unwrap();
    Committer::start(Work { writer, log: folder.join(log), unsynced: None, counters, copier, copies: 0 })
        .unwrap()
}

fn append(
    committer: &Committer,
    seq: u64,
    durability: Durability,
) -> oneshot::Receiver<Result<(), StoreError>> {
    let (done, answer) = oneshot::channel();
    let batch = OwnedBatch::new(Batch { run: RunNo(1), first: seq, bodies: vec![Body::Plain("line")] });
    committer.submit(Job::Append { batch, durability, done });
    answer
}

#[test]
fn after_a_sync_that_failed_none_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let committer = committer(folder.path(), "not-there");
    let first = append(&committer, 0, Durability::Synced).blocking_recv().unwrap();
    assert!(matches!(first, Err(StoreError::Unsynced { .. })), "{first:?}");
    // The disk is well again, but what it lost meanwhile nobody knows.
    std::fs::write(folder.path().join("not-there"), "").unwrap();
    assert_eq!(append(&committer, 1, Durability::Synced).blocking_recv().unwrap(), first);
    assert_eq!(append(&committer, 2, Durability::Written).blocking_recv().unwrap(), Ok(()));
}

#[test]
fn one_that_fails_does_not_spoil_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let committer = committer(folder.path(), "holm.db-wal");
    append(&committer, 0, Durability::Synced).blocking_recv().unwrap().unwrap();
    // The same group as far as the thread is slow enough, and the same answers if it is not.
    let answers: Vec<_> =
        [1, 0, 2].into_iter().map(|seq| append(&committer, seq, Durability::Synced)).collect();
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().is_ok()).collect();
    assert_eq!(answers, [true, false, true]);
}

#[test]
fn what_was_submitted_before_the_end_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let committer = committer(folder.path(), "holm.db-wal");
    let answers: Vec<_> = (0..50).map(|seq| append(&committer, seq, Durability::Written)).collect();
    drop(committer);
    assert!(answers.into_iter().all(|answer| answer.blocking_recv() == Ok(Ok(()))));
    let conn = Connection::open(folder.path().join("holm.db")).unwrap();
    let kept: i64 = conn.query_row("SELECT count(*) FROM records", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 50);
}
