use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderMap;

use super::BodyDecoder;
use crate::error::NetError;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Decodes in pieces of `step` bytes.
fn decode(encoding: &str, wire: &[u8], max: u64, step: usize) -> Result<Vec<u8>, NetError> {
    let mut decoder = BodyDecoder::new(&headers(&[("content-encoding", encoding)]), max)?;
    let mut content = Vec::new();
    for chunk in wire.chunks(step) {
        content.extend_from_slice(&decoder.push(Bytes::copy_from_slice(chunk))?);
    }
    content.extend_from_slice(&decoder.finish()?);
    Ok(content)
}

#[test]
fn content_comes_out_the_same_however_the_bytes_arrive() {
    let content: Vec<u8> = (0..20_000_u32).flat_map(u32::to_le_bytes).collect();
    let two = [gzip(&content[..1000]), gzip(&content[1000..])].concat();
    for step in [1, 7, 1000, 1 << 20] {
        assert_eq!(decode("gzip", &gzip(&content), 1 << 20, step).as_ref(), Ok(&content), "{step}");
        assert_eq!(decode("X-GZip", &two, 1 << 20, step).as_ref(), Ok(&content), "two members, {step}");
        assert_eq!(decode("identity", &content, 1 << 20, step).as_ref(), Ok(&content), "{step}");
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 8 << 20]);
    assert!(bomb.len() < 10_000, "it is a thousand times smaller than what it holds");
    for step in [1, 4096, 1 << 20] {
        assert_eq!(decode("gzip", &bomb, 1 << 20, step), Err(NetError::TooLarge { max: 1 << 20 }), "{step}");
    }
    let exact = gzip(&[7; 1000]);
    assert_eq!(decode("gzip", &exact, 1000, 64).map(|content| content.len()), Ok(1000));
    assert_eq!(decode("gzip", &exact, 999, 64), Err(NetError::TooLarge { max: 999 }));
    let members = gzip(&[]).repeat(1000);
    assert_eq!(decode("gzip", &members, 1000, 64), Err(NetError::TooLarge { max: 1000 }));
}

#[test]
fn a_bomb_inside_a_bomb_is_only_opened_once() {
    let inner = gzip(&vec![0; 10 << 20]);
    assert_eq!(decode("gzip", &gzip(&inner), 1 << 20, 512), Ok(inner));
}

#[test]
fn what_was_not_asked_for_is_refused() {
    for encoding in ["br", "zstd", "deflate", "compress", "gzip, gzip", "gzip,br", "gzip;q=1", "\u{e9}"] {
        assert!(matches!(decode(encoding, b"x", 10, 1), Err(NetError::Encoding(_))), "{encoding}");
    }
    let twice = headers(&[("content-encoding", "gzip"), ("content-encoding", "gzip")]);
    assert!(matches!(BodyDecoder::new(&twice, 10), Err(NetError::Encoding(_))));
}

#[test]
fn a_broken_or_cut_answer_is_an_error() {
    let body = gzip(b"hello, hello, hello");
    for end in 1..body.len() {
        assert!(matches!(decode("gzip", &body[..end], 1000, 3), Err(NetError::Encoding(_))), "cut at {end}");
    }
    let mut wrong = body.clone();
    let sum = wrong.len() - 6;
    wrong[sum] ^= 1;
    assert!(matches!(decode("gzip", &wrong, 1000, 3), Err(NetError::Encoding(_))));
    assert!(matches!(decode("gzip", b"no gzip at all", 1000, 3), Err(NetError::Encoding(_))));
    assert_eq!(decode("gzip", b"", 1000, 3), Ok(Vec::new()));
}

#[test]
fn a_declared_size_is_believed_only_when_it_is_too_large() {
    assert!(BodyDecoder::new(&headers(&[("content-length", "11")]), 10).is_err());
    for lie in ["10", "0", "-1", "x", "99999999999999999999999"] {
        let mut decoder = BodyDecoder::new(&headers(&[("content-length", lie)]), 10).unwrap();
        assert!(decoder.push(Bytes::from_static(&[0; 10])).is_ok(), "{lie}");
        assert_eq!(decoder.push(Bytes::from_static(&[0])), Err(NetError::TooLarge { max: 10 }), "{lie}");
    }
}
