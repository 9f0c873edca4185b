use std::{format, string::String};

use FailureClass::{
    Auth, BadRequest, ContentFilter, ContextOverflow, Network, Overloaded, Quota, RateLimited, Server,
};
use holm_kernel::FailureClass;
use proptest::prelude::*;

use super::{
    HttpFailure, MAX_RETRY_AFTER_MS, duration_ms, http, http_date_ms, in_stream, retry_after_ms, rfc3339_ms,
};

/// Stands for 2025-10-21 07:28:00 UTC.
const NOW: u64 = 1_761_031_680_000;

fn class(status: u16, body: &str) -> FailureClass {
    http(&HttpFailure { status, headers: &[], body: body.as_bytes(), now_ms: Some(NOW) }).class
}

#[test]
fn every_status_has_a_class_without_a_word() {
    let check = |status, expect| assert_eq!(class(status, ""), expect, "{status}");
    check(400, BadRequest);
    check(401, Auth);
    check(402, Quota);
    check(403, Auth);
    check(404, BadRequest);
    check(408, Server);
    check(409, Server);
    check(413, ContextOverflow);
    check(422, BadRequest);
    check(429, RateLimited);
    check(500, Server);
    check(502, Server);
    check(503, Overloaded);
    check(504, Server);
    check(529, Overloaded);
    check(302, Server);
}

#[test]
fn context_overflow_is_known_in_every_spelling() {
    let check = |status, message: &str| {
        let body = format!(r#"{{"error":{{"message":{message:?},"type":"invalid_request_error"}}}}"#);
        assert_eq!(class(status, &body), ContextOverflow, "{message}");
    };
    check(
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
    );
    check(400, "prompt is too long: 212345 tokens > 200000 maximum");
    check(400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000");
    check(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).");
    check(400, "Input is too long for requested model.");
    check(400, "too many tokens: total number of tokens in the request cannot exceed 4081");
    check(400, "the request exceeds the available context size, try increasing it");
    check(
        400,
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    );
    check(422, "This model's maximum prompt length is 131072 but the request contains 200000 tokens.");
    check(400, "invalid params, context window exceeds limit");
    check(400, "Your request exceeded model token limit: 8192");
    check(500, "the request exceeds the available context size");
    assert_eq!(class(400, r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#), ContextOverflow);
    assert_eq!(class(429, r#"{"error":{"message":"too many tokens per minute"}}"#), RateLimited);
}

#[test]
fn bodies_of_every_shape_are_understood() {
    let check = |status, body: &str, expect| assert_eq!(class(status, body), expect, "{body}");
    check(
        429,
        r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        Quota,
    );
    check(
        429,
        r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}"#,
        RateLimited,
    );
    check(
        400,
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
        Auth,
    );
    check(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
        Quota,
    );
    check(
        400,
        r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        ContentFilter,
    );
    check(
        404,
        r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
        BadRequest,
    );
    check(400, r#"{"message":"invalid request: message must be at least 1 token long"}"#, BadRequest);
    check(400, r#"{"__type":"ThrottlingException","message":"Too many requests, please wait"}"#, RateLimited);
    check(500, r#"{"error":"model runner has unexpectedly stopped"}"#, Server);
    check(
        400,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens","code":40303}"#,
        ContextOverflow,
    );
    check(422, r#"{"detail":[{"msg":"field required","loc":["body","model"]}]}"#, BadRequest);
    check(
        500,
        r#"{"error":{"message":"The engine is currently overloaded, please try again later"}}"#,
        Overloaded,
    );
    check(502, "<html><body>Bad Gateway</body></html>", Server);
    check(400, "plain words", BadRequest);
    check(
        403,
        r#"{"error":{"message":"Your input was flagged as potentially violating our usage policy (moderation)"}}"#,
        ContentFilter,
    );
}

#[test]
fn an_error_in_a_stream_needs_no_status() {
    let check = |body: &str, expect| assert_eq!(in_stream(body.as_bytes()).class, expect, "{body}");
    check(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded);
    check(r#"{"error":{"type":"server_error","message":"x"}}"#, Server);
    check(r#"{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}"#, Overloaded);
    check("<html>", Server);
    check("", Server);
    assert_eq!(super::web_page(b" <html>").map(|failure| failure.class), Some(Network));
}

#[test]
fn waiting_times_are_read_in_every_spelling() {
    let check = |headers: &[(&str, &str)], expect: Option<u64>| {
        assert_eq!(retry_after_ms(headers, Some(NOW)), expect, "{headers:?}");
    };
    check(&[], None);
    check(&[("retry-after", "3")], Some(3_000));
    check(&[("Retry-After", " 0.25 ")], Some(250));
    check(&[("RETRY-AFTER", "Tue, 21 Oct 2025 07:28:05 GMT")], Some(5_000));
    check(&[("retry-after", "Tue, 21 Oct 2025 07:27:00 GMT")], Some(0));
    check(&[("retry-after", "-5")], Some(0));
    check(&[("retry-after", "1000000000")], Some(0));
    check(&[("retry-after", "999999999")], Some(MAX_RETRY_AFTER_MS));
    check(&[("retry-after", "99999999999999999999999999")], Some(MAX_RETRY_AFTER_MS));
    check(&[("retry-after", "soon")], None);
    check(&[("retry-after-ms", "120.5"), ("retry-after", "9")], Some(121));
    check(&[("x-ratelimit-reset-requests", "1m1s")], Some(61_000));
    check(&[("x-ratelimit-reset-tokens", "120ms")], Some(120));
    check(&[("x-ratelimit-reset-tokens", "26.001s")], Some(26_001));
    check(&[("x-ratelimit-reset-requests", "8.64s"), ("x-ratelimit-reset-tokens", "6m0s")], Some(8_640));
    check(
        &[
            ("x-ratelimit-remaining-requests", "12"),
            ("x-ratelimit-reset-requests", "8.64s"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ],
        Some(360_000),
    );
    check(&[("anthropic-ratelimit-requests-reset", "2025-10-21T07:28:30Z")], Some(30_000));
    check(&[("X-RateLimit-Reset", "1761031690000")], Some(10_000));
    check(&[("x-ratelimit-reset", "1761031690")], Some(10_000));
    check(&[("ratelimit-reset", "7")], Some(7_000));
    assert_eq!(retry_after_ms(&[("retry-after", "Tue, 21 Oct 2025 07:28:05 GMT")], None), None);
}

#[test]
fn waiting_times_in_bodies_count_too() {
    let wait = |body: &str| {
        http(&HttpFailure { status: 429, headers: &[], body: body.as_bytes(), now_ms: None }).retry_after_ms
    };
    assert_eq!(
        wait(r#"{"error":{"message":"Rate limit reached. Please try again in 1.242s. Visit x"}}"#),
        Some(1_242)
    );
    assert_eq!(wait(r#"{"error":{"message":"Please try again in 6m0s."}}"#), Some(360_000));
    assert_eq!(wait(r#"{"error":{"message":"Please retry after 32 seconds."}}"#), Some(32_000));
    assert_eq!(wait(r#"{"error":{"message":"retry in 500 milliseconds"}}"#), Some(500));
    assert_eq!(wait(r#"{"error":{"details":[{"retryDelay":"34.07s"}]}}"#), Some(34_070));
    assert_eq!(wait(r#"{"error":{"message":"try again in a while"}}"#), None);
    let auth = HttpFailure { status: 401, headers: &[("retry-after", "3")], body: b"", now_ms: None };
    assert_eq!(http(&auth).retry_after_ms, None, "waiting does not help here");
}

#[test]
fn messages_are_bounded_and_hold_no_key() {
    let message = |body: &str| {
        http(&HttpFailure { status: 401, headers: &[], body: body.as_bytes(), now_ms: None }).message
    };
    let shown = message(
        r#"{"error":{"message":"Incorrect API key provided: sk-proj-abcdef0123456789. You can find"}}"#,
    );
    assert_eq!(shown, "status 401: Incorrect API key provided: ‹key›. You can find");
    assert!(!message("key=\"sk-abcdefghijklmnop\" no").contains("abcdef"));
    assert_eq!(message("a\u{1b}[31m\r\n  b\0"), "status 401: a[31m b");
    let long: String = "word ".repeat(10_000);
    assert!(message(&long).chars().count() <= 501);
    assert!(message(&"x".repeat(10_000)).chars().count() <= 501);
}

#[test]
fn dates_are_read_and_nonsense_is_not() {
    assert_eq!(http_date_ms("Tue, 21 Oct 2025 07:28:00 GMT"), Some(NOW));
    assert_eq!(rfc3339_ms("2025-10-21T07:28:00Z"), Some(NOW));
    assert_eq!(rfc3339_ms("2024-02-29T00:00:00+00:00"), Some(1_709_164_800_000));
    for text in ["", "x", "Tue, 99 Oct 2025 07:28:00 GMT", "Tue, 21 Oct 2025 27:28:00 GMT", "1 2 3", "21 Oct"]
    {
        assert_eq!(http_date_ms(text), None, "{text}");
    }
    for text in ["", "2025", "2025-13-01T00:00:00Z", "2025-10-21T07:28", "99999999999-1-1T0:0:0Z"] {
        assert_eq!(rfc3339_ms(text), None, "{text}");
    }
}

#[test]
fn spans_are_read_and_nonsense_is_not() {
    let check = |text, expect| assert_eq!(duration_ms(text), expect, "{text}");
    check("2h", Some(7_200_000));
    check("1d", Some(86_400_000));
    check("1h2m3.5s", Some(3_723_500));
    check("250us", Some(0));
    check("1.5", Some(1_500));
    check("", None);
    check("s", None);
    check("1x", None);
    check("1..5s", None);
    check("99999999999999999999h", Some(MAX_RETRY_AFTER_MS));
}

proptest! {
    #[test]
    fn nothing_a_server_sends_breaks_the_classifier(
        status in any::<u16>(),
        name in prop::sample::select(std::vec!["retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit-reset"]),
        value in "\\PC{0,20}",
        body in proptest::collection::vec(any::<u8>(), 0..200),
        now in any::<u64>(),
    ) {
        let failure = http(&HttpFailure { status, headers: &[(name, &value)], body: &body, now_ms: Some(now) });
        prop_assert!(failure.message.chars().count() <= super::MAX_MESSAGE + 1);
        prop_assert!(failure.retry_after_ms.unwrap_or(0) <= MAX_RETRY_AFTER_MS);
    }
}
