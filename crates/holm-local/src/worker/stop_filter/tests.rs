use super::{FilterOutput, StopSequenceFilter};

/// Pushes pieces and gives everything that was said, and whether a stop ended it.
fn check(stops: &[&str], pieces: &[&[u8]], expect: (&str, bool)) {
    let mut speech = StopSequenceFilter::new(stops.iter().map(|stop| String::from(*stop)).collect());
    let mut output = String::new();
    for chunk in pieces {
        match speech.push(chunk) {
            FilterOutput::More(text) => output += &text,
            FilterOutput::Last(text) => {
                output += &text;
                return assert_eq!((output.as_str(), true), expect);
            }
        }
    }
    output += &speech.rest();
    assert_eq!((output.as_str(), false), expect);
}

#[test]
fn characters_are_never_torn() {
    let euro = "€".as_bytes();
    let mut speech = StopSequenceFilter::new(Vec::new());
    assert_eq!(speech.push(&euro[..1]), FilterOutput::More(String::new()));
    assert_eq!(speech.push(&euro[1..2]), FilterOutput::More(String::new()));
    assert_eq!(speech.push(&euro[2..]), FilterOutput::More("€".into()));
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    check(&[], &[b"a\xffb"], ("a\u{fffd}b", false));
    check(&[], &[b"a", b"\xe2\x82"], ("a\u{fffd}", false));
}

#[test]
fn a_stop_sequence_ends_the_reply_wherever_it_is_cut() {
    check(&["STOP"], &[b"one ST", b"OP two"], ("one ", true));
    check(&["STOP"], &[b"one S", b"T", b"O", b"P"], ("one ", true));
    check(&["b", "abc"], &[b"xabc"], ("x", true));
}

#[test]
fn what_only_looked_like_a_stop_sequence_is_said() {
    check(&["STOP"], &[b"one ST", b"ART"], ("one START", false));
    check(&["STOP"], &[b"one STO"], ("one STO", false));
    check(&[""], &[b"one"], ("one", false));
}
