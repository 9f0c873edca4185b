use core::cmp::Ordering;

use crate::json::{JsonNumber, JsonNumberError};

fn number(text: &str) -> JsonNumber {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

#[test]
fn only_json_numbers_are_numbers() {
    for good in ["0", "-0", "12", "-1.5", "1e2", "1E+2", "0.0e-9", "123456789012345678901234567890"] {
        assert_eq!(number(good).as_str(), good);
    }
    for bad in ["", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 ", " 1", "1_0", "NaN", "١"] {
        assert_eq!(bad.parse::<JsonNumber>(), Err(JsonNumberError), "{bad:?}");
    }
}

#[test]
fn values_are_compared_exactly_and_without_floats() {
    fn check(a: &str, expected: Ordering, b: &str) {
        assert_eq!(number(a).cmp_value(&number(b)), expected, "{a} and {b}");
        assert_eq!(number(b).cmp_value(&number(a)), expected.reverse(), "{b} and {a}");
    }
    check("1", Ordering::Equal, "1.0");
    check("100", Ordering::Equal, "1e2");
    check("0.001", Ordering::Equal, "1e-3");
    check("0", Ordering::Equal, "-0.0e5");
    check("-1", Ordering::Less, "0");
    check("-2", Ordering::Less, "-1");
    check("-0.5", Ordering::Less, "0.25");
    check("9", Ordering::Less, "10");
    check("1.5", Ordering::Less, "15");
    check("0.1", Ordering::Greater, "0.09999999999999999999999");
    check("9007199254740993", Ordering::Greater, "9007199254740992");
    check("1.0000000000000000000001", Ordering::Greater, "1");
    check("12.34", Ordering::Equal, "1234e-2");
    check("102", Ordering::Less, "120");
}

#[test]
fn huge_exponents_cost_nothing() {
    let (huge, tiny) = (number("1e999999999999999999999"), number("1e-999999999999999999999"));
    assert_eq!(huge.cmp_value(&number("9e99")), Ordering::Greater);
    assert_eq!(tiny.cmp_value(&number("0")), Ordering::Greater);
    assert_eq!(tiny.cmp_value(&number("1e-99")), Ordering::Less);
    assert!(huge.is_integer() && !tiny.is_integer());
    assert_eq!((huge.as_i64(), tiny.as_u64()), (None, None));
    assert_eq!(huge.is_multiple_of(&number("0.7")), Some(false));
    assert_eq!(huge.is_multiple_of(&number("0.25")), Some(true));
    assert_eq!(number("1").is_multiple_of(&huge), Some(false));
    assert_eq!(number("0").is_multiple_of(&huge), Some(true));
    assert_eq!(number("0e999999999999999999999").cmp_value(&number("0")), Ordering::Equal);
}

#[test]
fn whole_numbers_are_read_however_they_are_written() {
    fn check(text: &str, signed: Option<i64>, unsigned: Option<u64>) {
        assert_eq!((number(text).as_i64(), number(text).as_u64()), (signed, unsigned), "{text}");
    }
    check("0", Some(0), Some(0));
    check("-0", Some(0), Some(0));
    check("-0.0", Some(0), Some(0));
    check("12", Some(12), Some(12));
    check("1.20e2", Some(120), Some(120));
    check("1200e-2", Some(12), Some(12));
    check("-7.0", Some(-7), None);
    check("1.5", None, None);
    check("1e-1", None, None);
    check("9223372036854775807", Some(i64::MAX), Some(9_223_372_036_854_775_807));
    check("-9223372036854775808", Some(i64::MIN), None);
    check("-9223372036854775808.0", Some(i64::MIN), None);
    check("9223372036854775808", None, Some(9_223_372_036_854_775_808));
    check("18446744073709551615.0", None, Some(u64::MAX));
    check("18446744073709551616", None, None);
    check("1e20", None, None);
}

#[test]
fn integers_are_told_by_value() {
    for text in ["1", "1.0", "1e2", "-0.0", "120e-1", "1.23e2", "0e-9"] {
        assert!(number(text).is_integer(), "{text}");
    }
    for broken in ["1.5", "1e-1", "123e-3", "0.1"] {
        assert!(!number(broken).is_integer(), "{broken}");
    }
}

#[test]
fn multiples_are_decided_exactly() {
    fn check(value: &str, divisor: &str, expected: Option<bool>) {
        assert_eq!(number(value).is_multiple_of(&number(divisor)), expected, "{value} by {divisor}");
    }
    check("10", "2", Some(true));
    check("7", "2", Some(false));
    check("4.5", "1.5", Some(true));
    check("35", "1.5", Some(false));
    check("0.0075", "0.0001", Some(true));
    check("0.00751", "0.0001", Some(false));
    check("0.3", "0.1", Some(true));
    check("-9", "3", Some(true));
    check("1e308", "0.123456789", Some(false));
    check("123456789012345678901234567890", "10", Some(true));
    check("123456789012345678901234567891", "10", Some(false));
    check("1", "3", Some(false));
    check("1e3", "40", Some(true));
    check("5", "0", None);
    check("5", "1234567890123456789", None);
    check("5", "1000000000000000000000", Some(false));
}

#[test]
fn integers_become_their_own_text() {
    assert_eq!(JsonNumber::from(u64::MAX).as_str(), "18446744073709551615");
    assert_eq!(JsonNumber::from(i64::MIN).as_str(), "-9223372036854775808");
    assert!(JsonNumber::from(-1_i64).is_negative() && !number("-0").is_negative());
}
