use super::{End, FromWorker, MAX_FRAME, Tally, ToWorker, frame, length, parse};

#[test]
fn a_frame_is_read_as_it_was_written() {
    let message = FromWorker::Ended { id: 3, end: End::Full, tally: Tally { input: 9, ..Tally::default() } };
    let bytes = frame(&message).unwrap();
    let (head, body) = bytes.split_first_chunk::<4>().unwrap();
    assert_eq!(length(*head), Some(body.len()));
    assert_eq!(parse::<FromWorker>(body), Some(message));
}

#[test]
fn a_length_beyond_the_bound_is_none() {
    let over = u32::try_from(MAX_FRAME).unwrap() + 1;
    assert_eq!(length(over.to_le_bytes()), None);
    assert_eq!(length(u32::MAX.to_le_bytes()), None);
    let long = FromWorker::Text { id: 0, text: "x".repeat(MAX_FRAME) };
    assert_eq!(frame(&long), None);
}

#[test]
fn what_is_no_message_is_none() {
    assert_eq!(parse::<ToWorker>(b"{}"), None);
    assert_eq!(parse::<ToWorker>(b"\xff"), None);
    assert_eq!(parse::<ToWorker>(br#"{"cancel":{"id":"7"}}"#), None);
    assert_eq!(parse::<ToWorker>(br#"{"cancel":{"id":7}}"#), Some(ToWorker::Cancel { id: 7 }));
}
