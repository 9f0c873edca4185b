use super::{TOOL, work};

#[track_caller]
fn check(input: &str, expect: Result<&str, &str>) {
    let answered = guest_kit::answer(&TOOL, input, work);
    assert_eq!(answered.as_deref().map_err(String::as_str), expect, "{input}");
}

#[test]
fn text_goes_there_and_back() {
    check(r#"{"text":""}"#, Ok(""));
    check(r#"{"text":"hello"}"#, Ok("aGVsbG8="));
    check(r#"{"text":"aGVsbG8=","decode":true}"#, Ok("hello"));
    check(r#"{"text":"aGVs\nbG8","decode":true}"#, Ok("hello"));
    check(r#"{"text":"\u00fc??>","url_safe":true}"#, Ok("w7w_Pz4="));
    check(r#"{"text":"w7w_Pz4","url_safe":true,"decode":true}"#, Ok("\u{fc}??>"));
}

#[test]
fn what_cannot_be_decoded_is_said() {
    check(r#"{"text":"!!","decode":true}"#, Err("this is no base64: Invalid symbol 33, offset 0."));
    check(r#"{"text":"//8=","decode":true}"#, Err("it decodes to 2 bytes that are no text"));
}
