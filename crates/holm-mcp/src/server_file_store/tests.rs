use std::fs;
use std::path::Path;

use holm_tools::trust::ContentHash;

use super::ServerFileStore;
use crate::ServerName;

fn name(text: &str) -> ServerName {
    text.parse().unwrap()
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

#[test]
fn a_server_is_forgotten_with_all_its_files_and_no_other_is() {
    let folder = tempfile::tempdir().unwrap();
    let cabinet = ServerFileStore::new(folder.path());
    for (server, of) in [("a", "1"), ("a", "2"), ("a-b", "1")] {
        cabinet.write(&name(server), &hash(of), b"{}").unwrap();
    }
    assert_eq!(cabinet.forget(&name("a")).unwrap(), 2);
    assert_eq!(cabinet.forget(&name("a")).unwrap(), 0);
    let left = |server: &str, of: &str| cabinet.read(&name(server), &hash(of)).is_some();
    assert_eq!([left("a", "1"), left("a", "2"), left("a-b", "1")], [false, false, true]);
}

#[test]
fn a_file_is_removed_alone_and_more_than_once() {
    let folder = tempfile::tempdir().unwrap();
    let cabinet = ServerFileStore::new(folder.path().join("not/there/yet"));
    assert_eq!(cabinet.read(&name("a"), &hash("1")), None);
    cabinet.write(&name("a"), &hash("1"), b"one").unwrap();
    cabinet.write(&name("a"), &hash("2"), b"two").unwrap();
    for _ in 0..2 {
        cabinet.remove(&name("a"), &hash("1")).unwrap();
    }
    assert_eq!(cabinet.read(&name("a"), &hash("1")), None);
    assert_eq!(cabinet.read(&name("a"), &hash("2")).as_deref(), Some(&b"two"[..]));
}

#[cfg(unix)]
#[test]
fn only_their_owner_reads_the_files_and_nothing_half_written_is_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let cabinet = ServerFileStore::new(folder.path().join("private"));
    cabinet.write(&name("a"), &hash("1"), b"one").unwrap();
    cabinet.write(&name("a"), &hash("1"), b"more").unwrap();
    let lock = cabinet.lock(&name("a"), &hash("1")).unwrap();
    drop(lock);
    drop(cabinet.lock(&name("a"), &hash("1")).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("private")), 0o700);
    let files: Vec<_> =
        fs::read_dir(folder.path().join("private")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "the file and its lock: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}
