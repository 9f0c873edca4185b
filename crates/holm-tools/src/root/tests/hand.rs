use std::fs;

use super::stage::{OPEN, Stage};
use crate::{
    root::{
        FolderItemKind, ManualFileError, ProtectionLevel, WorkspaceRoot, WorkspaceRootError,
        WritePrecondition,
    },
    trust::ContentHash,
};

/// More than any file here has.
const MOST: u64 = 1 << 20;

fn is_refused(done: &Result<impl Sized, ManualFileError>) -> bool {
    matches!(done, Err(ManualFileError::Root(_)))
}

#[test]
fn a_folder_is_shown_by_name_without_what_is_kept_from_tools() {
    let stage = Stage::new();
    for root in stage.roots() {
        let names = |path: &str, most: usize| {
            let contents = root.list(&root.path(path).unwrap(), most).unwrap();
            let names: Vec<String> = contents.entries.iter().map(|item| item.name.clone()).collect();
            (names, contents.cut)
        };
        assert_eq!(names("a/b", 10), (vec!["ok.txt".to_owned()], false));
        let (all, cut) = names(".", 1_000);
        assert!(!cut && all.is_sorted(), "{all:?}");
        assert!(all.iter().any(|name| name == "ok.txt"));
        for kept in [".env", ".ssh", ".git", "server.pem", "id_rsa"] {
            assert!(!all.iter().any(|name| name == kept), "{kept}");
        }
        assert_eq!(names(".", 2), (all[..2].to_vec(), true));
        let contents = root.list(&root.path(".").unwrap(), 1_000).unwrap();
        let kind = |name: &str| contents.entries.iter().find(|item| item.name == name).unwrap().clone();
        assert_eq!((kind("ok.txt").kind, kind("ok.txt").bytes), (FolderItemKind::File, OPEN.len() as u64));
        assert!(kind("ok.txt").modified > 1_000_000_000_000, "a time in milliseconds");
        assert_eq!(kind("a").kind, FolderItemKind::Folder);
        for odd in ["to_file", "pipe", "socket"] {
            assert_eq!(kind(odd).kind, FolderItemKind::Other, "{odd}");
        }
        for path in ["to_folder", "up", ".ssh", "ok.txt", "nothing"] {
            assert!(root.list(&root.path(path).unwrap(), 10).is_err(), "{path}");
        }
    }
}

#[test]
fn a_file_is_written_over_what_was_read_and_over_nothing_else() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let path = root.path("a/ok.txt").unwrap();
    let read = ContentHash::of(OPEN.as_bytes());
    let now = root.write(&path, b"new", WritePrecondition::Is(read), MOST).unwrap();
    assert_eq!(now, ContentHash::of(b"new"));
    let late = root.write(&path, b"late", WritePrecondition::Is(read), MOST);
    assert_eq!(late, Err(WorkspaceRootError::Changed { path: "a/ok.txt".into() }.into()));
    assert!(matches!(
        root.write(&path, b"x", WritePrecondition::Absent, MOST),
        Err(ManualFileError::Taken { .. })
    ));
    let gone = root.path("a/gone.txt").unwrap();
    assert!(is_refused(&root.write(&gone, b"x", WritePrecondition::Is(read), MOST)));
    root.write(&gone, b"made", WritePrecondition::Absent, MOST).unwrap();
    assert_eq!(fs::read(stage.inside().join("a/gone.txt")).unwrap(), b"made");
    assert_eq!(fs::read(stage.inside().join("a/ok.txt")).unwrap(), b"new");
}

#[test]
fn what_is_kept_from_tools_is_kept_from_hands() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let before = stage.guarded();
    for path in
        [".env", ".git/config", ".holm/tools/x", ".bashrc", "to_folder/x", "up/x", "bare/x", "a/nested/x"]
    {
        let path = root.path(path).unwrap();
        assert!(root.write(&path, b"x", WritePrecondition::Absent, MOST).is_err(), "{path}");
        assert!(root.make_folder(&path).is_err(), "{path}");
        assert!(root.remove(&path, None, MOST).is_err(), "{path}");
        assert!(root.rename(&root.path("ok.txt").unwrap(), &path).is_err(), "{path}");
        assert!(root.rename(&path, &root.path("taken-out").unwrap()).is_err(), "{path}");
    }
    assert!(root.write(&root.path("to_file").unwrap(), b"x", WritePrecondition::Absent, MOST).is_err());
    assert_eq!(stage.guarded(), before);
}

#[test]
fn no_repository_is_completed_around_a_head_that_a_command_made() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    fs::create_dir(stage.inside().join("half")).unwrap();
    fs::write(stage.inside().join("half/HEAD"), "any text").unwrap();
    let write = |path: &str| root.write(&root.path(path).unwrap(), b"x", WritePrecondition::Absent, MOST);
    for part in ["config", "CONFIG", "config.worktree", "objects/x", "refs/heads/x", "hooks/post-checkout"] {
        let path = format!("half/{part}");
        assert!(is_refused(&write(&path)), "{path}");
        assert!(root.make_folder(&root.path(&path).unwrap()).is_err(), "{path}");
        assert!(root.rename(&root.path("ok.txt").unwrap(), &root.path(&path).unwrap()).is_err(), "{path}");
    }
    write("half/notes.txt").unwrap();
    write("a/config").unwrap();
}

#[test]
fn a_name_that_is_taken_is_not_taken_over() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let path = |text: &str| root.path(text).unwrap();
    root.make_folder(&path("new")).unwrap();
    assert!(matches!(root.make_folder(&path("new")), Err(ManualFileError::Taken { .. })));
    root.rename(&path("ok.txt"), &path("new/moved.txt")).unwrap();
    assert!(matches!(
        root.rename(&path("new/moved.txt"), &path("a/ok.txt")),
        Err(ManualFileError::Taken { .. })
    ));
    assert!(matches!(root.rename(&path("new"), &path("a")), Err(ManualFileError::Taken { .. })));
    root.rename(&path("new"), &path("newer")).unwrap();
    assert_eq!(fs::read(stage.inside().join("newer/moved.txt")).unwrap(), OPEN.as_bytes());
    assert!(is_refused(&root.rename(&path("ok.txt"), &path("x"))), "it is gone");
}

#[test]
fn a_folder_that_holds_what_is_kept_from_tools_is_not_moved_out_of_its_rules() {
    let stage = Stage::new();
    let inside = stage.inside();
    fs::create_dir_all(inside.join("home/share/data")).unwrap();
    fs::write(inside.join("home/share/data/token"), "word").unwrap();
    let root = WorkspaceRoot::open(&inside).unwrap();
    let root = root.protect(&inside.join("home/share/data"), ProtectionLevel::Everything).unwrap();
    let path = |text: &str| root.path(text).unwrap();
    assert!(matches!(root.rename(&path("home"), &path("elsewhere")), Err(ManualFileError::Holds { .. })));
    assert!(
        matches!(root.rename(&path("a"), &path("b")), Err(ManualFileError::Holds { .. })),
        "it has an .env"
    );
    assert!(inside.join("home/share/data/token").exists());
}

#[test]
fn a_folder_goes_when_it_is_empty_and_a_file_when_it_is_the_one() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let path = |text: &str| root.path(text).unwrap();
    assert!(matches!(root.remove(&path("a/b"), None, MOST), Err(ManualFileError::NotEmpty { .. })));
    let other = Some(ContentHash::of(b"other"));
    assert!(is_refused(&root.remove(&path("a/b/ok.txt"), other, MOST)));
    root.remove(&path("a/b/ok.txt"), Some(ContentHash::of(OPEN.as_bytes())), MOST).unwrap();
    root.remove(&path("a/b"), None, MOST).unwrap();
    assert!(!stage.inside().join("a/b").exists());
    assert!(is_refused(&root.remove(&path("a/b"), None, MOST)), "it is gone");
}
