use futures::TryStreamExt as _;

use super::{AuditEntry, AuditLog, FILE, KEPT};

async fn write(audit: &AuditLog, number: u64) {
    let mut entry = AuditEntry::new(None, "127.0.0.1".into(), &http::Method::POST, "/api/sessions", 201);
    entry.at = number;
    audit.write(entry).await.unwrap();
}

/// The numbers of the lines that are given out.
async fn exported(audit: &AuditLog) -> Vec<u64> {
    let pieces: Vec<_> = audit.export().await.unwrap().pieces().try_collect().await.unwrap();
    let text = String::from_utf8(pieces.concat()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "whole lines: {text}");
    text.lines().map(|line| serde_json::from_str::<AuditEntry>(line).unwrap().at).collect()
}

#[tokio::test]
async fn a_full_file_is_put_aside_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    // Full after the first line, so each line has a file.
    let audit = AuditLog::open_with(folder.path(), 1).unwrap();
    assert_eq!(exported(&audit).await, [0_u64; 0]);
    for number in 0..20 {
        write(&audit, number).await;
    }
    let first = 20 - u64::from(KEPT) - 1;
    assert_eq!(exported(&audit).await, (first..20).collect::<Vec<_>>());
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1 + usize::try_from(KEPT).unwrap());
    drop(audit);
    let again = AuditLog::open_with(folder.path(), 1).unwrap();
    write(&again, 20).await;
    assert_eq!(exported(&again).await.last(), Some(&20), "it goes on at the next start");
}

#[tokio::test]
async fn what_is_given_out_ends_where_the_log_ended_when_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditLog::open_with(folder.path(), 1).unwrap();
    write(&audit, 0).await;
    let export = audit.export().await.unwrap();
    for number in 1..40 {
        write(&audit, number).await;
    }
    let pieces: Vec<_> = export.pieces().try_collect().await.unwrap();
    assert_eq!(String::from_utf8(pieces.concat()).unwrap().lines().count(), 1);
    assert!(folder.path().join(FILE).exists());
}

#[tokio::test]
async fn a_file_that_cannot_be_put_aside_grows_and_none_that_is_kept_goes() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditLog::open_with(folder.path(), 1).unwrap();
    for number in 0..4 {
        write(&audit, number).await;
    }
    // Where the next file would begin there is something else.
    let in_the_way = folder.path().join(format!("{FILE}.new"));
    std::fs::create_dir(&in_the_way).unwrap();
    for number in 4..24 {
        write(&audit, number).await;
    }
    assert_eq!(exported(&audit).await, (0..24).collect::<Vec<_>>());
    std::fs::remove_dir(in_the_way).unwrap();
    write(&audit, 24).await;
    assert_eq!(exported(&audit).await, (0..25).collect::<Vec<_>>());
    assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap().lines().count(), 1);
}
