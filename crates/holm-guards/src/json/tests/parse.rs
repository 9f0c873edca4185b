use alloc::format;
use alloc::string::ToString;

use crate::json::{Json, JsonParseErrorKind, MAX_DEPTH, TextPosition};

#[test]
fn texts_become_values_and_canonical_texts() {
    fn check(text: &str, canonical: &str) {
        let value = Json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(value.canonical(), canonical, "{text}");
        assert_eq!(value.to_string(), canonical);
        assert_eq!(Json::parse(canonical).as_ref(), Ok(&value));
    }
    check(" null ", "null");
    check("\t\r\n true", "true");
    check("[ ]", "[]");
    check("{ }", "{}");
    check("[1.50,-0,1E+2]", "[1.50,-0,1E+2]");
    check(r#"{"b":1,"a":2,"B":3}"#, r#"{"B":3,"a":2,"b":1}"#);
    check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    check(r#""\u00e9\/\b\f\n\r\t\"\\""#, r#""é/\b\f\n\r\t\"\\""#);
    check(r#""\ud83d\ude00 \u0000\u001F\u007f""#, "\"😀 \\u0000\\u001f\u{7f}\"");
    check("\"\u{2028}é\"", "\"\u{2028}é\"");
    check(r#"[[],{},[{"a":[null]}]]"#, r#"[[],{},[{"a":[null]}]]"#);
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    fn check(text: &str, kind: &JsonParseErrorKind, position: (usize, usize)) {
        let error = Json::parse(text).expect_err(text);
        assert_eq!((&error.kind, (error.at.line, error.at.column)), (kind, position), "{text:?}");
    }
    use JsonParseErrorKind as Kind;
    check("", &Kind::UnexpectedEnd, (1, 1));
    check("  ", &Kind::UnexpectedEnd, (1, 3));
    check("tru", &Kind::UnexpectedEnd, (1, 4));
    check("trux", &Kind::ExpectedValue('t'), (1, 1));
    check("nil", &Kind::ExpectedValue('n'), (1, 1));
    check("[1,\n 2,\n x]", &Kind::ExpectedValue('x'), (3, 2));
    check("[1 2]", &Kind::ExpectedComma('2'), (1, 4));
    check("[1,]", &Kind::TrailingComma, (1, 4));
    check("{\"a\":1,\n}", &Kind::TrailingComma, (2, 1));
    check("{a:1}", &Kind::ExpectedName('a'), (1, 2));
    check("{'a':1}", &Kind::ExpectedName('\''), (1, 2));
    check("{\"a\" 1}", &Kind::ExpectedColon('1'), (1, 6));
    check("{\"a\":1]", &Kind::ExpectedComma(']'), (1, 7));
    check("\"é\\x\"", &Kind::BadEscape, (1, 3));
    check("\"\\u12g4\"", &Kind::BadEscape, (1, 2));
    check("\"a\nb\"", &Kind::ControlCharacter('\n'), (1, 3));
    check("\"abc", &Kind::UnexpectedEnd, (1, 5));
    check("\"abc\\", &Kind::UnexpectedEnd, (1, 5));
    check("\"\\u12", &Kind::UnexpectedEnd, (1, 2));
    check("01", &Kind::BadNumber, (1, 2));
    check("-x", &Kind::BadNumber, (1, 2));
    check("1.x", &Kind::BadNumber, (1, 3));
    check("1e", &Kind::UnexpectedEnd, (1, 3));
    check("1 x", &Kind::TrailingText('x'), (1, 3));
    check("{} 😀", &Kind::TrailingText('😀'), (1, 4));
    check("\u{feff}1", &Kind::ExpectedValue('\u{feff}'), (1, 1));
}

#[test]
fn half_a_surrogate_pair_is_an_error() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\ud800""#,
        r#""\ud800\u0041""#,
    ] {
        assert_eq!(
            Json::parse(text).map_err(|error| error.kind),
            Err(JsonParseErrorKind::LoneSurrogate),
            "{text}"
        );
    }
}

#[test]
fn the_strict_reader_refuses_a_repeated_name() {
    let error = Json::parse_strict(r#"{"a":1,"b":{"c":1,"c":2}}"#).expect_err("repeated");
    assert_eq!(error.kind, JsonParseErrorKind::DuplicateName("c".into()));
    assert_eq!(error.at.column, 19);
    assert!(Json::parse_strict(r#"{"a":1,"b":{"a":1}}"#).is_ok());
    assert!(Json::parse_strict(r#"{"a":1,"\u0061":2}"#).is_err(), "escapes do not hide a repetition");
}

#[test]
fn a_prefix_is_read_and_measured() {
    fn check(text: &str, canonical: &str, taken: usize) {
        let (value, length) = Json::parse_prefix(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((value.canonical().as_str(), length), (canonical, taken), "{text}");
    }
    check("{\"a\":1} and more", "{\"a\":1}", 7);
    check("  [1] ]", "[1]", 5);
    check("12abc", "12", 2);
    check("nullify", "null", 4);
    assert!(Json::parse_prefix("prose {}").is_err());
}

#[test]
fn nesting_ends_at_the_limit() {
    let limit = usize::from(MAX_DEPTH);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Json::parse(&nested(limit)).is_ok());
    let error = Json::parse(&nested(limit + 1)).expect_err("too deep");
    assert_eq!((error.kind, error.at.offset), (JsonParseErrorKind::TooDeep, limit));
}

#[test]
fn positions_are_found_in_any_text() {
    fn check(text: &str, offset: usize, expected: (usize, usize, usize)) {
        let TextPosition { offset, line, column } = TextPosition::find(text, offset);
        assert_eq!((offset, line, column), expected, "{text:?}");
    }
    check("", 9, (0, 1, 1));
    check("ab", 1, (1, 1, 2));
    check("a\nb", 2, (2, 2, 1));
    check("é\né", 4, (3, 2, 1));
    check("😀x", 2, (0, 1, 1));
}
