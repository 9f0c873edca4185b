use super::*;
use alloc::string::ToString;

#[test]
fn canonical_text_is_a_fixed_point_of_parsing() {
    let value = Json::parse(r#" {"b":[1.50,-0,1E+2,"\u00e9\ud83d\ude00\n"],"a":{}} "#).unwrap();
    assert_eq!(value.to_string(), "{\"a\":{},\"b\":[1.50,-0,1E+2,\"é😀\\n\"]}");
    assert_eq!(Json::parse(&value.canonical()).unwrap(), value);
}
