use holm_kernel::journal;

use super::{Shelf, Step, Told, figure, find};
use crate::lines::lines;

#[test]
fn every_step_can_be_done_with_every_journal() {
    let shelf = Shelf::new(&lines(40));
    for (at, told) in shelf.journals.iter().enumerate() {
        for step in Step::ALL {
            shelf.perform(step, at, told);
        }
    }
}

#[test]
fn a_snapshot_leads_to_the_same_run_as_all_records() {
    let told = Told::new(&lines(40));
    let [whole, short] = [None, Some(&told.snapshot)]
        .map(|snapshot| journal::resume(snapshot, &told.records).expect("it can be told again").receipt());
    assert_eq!(whole, short);
}

#[test]
fn a_time_is_of_one_record() {
    let one = figure(Step::Fold, 10, vec![30.0, 10.0, 20.0]);
    assert_eq!((one.micros, one.quickest, one.per_second), (2.0, 1.0, 1e6));
    let all = [one];
    assert!(find(&all, Step::Fold, 10).is_some() && find(&all, Step::Decode, 10).is_none());
}
