use std::collections::BTreeMap;

use super::{Samples, add_instructions, median};
use crate::systems::System;

#[test]
fn the_median_is_the_middle_one() {
    assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&mut [5.0]), 5.0);
    assert!(median(&mut []).is_nan());
}

#[test]
fn a_figure_is_per_turn() {
    let samples = Samples { runs: vec![40.0, 20.0, 30.0], set_ups: vec![7.0] };
    let figure = samples.figure(System::Floor, 10);
    assert_eq!((figure.micros, figure.quickest, figure.set_up), (3.0, 2.0, 7.0));
    assert_eq!(figure.sessions, 3);
}

#[test]
fn instructions_are_shared_out_over_the_turns() {
    let samples = Samples { runs: vec![1.0], set_ups: vec![1.0] };
    let mut figures = [samples.figure(System::Floor, 10)];
    add_instructions(&mut figures, &BTreeMap::from([((System::Floor, 10), 5_000)]));
    assert_eq!(figures[0].instructions, Some(500.0));
}
