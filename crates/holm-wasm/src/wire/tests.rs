use alloc::string::String;
use holm_wire::bedrock::AwsCredentials;

use super::*;
use crate::{BindingErrorKind, WasmSession};

/// A run whose first model call waits.
fn waiting() -> WasmSession {
    let (mut run, _) =
        WasmSession::start("run-1", 7, r#"{"models":[{"name":"double/hello"}],"system":"Be kind."}"#, 0)
            .unwrap();
    run.handle(1, r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#).unwrap();
    while !run.poll().starts_with(r#"{"wait""#) {}
    run
}

#[test]
fn every_format_encodes_a_waiting_call_with_its_key_in_place() {
    let run = waiting();
    let check = |format: &str, path: &str, header: &str| {
        let sent = CodecHandle::new(format, "{}", "{}").unwrap().request(&run, 0).unwrap();
        assert_eq!(sent.method(), "POST");
        assert!(sent.url("http://host").ends_with(path), "{}", sent.url("http://host"));
        assert!(sent.headers("k").contains(header), "{}", sent.headers("k"));
        assert!(!sent.headers("").contains(header) || header.contains("content-type"));
        let body = String::from_utf8(sent.body().to_vec()).unwrap();
        assert!(body.contains("hi") && body.contains("Be kind."), "{body}");
        assert_eq!(sent.into_body(), body.into_bytes());
    };
    check("openai_chat", "/chat/completions", r#"["authorization","Bearer k"]"#);
    check("openai_responses", "/responses", r#"["authorization","Bearer k"]"#);
    check("anthropic", "/messages", r#"["x-api-key","k"]"#);
    check("ollama", "/api/chat", r#"["content-type","application/json"]"#);
}

#[test]
fn bedrock_is_signed_and_not_sent_a_key() {
    let sent = CodecHandle::new("bedrock", "{}", "{}").unwrap().request(&waiting(), 0).unwrap();
    assert_eq!(sent.signed_service().as_deref(), Some("bedrock"));
    let keys = AwsCredentials { access: "AKID".into(), secret: "s".into(), session: None };
    let headers =
        sent.sign("https://bedrock-runtime.us-east-1.amazonaws.com", "us-east-1", &keys, 1_440_938_160_000);
    assert!(
        headers.contains("AWS4-HMAC-SHA256 Credential=AKID/20150830/us-east-1/bedrock/aws4_request"),
        "{headers}"
    );
}

#[test]
fn a_codec_that_served_one_run_starts_afresh_for_another() {
    let mut codec = CodecHandle::new("openai_chat", "{}", "{}").unwrap();
    let first = codec.request(&waiting(), 0).unwrap().into_body();
    let (mut other, _) =
        WasmSession::start("run-2", 7, r#"{"models":[{"name":"double/hello"}]}"#, 0).unwrap();
    other.handle(1, r#"{"prompted":{"blocks":[{"text":"ho"}]}}"#).unwrap();
    while !other.poll().starts_with(r#"{"wait""#) {}
    let second = String::from_utf8(codec.request(&other, 0).unwrap().into_body()).unwrap();
    assert!(second.contains("ho") && !second.contains("hi\""), "{second}");
    assert_ne!(first, second.into_bytes());
}

#[test]
fn a_stream_cut_anywhere_gives_the_same_pieces_and_result() {
    let bytes = "data: {\"choices\":[{\"delta\":{\"content\":\"Hé\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"llo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".as_bytes();
    let codec = CodecHandle::new("openai_chat", "{}", "{}").unwrap();
    for cut in 0..=bytes.len() {
        let mut decoder = codec.decoder();
        let (head, tail) = bytes.split_at(cut);
        let pieces = decoder.feed(head).unwrap() + &decoder.feed(tail).unwrap();
        assert_eq!(
            pieces.replace("][", ",").replace("[,", "[").replace(",]", "]"),
            r#"[{"text":{"offset":0,"text":"Hé"}},{"text":{"offset":3,"text":"llo"}}]"#
        );
        assert!(decoder.ended());
        assert!(decoder.finish().unwrap().starts_with(r#"{"replied":{"blocks":[{"text":"Héllo"}]"#));
        assert_eq!(decoder.finish().unwrap_err().kind, BindingErrorKind::Finished);
        assert_eq!(decoder.feed(b"").unwrap_err().kind, BindingErrorKind::Finished);
    }
}

#[test]
fn what_ends_too_early_is_a_classified_failure_or_an_aborted_reply() {
    let codec = CodecHandle::new("anthropic", "{}", "{}").unwrap();
    assert!(codec.decoder().finish().unwrap().contains(r#""class":"truncated""#));
    assert!(codec.decoder().abort().unwrap().starts_with(r#"{"aborted":"#));
    let limited = http_failure(429, r#"[["retry-after","2"]]"#, b"{}", 0).unwrap();
    assert!(
        limited.contains(r#""class":"rate_limited""#) && limited.contains(r#""retry_after_ms":2000"#),
        "{limited}"
    );
    assert!(failure("network", "no route").unwrap().contains(r#""class":"network""#));
    assert_eq!(failure("weather", "rain").unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(http_failure(500, "{", b"", 0).unwrap_err().kind, BindingErrorKind::BadJson);
}

#[test]
fn an_unknown_format_or_dialect_is_said_so() {
    assert_eq!(CodecHandle::new("telegraph", "{}", "{}").unwrap_err().kind, BindingErrorKind::UnknownFormat);
    assert_eq!(
        CodecHandle::new("openai_chat", r#"{"auth":"trust me"}"#, "{}").unwrap_err().kind,
        BindingErrorKind::BadJson
    );
    let mut codec = CodecHandle::new("openai_chat", "{}", "{}").unwrap();
    assert_eq!(codec.request(&waiting(), 5).unwrap_err().kind, BindingErrorKind::UnknownCall);
}
