use holm_bench_kit::{Figure, Machine, System as _};

use super::Report;
use crate::{copy::Copied, systems::System};

fn figure(system: System, micros: f64) -> Figure {
    Figure {
        system: system.name(),
        turns: 10,
        micros,
        quickest: micros / 2.0,
        processor: micros,
        processor_least: micros,
        sessions: 3,
        set_up: 5.0,
        allocations: 12.5,
        allocated: 100.0,
        retained: 900.0,
        beyond: 450.0,
        instructions: None,
    }
}

fn report(load: f64) -> Report {
    let machine = Machine { cores: 2, cpu: "a processor".into(), rustc: "rustc 1".into(), load: Some(load) };
    let copied = Copied { turns: 10, bytes: 3_000, reused: 20.0, fresh: 10.0, bare: 21.0, micros: 0.15 };
    Report::new(machine, vec![figure(System::Agnt, 30.0), figure(System::Holm, 2.0)], vec![copied])
}

#[test]
fn a_row_says_how_many_times_holms_time_it_took() {
    let text = report(0.1).markdown();
    assert!(text.contains("| agnt-core | 10 | 30 | 15 | 15× | – | 12.5 | 900 | 450 | 5 |"), "{text}");
    assert!(text.contains("| 10 | 3000 | 20 | 10 | 21 | 0.15 |"), "{text}");
    assert!(text.contains("| µs per turn at 10 ≤ 3 | 2 (quickest 1) | met |"), "{text}");
}

#[test]
fn one_more_turn_is_what_the_turns_after_the_tenth_cost() {
    let at = |turns, instructions| Figure { turns, instructions, ..figure(System::Holm, 2.0) };
    let figures = vec![at(10, Some(500.0)), at(1_000, Some(401.0))];
    let machine = Machine { cores: 2, cpu: String::new(), rustc: String::new(), load: None };
    let text = Report::new(machine, figures, Vec::new()).markdown();
    assert!(text.contains("Instructions of one more turn, from 10 to 1000: holm 400."), "{text}");
    assert!(!report(0.1).markdown().contains("one more turn"));
}

#[test]
fn the_json_holds_the_same_figures() {
    let value: serde_json::Value = serde_json::to_value(report(0.1)).expect("it is JSON");
    assert_eq!(value["figures"][1]["system"], "holm");
    assert_eq!(value["machine"]["cores"], 2);
    assert_eq!(value["aims"][0]["met"], true);
}
