use std::{fs, os::unix::fs::PermissionsExt};

use super::stage::Stage;
use crate::root::{
    ExpectedFile, FileLocation, FileLock, MissingFolderPolicy, WorkspaceRoot, WorkspaceRootError,
};

fn place(root: &WorkspaceRoot, path: &str) -> FileLocation {
    root.place_to_write(&root.path(path).unwrap(), MissingFolderPolicy::Wanted).unwrap()
}

#[test]
fn a_mode_is_kept_without_the_bits_that_lend_power() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let file = stage.inside().join("ok.txt");
    let check = |mode: u32, expect: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let place = place(root, "ok.txt");
        let stamp = place.read().unwrap().stamp();
        place.replace(b"new", ExpectedFile::Same(stamp), None).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, expect, "{mode:o}");
    };
    check(0o644, 0o644);
    check(0o755, 0o755);
    check(0o600, 0o600);
    check(0o4755, 0o755);
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    fs::set_permissions(stage.inside().join("ok.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    let place = place(root, "ok.txt");
    let stamp = place.read().unwrap().stamp();
    assert!(matches!(
        place.replace(b"new", ExpectedFile::Same(stamp), None),
        Err(WorkspaceRootError::ReadOnly { .. })
    ));
    assert_eq!(fs::read(stage.inside().join("ok.txt")).unwrap(), b"open-word");
}

#[test]
fn a_file_is_replaced_only_if_it_is_the_one_that_was_read() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let place = place(root, "ok.txt");
    let stamp = place.read().unwrap().stamp();
    fs::write(stage.inside().join("ok.txt"), "somebody else was here").unwrap();
    assert!(matches!(
        place.replace(b"new", ExpectedFile::Same(stamp), None),
        Err(WorkspaceRootError::Changed { .. })
    ));
    assert!(matches!(
        place.replace(b"new", ExpectedFile::Absent, None),
        Err(WorkspaceRootError::Changed { .. })
    ));
    assert!(matches!(place.remove(stamp), Err(WorkspaceRootError::Changed { .. })));
    assert_eq!(fs::read(stage.inside().join("ok.txt")).unwrap(), b"somebody else was here");
}

#[test]
fn a_new_file_does_not_take_the_place_of_a_link() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let place = place(root, "dangling");
    assert!(matches!(
        place.replace(b"new", ExpectedFile::Absent, None),
        Err(WorkspaceRootError::Changed { .. })
    ));
    assert!(!stage.base().join("outside/missing.txt").exists());
}

#[test]
fn nothing_is_left_beside_the_files() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let place = place(root, "a/ok.txt");
    for round in 0..20 {
        let stamp = place.read().unwrap().stamp();
        place.replace(format!("{round}").as_bytes(), ExpectedFile::Same(stamp), None).unwrap();
    }
    let mut names: Vec<_> =
        fs::read_dir(stage.inside().join("a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["..ok", ".env", "b", "nested", "ok.txt"]);
}

#[test]
fn two_places_are_locked_in_one_order_whoever_asks() {
    let stage = Stage::new();
    let root = stage.roots()[0].clone();
    std::thread::scope(|scope| {
        for turn in 0..4 {
            let root = root.clone();
            scope.spawn(move || {
                let (one, other) = (place(&root, "ok.txt"), place(&root, "a/ok.txt"));
                let both = if turn % 2 == 0 { [&one, &other] } else { [&other, &one] };
                for _ in 0..200 {
                    FileLock::hold(&both).unwrap();
                }
            });
        }
    });
}
