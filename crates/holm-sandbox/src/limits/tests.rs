use super::*;

#[track_caller]
fn check(texts: &[&str], expect: impl FnOnce(&mut GuestLimits)) {
    let mut wanted = GuestLimits::default();
    expect(&mut wanted);
    let allowances = Allowances::parse(texts.iter().copied()).unwrap();
    assert_eq!(GuestLimits::default().within(&allowances), wanted, "{texts:?}");
}

#[test]
fn an_allowance_replaces_the_default_of_its_kind() {
    check(&[], |_| {});
    check(&["time:5s"], |limits| limits.time = Duration::from_secs(5));
    check(&["fuel:1e10"], |limits| limits.fuel = 10_000_000_000);
    check(&["mem:1GiB"], |limits| limits.memory = 1 << 30);
    check(&["output:1KiB"], |limits| limits.output = 1024);
    check(&["spend:1usd", "calls:3"], |_| {});
}

#[test]
fn no_call_is_longer_than_a_day() {
    let allowances = Allowances::parse(["time:9999h"]).unwrap();
    assert_eq!(GuestLimits::default().within(&allowances).time, MAX_TIME);
}
