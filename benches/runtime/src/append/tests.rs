use holm_runtime::{Durability, Journals as _};

use super::{Bare, Rounds, append, ratio};
use crate::{lines::lines, scratch};

#[test]
fn what_was_appended_is_there_in_the_store_and_in_the_bare_database() {
    let lines = lines(10);
    assert_eq!(lines.len(), 10);
    let (runtime, store) = (scratch::small_runtime(), scratch::open("test-store"));
    append(&runtime, &store, "one", &lines, Durability::Written);
    let kept = runtime.block_on(store.read("one")).expect("it is there");
    assert_eq!(kept, lines.concat().as_bytes());
    let bare = Bare::new(&scratch::database("test-bare"), "NORMAL");
    bare.append(1, &lines);
    let count: i64 = bare
        .0
        .query_row("SELECT count(*) FROM records WHERE id >> 32 = 1", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(count, 10);
}

#[test]
fn a_ratio_is_taken_within_a_round() {
    // The second round was slow for both.
    assert_eq!(ratio(&[2.0, 40.0, 3.0], &[1.0, 20.0, 1.0]), 2.0);
}

#[test]
fn a_time_is_of_one_append() {
    let mut rounds = Rounds::default();
    for wall in [30.0, 10.0, 20.0] {
        rounds.add((wall, wall * 2.0), 10);
    }
    let time = rounds.time();
    assert_eq!((time.micros, time.quickest, time.processor), (2.0, 1.0, 4.0));
}
