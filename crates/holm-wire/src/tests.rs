//! The small parts: URLs, escapes, numbers, files.

use std::{string::String, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Media, Source};

use crate::{AuthScheme, MediaSource, ProviderRequest, escape, lenient, media, server, write};

#[test]
fn a_url_has_its_version_once_and_its_query_escaped() {
    let check = |base: &str, path: &str, expect: &str| {
        let mut request = ProviderRequest::post(path, AuthScheme::None, Vec::new());
        request.query = vec![("a b".into(), "ü&=".into())];
        assert_eq!(request.url(base), expect);
    };
    check("https://x.test", "/v1/a", "https://x.test/v1/a?a%20b=%C3%BC%26%3D");
    check("https://x.test/v1/", "/v1/a", "https://x.test/v1/a?a%20b=%C3%BC%26%3D");
    check("https://x.test/v1", "/a?alt=sse", "https://x.test/v1/a?alt=sse&a%20b=%C3%BC%26%3D");
    check("https://x.test/v1beta", "/v1/a", "https://x.test/v1beta/v1/a?a%20b=%C3%BC%26%3D");
    let mut out = String::new();
    escape("a/b:c", &mut out);
    assert_eq!(out, "a%2Fb%3Ac");
}

#[test]
fn auth_says_where_the_key_goes() {
    assert_eq!(AuthScheme::None.header("k"), None);
    assert_eq!(AuthScheme::SigV4("bedrock".into()).header("k"), None);
    assert_eq!(
        serde_json::from_str::<AuthScheme>(r#"{"header":"api-key"}"#).unwrap(),
        AuthScheme::Header("api-key".into())
    );
}

#[test]
fn an_object_puts_commas_and_lets_others_override() {
    let extra = Json::parse(r#"{"b":2,"z":[1]}"#).unwrap();
    let mut out = Vec::new();
    let mut object = write::ObjectWriter::overridden(&mut out, extra.as_object());
    object.string("a", "x\"\u{1}");
    object.number("b", 1);
    object.raw("c", "true");
    assert!(object.member("z").is_none());
    object.close();
    assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":"x\"\u0001","c":true,"b":2,"z":[1]}"#);
}

#[test]
fn thousandths_are_written_and_read_back() {
    let check = |milli, text: &str| {
        let mut out = Vec::new();
        write::thousandths(&mut out, milli);
        assert_eq!(out, text.as_bytes());
        assert_eq!(lenient::thousandths(text), Some(milli));
    };
    check(0, "0");
    check(700, "0.7");
    check(1000, "1");
    check(1005, "1.005");
    check(u32::MAX, "4294967.295");
    for text in ["", "-1", "1e1", "x", "4294968", "0.x"] {
        assert_eq!(lenient::thousandths(text), None, "{text}");
    }
}

#[test]
fn counts_are_read_in_every_spelling() {
    let check = |text: &str, expect| assert_eq!(lenient::count(text), expect, "{text}");
    check("0", Some(0));
    check("12.0", Some(12));
    check("\"12\"", Some(12));
    check("1e2", Some(100));
    check("18446744073709551616", None);
    check("1e400", None);
    check("-3", None);
    check("-0", Some(0));
    check("true", None);
    check("[1]", None);
}

#[test]
fn text_is_read_whatever_stands_there() {
    let check = |json: &str, expect: lenient::LenientText<'_>| {
        assert_eq!(serde_json::from_str::<lenient::LenientText<'_>>(json).unwrap(), expect, "{json}");
    };
    check("\"a\"", lenient::LenientText::Text("a".into()));
    check(r#""\n""#, lenient::LenientText::Text("\n".into()));
    for json in ["null", "1", "-1", "1.5", "true", "{\"a\":[1]}"] {
        check(json, lenient::LenientText::Nothing);
    }
    check("[]", lenient::LenientText::Parts(Vec::new()));
    let deep = "[".repeat(200);
    assert!(serde_json::from_str::<lenient::LenientText<'_>>(&deep).is_err());
}

struct Store;

impl MediaSource for Store {
    fn base64(&self, reference: &str) -> Option<std::borrow::Cow<'_, str>> {
        (reference == "here").then(|| "aGk=".into())
    }
}

#[test]
fn files_are_found_described_and_decoded() {
    let stored = |reference: &str| Media {
        media_type: "text/plain".into(),
        source: Source::Reference(reference.into()),
        name: Some("a.txt".into()),
    };
    assert_eq!(media::resolve(&stored("here"), &Store), media::MediaLocation::Base64("aGk=".into()));
    assert_eq!(media::resolve(&stored("gone"), &Store), media::MediaLocation::Missing);
    assert_eq!(media::describe(&stored("gone")), "[the file \"a.txt\" (text/plain) is not shown]");
    let check =
        |data: &str, expect: Option<&str>| assert_eq!(media::as_text("text/plain", data).as_deref(), expect);
    check("aGk=", Some("hi"));
    check("aGk", Some("hi"));
    check("aG\nk=", Some("hi"));
    check("w7w_", Some("ü?"));
    check("//79", None);
    check("a*b", None);
    let inline = media::from_url("data:image/png;base64,aWs=", "image/*", None);
    assert_eq!((inline.media_type.as_str(), inline.source), ("image/png", Source::Base64("aWs=".into())));
}

#[test]
fn pieces_never_cut_a_character() {
    let pieces: Vec<&str> = server::pieces("aé漢🙂b", 1).collect();
    assert_eq!(pieces.concat(), "aé漢🙂b");
    assert!(pieces.iter().all(|chunk| chunk.len() <= 4));
    assert_eq!(server::pieces("", 5).count(), 0);
}
