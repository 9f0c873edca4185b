//! What the official suite does not cover.

use super::{json, schema};
use crate::schema::format;

#[test]
fn numbers_are_judged_by_their_exact_value() {
    fn check(source: &str, good: &[&str], bad: &[&str]) {
        let schema = schema(source);
        for value in good {
            assert!(schema.is_valid(&json(value)), "{source}: {value}");
        }
        for value in bad {
            assert!(!schema.is_valid(&json(value)), "{source}: {value}");
        }
    }
    check(
        r#"{"maximum":9007199254740992}"#,
        &["9007199254740992", "9007199254740992.0"],
        &["9007199254740993"],
    );
    check(r#"{"multipleOf":0.01}"#, &["19.99", "0.07", "1e2"], &["0.075"]);
    check(r#"{"const":1}"#, &["1.0", "10e-1"], &["1.0000000000000000001"]);
    check(r#"{"type":"integer"}"#, &["1.0", "1e400"], &["1e-400", "1.5"]);
    check(r#"{"enum":[0]}"#, &["-0", "0.0"], &["false", "null"]);
    check(r#"{"maxLength":18446744073709551616}"#, &["\"x\""], &[]);
}

#[test]
fn validation_and_the_quick_answer_agree_in_every_group() {
    let source = r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"},"uniqueItems":true},
        "b":{"anyOf":[{"type":"null"},{"minLength":2}]}},"required":["a"],"additionalProperties":{"type":"boolean"}}"#;
    let schema = schema(source);
    for (value, valid) in [
        (r#"{"a":[1,2],"b":null,"c":true}"#, true),
        (r#"{"a":[1,1]}"#, false),
        (r#"{"a":[],"b":"x"}"#, false),
        (r#"{"a":[],"c":1}"#, false),
        (r#"{"b":null}"#, false),
        ("[]", false),
    ] {
        assert_eq!(schema.is_valid(&json(value)), valid, "{value}");
        assert_eq!(schema.validate(&json(value)).is_ok(), valid, "{value}");
    }
}

#[test]
fn what_a_schema_beside_has_spoken_about_is_not_left_over() {
    use super::tells_apart as check;
    let named = r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#;
    check(named, r#"{"a":1}"#, r#"{"a":1,"b":1}"#);
    check(r#"{"allOf":[{"prefixItems":[true]}],"unevaluatedItems":false}"#, "[1]", "[1,2]");
    // One that does not hold has spoken about nothing.
    let either =
        r#"{"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},true],"unevaluatedProperties":false}"#;
    check(either, r#"{"a":1}"#, r#"{"a":2}"#);
}

#[test]
fn format_describes_and_does_not_refuse() {
    assert!(schema(r#"{"format":"email"}"#).is_valid(&json("\"nobody\"")));
    assert_eq!(format::check("email", "nobody"), Some(false));
}

#[test]
fn formats_are_checked_where_asked() {
    fn check(name: &str, good: &[&str], bad: &[&str]) {
        for text in good {
            assert_eq!(format::check(name, text), Some(true), "{name}: {text:?}");
        }
        for text in bad {
            assert_eq!(format::check(name, text), Some(false), "{name}: {text:?}");
        }
    }
    check(
        "email",
        &["a@b.c", "a+b@x-y.org", "\"a\\\"b\"@c.d"],
        &["", "@", "a@", "@b", "a b@c.d", "a@b c", "a@-b.c", "\"a\"b\"@c.d", "a@b@c.d"],
    );
    check(
        "uri",
        &["a:", "http://[::1]:80/%41?q#f", "http://[v1.x]/"],
        &["", "http://a:x/", "http://[::g]/", "http://a/%4", "http://a/é", "1a:b"],
    );
    check("date", &["2000-02-29"], &["1900-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-01-01T"]);
    check(
        "time",
        &["23:59:60Z", "01:00:00.5+01:00", "00:29:60+00:30"],
        &["24:00:00Z", "12:00Z", "12:00:00", "12:00:00.Z", "12:00:60Z"],
    );
    check("date-time", &["2024-01-01t00:00:00z"], &["2024-01-01 00:00:00Z", "2024-01-01T"]);
    check("ipv4", &["127.0.0.1"], &["127.0.0.01", "1.2.3", "256.0.0.1"]);
    check("ipv6", &["::", "::ffff:1.2.3.4"], &[":::", "1::2::3", "::1%eth0"]);
    check("hostname", &["a", "a.b-c.d"], &["", "a..b", "-a", &"a.".repeat(200)]);
    check("uuid", &["2eb8aa08-aa98-11ea-b4aa-73b441d16380"], &["2eb8aa08-aa98-11ea-b4aa_73b441d16380", "é"]);
}

#[test]
fn boolean_schemas_and_empty_ones_admit_what_they_say() {
    assert!(schema("true").is_valid(&json("1")) && schema("{}").is_valid(&json("null")));
    assert!(!schema("false").is_valid(&json("1")));
    assert!(schema(r#"{"type":["string","integer"]}"#).is_valid(&json("3")));
    assert!(!schema(r#"{"type":[]}"#).is_valid(&json("3")));
}
