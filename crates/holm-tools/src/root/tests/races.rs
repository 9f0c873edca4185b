//! Changes folders while they are walked.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::stage::{SECRET, Stage};
use crate::root::{ExpectedFile, MissingFolderPolicy, WorkspaceRoot};

/// Exchanges of two names, as many as the attacks ask for.
const SWAPS: usize = 10_000;

/// Runs `attempt` again and again while two names of the root change places.
fn raced(stage: &Stage, one: &str, other: &str, attempt: impl Fn() -> bool + Sync) -> u64 {
    let over = AtomicBool::new(false);
    let good = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    good.fetch_add(u64::from(attempt()), Ordering::Relaxed);
                }
            });
        }
        let (one, other) = (stage.inside().join(one), stage.inside().join(other));
        for swap in 0..SWAPS {
            renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            if swap % 64 == 0 {
                thread::yield_now();
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    good.into_inner()
}

fn reads_nothing_secret(root: &WorkspaceRoot, path: &str) -> bool {
    match root.read(&root.path(path).unwrap()).and_then(|opened| opened.bytes(99)) {
        Ok(bytes) => {
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{path} led outside");
            true
        }
        Err(_) => false,
    }
}

fn writes(root: &WorkspaceRoot, path: &str) -> bool {
    let place = root.place_to_write(&root.path(path).unwrap(), MissingFolderPolicy::Made);
    let written = place.and_then(|place| {
        let expect =
            place.read_if_there()?.map_or(ExpectedFile::Absent, |opened| ExpectedFile::Same(opened.stamp()));
        place.replace(b"open-word", expect, None)
    });
    written.is_ok()
}

#[test]
fn a_folder_that_becomes_a_link_between_two_looks_leads_nowhere() {
    for way in 0..2 {
        let stage = Stage::new();
        fs::create_dir(stage.inside().join("swap")).unwrap();
        fs::write(stage.inside().join("swap/secret.txt"), "harmless").unwrap();
        let root = stage.roots()[way].clone();
        let before = fs::read_dir(stage.base().join("outside")).unwrap().count();
        let good = raced(&stage, "swap", "to_folder", || {
            let read = reads_nothing_secret(&root, "swap/secret.txt");
            writes(&root, "swap/secret.txt") | writes(&root, "swap/new.txt") | read
        });
        assert!(good > 0, "the folder was found at least once, or nothing was tried");
        assert_eq!(fs::read_to_string(stage.base().join("outside/secret.txt")).unwrap(), SECRET);
        assert_eq!(fs::read_dir(stage.base().join("outside")).unwrap().count(), before);
    }
}

#[test]
fn a_file_that_becomes_a_link_between_two_looks_leads_nowhere() {
    for way in 0..2 {
        let stage = Stage::new();
        fs::write(stage.inside().join("leaf"), "harmless").unwrap();
        let root = stage.roots()[way].clone();
        let good = raced(&stage, "leaf", "to_file", || reads_nothing_secret(&root, "leaf"));
        assert!(good > 0, "the file was read at least once, or nothing was tried");
        assert_eq!(fs::read_to_string(stage.base().join("outside/secret.txt")).unwrap(), SECRET);
    }
}

#[test]
fn a_file_that_becomes_a_pipe_between_two_looks_is_not_waited_for() {
    let stage = Stage::new();
    fs::write(stage.inside().join("leaf"), "harmless").unwrap();
    let root = stage.roots()[0].clone();
    let good = raced(&stage, "leaf", "pipe", || reads_nothing_secret(&root, "leaf"));
    assert!(good > 0);
}
