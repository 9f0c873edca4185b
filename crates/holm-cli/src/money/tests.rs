use super::*;

#[test]
fn amounts_are_read_exactly() {
    let check = |text: &str, expect: Option<u64>| {
        assert_eq!(parse(text).ok().map(NanoUsd::value), expect, "{text}");
    };
    check("0.50", Some(500_000_000));
    check("2", Some(2 * DOLLAR));
    check("$0.05", Some(50_000_000));
    check(".000000001", Some(1));
    check("0.1usd", Some(100_000_000));
    check("18446744073.7", Some(18_446_744_073_700_000_000));
    for wrong in ["", ".", "-1", "1e3", "0.0000000001", "18446744074", "1,5", "free"] {
        check(wrong, None);
    }
}

#[test]
fn amounts_are_written_as_short_as_they_are() {
    let check = |nano: u64, expect: &str| assert_eq!(show(NanoUsd::new(nano)), expect);
    check(0, "$0.00");
    check(500_000_000, "$0.50");
    check(1_234_500_000, "$1.2345");
    check(1, "$0.000000001");
}

#[test]
fn a_price_that_nobody_knows_is_not_nothing() {
    let used = Usage { input: 3, ..Usage::default() };
    let check = |replies: &[(Usage, Option<u64>)], spent: u64, expect: &str| {
        let priced = replies.iter().fold(CostCompleteness::default(), |priced, (usage, cost)| {
            priced.after(*usage, cost.map(NanoUsd::new))
        });
        let usage = replies.iter().fold(Usage::default(), |sum, (usage, _)| sum.plus(*usage));
        assert_eq!(priced.show(NanoUsd::new(spent), usage), expect);
    };
    check(&[], 0, "$0.00");
    check(&[(used, Some(0))], 0, "$0.00");
    check(&[(used, None)], 0, "price not known");
    check(&[(used, None), (used, Some(10_000_000))], 10_000_000, "$0.01 + unpriced");
    // A script has no tokens to be paid for.
    check(&[(Usage::default(), None)], 0, "$0.00");
    check(&[(Usage::of_request(9), None)], 0, "$0.00");
    // What no provider reported is an estimate, and so is the sum.
    check(&[(used, Some(0)), (Usage::of_request(9), Some(10_000_000))], 10_000_000, "~$0.01");
    check(&[(used, None), (Usage::of_request(9), Some(10_000_000))], 10_000_000, "~$0.01 + unpriced");
}
