use alloc::string::ToString;

use super::{Allowance, AllowanceExhaustedError, AllowanceKind, Allowances};
use crate::error::AllowanceError;

fn all(texts: &[&str]) -> Allowances {
    Allowances::parse(texts.iter().copied()).unwrap()
}

#[test]
fn amounts_are_exact_and_print_in_one_form() {
    let check = |text: &str, amount: u64, shown: &str| {
        let allowance: Allowance = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(allowance.amount, amount, "{text}");
        assert_eq!(allowance.to_string(), shown);
        assert_eq!(shown.parse(), Ok(allowance));
    };
    check("spend:0.50usd", 500_000_000, "spend:0.50usd");
    check("spend:1usd", 1_000_000_000, "spend:1.00usd");
    check("spend:0.000000001usd", 1, "spend:0.000000001usd");
    check("spend:12.3450usd", 12_345_000_000, "spend:12.345usd");
    check("spend:0usd", 0, "spend:0.00usd");
    check("time:30s", 30_000, "time:30s");
    check("time:90s", 90_000, "time:90s");
    check("time:120s", 120_000, "time:2m");
    check("time:1500ms", 1_500, "time:1500ms");
    check("time:24h", 86_400_000, "time:24h");
    check("time:0s", 0, "time:0ms");
    check("mem:64MiB", 67_108_864, "mem:64MiB");
    check("mem:2048KiB", 2_097_152, "mem:2MiB");
    check("output:1000B", 1_000, "output:1000B");
    check("fuel:1e9", 1_000_000_000, "fuel:1e9");
    check("fuel:1500000", 1_500_000, "fuel:15e5");
    check("fuel:100", 100, "fuel:100");
    check("fuel:0", 0, "fuel:0");
    check("calls:10", 10, "calls:10");
    check("calls:18446744073709551615", u64::MAX, "calls:18446744073709551615");
}

#[test]
fn wrong_amounts_are_refused() {
    for text in [
        "spend:0.5",
        "spend:$1",
        "spend:1eur",
        "spend:-1usd",
        "spend:1.0000000001usd",
        "spend:.5usd",
        "spend:1.usd",
        "time:30",
        "time:s",
        "time:1.5s",
        "time:1d",
        "mem:64MB",
        "mem:64",
        "mem:1 MiB",
        "fuel:1.5e9",
        "fuel:e9",
        "fuel:1e",
        "calls:1e3",
        "calls:+1",
        "calls:",
        "calls:٣",
    ] {
        assert!(matches!(text.parse::<Allowance>(), Err(AllowanceError::BadAmount { .. })), "{text}");
    }
    for text in [
        "spend:99999999999999usd",
        "time:99999999999999999h",
        "mem:99999999TiB",
        "fuel:1e20",
        "fuel:1e99999999999999999999",
    ] {
        assert_eq!(text.parse::<Allowance>(), Err(AllowanceError::TooLarge), "{text}");
    }
    assert_eq!("read:a".parse::<Allowance>(), Err(AllowanceError::UnknownKind));
    assert_eq!("30s".parse::<Allowance>(), Err(AllowanceError::NoKind));
}

#[test]
fn what_was_not_given_cannot_be_used() {
    let mut none = Allowances::default();
    let call = Allowance { kind: AllowanceKind::Calls, amount: 1 };
    assert_eq!(
        none.take(call),
        Err(AllowanceExhaustedError { kind: AllowanceKind::Calls, wanted: 1, left: 0 })
    );
    assert_eq!(none, Allowances::default());
    assert!(!none.contains(&all(&["calls:0"])));
}

#[test]
fn a_reservation_is_all_or_nothing_and_settles_to_the_same_sum() {
    let mut parent = all(&["spend:1usd", "calls:5"]);
    let before = parent.clone();
    assert!(parent.reserve(&all(&["spend:0.40usd", "calls:6"])).is_err());
    assert_eq!(parent, before);
    let mut child = parent.reserve(&all(&["spend:0.40usd", "calls:2"])).unwrap();
    assert_eq!(parent, all(&["spend:0.60usd", "calls:3"]));
    child.take("calls:1".parse().unwrap()).unwrap();
    parent.settle(&child);
    assert_eq!(parent, all(&["spend:1usd", "calls:4"]));
}

#[test]
fn settling_never_gives_a_kind_that_was_absent() {
    let mut parent = all(&["calls:1"]);
    parent.settle(&all(&["spend:9usd", "calls:18446744073709551615"]));
    assert_eq!(parent, all(&["calls:18446744073709551615"]));
}

#[test]
fn the_meet_is_the_smaller_amount_of_what_both_hold() {
    let met = all(&["spend:1usd", "calls:5"]).meet(&all(&["calls:9", "time:1s"]));
    assert_eq!(met, all(&["calls:5"]));
    assert!(all(&["calls:5"]).contains(&met));
    assert!(Allowance::covers("time:2s".parse().unwrap(), "time:2s".parse().unwrap()));
    assert!(!Allowance::covers("time:2s".parse().unwrap(), "calls:1".parse().unwrap()));
}

#[test]
fn a_kind_given_twice_is_a_mistake() {
    assert_eq!(Allowances::parse(["calls:1", "calls:2"]), Err(AllowanceError::Twice { kind: "calls" }));
    assert!(serde_json::from_str::<Allowances>(r#"["calls:1","calls:1"]"#).is_err());
    let list = all(&["time:30s", "spend:0.50usd"]);
    let json = serde_json::to_string(&list).unwrap();
    assert_eq!(json, r#"["spend:0.50usd","time:30s"]"#);
    assert_eq!(serde_json::from_str::<Allowances>(&json).unwrap(), list);
}
