use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use rustix::io::Errno;

use super::{FolderEntry, MAX_DEPTH, MAX_FOLDERS};

/// A folder, and its path without links.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    (folder, real)
}

#[test]
fn a_link_on_the_way_is_found_instead_of_what_is_behind_it() {
    let (_kept, root) = folder();
    fs::create_dir_all(root.join("other/a/hooks")).unwrap();
    fs::create_dir(root.join("work")).unwrap();
    symlink(root.join("other"), root.join("work/tools")).unwrap();
    let found = |path: &str, beneath: &str| {
        FolderEntry::find(&root.join(path), &root.join(beneath)).map(|place| place.path().to_owned())
    };
    assert_eq!(found("work/tools/a/hooks", "work"), Some(root.join("work/tools")));
    assert_eq!(found("work/tools/missing", "work"), Some(root.join("work/tools")));
    assert_eq!(found("work/tools", "work"), Some(root.join("work/tools")), "the last name may be a link");
    assert_eq!(found("work/tools/a/hooks", "work/tools"), None, "the link is further out");
    assert_eq!(found("other/a/hooks", ""), Some(root.join("other/a/hooks")));
    assert_eq!(found("other/b/hooks", ""), None);
}

#[test]
fn a_folder_that_becomes_a_link_is_not_followed() {
    let (_kept, root) = folder();
    fs::create_dir_all(root.join("other/hooks")).unwrap();
    fs::create_dir_all(root.join("tools/hooks")).unwrap();
    let place = FolderEntry::at(&root.join("tools/hooks")).unwrap();
    fs::rename(root.join("tools"), root.join("moved")).unwrap();
    symlink(root.join("other"), root.join("tools")).unwrap();
    place.rename_aside().unwrap();
    assert!(root.join("other/hooks").exists() && !root.join("moved/hooks").exists());
}

#[test]
fn a_new_name_that_is_taken_is_left_alone_on_every_file_system() {
    let (_kept, root) = folder();
    fs::write(root.join("name"), "new").unwrap();
    fs::write(root.join("taken"), "old").unwrap();
    symlink("nowhere", root.join("link")).unwrap();
    let place = FolderEntry::at(&root.join("name")).unwrap();
    for taken in ["taken", "link"] {
        assert_eq!(place.rename(OsStr::new(taken)), Err(Errno::EXIST));
        assert_eq!(place.rename_if_free(OsStr::new(taken)), Err(Errno::EXIST));
    }
    assert_eq!(place.rename_if_free(OsStr::new("free")), Ok(()));
    assert_eq!(fs::read_to_string(root.join("free")).unwrap(), "new");
    assert_eq!(fs::read_to_string(root.join("taken")).unwrap(), "old");
}

#[test]
fn a_tree_with_a_file_keeps_its_empty_folders() {
    let (_kept, root) = folder();
    let tree = root.join("tree");
    for name in ["a", "objects/pack", "refs/heads", "z"] {
        fs::create_dir_all(tree.join(name)).unwrap();
    }
    fs::write(tree.join("objects/file"), "").unwrap();
    let place = FolderEntry::at(&tree).unwrap();
    assert!(place.remove_empty().is_err());
    for name in ["a", "objects/pack", "refs/heads", "z"] {
        assert!(tree.join(name).is_dir(), "{name}");
    }
    fs::remove_file(tree.join("objects/file")).unwrap();
    symlink(&root, tree.join("link")).unwrap();
    assert!(place.remove_empty().is_err() && tree.join("refs/heads").is_dir(), "a link is not empty");
    fs::remove_file(tree.join("link")).unwrap();
    place.remove_empty().unwrap();
    assert!(!tree.exists());
}

#[test]
fn a_tree_that_is_too_deep_or_too_big_stays_whole() {
    let (_kept, root) = folder();
    let deep: PathBuf = std::iter::repeat_n("d", MAX_DEPTH + 2).collect();
    fs::create_dir_all(root.join(&deep)).unwrap();
    assert!(FolderEntry::at(&root.join("d")).unwrap().remove_empty().is_err());
    assert!(root.join(&deep).exists());
    for number in 0..MAX_FOLDERS {
        fs::create_dir_all(root.join(format!("wide/{number}"))).unwrap();
    }
    let wide = FolderEntry::at(&root.join("wide")).unwrap();
    assert!(wide.remove_empty().is_err());
    assert_eq!(fs::read_dir(root.join("wide")).unwrap().count(), MAX_FOLDERS);
    fs::remove_dir(root.join("wide/0")).unwrap();
    wide.remove_empty().unwrap();
    assert!(!root.join("wide").exists());
}
