use super::*;

const KEY: &str = "sk-Test/Key+0123456789ABCDEF=";

fn scrubber() -> Scrubber {
    Scrubber::new([("provider", &KEY.into())])
}

#[test]
fn a_secret_is_found_in_every_form_that_traffic_gives_it() {
    let mut url = String::new();
    holm_wire::escape(KEY, &mut url);
    let forms = [
        KEY.to_owned(),
        url.clone(),
        STANDARD.encode(KEY),
        URL_SAFE.encode(KEY),
        STANDARD.encode(format!("user:{KEY}")),
        STANDARD.encode(format!("a:{KEY}")),
        STANDARD.encode(format!("ab:{KEY}, and more")),
        serde_json::to_string(KEY).unwrap(),
    ];
    for form in forms {
        let text = format!("before {form} after");
        let clean = scrubber().text(&text);
        assert!(clean.contains("‹secret:provider›"), "{text} -> {clean}");
        assert!(!clean.contains("0123456789"), "{clean}");
        assert_eq!(scrubber().bytes(text.as_bytes()), clean.as_bytes());
    }
}

#[test]
fn what_is_no_secret_stays_to_the_letter() {
    for text in ["", "hello", "sk-Test/Key+", "0123456789", "sk-test/key+0123456789abcdef="] {
        assert_eq!(scrubber().text(text), text);
        assert!(!scrubber().finds(text));
    }
}

#[test]
fn secrets_are_found_among_bytes_that_are_no_text() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend_from_slice(KEY.as_bytes());
    bytes.push(0x80);
    let clean = scrubber().bytes(&bytes);
    assert!(clean.starts_with(&[0xff, 0xfe]) && clean.ends_with(&[0x80]));
    assert!(!String::from_utf8_lossy(&clean).contains("0123"));
}

#[test]
fn a_secret_of_a_few_letters_does_not_spoil_every_text() {
    let scrubber = Scrubber::new([("short", &"abc".into())]);
    assert_eq!(scrubber.text("abcabc"), "abcabc");
}

#[test]
fn a_key_that_begins_like_another_leaves_nothing_of_the_longer_one() {
    let (short, long) = ("k-12345678".into(), "k-12345678-90".into());
    let scrubber = Scrubber::new([("short", &short), ("long", &long)]);
    assert_eq!(scrubber.text("k-12345678-90"), "‹secret:long›");
}
