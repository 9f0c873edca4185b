//! When a changed file may be read.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::pending::{Pending, QUIET, REST, Touch};

#[test]
fn a_file_is_ready_when_its_writer_has_closed_it() {
    let (mut pending, start, file) = (Pending::default(), Instant::now(), Path::new("t/a.wasm"));
    for step in 0..20 {
        pending.touch(file, Touch::Written, start + Duration::from_millis(step));
        pending.touch(file, Touch::Noticed, start + Duration::from_millis(step));
    }
    assert!(pending.take(start + REST).is_empty(), "half a file is left alone");
    let closed = start + Duration::from_millis(50);
    pending.touch(file, Touch::Finished, closed);
    assert_eq!(pending.next(), Some(closed + QUIET));
    assert!(pending.take(closed).is_empty());
    assert_eq!(pending.take(closed + QUIET), [PathBuf::from("t/a.wasm")]);
    assert_eq!(pending.next(), None);
}

#[test]
fn a_file_that_nobody_closes_is_ready_when_it_has_rested() {
    let (mut pending, start) = (Pending::default(), Instant::now());
    pending.touch(Path::new("a"), Touch::Written, start);
    pending.touch(Path::new("b"), Touch::Noticed, start);
    assert_eq!(pending.take(start + QUIET), [PathBuf::from("b")]);
    assert_eq!(pending.take(start + REST), [PathBuf::from("a")]);
}
