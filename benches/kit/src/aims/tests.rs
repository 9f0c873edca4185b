use super::{at_least, at_most, judgement};

#[test]
fn an_aim_is_met_at_its_bound_and_missed_beyond_it() {
    for (aim, met) in [
        (at_most("µs", Some(3.0), 3.0), true),
        (at_most("µs", Some(3.01), 3.0), false),
        (at_least("times", Some(8.0), 8.0), true),
        (at_least("times", Some(7.99), 8.0), false),
    ] {
        assert_eq!(aim.met, Some(met), "{aim:?}");
    }
}

#[test]
fn what_was_not_measured_is_neither_met_nor_missed() {
    let aim = at_most("µs", None, 3.0);
    assert_eq!((aim.met, aim.measured.as_str()), (None, "not measured"));
    assert!(judgement(&[aim]).contains("| µs ≤ 3 | not measured | – |"));
}

#[test]
fn a_remark_stands_behind_the_figure() {
    let aims = [at_most("µs", Some(2.0), 3.0).remark("quickest 1")];
    assert!(judgement(&aims).contains("| µs ≤ 3 | 2 (quickest 1) | met |"));
}
