use super::*;

#[test]
fn parts_are_joined_in_their_order() {
    let parts = ["first".to_owned(), "second".to_owned()];
    assert_eq!(gather(&parts).unwrap(), "first\n\nsecond");
}

#[test]
fn what_is_no_prompt_is_refused_with_a_reason() {
    let check = |bytes: &[u8], expect: &str| {
        let error = read(bytes).and_then(checked).unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
        assert_eq!(error.exit, Exit::Usage);
    };
    check(b"", "empty");
    check(b" \n\t", "empty");
    check(b"\xff\xfe", "cannot be read");
    let long = vec![b'a'; usize::try_from(MOST_BYTES).unwrap() + 1];
    check(&long, "longer than 16 MiB");
}
