use super::*;

/// A store's thread over a database of its own, with a log that may be elsewhere.
fn committer(folder: &std::path::Path, log: &str) -> SqliteCommitter {
    with_writer(folder, log).0
}

/// The same, with the connection that it writes through.
fn with_writer(folder: &std::path::Path, log: &str) -> (SqliteCommitter, Arc<SqliteWriter>) {
    let path = folder.join("holm.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    super::super::schema::migrate(&conn, &path).unwrap();
    conn.execute("INSERT INTO runs (no, id, created) VALUES (1, 'one', 0)", []).unwrap();
    let (writer, counters) = (Arc::new(SqliteWriter::new(conn)), Arc::default());
    let copier = Connection::open(&path).unwrap();
    let own = Arc::clone(&writer);
    let work = CommitWorker { writer, log: folder.join(log), unsynced: None, counters, copier, copies: 0 };
    (SqliteCommitter::start(work).unwrap(), own)
}

fn append(
    committer: &SqliteCommitter,
    seq: u64,
    durability: Durability,
) -> oneshot::Receiver<Result<(), StoreError>> {
    let (done, answer) = oneshot::channel();
    let batch = OwnedBatch::new(RecordBatch {
        run: RunNumber(1),
        first: seq,
        bodies: vec![RecordBody::Plain("line")],
    });
    committer.submit(SqliteCommitJob::Append { batch, durability, done });
    answer
}

#[test]
fn after_a_sync_that_failed_none_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let committer = committer(folder.path(), "not-there");
    let first = append(&committer, 0, Durability::Synced).blocking_recv().unwrap();
    assert!(matches!(first, Err(StoreError::Unsynced { .. })), "{first:?}");
    // The disk works again, but what it lost meanwhile is unknown.
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

#[test]
fn a_lease_is_released_after_the_appends_that_were_submitted_before() {
    let folder = tempfile::tempdir().unwrap();
    let (committer, writer) = with_writer(folder.path(), "holm.db-wal");
    let set_up = "UPDATE runs SET holder = 'me'; CREATE TABLE found (records INTEGER);
        CREATE TRIGGER released AFTER UPDATE OF holder ON runs
        BEGIN INSERT INTO found SELECT count(*) FROM records; END;";
    writer.with(|conn| conn.execute_batch(set_up)).unwrap();
    let (done, passed) = oneshot::channel();
    // While the connection is taken, so that what is submitted here comes in one group.
    let answers = writer
        .with(|_| {
            let answers =
                [append(&committer, 0, Durability::Synced), append(&committer, 1, Durability::Written)];
            committer.submit(SqliteCommitJob::Last(SqliteFollowUp::Release {
                run: RunNumber(1),
                holder: "me".into(),
            }));
            Ok(answers)
        })
        .unwrap();
    committer.submit(SqliteCommitJob::Last(SqliteFollowUp::Passed(done)));
    passed.blocking_recv().unwrap();
    assert!(answers.into_iter().all(|mut answer| answer.try_recv() == Ok(Ok(()))), "all was answered before");
    let found: i64 =
        writer.with(|conn| conn.query_row("SELECT records FROM found", [], |row| row.get(0))).unwrap();
    assert_eq!(found, 2, "both records were there when the lease was released");
}

#[test]
fn a_sync_without_lines_is_done_and_refused_after_one_that_failed() {
    let sync = |committer: &SqliteCommitter| {
        let (done, answer) = oneshot::channel();
        committer.submit(SqliteCommitJob::Sync { done });
        answer.blocking_recv().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(sync(&committer(folder.path(), "holm.db-wal")), Ok(()));
    let folder = tempfile::tempdir().unwrap();
    let broken = committer(folder.path(), "not-there");
    assert!(matches!(sync(&broken), Err(StoreError::Unsynced { .. })));
    std::fs::write(folder.path().join("not-there"), "").unwrap();
    assert!(matches!(sync(&broken), Err(StoreError::Unsynced { .. })), "none is believed after it");
}
