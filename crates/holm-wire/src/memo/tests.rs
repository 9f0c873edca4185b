use super::FrameMemo;

/// Learns from `first`, whose text is marked by `«»`, and recalls from `next`.
fn check(first: &str, next: &str, expect: Option<&str>) {
    let start = first.find('«').unwrap();
    let frame = first.replace(['«', '»'], "");
    let length = first.find('»').unwrap() - start - '«'.len_utf8();
    let mut memo = FrameMemo::default();
    memo.learn(frame.as_bytes(), &frame[start..start + length], ());
    assert_eq!(memo.recall(next.as_bytes()).map(|(_, text)| text), expect, "{next}");
}

#[test]
fn a_frame_of_the_same_shape_gives_its_text() {
    let first = r#"{"id":"x","created":5,"t":"«a»","n":null,"obfuscation":"qq"}"#;
    check(first, r#"{"id":"x","created":5,"t":"b","n":null,"obfuscation":""}"#, Some("b"));
    check(first, r#"{"id":"other-9","created":77,"t":"","n":null,"obfuscation":"longer one"}"#, Some(""));
    check(first, r#"{"id":"x","created":5,"t":"é漢🙂","n":null,"obfuscation":"q"}"#, Some("é漢🙂"));
    check(
        first,
        r#"{"id":"x","created":5,"t":"\"\\\/\b\f\n\r\t\u003c\u6f22","n":null,"obfuscation":"q"}"#,
        Some("\"\\/\u{8}\u{c}\n\r\t<漢"),
    );
}

#[test]
fn any_doubt_goes_back_to_the_parser() {
    let first = r#"{"id":"x","created":5,"t":"«a»","n":null}"#;
    for next in [
        "",
        r#"{"id":"x","created":5,"t":"a","n":null"#,
        r#"{"id":"x","created":5,"t":"a","n":null} "#,
        r#"{"id":"x","created":5,"t":"a","n":nul1}"#,
        r#"{"id":"x","created":05,"t":"a","n":null}"#,
        r#"{"id":"x","created":,"t":"a","n":null}"#,
        r#"{"id":"x\"","created":5,"t":"a","n":null}"#,
        r#"{"id":"é","created":5,"t":"a","n":null}"#,
        r#"{"id":"x","created":5,"t":"\ud83d\ude42","n":null}"#,
        r#"{"id":"x","created":5,"t":"\u+041","n":null}"#,
        r#"{"id":"x","created":5,"t":"\u00é","n":null}"#,
        r#"{"id":"x","created":5,"t":"\q","n":null}"#,
        r#"{"id":"x","created":5,"t":"a\","n":null}"#,
        "{\"id\":\"x\",\"created\":5,\"t\":\"a\u{1}\",\"n\":null}",
        r#"{"id":"x","created":5,"t":"a","t":"b","n":null}"#,
    ] {
        check(first, next, None);
    }
}

#[test]
fn a_text_from_elsewhere_is_not_learnt() {
    let mut memo = FrameMemo::default();
    let (frame, other) = (std::string::String::from(r#"{"t":"a"}"#), std::string::String::from("a"));
    memo.learn(frame.as_bytes(), &other, ());
    assert_eq!(memo.recall(frame.as_bytes()), None);
    memo.learn(frame.as_bytes(), &frame[1..3], ());
    assert_eq!(memo.recall(frame.as_bytes()), None, "not the inside of a string");
    memo.learn(frame.as_bytes(), &frame[6..7], ());
    assert_eq!(memo.recall(frame.as_bytes()), Some(((), "a")));
    memo.forget();
    assert_eq!(memo.recall(frame.as_bytes()), None);
}
