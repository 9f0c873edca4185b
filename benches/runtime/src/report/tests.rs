use holm_bench_kit::{Figure, Machine, System as _};

use super::Report;
use crate::{
    append::{Appended, Time},
    crowd::Crowd,
    group::Group,
    systems::System,
};

pub(crate) fn figure(system: System, turns: u64, micros: f64) -> Figure {
    Figure {
        system: system.name(),
        turns,
        micros,
        quickest: micros / 2.0,
        processor: micros,
        processor_least: micros / 4.0,
        sessions: 3,
        set_up: 5.0,
        allocations: 12.5,
        allocated: 100.0,
        retained: 900.0,
        beyond: 450.0,
        instructions: None,
    }
}

pub(crate) fn appended(ratio: f64) -> Appended {
    let time = |micros| Time { micros, quickest: micros, processor: micros };
    let (bare, store) = (time(8.0), time(8.0 * ratio));
    let instructions = Some((20_000.0, 22_000.0));
    Appended { durability: "written", bytes: 300.0, bare, store, ratio, processor_ratio: ratio, instructions }
}

pub(crate) fn group(times: f64) -> Group {
    Group { runs: 64, single: 1_000.0, together: 1_000.0 * times, times, per_sync: 40.0 }
}

pub(crate) fn crowd(longest_ms: f64, cancel_ms: f64) -> Crowd {
    let resident_mib = Some(0.2);
    let (all_ms, median_ms, heap_mib) = (900.0, 400.0, 0.1);
    Crowd { runs: 1_000, turns: 20, all_ms, median_ms, longest_ms, heap_mib, resident_mib, cancel_ms }
}

fn report() -> Report {
    let machine = Machine { cores: 2, cpu: "a processor".into(), rustc: "rustc 1".into(), load: Some(0.1) };
    let figures = vec![figure(System::Floor, 10, 1.0), figure(System::Holm, 10, 12.0)];
    Report::new(machine, figures, vec![appended(1.25)], group(16.0), crowd(500.0, 90.0))
}

#[test]
fn a_row_says_how_many_times_the_floors_time_it_took() {
    let text = report().markdown();
    for row in [
        "| holm | 10 | 12 | 6 | 12 | 3 | 12× | 1× | – | 12.5 | 900 | 5 |",
        "| written | 300 | 8 | 8 | 10 | 10 | 1.25× | 1.25× | 20000 | 22000 |",
        "1000 by single commits, 16000 by 64 runs together, 16× (40 appends shared a sync)",
        "| 900 | 400 | 500 | 0.100 | 0.200 | 90 |",
        "| µs per turn at 10 ≤ 15 | 12 (quickest 6) | met |",
    ] {
        assert!(text.contains(row), "{row} is not in\n{text}");
    }
}

#[test]
fn the_json_holds_the_same_figures() {
    let value = serde_json::to_value(report()).expect("it is JSON");
    assert_eq!(value["figures"][1]["system"], "holm");
    assert_eq!(value["appends"][0]["ratio"], 1.25);
    assert_eq!(value["crowd"]["runs"], 1_000);
    assert_eq!(value["aims"][0]["met"], true);
}
