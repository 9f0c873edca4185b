use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::{MAX_APPEARANCES, MissingProtectedNames};
use crate::engine::JailEngine;
use crate::jail::{Jail, JailTask};
use crate::outcome::{ProtectedName, ProtectedNameFate};

/// A folder, and a watch for names in it.
fn watched(names: &[&str]) -> (tempfile::TempDir, PathBuf, MissingProtectedNames) {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let missing = watch(&real, names);
    (folder, real, missing)
}

fn watch(folder: &std::path::Path, names: &[&str]) -> MissingProtectedNames {
    let jail = names.iter().fold(Jail::new().write(folder), |jail, name| jail.protect(folder.join(name)));
    MissingProtectedNames::watch(&jail.order(&JailEngine::Landlock, &JailTask::new("/bin/true")).unwrap())
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_watch_makes_nothing() {
    let (_kept, folder, missing) = watched(&[".holm", "deep/er/agent.toml"]);
    assert!(names(&folder).is_empty());
    assert!(missing.settle().is_empty() && names(&folder).is_empty());
}

#[test]
fn what_appears_under_a_protected_name_is_renamed_at_once() {
    let (_kept, folder, mut missing) = watched(&[".holm"]);
    fs::create_dir_all(folder.join(".git/objects")).unwrap();
    fs::write(folder.join(".git/config"), "[core]").unwrap();
    fs::write(folder.join("beside"), "").unwrap();
    assert!(!missing.handle());
    assert!(!folder.join(".git").exists());
    let told = missing.settle();
    let [ProtectedName { path, fate: ProtectedNameFate::SetAside(aside) }] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(*path, folder.join(".git"));
    assert_eq!(fs::read_to_string(aside.join("config")).unwrap(), "[core]", "nobody knows whose it is");
    assert!(!path.exists() && folder.join("beside").exists());
}

#[test]
fn what_no_watch_saw_is_found_at_the_end() {
    let (_kept, folder, mut missing) = watched(&[".holm"]);
    missing.notifier = None;
    std::os::unix::fs::symlink("/elsewhere", folder.join(".git")).unwrap();
    fs::write(folder.join(".holm"), "x").unwrap();
    assert!(!missing.handle());
    let told = missing.settle();
    assert!(
        told.len() == 2 && told.iter().all(|name| matches!(name.fate, ProtectedNameFate::SetAside(_))),
        "{told:?}"
    );
    assert!(!folder.join(".git").exists() && !folder.join(".holm").exists());
}

#[test]
fn empty_folders_are_removed_and_nothing_else() {
    let (_kept, folder, mut missing) = watched(&[]);
    fs::create_dir_all(folder.join(".git/refs/heads")).unwrap();
    assert!(!missing.handle());
    let path = folder.join(".git");
    assert_eq!(missing.settle(), [ProtectedName { path, fate: ProtectedNameFate::Removed }]);
    assert!(names(&folder).is_empty());
}

#[test]
fn a_name_is_awaited_in_folders_that_appear_themselves() {
    let (_kept, folder, mut missing) = watched(&["a/b/agent.toml"]);
    fs::create_dir(folder.join("a")).unwrap();
    assert!(!missing.handle());
    fs::create_dir(folder.join("a/b")).unwrap();
    assert!(!missing.handle());
    fs::write(folder.join("a/b/agent.toml"), "x").unwrap();
    assert!(!missing.handle());
    assert!(!folder.join("a/b/agent.toml").exists());
    missing.settle();
    assert!(
        !folder.join("a/b/agent.toml").exists() && folder.join("a/b").exists(),
        "only the name is protected"
    );
}

#[test]
fn names_that_appear_again_and_again_end_the_job() {
    let (_kept, folder, mut missing) = watched(&[]);
    let times = (1..).find(|_| {
        fs::create_dir(folder.join(".git")).unwrap();
        missing.handle()
    });
    assert_eq!(times, Some(MAX_APPEARANCES));
    missing.settle();
    assert!(names(&folder).is_empty());
}

#[test]
fn many_names_that_appear_once_do_not_end_the_job() {
    let protected: Vec<String> = (0..MAX_APPEARANCES + 2).map(|number| format!("name{number}")).collect();
    let (_kept, folder, mut missing) = watched(&protected.iter().map(String::as_str).collect::<Vec<_>>());
    for name in &protected {
        fs::write(folder.join(name), "").unwrap();
        assert!(!missing.handle(), "{name}");
    }
    assert_eq!(missing.settle().len(), protected.len());
}

#[test]
fn a_link_on_the_way_is_set_aside_and_nothing_behind_it() {
    let (_kept, folder, mut missing) = watched(&["tools/deep/hooks", "tools/hooks"]);
    let other = tempfile::tempdir().unwrap();
    fs::create_dir_all(other.path().join("deep/hooks")).unwrap();
    fs::create_dir(other.path().join("hooks")).unwrap();
    std::os::unix::fs::symlink(other.path(), folder.join("tools")).unwrap();
    assert!(!missing.handle());
    assert!(!folder.join("tools").exists());
    // The folder that comes after it is watched as any other.
    fs::create_dir(folder.join("tools")).unwrap();
    assert!(!missing.handle());
    fs::write(folder.join("tools/hooks"), "x").unwrap();
    assert!(!missing.handle());
    assert!(!folder.join("tools/hooks").exists());
    // A link that comes too late for a watch is found at the end.
    std::os::unix::fs::symlink(other.path().join("deep"), folder.join("tools/deep")).unwrap();
    let told = missing.settle();
    let paths: Vec<PathBuf> = told.iter().map(|name| name.path.clone()).collect();
    assert_eq!(paths, ["tools", "tools/hooks", "tools/deep"].map(|name| folder.join(name)));
    assert!(told.iter().all(|name| matches!(name.fate, ProtectedNameFate::SetAside(_))), "{told:?}");
    assert_eq!(names(other.path()), ["deep", "hooks"]);
    assert_eq!(names(&other.path().join("deep")), ["hooks"]);
}

#[test]
fn a_link_further_out_than_the_job_reaches_is_not_renamed() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("around/work")).unwrap();
    let missing = watch(&root.join("around/work"), &[]);
    fs::rename(root.join("around"), root.join("moved")).unwrap();
    std::os::unix::fs::symlink("moved", root.join("around")).unwrap();
    fs::create_dir(root.join("moved/work/.git")).unwrap();
    assert!(missing.settle().is_empty());
    assert_eq!(names(&root), ["around", "moved"]);
    assert_eq!(names(&root.join("moved/work")), [".git"]);
}

#[test]
fn a_set_aside_folder_with_a_file_keeps_its_empty_folders() {
    let (_kept, folder, mut missing) = watched(&[]);
    for name in ["branches", "objects/pack", "refs/heads"] {
        fs::create_dir_all(folder.join(".git").join(name)).unwrap();
    }
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    assert!(!missing.handle());
    let told = missing.settle();
    let [ProtectedName { fate: ProtectedNameFate::SetAside(aside), .. }] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(names(aside), ["HEAD", "branches", "objects", "refs"]);
    assert!(aside.join("objects/pack").is_dir() && aside.join("refs/heads").is_dir());
}

#[test]
fn events_beyond_the_bound_are_read_the_next_time() {
    let (_kept, folder, mut missing) = watched(&[]);
    for number in 0..1_000 {
        fs::write(folder.join(format!("beside{number}")), "").unwrap();
    }
    fs::write(folder.join(".git"), "").unwrap();
    assert!(missing.seen(1).is_empty(), "it is further back");
    let later = (0..1_000).map(|_| missing.seen(1)).find(|paths| !paths.is_empty());
    assert_eq!(later, Some(BTreeSet::from([folder.join(".git")])));
}

#[test]
fn a_folder_that_was_closed_to_its_owner_does_not_keep_the_name() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_kept, folder, missing) = watched(&[]);
    fs::create_dir(folder.join(".git")).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    missing.settle();
    assert!(names(&folder).is_empty());
}

#[test]
fn many_missing_names_need_no_open_file_each() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let mut jail = Jail::new().write(&real);
    for number in 0..2_000 {
        jail = jail.protect(real.join(format!("g{number}/.git/config")));
    }
    let order = jail.order(&JailEngine::Landlock, &JailTask::new("/bin/true")).unwrap();
    let missing = MissingProtectedNames::watch(&order);
    assert_eq!(missing.names.len(), 2_001);
    assert_eq!(missing.awaited.len(), 1, "they are all missing in one folder");
}

#[test]
fn a_name_that_another_job_made_before_this_one_is_missing_once_it_was_set_aside() {
    let (_kept, folder, mut first) = watched(&[]);
    let make = || {
        fs::create_dir(folder.join(".git")).unwrap();
        fs::write(folder.join(".git/config"), "[core]").unwrap();
    };
    make();
    let mut second = watch(&folder, &[]);
    let third = watch(&folder, &[]);
    assert!(!first.handle() && !folder.join(".git").exists());
    // From here on only the other two could see it.
    drop(first);
    assert!(!second.handle());
    make();
    assert!(!second.handle() && !folder.join(".git").exists());
    drop(second);
    make();
    assert!(matches!(
        third.settle().as_slice(),
        [ProtectedName { fate: ProtectedNameFate::SetAside(_), .. }]
    ));
    assert!(!folder.join(".git").exists());
}

#[test]
fn what_the_user_moves_away_and_back_or_replaces_stays() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    fs::write(real.join("holm.toml"), "one").unwrap();
    let mut missing = watch(&real, &["holm.toml"]);
    fs::write(real.join("new"), "two").unwrap();
    fs::rename(real.join("new"), real.join("holm.toml")).unwrap();
    assert!(!missing.handle());
    fs::rename(real.join("holm.toml"), real.join("holm.toml.old")).unwrap();
    fs::rename(real.join("holm.toml.old"), real.join("holm.toml")).unwrap();
    assert!(!missing.handle());
    assert!(missing.settle().is_empty());
    assert_eq!(fs::read_to_string(real.join("holm.toml")).unwrap(), "two");
}
