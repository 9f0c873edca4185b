use super::{head, number};
use crate::Machine;

#[test]
fn numbers_have_three_digits_that_count() {
    for (value, expect) in [(0.294, "0.29"), (3.0, "3"), (12.34, "12.3"), (22_273.1, "22273"), (-5.0, "-5")] {
        assert_eq!(number(value), expect);
    }
}

#[test]
fn a_busy_machine_is_mentioned() {
    let on = |load| {
        let machine =
            Machine { cores: 2, cpu: "a processor".into(), rustc: "rustc 1".into(), load: Some(load) };
        head(&machine)
    };
    assert!(on(9.0).contains("busy"));
    assert!(!on(0.1).contains("busy"));
}
