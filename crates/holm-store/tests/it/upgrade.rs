//! A store of the schema before this one, as a file that Holm made then, opened by what is built
//! now.

use std::path::Path;

use crate::suite::script::{Script, session};
use holm_runtime::{Durability, JournalStore as _};
use holm_store::{SessionQuery, Store, UsageGrouping, UsageQuery};
use rusqlite::{Connection, params};

/// The tables as they were, written down then.
const SCHEMA_3: &str = include_str!("golden/schema3.sql");

/// Writes a store of schema 3 with two sessions, a name, a tag, a large result and a stone.
fn golden(path: &Path) -> [Script; 2] {
    let conn = Connection::open(path).unwrap();
    conn.execute_batch(SCHEMA_3).unwrap();
    let scripts =
        [session("first", "find the harbour", "a map", "it is here"), session("second", "x", "y", "z")];
    for (no, (id, script)) in (1_i64..).zip(["first", "second"].iter().zip(&scripts)) {
        conn.execute("INSERT INTO runs (no, id, created) VALUES (?, ?, 5)", params![no, id]).unwrap();
        for (seq, line) in (0_i64..).zip(&script.lines) {
            let line = line.trim_end_matches('\n').as_bytes();
            conn.execute("INSERT INTO records VALUES ((? << 32) + ?, ?)", params![no, seq, line]).unwrap();
        }
        conn.execute("INSERT INTO moved VALUES (?)", [no]).unwrap();
    }
    conn.execute("UPDATE runs SET named = ? WHERE no = 1", [b"The harbour".as_slice()]).unwrap();
    conn.execute("INSERT INTO tags VALUES (1, 'sea')", []).unwrap();
    conn.execute("INSERT INTO stones VALUES ('gone', 9, 3, 'abc')", []).unwrap();
    scripts
}

#[tokio::test]
async fn a_store_of_the_schema_before_is_opened_with_all_it_holds_and_used_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holm.db");
    let [first, second] = golden(&path);
    let store = Store::open(&path).await.unwrap();
    let sessions = store
        .list(&SessionQuery { tag: Some("sea".into()), ..SessionQuery::default() })
        .await
        .unwrap()
        .sessions;
    assert_eq!(
        (sessions.len(), sessions[0].title.as_str(), sessions[0].agent.as_str()),
        (1, "The harbour", "tester")
    );
    for (id, script) in [("first", &first), ("second", &second)] {
        assert_eq!(store.read(id).await.unwrap(), script.text().as_bytes(), "{id}");
    }
    assert_eq!(store.search("harbour", 9).await.unwrap().len(), 1);
    let tools = store.usage(UsageGrouping::Tool, &UsageQuery::default()).await.unwrap();
    assert_eq!((tools[0].name.as_str(), tools[0].tally.calls), ("look", 2));
    assert!(store.add_job("nightly", b"", b"").await.unwrap(), "what is new works too");
    let mut journal = store.create("third").await.unwrap();
    journal.append(&Script::new("third").lines[0], Durability::Synced).await.unwrap();
    drop((journal, store));
    let conn = Connection::open(&path).unwrap();
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert!(version >= 4, "{version}");
    drop(conn);
    let again = Store::open(&path).await.unwrap();
    assert_eq!(again.list(&SessionQuery::default()).await.unwrap().sessions.len(), 3);
}
