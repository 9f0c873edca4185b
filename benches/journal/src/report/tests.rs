use holm_bench_kit::look;
use serde_json::Value;

use super::Report;
use crate::{append::Figure, replay::Replayed, size::Size};

pub(crate) fn figure(system: &'static str, durability: &'static str, by_sqlite: f64) -> Figure {
    Figure {
        system,
        durability,
        p50_us: 12.5,
        p99_us: 90.0,
        least_us: 9.0,
        per_second: 70_000.0,
        by_sqlite,
        appends: 600,
    }
}

pub(crate) fn replayed(system: &'static str, records: u64, quickest: f64) -> Replayed {
    Replayed { system, records, micros: quickest * 1.5, quickest, per_second: 1e6 / quickest }
}

pub(crate) fn size(system: &'static str, record_bytes: f64) -> Size {
    Size { system, records: 10_000, line_bytes: 300.0, record_bytes }
}

fn report() -> Report {
    Report::new(
        look(),
        vec![figure("holm", "written", 1.25)],
        vec![replayed("holm", 1_000, 12.5)],
        vec![size("holm", 330.0)],
    )
}

#[test]
fn people_see_every_figure() {
    let text = report().markdown();
    for row in [
        "| holm | written | 12.5 | 90 | 9 | 70000 | 1.25× | 600 |",
        "| holm | 1000 | 18.8 | 12.5 | 80000 |",
        "| holm | 10000 | 300 | 330 |",
        "| bytes of a record, by those of its line ≤ 1.25 | 1.10 | met |",
    ] {
        assert!(text.contains(row), "{row} is missing in:\n{text}");
    }
}

#[test]
fn programs_find_each_list_by_its_name() {
    let value = serde_json::to_value(report()).expect("it is JSON");
    assert_eq!(value.pointer("/figures/0/p99_us").and_then(Value::as_f64), Some(90.0));
    assert_eq!(value.pointer("/figures/0/appends_per_second").and_then(Value::as_f64), Some(70_000.0));
    assert_eq!(value.pointer("/replays/0/records").and_then(Value::as_u64), Some(1_000));
    assert_eq!(value.pointer("/sizes/0/record_bytes").and_then(Value::as_f64), Some(330.0));
}
