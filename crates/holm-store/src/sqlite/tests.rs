use rusqlite::Connection;

use super::*;
use crate::backend::RunNumber;
use crate::{SessionQuery, Store, StoreOptions};

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    (folder, path)
}

async fn open(path: &Path) -> Result<Store, StoreError> {
    StoreOptions::new().open(path).await
}

#[tokio::test]
async fn an_older_schema_is_brought_up_to_date_with_all_it_holds() {
    let (_folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    schema::migrate_to(&conn, &path, 1).unwrap();
    conn.execute("INSERT INTO runs (id, created) VALUES ('old', 5)", []).unwrap();
    conn.execute("INSERT INTO records VALUES (1 << 32, ?)", [r#"{"v":1,"seq":0,"at":77}"#]).unwrap();
    drop(conn);
    let store = open(&path).await.unwrap();
    let sessions = store.list(&SessionQuery::default()).await.unwrap().sessions;
    assert_eq!(sessions.len(), 1);
    assert_eq!((sessions[0].run.as_str(), sessions[0].records, sessions[0].updated.value()), ("old", 1, 77));
}

#[tokio::test]
async fn the_ledger_knows_the_journals_of_a_store_that_had_none() {
    use holm_kernel::{
        Block, Config, Effect, Input, ModelResult, ModelSpec, Prompt, Reply, Started, Timestamp, journal,
    };
    let (_folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    schema::migrate_to(&conn, &path, 2).unwrap();
    let started = Started::new("old", 7, Config::new(ModelSpec::named("test/one")));
    let (mut run, mut writer, mut lines) = journal::begin(started, Timestamp::new(5)).unwrap();
    let mut facts = vec![Input::Prompted(Prompt::text("hi"))];
    while let Some(fact) = facts.pop() {
        lines += &journal::step(&mut run, &mut writer, Timestamp::new(6), fact).unwrap();
        loop {
            match run.poll() {
                Effect::CallModel { call, .. } => {
                    let reply = Reply { blocks: vec![Block::Text("hello".into())], ..Reply::default() };
                    facts.push(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
                }
                Effect::Wait(_) => break,
                _ => {}
            }
        }
    }
    conn.execute("INSERT INTO runs (id, created) VALUES ('old', 5)", []).unwrap();
    let count = lines.lines().count();
    for (seq, line) in (0_i64..).zip(lines.lines()) {
        conn.execute("INSERT INTO records VALUES ((1 << 32) + ?, ?)", rusqlite::params![seq, line]).unwrap();
    }
    // Everything that the older schema knew was computed already.
    conn.execute(
        "INSERT INTO heads VALUES (1, ?1, 6, '', 'test/one', NULL, ?1)",
        [i64::try_from(count).unwrap()],
    )
    .unwrap();
    conn.execute("DELETE FROM moved", []).unwrap();
    drop(conn);
    let store = open(&path).await.unwrap();
    let known = store.model_ledger(None).await.unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].model.as_str(), known[0].score.tasks, known[0].score.successes), ("test/one", 1, 1));
    assert_eq!(store.search("hello", 9).await.unwrap().len(), 1, "and the rest is there as before");
}

#[tokio::test]
async fn a_store_that_knew_no_jobs_learns_to() {
    let (_folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    schema::migrate_to(&conn, &path, 3).unwrap();
    conn.execute("INSERT INTO runs (id, created) VALUES ('old', 5)", []).unwrap();
    conn.execute("INSERT INTO records VALUES (1 << 32, ?)", [r#"{"v":1,"seq":0,"at":77}"#]).unwrap();
    drop(conn);
    let store = open(&path).await.unwrap();
    assert!(store.jobs().await.unwrap().is_empty());
    assert!(store.add_job("nightly", b"", b"").await.unwrap());
    assert_eq!(store.list(&SessionQuery::default()).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn a_store_that_knew_no_notes_learns_to() {
    let (_folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    schema::migrate_to(&conn, &path, 4).unwrap();
    conn.execute("INSERT INTO jobs VALUES ('old', NULL, 0, x'01', x'02')", []).unwrap();
    drop(conn);
    let store = open(&path).await.unwrap();
    assert!(store.slips("letters").await.unwrap().is_empty());
    assert!(store.put_slip("letters", "one", holm_kernel::Timestamp::new(1), b"x").await.unwrap());
    assert_eq!(store.job("old").await.unwrap().unwrap().spec, [1], "and the rest is there as before");
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let (_folder, path) = place();
    drop(open(&path).await.unwrap());
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();
    assert_eq!(open(&path).await.map(|_| ()), Err(StoreError::Newer { found: 99, known: 8 }));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn other_programs_files_are_refused_and_left_alone() {
    let (folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(conn);
    assert!(matches!(open(&path).await, Err(StoreError::Foreign { place }) if place.contains("holm.db")));
    let text = folder.path().join("text");
    std::fs::write(
        &text,
        "no database at all, but a text that is long enough for a header of one".repeat(20),
    )
    .unwrap();
    assert!(matches!(open(&text).await, Err(StoreError::Foreign { .. })));
    assert!(std::fs::read_to_string(&text).unwrap().starts_with("no database"));
}

#[test]
fn keys_hold_run_and_record() {
    for (run, seq) in [(1, 0), (1, 4_294_967_295), (2_147_483_647, 7)] {
        let key = schema::key(RunNumber(run), seq).unwrap();
        assert_eq!((schema::run(key), schema::seq(key)), (run, seq));
    }
    assert!(schema::key(RunNumber(1), 4_294_967_296).is_err());
    assert!(schema::key(RunNumber(2_147_483_648), 0).is_err());
    assert!(schema::key(RunNumber(1), 4_294_967_295).unwrap() < schema::key(RunNumber(2), 0).unwrap());
}

#[test]
fn the_locks_of_the_dead_are_free_and_swept_up() {
    let folder = tempfile::tempdir().unwrap();
    let locks = folder.path().join("locks");
    let first = LivenessLock::new(locks.clone()).unwrap();
    let second = LivenessLock::new(locks.clone()).unwrap();
    assert!(second.lives(first.token()) && first.lives(second.token()) && first.lives(first.token()));
    let token = first.token().to_owned();
    drop(first);
    assert!(!second.lives(&token));
    // A killed process leaves a file without a lock.
    std::fs::write(locks.join("dead"), "").unwrap();
    assert!(!second.lives("dead"));
    let three = LivenessLock::new(locks.clone()).unwrap();
    assert!(!locks.join("dead").exists());
    assert!(three.lives(second.token()));
}

#[tokio::test]
async fn the_log_is_moved_into_the_database_when_it_has_grown() {
    use holm_runtime::{Durability, JournalStore as _};
    let (_folder, path) = place();
    let store = open(&path).await.unwrap();
    let mut journal = store.create("one").await.unwrap();
    // The log's header says how often it was begun; bytes 12 to 15, in SQLite's file format.
    let begun = || std::fs::read(log_of(&path)).unwrap()[12..16].to_vec();
    let mut first = None;
    for seq in 0..200_000 {
        let line = format!("{{\"v\":1,\"seq\":{seq},\"padding\":\"{}\"}}\n", "x".repeat(3_000));
        journal.append(&line, Durability::Written).await.unwrap();
        if seq % 2_000 == 0 && *first.get_or_insert_with(begun) != begun() {
            assert!(path.metadata().unwrap().len() > 4 << 20, "what was in it is in the database");
            return;
        }
    }
    panic!("the log was never begun anew");
}

#[test]
fn results_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = BlobFolder::new(folder.path().join("blobs"));
    blobs.keep("abcdef", b"text", "writer").unwrap();
    blobs.keep("abcdef", b"text", "writer").unwrap();
    assert_eq!(blobs.read("abcdef", &(1..3)).unwrap(), b"ex");
    assert_eq!(blobs.files().len(), 1, "nothing unfinished is left");
    // What a crash cut short is written again.
    std::fs::write(&blobs.files()[0], b"te").unwrap();
    blobs.keep("abcdef", b"text", "writer").unwrap();
    assert_eq!(blobs.read("abcdef", &(0..9)).unwrap(), b"text");
    blobs.remove("abcdef").unwrap();
    blobs.remove("abcdef").unwrap();
    assert!(blobs.stamp("abcdef").unwrap().is_none());
}

/// Puts a file next to a result, as a process that died in the middle of writing leaves it.
fn unfinished(path: &Path, writer: &str) -> PathBuf {
    let folder = sibling(path, "blobs").join("ab");
    files::make_folder(&folder).unwrap();
    let file = folder.join(format!("{writer}.0123.part"));
    std::fs::write(&file, "words of a result").unwrap();
    file
}

fn make_old(file: &Path) {
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(7_200);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
}

#[tokio::test]
async fn unfinished_results_go_once_their_process_is_gone_or_they_are_old() {
    let (_folder, path) = place();
    let sqlite = SqliteBackend::open(path.clone(), None).await.unwrap();
    let own = unfinished(&path, sqlite.db.holder.token());
    let dead = unfinished(&path, "dead");
    crate::backend::StoreBackend::scour(&sqlite).await.unwrap();
    assert!(!dead.exists(), "its process is gone");
    assert!(own.exists(), "this process may still be writing it");
    make_old(&own);
    crate::backend::StoreBackend::scour(&sqlite).await.unwrap();
    assert!(!own.exists(), "it was given up");
}

#[tokio::test]
async fn finished_results_without_a_session_go_at_once_and_their_writer_stores_them_again() {
    use holm_runtime::{BlobStore as _, Durability, JournalStore as _};
    let (folder, path) = place();
    let store = open(&path).await.unwrap();
    let (file, words) = ("ab".repeat(32), "the harbour lies behind the hill");
    // As by a process that dies before its session refers to the result.
    store.inner.backend.keep_blob(&file, words.as_bytes()).await.unwrap();
    assert_eq!(holding(folder.path(), words), 1);
    let started = holm_kernel::Started::new(
        "one",
        7,
        holm_kernel::Config::new(holm_kernel::ModelSpec::named("test/one")),
    );
    let (_, _, line) = holm_kernel::journal::begin(started, holm_kernel::Timestamp::new(5)).unwrap();
    let mut journal = store.create("one").await.unwrap();
    journal.append(&line, Durability::Synced).await.unwrap();
    let text = vec![b'k'; 100_000];
    let kept = store.put("one", &text).await.unwrap();
    let scours = async {
        for _ in 0..20 {
            store.inner.backend.scour().await.unwrap();
        }
    };
    let puts = async {
        for byte in 0..20 {
            let digest = store.put("one", &[byte; 50_000]).await.unwrap();
            assert_eq!(store.get(&digest, 0..1).await.unwrap(), [byte]);
        }
    };
    tokio::join!(scours, puts);
    assert_eq!(holding(folder.path(), words), 0);
    assert_eq!(store.get(&kept, 0..9).await.unwrap(), [b'k'; 9]);
}

#[tokio::test]
async fn nothing_of_an_erased_session_is_left_in_any_file_of_the_store() {
    use holm_kernel::{Config, Input, ModelSpec, Prompt, Started, Timestamp, journal};
    use holm_runtime::{BlobStore as _, Durability, JournalStore as _};
    let (folder, path) = place();
    let store = open(&path).await.unwrap();
    let words = "the harbour lies behind the hill";
    let started = Started::new("one", 7, Config::new(ModelSpec::named("test/one")));
    let (mut run, mut writer, mut lines) = journal::begin(started, Timestamp::new(5)).unwrap();
    let prompt = Input::Prompted(Prompt::text(words));
    lines += &journal::step(&mut run, &mut writer, Timestamp::new(6), prompt).unwrap();
    let mut driven = store.create("one").await.unwrap();
    driven.append(&lines, Durability::Synced).await.unwrap();
    driven.keep_snapshot(words.as_bytes()).await.unwrap();
    drop(driven);
    store.put("one", words.repeat(2_000).as_bytes()).await.unwrap();
    store.rename("one", Some(words)).await.unwrap();
    assert_eq!(store.search("harbour", 9).await.unwrap().len(), 1);
    std::fs::write(unfinished(&path, "dead"), words).unwrap();
    assert!(holding(folder.path(), words) > 1, "the words are found where they are");
    store.erase("one").await.unwrap();
    assert_eq!(holding(folder.path(), words), 0);
    assert_eq!(holding(folder.path(), "harbour"), 0);
}

#[tokio::test]
async fn a_result_for_a_session_that_was_erased_meanwhile_is_not_kept() {
    use crate::backend::StoreBackend as _;
    let (folder, path) = place();
    let sqlite = SqliteBackend::open(path.clone(), None).await.unwrap();
    let (file, words) = ("ab".repeat(32), "the harbour lies behind the hill");
    sqlite.keep_blob(&file, words.as_bytes()).await.unwrap();
    assert_eq!(holding(folder.path(), words), 1);
    assert!(!sqlite.refer(RunNumber(99), &file, &file, 32).await.unwrap(), "there is no such session");
    assert_eq!(holding(folder.path(), words), 0);
    let referred = sqlite.db.read(|conn| queries::is_referred(conn, &file)).unwrap();
    assert!(!referred, "a later result of another session would seem to be in use for ever");
}

/// How many files beneath a folder hold these words.
fn holding(folder: &Path, words: &str) -> usize {
    let count = |path: PathBuf| {
        if path.is_dir() {
            return holding(&path, words);
        }
        let bytes = std::fs::read(&path).unwrap();
        usize::from(bytes.windows(words.len()).any(|part| part == words.as_bytes()))
    };
    files::list(folder).into_iter().map(count).sum()
}

#[tokio::test]
async fn a_database_that_is_damaged_or_none_is_told_and_a_sound_one_is_not() {
    let (_folder, path) = place();
    let conn = Connection::open(&path).unwrap();
    schema::migrate_to(&conn, &path, 1).unwrap();
    drop(conn);
    assert_eq!(Store::check(&path).await, Ok(()));
    let sound = std::fs::read(&path).unwrap();
    // The head says what it is, and nothing after it is unchanged.
    let head = sound.len().min(100);
    let damaged = [&sound[..head], &vec![0xa5; sound.len() - head][..]].concat();
    for bytes in [damaged, vec![0xa5; 8_192]] {
        std::fs::write(&path, &bytes).unwrap();
        assert!(Store::check(&path).await.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "it is looked at, not mended");
    }
    assert!(Store::check(path.with_extension("none")).await.is_err());
}

#[tokio::test]
async fn a_database_that_is_sound_and_yet_no_store_of_this_program_is_told() {
    let check = async |damage: &str| {
        let (_folder, path) = place();
        drop(open(&path).await.unwrap());
        Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let before = std::fs::read(&path).unwrap();
        let found = Store::check(&path).await;
        assert_eq!(std::fs::read(&path).unwrap(), before, "it is looked at, not mended");
        found
    };
    assert_eq!(check("").await, Ok(()));
    assert!(matches!(
        check("PRAGMA application_id = 1").await,
        Err(StoreError::Foreign { place }) if place.ends_with("holm.db")
    ));
    assert_eq!(check("PRAGMA user_version = 99").await, Err(StoreError::Newer { found: 99, known: 8 }));
    for table in ["meta", "runs", "records", "heads", "texts", "ledger", "jobs", "slips"] {
        let found = check(&format!("DROP TABLE {table}")).await.unwrap_err().to_string();
        assert!(found.contains(&format!("the table `{table}` is missing")), "{table}: {found}");
    }
}

/// A store with one session whose last lines are only in the log, as a crash leaves them.
async fn crashed() -> (tempfile::TempDir, PathBuf) {
    use holm_kernel::{Config, ModelSpec, Started, Timestamp, journal};
    use holm_runtime::{Durability, JournalStore as _};
    let (living, path) = place();
    let store = open(&path).await.unwrap();
    let started = Started::new("first", 7, Config::new(ModelSpec::named("example/model")));
    let (_, _, line) = journal::begin(started, Timestamp::new(1_000)).unwrap();
    store.create("first").await.unwrap().append(&line, Durability::Synced).await.unwrap();
    let (folder, image) = place();
    std::fs::copy(&path, &image).unwrap();
    std::fs::copy(log_of(&path), log_of(&image)).unwrap();
    drop((store, living));
    (folder, image)
}

/// The names and bytes of a folder.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<PathBuf> = files::list(folder);
    all.sort();
    all.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

#[tokio::test]
async fn a_copy_in_memory_holds_what_the_log_holds() {
    let (_folder, path) = crashed().await;
    let copy = Store::memory_copy(&path).await.unwrap();
    let sessions = copy.list(&SessionQuery::default()).await.unwrap().sessions;
    assert_eq!(sessions.len(), 1);
    assert_eq!((sessions[0].run.as_str(), sessions[0].records), ("first", 1));
}

#[tokio::test]
async fn a_log_is_read_without_locks_and_shared_memory_and_stays_as_it_is() {
    let (folder, path) = crashed().await;
    let before = content(folder.path());
    let conn = memory_copy::open_with_log(&path).unwrap();
    let runs: i64 = conn.query_row("SELECT count(*) FROM records", [], |row| row.get(0)).unwrap();
    drop(conn);
    assert_eq!((runs, content(folder.path()) == before), (1, true));
}

#[tokio::test]
async fn a_database_that_is_not_there_reads_as_an_empty_one_and_is_not_made() {
    let (folder, path) = place();
    let copy = Store::memory_copy(&path).await.unwrap();
    assert!(copy.list(&SessionQuery::default()).await.unwrap().sessions.is_empty());
    drop(copy);
    assert!(content(folder.path()).is_empty());
}

#[tokio::test]
async fn what_is_no_store_is_not_copied_either() {
    let (_folder, path) = place();
    std::fs::write(&path, "words that are not a database, and enough of them to be looked at as one")
        .unwrap();
    let error = Store::memory_copy(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error:?}");
}
