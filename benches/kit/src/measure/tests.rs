use std::collections::BTreeMap;

use super::{Samples, add_instructions, all, find, median};
use crate::{Session, System, peers::Floor};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Only {
    Floor,
}

impl System for Only {
    const ALL: &'static [Self] = &[Self::Floor];

    fn name(self) -> &'static str {
        "floor"
    }

    fn prepare(self, turns: u64) -> Box<dyn Session> {
        Box::new(Floor::new(turns))
    }
}

#[test]
fn the_median_is_the_middle_one() {
    assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&mut [5.0]), 5.0);
    assert!(median(&mut []).is_nan());
}

#[test]
fn a_figure_is_per_turn() {
    let samples =
        Samples { runs: vec![40.0, 20.0, 30.0], processor: vec![10.0, 20.0, 30.0], set_ups: vec![7.0] };
    let figure = samples.figure(Only::Floor, 10);
    assert_eq!((figure.micros, figure.quickest, figure.set_up), (3.0, 2.0, 7.0));
    assert_eq!((figure.processor, figure.processor_least), (2.0, 1.0));
    assert_eq!(figure.sessions, 3);
}

#[test]
fn instructions_are_shared_out_over_the_turns() {
    let samples = Samples { runs: vec![1.0], processor: vec![1.0], set_ups: vec![1.0] };
    let mut figures = [samples.figure(Only::Floor, 10)];
    add_instructions(&mut figures, &BTreeMap::from([(("floor", 10), 5_000)]));
    assert_eq!(figures[0].instructions, Some(500.0));
}

#[test]
fn every_loop_is_timed_at_every_number_of_turns() {
    let figures = all::<Only>(&[1, 10]);
    for turns in [1, 10] {
        let figure = find(&figures, "floor", turns).expect("it was timed");
        assert!(figure.micros > 0.0 && figure.processor > 0.0, "{figure:?}");
    }
}
