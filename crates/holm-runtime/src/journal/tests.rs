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
    let mut journal = JsonLines::create(&path).unwrap();
    journal.append("one\n", Durability::Written).await.unwrap();
    journal.append("two\n", Durability::Synced).await.unwrap();
    assert!(JsonLines::create(&path).is_err(), "it is there already");
    JsonLines::open(&path).unwrap().append("three\n", Durability::Written).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    std::fs::remove_dir_all(folder()).unwrap();
}

#[tokio::test]
async fn clones_of_a_journal_in_memory_are_one_journal() {
    let journal = MemoryJournal::new();
    journal.clone().append("a\n", Durability::Synced).await.unwrap();
    assert_eq!(journal.text(), "a\n");
}
