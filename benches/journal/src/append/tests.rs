use holm_runtime::Durability;

use super::{Kind, Samples, measure, within};
use crate::{keepers::Way, lines::lines};

const SMALL: Kind = Kind { name: "tested", durability: Durability::Written, appends: 10, rounds: 2 };

#[test]
fn everybody_is_measured_as_often() {
    let figures = measure(&SMALL, &lines(30));
    let names: Vec<&str> = figures.iter().map(|figure| figure.system).collect();
    assert_eq!(names, Way::ALL.map(Way::name));
    for figure in figures {
        assert_eq!((figure.durability, figure.appends), ("tested", 20));
        assert!(figure.least_us <= figure.p50_us && figure.p50_us <= figure.p99_us, "{figure:?}");
    }
}

#[test]
fn a_ratio_is_taken_within_a_round() {
    let mut samples = Samples::default();
    // The second round was slow for both.
    for times in [vec![2.0, 2.0], vec![40.0, 40.0], vec![3.0, 3.0]] {
        samples.add(times);
    }
    let figure = samples.figure(Way::Holm, &SMALL, 2, &[2.0, 40.0, 2.0]);
    assert_eq!((figure.by_sqlite, figure.p50_us, figure.least_us), (2.0, 3.0, 2.0));
    // Two appends in the six microseconds of the middle round.
    assert_eq!(figure.per_second, 2e6 / 6.0);
}

#[test]
fn a_share_of_samples_stays_within_a_time() {
    let samples: Vec<f64> = (0..=100).map(f64::from).collect();
    assert_eq!([0, 50, 99, 100].map(|percent| within(&samples, percent)), [0.0, 50.0, 99.0, 100.0]);
    assert!(within(&[], 50).is_nan());
}
