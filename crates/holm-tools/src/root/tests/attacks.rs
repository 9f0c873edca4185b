use std::{fs, io::Read, path::Path};

use super::{
    corpus,
    stage::{LINKED, OPEN, SECRET, Stage},
};
use crate::root::{
    ExpectedFile, MissingFolderPolicy, MountPolicy, ProtectionLevel, WorkspaceRoot, WorkspaceRootError,
};

fn write(root: &WorkspaceRoot, path: &str) -> Result<(), WorkspaceRootError> {
    let place = root.place_to_write(&root.path(path)?, MissingFolderPolicy::Made)?;
    let expect = match place.read_if_there()? {
        Some(opened) => ExpectedFile::Same(opened.stamp()),
        None => ExpectedFile::Absent,
    };
    place.replace(b"written", expect, None)
}

#[test]
fn no_attack_reads_or_writes_whichever_way_the_root_is_walked() {
    for way in 0..2 {
        let stage = Stage::new();
        let root = &stage.roots()[way];
        let before = stage.guarded();
        let mut count = 0;
        for (name, path) in corpus::all(stage.base()) {
            let read = root.path(&path).and_then(|path| root.read(&path)?.bytes(1 << 20));
            let read = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert!(read.is_err(), "{name}: read {read:?}");
            assert!(!read.unwrap_err().to_string().contains(SECRET), "{name}");
            assert!(write(root, &path).is_err(), "{name}: written");
            assert_eq!(stage.guarded(), before, "{name}");
            count += 1;
        }
        assert!(count >= 60, "the corpus has {count} cases");
    }
}

#[test]
fn names_that_only_look_like_a_way_out_are_names() {
    for way in 0..2 {
        let stage = Stage::new();
        fs::remove_file(stage.inside().join("%2e%2e")).unwrap();
        let root = &stage.roots()[way];
        let before = stage.guarded();
        for (name, path) in corpus::NAMES {
            let read = |path: &str| root.path(path).and_then(|path| root.read(&path)?.bytes(99));
            assert!(
                matches!(read(path), Err(WorkspaceRootError::Missing { .. })),
                "{name}: {:?}",
                read(path)
            );
            assert_eq!(write(root, path), Ok(()), "{name}");
            assert_eq!(read(path), Ok(b"written".to_vec()), "{name}");
            assert!(stage.inside().join(path).exists(), "{name}");
            assert_eq!(stage.guarded(), before, "{name}");
        }
    }
}

#[test]
fn what_holm_and_git_obey_is_written_by_nobody_even_if_it_does_not_exist() {
    for way in 0..2 {
        let stage = Stage::new();
        fs::create_dir(stage.inside().join("held")).unwrap();
        let root = stage.roots()[way]
            .clone()
            .protect(&stage.inside().join("tools"), ProtectionLevel::Writes)
            .unwrap()
            .protect(&stage.inside().join("held"), ProtectionLevel::Everything)
            .unwrap();
        let before = stage.guarded();
        for (name, path) in corpus::UNWRITTEN {
            let done = write(&root, path);
            assert!(
                matches!(done, Err(WorkspaceRootError::Denied { .. } | WorkspaceRootError::Protected { .. })),
                "{name}: {done:?}"
            );
            assert_eq!(stage.guarded(), before, "{name}");
        }
        assert_eq!(root.read(&root.path("tools/say").unwrap()).unwrap().bytes(99).unwrap(), OPEN.as_bytes());
        assert!(fs::read_dir(stage.inside().join("held")).unwrap().next().is_none());
        assert!(!stage.inside().join("evil").exists(), "not even a folder is left");
    }
}

#[test]
fn what_only_looks_odd_works() {
    for way in 0..2 {
        let stage = Stage::new();
        let root = &stage.roots()[way];
        for (name, path) in corpus::BENIGN {
            let path = corpus::filled(path, stage.base());
            let read = root.path(&path).and_then(|path| root.read(&path)?.bytes(99));
            assert_eq!(read, Ok(OPEN.as_bytes().to_vec()), "{name}");
            assert_eq!(write(root, &path), Ok(()), "{name}");
            let read = root.path(&path).and_then(|path| root.read(&path)?.bytes(99));
            assert_eq!(read, Ok(b"written".to_vec()), "{name}");
            write_back(root, &path);
        }
        assert_eq!(write(root, "new/folder/file.txt"), Ok(()));
        assert_eq!(fs::read(stage.inside().join("new/folder/file.txt")).unwrap(), b"written");
    }
}

fn write_back(root: &WorkspaceRoot, path: &str) {
    let place = root.place_to_write(&root.path(path).unwrap(), MissingFolderPolicy::Wanted).unwrap();
    let stamp = place.read().unwrap().stamp();
    place.replace(OPEN.as_bytes(), ExpectedFile::Same(stamp), None).unwrap();
}

#[test]
fn a_link_is_refused_with_the_name_that_it_leads_to_if_that_may_be_named() {
    let stage = Stage::new();
    for root in stage.roots() {
        let check = |path: &str, expect: Option<&str>| {
            let error = root.read(&root.path(path).unwrap()).unwrap_err();
            let to = expect.map(str::to_owned);
            assert_eq!(error, WorkspaceRootError::Link { path: path.into(), to }, "{path}");
        };
        check("inside", Some("ok.txt"));
        check("to_a/ok.txt", Some("a/ok.txt"));
        check("here/ok.txt", Some("ok.txt"));
        check("to_file", None);
        check("to_folder/secret.txt", None);
        check("to_env", None);
        check("to_git/config", None);
        check("dangling", None);
        check("absolute", None);
        check("magic/ok.txt", None);
    }
}

#[test]
fn a_write_never_changes_the_file_outside_that_is_hard_linked_into_the_root() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    assert_eq!(write(root, "hard"), Ok(()));
    assert_eq!(fs::read_to_string(stage.inside().join("hard")).unwrap(), "written");
    assert_eq!(fs::read_to_string(stage.base().join("outside/linked.txt")).unwrap(), LINKED);
}

#[test]
fn devices_are_refused_and_other_mounts_are_not_entered() {
    let root = WorkspaceRoot::open(Path::new("/dev")).unwrap();
    for root in [root.clone(), root.in_steps()] {
        let found = root.read(&root.path("null").unwrap());
        assert!(matches!(found, Err(WorkspaceRootError::Kind { found: "a device", .. })), "{found:?}");
    }
    let root = WorkspaceRoot::open(Path::new("/")).unwrap();
    for root in [root.clone(), root.in_steps()] {
        let version = root.path("proc/version").unwrap();
        assert!(matches!(root.read(&version), Err(WorkspaceRootError::Mount { .. })));
        let entered = root.clone().mounts(MountPolicy::Entered);
        let mut text = String::new();
        entered.read(&version).unwrap().into_file().read_to_string(&mut text).unwrap();
        assert!(text.starts_with("Linux"), "{text}");
        // The links of a process lead anywhere; they are links.
        for path in ["proc/self/environ", "proc/thread-self/environ"] {
            assert!(
                matches!(entered.read(&entered.path(path).unwrap()), Err(WorkspaceRootError::Link { .. })),
                "{path}"
            );
        }
        let own = format!("proc/{}/root/etc/hostname", std::process::id());
        let found = entered.read(&entered.path(&own).unwrap_or_else(|_| "x".parse().unwrap()));
        assert!(found.is_err(), "{found:?}");
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read_and_one_that_grows_neither() {
    let stage = Stage::new();
    let root = &stage.roots()[0];
    let path = root.path("ok.txt").unwrap();
    assert!(matches!(
        root.read(&path).unwrap().bytes(3),
        Err(WorkspaceRootError::TooLarge { bytes: 9, max: 3, .. })
    ));
    let opened = root.read(&path).unwrap();
    fs::write(stage.inside().join("ok.txt"), "x".repeat(100)).unwrap();
    assert!(matches!(opened.bytes(50), Err(WorkspaceRootError::TooLarge { max: 50, .. })));
}
