use http::{HeaderMap, HeaderValue};

use super::at;
use crate::jobs::{HookKey, WebhookHeaders, WebhookSignatureError};

const BODY: &[u8] = br#"{"happened":true}"#;

fn headers(id: &str, at_s: u64, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in
        [("webhook-id", id), ("webhook-timestamp", &at_s.to_string()), ("webhook-signature", signature)]
    {
        headers.insert(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

#[test]
fn signatures_are_those_that_other_programs_make() {
    let key = HookKey::read("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
    assert_eq!(key.reveal(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    // Made by Python's `hmac` over `msg_1.1700000000.{}`.
    assert_eq!(key.sign("msg_1", 1_700_000_000, b"{}"), "v1,fhksJF5ElKjlPoT/jtefCO5XjQPvhf7Dhf/8R1ad9yU=");
}

#[test]
fn a_signed_message_is_believed_for_a_while() {
    let key = HookKey::new().unwrap();
    let sent = at("2026-01-01T00:00:00Z");
    let at_s = sent.value() / 1_000;
    let signed = WebhookHeaders::of(&headers("msg_1", at_s, &key.sign("msg_1", at_s, BODY))).unwrap();
    let check = |minutes: i64, expect| {
        let now = holm_kernel::Timestamp::new(sent.value().saturating_add_signed(minutes * 60_000));
        assert_eq!(key.check(&signed, BODY, now), expect, "{minutes}");
    };
    for (minutes, expect) in [
        (0, Ok(())),
        (5, Ok(())),
        (-5, Ok(())),
        (6, Err(WebhookSignatureError::Stale)),
        (-6, Err(WebhookSignatureError::Stale)),
    ] {
        check(minutes, expect);
    }
}

#[test]
fn whatever_was_changed_is_not_believed() {
    let (key, other) = (HookKey::new().unwrap(), HookKey::new().unwrap());
    let now = at("2026-01-01T00:00:00Z");
    let at_s = now.value() / 1_000;
    let right = key.sign("msg_1", at_s, BODY);
    let check = |id: &str, at_s: u64, signature: &str, body: &[u8]| {
        WebhookHeaders::of(&headers(id, at_s, signature)).and_then(|signed| key.check(&signed, body, now))
    };
    assert_eq!(check("msg_1", at_s, &right, BODY), Ok(()));
    assert_eq!(check("msg_2", at_s, &right, BODY), Err(WebhookSignatureError::Unknown));
    assert_eq!(check("msg_1", at_s + 1, &right, BODY), Err(WebhookSignatureError::Unknown));
    assert_eq!(check("msg_1", at_s, &right, b"{}"), Err(WebhookSignatureError::Unknown));
    assert_eq!(
        check("msg_1", at_s, &other.sign("msg_1", at_s, BODY), BODY),
        Err(WebhookSignatureError::Unknown)
    );
    assert_eq!(check("msg_1", at_s, &right[..right.len() - 8], BODY), Err(WebhookSignatureError::Unknown));
    // A sender that changes its key sends two signatures.
    let both = format!("{} v2,AAAA {right}", other.sign("msg_1", at_s, BODY));
    assert_eq!(check("msg_1", at_s, &both, BODY), Ok(()));
    // What is said about the time cannot be shifted into the name.
    assert_eq!(check(&format!("msg_1.{at_s}"), at_s, &right, BODY), Err(WebhookSignatureError::Unsigned));
}

#[test]
fn what_is_not_signed_once_is_not_signed() {
    let full = headers("msg_1", 1, "v1,AAAA");
    assert!(WebhookHeaders::of(&full).is_ok());
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut without = full.clone();
        without.remove(name);
        assert_eq!(WebhookHeaders::of(&without), Err(WebhookSignatureError::Unsigned), "{name}");
        let mut twice = full.clone();
        twice.append(name, HeaderValue::from_static("v1,BBBB"));
        assert_eq!(WebhookHeaders::of(&twice), Err(WebhookSignatureError::Unsigned), "{name}");
    }
    for signature in ["", "AAAA", "v1", "v2,AAAA", "v1,?", "v1a,AAAA"] {
        assert_eq!(
            WebhookHeaders::of(&headers("msg_1", 1, signature)),
            Err(WebhookSignatureError::Unsigned),
            "{signature}"
        );
    }
}

fn from_github(signature: &str) -> Result<WebhookHeaders, WebhookSignatureError> {
    let mut headers = HeaderMap::new();
    headers.insert("x-hub-signature-256", HeaderValue::from_str(signature).unwrap());
    WebhookHeaders::of(&headers)
}

#[test]
fn a_message_of_github_is_believed_and_its_signature_is_its_id() {
    let key = HookKey::read("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
    let now = at("2026-01-01T00:00:00Z");
    // Made by Python's `hmac` over `{}`, with the text of the key.
    let digest = "985a3c96a281605f1d3b4c1137aa5b322d0d56867f0b183245815130d7964c97";
    let signed = from_github(&format!("sha256={digest}")).unwrap();
    assert_eq!(signed.id, format!("github-{digest}"));
    assert_eq!(key.check(&signed, b"{}", now), Ok(()));
    assert_eq!(key.check(&signed, b"{ }", now), Err(WebhookSignatureError::Unknown));
    assert_eq!(HookKey::new().unwrap().check(&signed, b"{}", now), Err(WebhookSignatureError::Unknown));
    // Another spelling is the same message.
    assert_eq!(from_github(&format!("sha256={}", digest.to_uppercase())).unwrap(), signed);
    for wrong in ["", digest, &format!("sha1={digest}"), &format!("sha256={}", &digest[2..]), "sha256=zz"] {
        assert_eq!(from_github(wrong), Err(WebhookSignatureError::Unsigned), "{wrong}");
    }
}

#[test]
fn a_key_is_shown_to_nobody_who_did_not_ask() {
    let key = HookKey::new().unwrap();
    let revealed = key.reveal();
    assert!(!format!("{key:?}").contains(revealed.trim_start_matches("whsec_")));
    assert!(HookKey::read("whsec_c2hvcnQ=").is_none() && HookKey::read("secret").is_none());
}
