use alloc::{format, string::String, string::ToString, vec, vec::Vec};

use proptest::prelude::*;

use super::{FrameDecoder, FrameError, FrameLimits, ndjson, sse};

type Seen = Vec<(String, String)>;

fn run(decoder: &mut dyn FrameDecoder, pieces: &[&[u8]]) -> Result<Seen, FrameError> {
    let mut seen = Vec::new();
    let mut sink = |frame: super::StreamFrame<'_>| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
        seen.push((text(frame.name), text(frame.data)));
    };
    for chunk in pieces {
        decoder.feed(chunk, &mut sink)?;
    }
    decoder.finish(&mut sink)?;
    Ok(seen)
}

fn check(stream: &str, expect: &[(&str, &str)]) {
    let uncut = run(&mut sse::SseDecoder::default(), &[stream.as_bytes()]).unwrap();
    let expect: Seen = expect.iter().map(|(name, data)| (name.to_string(), data.to_string())).collect();
    assert_eq!(uncut, expect, "{stream:?} in one piece");
    let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(run(&mut sse::SseDecoder::default(), &bytes).unwrap(), expect, "{stream:?} byte by byte");
    for at in 0..=stream.len() {
        let (a, b) = stream.as_bytes().split_at(at);
        assert_eq!(run(&mut sse::SseDecoder::default(), &[a, b]).unwrap(), expect, "{stream:?} cut at {at}");
    }
}

#[test]
fn events_are_read_by_the_rules_of_the_standard() {
    check("data: a\n\n", &[("", "a")]);
    check("data:a\n\ndata:  b\n\n", &[("", "a"), ("", " b")]);
    check("data: a\ndata: b\ndata\ndata:\n\n", &[("", "a\nb\n\n")]);
    check("event: x\ndata: a\n\ndata: b\n\n", &[("x", "a"), ("", "b")]);
    check("data: a\nevent: late\n\n", &[("late", "a")]);
    check(": comment\n\n:\n\ndata: a\n\n", &[("", "a")]);
    check("event: nothing\n\ndata: a\n\n", &[("", "a")]);
    check("data\n\n", &[("", "")]);
    check("data:\n\n", &[("", "")]);
    check("unknown: x\nid: 7\nretry: 9\ndata: a\n\n", &[("", "a")]);
    check("datax: a\n\nda: b\n\n", &[]);
    check("", &[]);
}

#[test]
fn every_line_end_and_a_byte_order_mark_are_understood() {
    check("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]);
    check("data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]);
    check("data: a\r\n\ndata: b\n\r\n", &[("", "a"), ("", "b")]);
    check("data: a\rdata: b\n\r", &[("", "a\nb")]);
    check("\u{feff}data: a\n\n", &[("", "a")]);
    check("\u{feff}\u{feff}data: a\n\n", &[]);
    check("\n\u{feff}data: a\n\n", &[]);
    check("data: \u{feff}é漢🙂\n\n", &[("", "\u{feff}é漢🙂")]);
}

#[test]
fn the_last_event_counts_without_its_blank_line() {
    check("data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]);
    check("data: a\n", &[("", "a")]);
}

#[test]
fn id_and_retry_are_kept_and_bounded() {
    let check = |stream: &str, id: &str, retry: Option<u64>| {
        let mut decoder = sse::SseDecoder::default();
        run(&mut decoder, &[stream.as_bytes()]).unwrap();
        assert_eq!((decoder.last_id(), decoder.retry()), (id.as_bytes(), retry), "{stream:?}");
    };
    check("id: 7\nretry: 1500\n\n", "7", Some(1500));
    check("id: 7\nid\n\n", "", None);
    check("id: a\0b\n\n", "", None);
    check("retry: 0\n\n", "", Some(0));
    check("retry: 1000000000000000000000000\n\n", "", Some(sse::MAX_RETRY_MS));
    check("retry: -1\nretry: 1.5\nretry:\n\n", "", None);
}

#[test]
fn a_line_or_an_event_beyond_its_bound_is_refused() {
    let bounds = FrameLimits { line: 16, frame: 20 };
    let check = |pieces: &[&[u8]], expect: FrameError| {
        assert_eq!(run(&mut sse::SseDecoder::new(bounds), pieces), Err(expect));
    };
    check(&[b"data: 0123456789abcdef\n\n"], FrameError::Line { limit: 16 });
    check(&[b"no end ", b"in sight ", b"ever"], FrameError::Line { limit: 16 });
    check(&[b"data: 0123456789\ndata: 0123456789\ndata: 0"], FrameError::Frame { limit: 20 });
    check(&[b"data: 0123456789\n", b"data: 0123456789\n", b"data: 0\n"], FrameError::Frame { limit: 20 });
    let lines = &[&b"0123456789abcdefg"[..]];
    assert_eq!(run(&mut ndjson::NdjsonDecoder::new(bounds), lines), Err(FrameError::Line { limit: 16 }));
}

#[test]
fn a_name_beyond_its_bound_is_refused_and_such_an_id_passed_over() {
    let (fits, long) = ("n".repeat(sse::MAX_NAME), "n".repeat(sse::MAX_NAME + 1));
    let in_every_way = |stream: &str| {
        let uncut = run(&mut sse::SseDecoder::default(), &[stream.as_bytes()]);
        for size in [1, 1_000, 4_099] {
            let pieces: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
            assert_eq!(run(&mut sse::SseDecoder::default(), &pieces), uncut, "in pieces of {size}");
        }
        uncut
    };
    let refused = Err(FrameError::Line { limit: sse::MAX_NAME });
    for field in ["event: ", "event:"] {
        let named = in_every_way(&format!("{field}{fits}\ndata: a\n\n"));
        assert_eq!(named, Ok(vec![(fits.clone(), "a".to_string())]), "{field}");
        assert_eq!(in_every_way(&format!("{field}{long}\ndata: a\n\n")), refused, "{field}");
        assert_eq!(in_every_way(&format!("data: a\n{field}{long}")), refused, "{field} at the end");
    }
    for (id, last) in [(&fits, &*fits), (&long, "7")] {
        let mut decoder = sse::SseDecoder::default();
        let seen = run(&mut decoder, &[format!("id: 7\nid: {id}\ndata: a\n\n").as_bytes()]);
        assert_eq!(seen, Ok(vec![(String::new(), "a".to_string())]));
        assert_eq!(decoder.last_id(), last.as_bytes());
    }
}

#[test]
fn empty_data_lines_without_end_are_refused() {
    let bounds = FrameLimits { line: 16, frame: 64 };
    let stream = b"data:\n".repeat(1000);
    assert_eq!(run(&mut sse::SseDecoder::new(bounds), &[&stream]), Err(FrameError::Frame { limit: 64 }));
    let bare = b"data\n".repeat(1000);
    assert_eq!(run(&mut sse::SseDecoder::new(bounds), &[&bare]), Err(FrameError::Frame { limit: 64 }));
}

#[test]
fn ten_million_empty_events_cost_one_pass() {
    let blank = vec![b'\n'; 1 << 20];
    let mut decoder = sse::SseDecoder::default();
    let mut seen = 0_u64;
    for _ in 0..10 {
        decoder.feed(&blank, &mut |_| seen += 1).unwrap();
    }
    assert_eq!(seen, 0);
}

#[test]
fn lines_are_cut_at_line_feeds_only() {
    let check = |stream: &str, expect: &[&str]| {
        for at in 0..=stream.len() {
            let (a, b) = stream.as_bytes().split_at(at);
            let seen = run(&mut ndjson::NdjsonDecoder::default(), &[a, b]).unwrap();
            let data: Vec<&str> = seen.iter().map(|(_, data)| data.as_str()).collect();
            assert_eq!(data, expect, "{stream:?} cut at {at}");
        }
    };
    check("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]);
    check("\u{feff}{\"é\":1}\r\n\r\n  \n{\"b\":\"\u{2028}\"}", &["{\"é\":1}", "{\"b\":\"\u{2028}\"}"]);
}

fn pieces(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut from = 0;
    let mut out = Vec::new();
    for at in places.into_iter().chain([bytes.len()]) {
        out.push(bytes[from..at].to_vec());
        from = at;
    }
    out
}

proptest! {
    #[test]
    fn any_cut_of_any_bytes_gives_the_same_frames(
        parts in proptest::collection::vec(
            prop::sample::select(vec!["data: x", "data", "event: e", ":", "\n", "\r", "\r\n", "\n\n", "\u{feff}", "é", "id: 1"]),
            0..40,
        ),
        cuts in proptest::collection::vec(0_usize..400, 0..8),
    ) {
        let bytes = parts.concat().into_bytes();
        let cut = pieces(&bytes, &cuts);
        let cut: Vec<&[u8]> = cut.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(run(&mut sse::SseDecoder::default(), &cut), run(&mut sse::SseDecoder::default(), &[&bytes]));
        prop_assert_eq!(run(&mut ndjson::NdjsonDecoder::default(), &cut), run(&mut ndjson::NdjsonDecoder::default(), &[&bytes]));
    }
}
