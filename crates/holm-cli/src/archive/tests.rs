use std::fs;

use holm::store::{Listing, Store};

use super::{Archive, LIST};

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
    let made = Archive::make(&data, &to).await.unwrap();
    assert_eq!(made.len(), 6, "{made:?}");
    assert!(Archive::make(&data, &to).await.is_err(), "there is a copy already");
    assert!(Archive::make(&data, &data.join("inside")).await.is_err());
    assert!(!data.join("inside").exists());
    let archive = Archive::read(&to).unwrap();
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
        assert!(store.list(&Listing::default()).await.unwrap().sessions.is_empty());
    }
}

#[tokio::test]
async fn a_copy_that_is_not_whole_or_was_changed_is_not_used() {
    let folder = data().await;
    let (data, to, new) = (folder.path().join("data"), folder.path().join("copy"), folder.path().join("new"));
    let archive = Archive::make(&data, &to).await.unwrap();
    fs::write(to.join("agents/one.md"), "another").unwrap();
    assert!(archive.restore(&to, &new).is_err());
    assert!(!new.exists(), "nothing was begun");
    let mut outside = archive;
    outside.files[0].path = "../../etc/passwd".into();
    assert!(outside.restore(&to, &new).is_err());
    fs::remove_file(to.join(LIST)).unwrap();
    assert!(Archive::read(&to).is_err());
}
