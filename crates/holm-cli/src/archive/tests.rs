use std::fs;

use holm::store::{SessionQuery, Store};

use super::{BackupManifest, LIST, open};

/// A data folder with a store, files and what is left out.
async fn data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for below in ["agents", "server", "code", "users/ada/data", "users/ada/workspace"] {
        fs::create_dir_all(data.join(below)).unwrap();
    }
    for (name, text) in [
        ("agents/one.md", "an agent"),
        ("code/made.bin", "compiled"),
        ("server/audit.jsonl", "{\"at\":1}\n{\"at\":2"),
        ("users/ada/workspace/notes.txt", "hers"),
        ("users/ada/workspace/holm.db", "no database at all"),
    ] {
        fs::write(data.join(name), text).unwrap();
    }
    for database in ["holm.db", "users/ada/data/holm.db"] {
        let store = Store::open(data.join(database)).await.unwrap();
        assert!(store.add_job("nightly", b"spec", b"standing").await.unwrap());
    }
    std::os::unix::fs::symlink("/etc/passwd", data.join("link")).unwrap();
    folder
}

#[tokio::test]
async fn what_was_copied_comes_back_and_nothing_is_overwritten() {
    let folder = data().await;
    let (data, to, new) = (folder.path().join("data"), folder.path().join("copy"), folder.path().join("new"));
    let made = BackupManifest::make(&data, &to).await.unwrap();
    assert_eq!(made.len(), 6, "{made:?}");
    assert!(BackupManifest::make(&data, &to).await.is_err(), "there is a copy already");
    assert!(BackupManifest::make(&data, &data.join("inside")).await.is_err());
    assert!(!data.join("inside").exists());
    let archive = BackupManifest::read(&to).unwrap();
    assert_eq!(archive, made);
    assert!(archive.restore(&to, &data).is_err(), "something is there");
    archive.restore(&to, &new).unwrap();
    assert_eq!(fs::read_to_string(new.join("agents/one.md")).unwrap(), "an agent");
    assert_eq!(
        fs::read_to_string(new.join("server/audit.jsonl")).unwrap(),
        "{\"at\":1}\n",
        "whole lines alone"
    );
    assert_eq!(fs::read_to_string(new.join("users/ada/workspace/notes.txt")).unwrap(), "hers");
    assert!(!new.join("code").exists() && !new.join("link").exists());
    for database in ["holm.db", "users/ada/data/holm.db"] {
        let store = Store::open(new.join(database)).await.unwrap();
        assert_eq!(store.jobs().await.unwrap().len(), 1);
        assert!(store.list(&SessionQuery::default()).await.unwrap().sessions.is_empty());
    }
}

#[tokio::test]
async fn a_copy_that_is_not_whole_or_was_changed_is_not_used() {
    let folder = data().await;
    let (data, to, new) = (folder.path().join("data"), folder.path().join("copy"), folder.path().join("new"));
    let archive = BackupManifest::make(&data, &to).await.unwrap();
    fs::write(to.join("agents/one.md"), "another").unwrap();
    assert!(archive.restore(&to, &new).is_err());
    assert!(!new.exists(), "nothing was begun");
    let mut outside = archive;
    outside.files[0].path = "../../etc/passwd".into();
    assert!(outside.restore(&to, &new).is_err());
    fs::remove_file(to.join(LIST)).unwrap();
    assert!(BackupManifest::read(&to).is_err());
}

#[tokio::test]
async fn what_a_user_does_in_a_workspace_keeps_nobody_from_being_copied_and_shows_nothing_of_others() {
    let folder = data().await;
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    let work = data.join("users/ada/workspace");
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"no-\xff-text");
    fs::write(work.join(odd), "hers").unwrap();
    fs::write(work.join("audit.jsonl"), "one\nhalf a line").unwrap();
    fs::create_dir_all(data.join("live")).unwrap();
    fs::write(data.join("live/key.json"), "SECRET").unwrap();
    let made = BackupManifest::make(&data, &to).await.unwrap();
    assert_eq!(made.left_out().len(), 1, "{made:?}");
    assert_eq!(fs::read_to_string(to.join("users/ada/workspace/audit.jsonl")).unwrap(), "one\nhalf a line");
    assert!(!to.join("live").exists());
    // What was a file and a folder when it was looked at, and is a link when it is opened.
    std::os::unix::fs::symlink(data.join("live"), work.join("swapped")).unwrap();
    std::os::unix::fs::symlink(data.join("live/key.json"), work.join("key.json")).unwrap();
    let held = fs::File::open(&data).unwrap();
    for path in
        ["users/ada/workspace/swapped/key.json", "users/ada/workspace/key.json", "users/ada/workspace"]
    {
        assert!(open(&held, path.as_ref()).is_err(), "{path}");
    }
    assert!(open(&held, "users/ada/workspace/notes.txt".as_ref()).is_ok());
}

#[tokio::test]
async fn a_copy_that_fails_leaves_nothing_behind() {
    let folder = data().await;
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    // Of no user's workspace, so it is not left out in silence; and no list can name it.
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"no-\xff-text");
    fs::write(data.join(odd), "whose?").unwrap();
    assert!(BackupManifest::make(&data, &to).await.is_err());
    assert!(!to.exists());
}
