//! The framings, each against the slow and obvious way to read the whole text at once.

use holm_wire::framing::{
    FrameDecoder, FrameError, FrameLimits,
    event_stream::{self as aws, EventHeaders},
    ndjson as lines, sse as sent,
};

/// Bounds that a fuzzer reaches.
const SMALL: FrameLimits = FrameLimits { line: 48, frame: 96 };

/// A frame that is kept: name and data.
type Kept = (Vec<u8>, Vec<u8>);

/// Server-sent events.
pub fn sse(data: &[u8]) {
    let (frames, error) = cut(sent::SseDecoder::default(), [data]);
    assert_eq!((frames, error), reference_sse(data));
    any_cut(|| sent::SseDecoder::new(SMALL), data);
    any_cut(sent::SseDecoder::default, data);
}

/// One value a line.
pub fn ndjson(data: &[u8]) {
    let (frames, error) = cut(lines::NdjsonDecoder::default(), [data]);
    assert_eq!((frames, error), (reference_ndjson(data), None));
    any_cut(|| lines::NdjsonDecoder::new(SMALL), data);
    any_cut(lines::NdjsonDecoder::default, data);
}

/// AWS's binary event stream.
pub fn event_stream(data: &[u8]) {
    any_cut(|| aws::EventStreamDecoder::new(SMALL), data);
    any_cut(aws::EventStreamDecoder::default, data);
    // Headers of any bytes end, and what we write we read.
    let _ = EventHeaders::new(data).text(":event-type");
    let text = String::from_utf8_lossy(data);
    let (name, value) = text.split_at(text.char_indices().nth(8).map_or(text.len(), |(at, _)| at));
    let mut written = Vec::new();
    aws::write(&[(name, value)], data, &mut written);
    let (frames, error) = cut(aws::EventStreamDecoder::default(), [written.as_slice()]);
    assert_eq!(error, None);
    let [(headers, payload)] = frames.as_slice() else { panic!("one message became {}", frames.len()) };
    assert_eq!(payload, data);
    if name.len() < 256 && value.len() < 65_536 && !name.is_empty() {
        assert_eq!(EventHeaders::new(headers).text(name), Some(value));
    }
    let at = data.len() % written.len();
    written.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (data.len() % 8));
    let (frames, _) = cut(aws::EventStreamDecoder::default(), [written.as_slice()]);
    assert!(frames.is_empty(), "a flipped bit was not found");
}

/// All frames, and the error that ended them.
fn cut<'b>(
    mut framing: impl FrameDecoder,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> (Vec<Kept>, Option<FrameError>) {
    let mut frames = Vec::new();
    for piece in pieces {
        if let Err(error) =
            framing.feed(piece, &mut |frame| frames.push((frame.name.into(), frame.data.into())))
        {
            return (frames, Some(error));
        }
    }
    let end = framing.finish(&mut |frame| frames.push((frame.name.into(), frame.data.into())));
    (frames, end.err())
}

fn any_cut<F: FrameDecoder>(framing: impl Fn() -> F, data: &[u8]) {
    let whole = cut(framing(), [data]);
    for size in [1, 2, 5] {
        assert_eq!(cut(framing(), data.chunks(size)), whole, "in pieces of {size}");
    }
    let (a, b) = data.split_at(data.len() / 2);
    assert_eq!(cut(framing(), [a, b]), whole, "in two halves");
}

/// The rules of the HTML standard, except that an event at the very end needs no blank line, and that a name has a bound.
fn reference_sse(data: &[u8]) -> (Vec<Kept>, Option<FrameError>) {
    let mut frames = Vec::new();
    let (mut name, mut value, mut any) = (Vec::new(), Vec::new(), false);
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mut lines = reference_lines(data);
    lines.push(Vec::new());
    for line in lines {
        if line.is_empty() {
            if any {
                frames.push((name.clone(), value.clone()));
            }
            (name, value, any) = (Vec::new(), Vec::new(), false);
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, rest) = line.split_at(colon);
        let rest = rest.strip_prefix(b":").unwrap_or(rest);
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match field {
            b"data" => {
                if any {
                    value.push(b'\n');
                }
                value.extend_from_slice(rest);
                any = true;
            }
            b"event" if rest.len() > sent::MAX_NAME => {
                return (frames, Some(FrameError::Line { limit: sent::MAX_NAME }));
            }
            b"event" => name = rest.into(),
            _ => {}
        }
    }
    (frames, None)
}

/// Lines that end with LF, CR or both; what follows the last end is a line if it is not empty.
fn reference_lines(data: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut bytes = data.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if byte == b'\r' {
                    bytes.next_if_eq(&b'\n');
                }
                lines.push(std::mem::take(&mut line));
            }
            other => line.push(other),
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn reference_ndjson(data: &[u8]) -> Vec<Kept> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    data.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| (Vec::new(), line.to_vec()))
        .collect()
}
