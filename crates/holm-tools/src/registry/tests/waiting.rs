//! When a changed file may be read.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::pending_files::{FileEventKind, PendingFiles, QUIET, REST};

#[test]
fn a_file_is_ready_when_its_writer_has_closed_it() {
    let (mut pending, start, file) = (PendingFiles::default(), Instant::now(), Path::new("t/a.wasm"));
    for step in 0..20 {
        pending.touch(file, FileEventKind::Written, start + Duration::from_millis(step));
        pending.touch(file, FileEventKind::Noticed, start + Duration::from_millis(step));
    }
    assert!(pending.take(start + REST).is_empty(), "half a file is left alone");
    let closed = start + Duration::from_millis(50);
    pending.touch(file, FileEventKind::Finished, closed);
    assert_eq!(pending.next(), Some(closed + QUIET));
    assert!(pending.take(closed).is_empty());
    assert_eq!(pending.take(closed + QUIET), [PathBuf::from("t/a.wasm")]);
    assert_eq!(pending.next(), None);
}

#[test]
fn a_file_that_nobody_closes_is_ready_when_it_has_rested() {
    let (mut pending, start) = (PendingFiles::default(), Instant::now());
    pending.touch(Path::new("a"), FileEventKind::Written, start);
    pending.touch(Path::new("b"), FileEventKind::Noticed, start);
    assert_eq!(pending.take(start + QUIET), [PathBuf::from("b")]);
    assert_eq!(pending.take(start + REST), [PathBuf::from("a")]);
}
