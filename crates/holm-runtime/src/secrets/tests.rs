use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use proptest::prelude::*;

use super::*;

mod facts;
mod shapes;

const KEY: &str = "pa/ss+0123456789ABCDEF=&x";

fn secrets() -> SecretRedactor {
    static SECRETS: LazyLock<SecretRedactor> =
        LazyLock::new(|| SecretRedactor::new().salted([7; 32]).know("provider", KEY.into()));
    SECRETS.clone()
}

#[test]
fn a_known_secret_is_found_in_every_form_that_traffic_gives_it() {
    let forms = [
        KEY.to_owned(),
        "pa%2Fss%2B0123456789ABCDEF%3D%26x".into(),
        "pa%2fss%2b0123456789ABCDEF%3d%26x".into(),
        "pa/ss%2B0123456789ABCDEF%3D%26x".into(),
        STANDARD.encode(KEY),
        URL_SAFE.encode(KEY),
        STANDARD.encode(format!("user:{KEY}")),
        STANDARD.encode(format!("a:{KEY}")),
        STANDARD.encode(format!("ab:{KEY}, and more")),
        serde_json::to_string(KEY).unwrap(),
        KEY.replace('/', "\\/"),
        KEY.replace('&', "&amp;"),
        KEY.bytes().map(|byte| format!("{byte:02X}")).collect(),
    ];
    for form in forms {
        let text = format!("before {form} after");
        let clean = secrets().text(&text).into_owned();
        assert!(clean.contains("‹secret:provider›"), "{text} -> {clean}");
        assert!(!clean.contains("0123456789") && !clean.contains("MDEyMzQ1Njc4"), "{clean}");
        assert_eq!(secrets().bytes(text.as_bytes()), clean.as_bytes());
    }
}

#[test]
fn a_secret_with_quotes_is_found_in_json_and_in_json_within_json() {
    let value = r#"we"ird\pass"word-1"#;
    let secrets = SecretRedactor::only_known().know("odd", value.into());
    let once = serde_json::to_string(value).unwrap();
    let twice = serde_json::to_string(&once).unwrap();
    for text in [value, &once, &twice] {
        let clean = secrets.text(text);
        assert!(clean.contains("‹secret:odd›") && !clean.contains("ird"), "{text} -> {clean}");
    }
    let json = serde_json::json!({ "a": value, "b": format!("x {once} y") }).to_string();
    assert!(
        serde_json::from_str::<serde_json::Value>(&secrets.text(&json)).is_ok(),
        "what was JSON stays JSON"
    );
}

#[test]
fn the_lines_of_a_long_secret_are_found_one_by_one() {
    let pem = "-----BEGIN FOO-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\nggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf\n-----END FOO-----";
    let secrets = SecretRedactor::only_known().know("cert", pem.into());
    let numbered = "1: MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n2: ggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf";
    assert_eq!(secrets.text(numbered), "1: ‹secret:cert›\n2: ‹secret:cert›");
    assert_eq!(secrets.text(pem), "‹secret:cert›");
}

#[test]
fn what_is_no_secret_stays_to_the_letter_and_is_not_copied() {
    for text in ["", "hello", "pa/ss+", "0123456789", "‹secret:provider›", "‹", "a ‹secret:› b"] {
        assert!(matches!(secrets().text(text), Cow::Borrowed(same) if same == text));
        assert!(!secrets().finds(text));
    }
}

#[test]
fn secrets_are_found_among_bytes_that_are_no_text() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend_from_slice(KEY.as_bytes());
    bytes.push(0x80);
    let secrets = secrets();
    let clean = secrets.bytes(&bytes);
    assert!(clean.starts_with(&[0xff, 0xfe]) && clean.ends_with(&[0x80]));
    assert!(!String::from_utf8_lossy(&clean).contains("0123"));
}

#[test]
fn a_secret_of_a_few_letters_does_not_spoil_every_text() {
    assert_eq!(SecretRedactor::new().know("short", "abc".into()).text("abcabc"), "abcabc");
}

#[test]
fn a_key_that_begins_like_another_leaves_nothing_of_the_longer_one() {
    let secrets =
        SecretRedactor::new().know("short", "k-12345678".into()).know("long", "k-12345678-90".into());
    assert_eq!(secrets.text("k-12345678-90"), "‹secret:long›");
    assert_eq!(secrets.text("k-12345678 k-12345678-90"), "‹secret:short› ‹secret:long›");
}

#[test]
fn secrets_that_overlap_leave_nothing_of_either() {
    let secrets =
        SecretRedactor::new().know("a", "11111111-22222222".into()).know("b", "22222222-33333333".into());
    let clean = secrets.text("<11111111-22222222-33333333>").into_owned();
    assert!(clean == "<‹secret:a›>" || clean == "<‹secret:b›>", "{clean}");
}

#[test]
fn the_same_key_has_the_same_reference_under_one_salt_and_another_under_another() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let shown = |salt| SecretRedactor::new().salted([salt; 32]).text(key).into_owned();
    assert_eq!(shown(1), shown(1));
    assert_ne!(shown(1), shown(2));
    assert_ne!(
        SecretRedactor::new().text(key),
        SecretRedactor::new().text(key),
        "without a salt, one of its own"
    );
    assert_eq!(SecretRedactor::new().nameless().text(key), "‹secret:github›");
}

#[test]
fn nothing_of_a_secret_is_printed() {
    let printed = format!("{:?}", secrets());
    assert!(!printed.contains("0123") && printed.contains("known: 1"), "{printed}");
}

#[test]
fn only_what_is_known_is_found_when_shapes_are_not_wanted() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let known = SecretRedactor::only_known().know("provider", KEY.into());
    assert_eq!(known.text(key), key);
    assert_ne!(known.with_shapes().text(key), key);
}

#[test]
fn a_secret_is_put_back_only_for_a_need_that_names_it() {
    let secrets = secrets().know("other", "other-secret".into());
    let arguments = r#"{"a":"‹secret:provider›","b":"x‹secret:other›y","c":"‹secret:gone›","d":"‹secret:"}"#;
    let need = |text: &str| holm_grants::CallNeed::Request(text.parse().unwrap());
    let grant = |text: &str| holm_grants::CallNeed::Grant(text.parse().unwrap());
    assert_eq!(secrets.reveal(arguments, &[]), arguments);
    assert_eq!(secrets.reveal(arguments, &[need("read:src"), grant("env:HOME")]), arguments);
    let revealed = secrets.reveal(arguments, &[need("secret:provider@api.example.com")]);
    assert_eq!(revealed, arguments.replace("‹secret:provider›", KEY));
    let revealed = secrets.reveal(arguments, &[grant("secret:other@*.example.com")]);
    assert_eq!(revealed, arguments.replace("‹secret:other›", "other-secret"));
}

#[test]
fn what_is_put_back_keeps_the_arguments_json() {
    let secrets = SecretRedactor::new().know("odd", "quote\" and \\ and \n".into());
    let need = holm_grants::CallNeed::Request("secret:odd@example.com".parse().unwrap());
    let revealed = secrets.reveal(r#"{"key":"‹secret:odd›"}"#, &[need]).into_owned();
    let value: serde_json::Value = serde_json::from_str(&revealed).unwrap();
    assert_eq!(value["key"], "quote\" and \\ and \n");
}

#[test]
fn a_hostile_text_of_nothing_but_beginnings_takes_linear_time() {
    let beginnings = [
        "sk-",
        "eyJ",
        "token=",
        "-----BEGIN PRIVATE KEY-----!",
        "://a:",
        "-----BEGIN X",
        "password=\"a",
        "bearer ",
        "authorization: ",
        "AKIA",
        "xoxe",
        "secret: secret ",
        "-----BEGIN PRIVATE KEY----- -----END X",
    ];
    for beginning in beginnings {
        let text = beginning.repeat(2_000_000 / beginning.len());
        let began = std::time::Instant::now();
        let _ = secrets().text(&text);
        // Read once it takes well under a second even here; read again from every beginning, hours.
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{beginning}");
    }
}

#[test]
fn a_token_that_stands_directly_behind_a_known_secret_is_found_too() {
    let secrets = secrets();
    let once = secrets.text("pa/ss+0123456789ABCDEF=&xBearer 0aAaaaaAA0AA01bB").into_owned();
    assert!(!once.contains("0aAaaaaAA0AA01bB") && !secrets.finds(&once), "{once}");
    let bytes = secrets.bytes(b"pa/ss+0123456789ABCDEF=&xBearer 0aAaaaaAA0AA01bB").into_owned();
    assert_eq!(String::from_utf8(bytes).unwrap(), once);
}

proptest! {
    #[test]
    fn cleaning_twice_is_cleaning_once(text in text()) {
        let secrets = secrets();
        let once = secrets.text(&text).into_owned();
        prop_assert_eq!(secrets.text(&once), once.as_str());
        prop_assert!(!secrets.finds(&once));
    }

    #[test]
    fn json_stays_json_and_a_known_secret_never_stays(text in text(), before in ".{0,9}", after in ".{0,9}") {
        let json = serde_json::json!({ "a": format!("{before}{KEY}{after}"), "b": [text] }).to_string();
        let clean = secrets().text(&json).into_owned();
        prop_assert!(!clean.contains("0123456789ABCDEF"), "{}", clean);
        let read = serde_json::from_str::<serde_json::Value>(&clean);
        prop_assert!(read.is_ok(), "{} -> {}", json, clean);
    }

    #[test]
    fn a_known_secret_is_found_in_base64_wherever_it_begins(before in ".{0,40}", after in ".{0,40}") {
        let text = STANDARD.encode(format!("{before}{KEY}{after}"));
        prop_assert!(secrets().text(&text).contains("‹secret:provider›"));
    }
}

/// Texts made of pieces that matter to the search.
fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("sk-".to_owned()),
        Just("token".into()),
        Just(" = ".into()),
        Just("\"".into()),
        Just("password".into()),
        Just("://".into()),
        Just("user:".into()),
        Just("@host".into()),
        Just("‹secret:".into()),
        Just("›".into()),
        Just("-----BEGIN RSA PRIVATE KEY-----".into()),
        Just("-----END RSA PRIVATE KEY-----".into()),
        Just("eyJhbGciOi".into()),
        Just("Bearer ".into()),
        Just("\\".into()),
        Just("\n".into()),
        Just("%20".into()),
        Just(KEY.into()),
        "[a-zA-Z0-9]{1,20}",
        ".{0,4}",
    ];
    prop::collection::vec(fragment, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_pattern_is_found_wherever_it_stands(
        patterns in prop::collection::vec("[a-c_]{3,5}", 1..6),
        text in "[a-cA-C_]{0,90}",
    ) {
        let mut found = Vec::new();
        trigram_index::TrigramIndex::new(patterns.clone()).each(text.as_bytes(), |pattern, range| found.push((range.start, pattern)));
        found.sort_unstable();
        let lower = text.to_ascii_lowercase();
        let expected: Vec<(usize, usize)> = (0..text.len())
            .flat_map(|at| (0..patterns.len()).map(move |pattern| (at, pattern)))
            .filter(|(at, pattern)| lower[*at..].starts_with(&patterns[*pattern]))
            .collect();
        prop_assert_eq!(found, expected);
    }
}
