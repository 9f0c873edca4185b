use holm_bench_kit::{Aim, Figure, System as _};

use super::judge;
use crate::systems::System;

fn figure(system: System, turns: u64, micros: f64, instructions: Option<f64>) -> Figure {
    Figure {
        system: system.name(),
        turns,
        micros,
        quickest: micros,
        processor: micros,
        processor_least: micros,
        sessions: 1,
        set_up: 0.0,
        allocations: 20.0,
        allocated: 0.0,
        retained: 2_000.0,
        beyond: 1_025.0,
        instructions,
    }
}

fn of<'a>(aims: &'a [Aim], start: &str) -> &'a Aim {
    aims.iter().find(|aim| aim.aim.starts_with(start)).expect("the aim is listed")
}

#[test]
fn an_aim_is_met_at_its_bound_and_missed_beyond_it() {
    let figures = [
        figure(System::Holm, 10, 2.0, Some(30_000.0)),
        figure(System::Holm, 1_000, 3.0, Some(30_001.0)),
        figure(System::Clark, 1_000, 1_500.0, None),
        figure(System::Agnt, 1_000, 29.0, None),
    ];
    let aims = judge(&figures);
    for (start, met) in [
        ("µs per turn at 10 ", true),
        ("µs per turn at 1000", true),
        ("instructions per turn at 10 ", true),
        ("instructions per turn at 1000", false),
        ("allocations per turn at 1000", true),
        ("times less than clark-agent", true),
        ("times less than agnt-core", false),
        ("time per turn at 1000, by that at 10", false),
        ("bytes kept per turn", false),
    ] {
        assert_eq!(of(&aims, start).met, Some(met), "{start}");
    }
}

#[test]
fn what_was_not_measured_is_neither_met_nor_missed() {
    let aims = judge(&[figure(System::Holm, 10, 2.0, None)]);
    let aim = of(&aims, "instructions per turn at 10");
    assert_eq!((aim.met, aim.measured.as_str()), (None, "not measured"));
}
