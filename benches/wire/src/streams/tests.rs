use super::Stream;

#[test]
fn a_chat_event_has_its_usual_length() {
    for stream in [Stream::ChatRepeating, Stream::ChatIds, Stream::ChatChanging] {
        let pieces = stream.pieces();
        let mean = pieces.iter().map(bytes::Bytes::len).sum::<usize>() / pieces.len();
        assert!(mean.abs_diff(326) <= 6, "{mean}");
    }
}

#[test]
fn every_event_is_json() {
    for stream in Stream::ALL {
        for piece in stream.pieces() {
            let text = core::str::from_utf8(&piece).expect("text");
            let data = text.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event with data");
            assert!(data == "[DONE]" || serde_json::from_str::<serde_json::Value>(data).is_ok(), "{data}");
        }
    }
}

#[test]
fn repeating_events_differ_in_their_text_alone_and_varied_ones_in_more() {
    let rest = |piece: &[u8]| {
        let text = String::from_utf8_lossy(piece).into_owned();
        let (before, after) = text.split_once("\"content\":\"").expect("a text");
        let (_, after) = after.split_once("\"},").expect("its end");
        format!("{before}{after}")
    };
    let repeating = Stream::ChatRepeating.pieces();
    assert!(repeating[..24].windows(2).all(|pair| rest(&pair[0]) == rest(&pair[1])));
    let changing = Stream::ChatChanging.pieces();
    assert!(changing[..24].windows(2).all(|pair| rest(&pair[0]) != rest(&pair[1])));
    let varied = Stream::ChatVaried.pieces();
    assert!(varied[500..524].windows(2).all(|pair| rest(&pair[0]) != rest(&pair[1])));
}
