use holm_bench_kit::Aim;

use super::judge;
use crate::{
    report::tests::{appended, crowd, figure, group},
    systems::System,
};

fn met(aims: &[Aim], start: &str) -> Option<bool> {
    aims.iter().find(|aim| aim.aim.starts_with(start)).expect("the aim is listed").met
}

#[test]
fn an_aim_is_met_at_its_bound_and_missed_beyond_it() {
    for (micros, ratio, times, longest, cancel, expect) in
        [(15.0, 1.3, 8.0, 800.0, 1_000.0, true), (15.1, 1.31, 7.9, 801.0, 1_001.0, false)]
    {
        let figures = [figure(System::Holm, 100, micros)];
        let aims = judge(&figures, &[appended(ratio)], &group(times), &crowd(longest, cancel));
        for start in [
            "µs per turn at 100",
            "processor µs per turn at 100",
            "an append that is written",
            "appends a second of 64 runs",
            "ms to cancel 1000 runs",
            "the longest run",
        ] {
            assert_eq!(met(&aims, start), Some(expect), "{start}");
        }
        assert_eq!(met(&aims, "KiB of a run"), Some(true));
    }
}
