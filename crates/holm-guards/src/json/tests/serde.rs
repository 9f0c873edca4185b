use alloc::string::String;
use alloc::vec::Vec;

use ::serde::{Deserialize, Serialize};

use crate::json::Json;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    id: u64,
    arguments: Json,
    rest: Option<Json>,
    list: Vec<Json>,
}

#[test]
fn a_value_inside_a_record_is_real_json_with_its_numbers_as_written() {
    let text =
        r#"{"id":1,"arguments":{"a":1.50,"b":123456789012345678901234567890},"rest":null,"list":[1e2,"x"]}"#;
    let record: Record = serde_json::from_str(text).expect("a record");
    assert_eq!(record.arguments.canonical(), r#"{"a":1.50,"b":123456789012345678901234567890}"#);
    assert_eq!(serde_json::to_string(&record).expect("text"), text);
}

#[test]
fn names_are_sorted_and_white_space_removed_on_the_way() {
    let value: Json = serde_json::from_str("{ \"b\" : [ 1 , 2 ] ,\n \"a\" : \"\\u00e9\" }").expect("a value");
    assert_eq!(serde_json::to_string(&value).expect("text"), r#"{"a":"é","b":[1,2]}"#);
}

#[test]
fn what_our_parser_refuses_is_refused_inside_a_record() {
    for bad in [r#"["\ud800"]"#, "[1,]", "{\"a\":01}"] {
        assert!(serde_json::from_str::<Json>(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_value_survives_the_detour_through_bytes() {
    let value = Json::parse(r#"{"k":[-0,1.0,null,true,"\n"]}"#).expect("a value");
    let bytes = serde_json::to_vec(&value).expect("bytes");
    assert_eq!(String::from_utf8(bytes.clone()).expect("text"), value.canonical());
    assert_eq!(serde_json::from_slice::<Json>(&bytes).expect("a value"), value);
}

#[test]
fn what_is_written_is_what_a_raw_value_would_write() {
    let value = Json::parse(r#"{"b":[1.0,2,"é\n"],"a":{"n":18446744073709551617}}"#).expect("JSON");
    let raw = serde_json::value::RawValue::from_string(value.canonical()).expect("JSON");
    let wrap = |inside: serde_json::Result<alloc::string::String>| inside.expect("writable");
    assert_eq!(wrap(serde_json::to_string(&value)), wrap(serde_json::to_string(&raw)));
    assert_eq!(wrap(serde_json::to_string(&[&value])), wrap(serde_json::to_string(&[&raw])));
}
