use alloc::{string::String, string::ToString, vec, vec::Vec};

use proptest::prelude::*;

use super::*;

type Seen = Vec<(String, Vec<u8>)>;

fn run(bounds: FrameLimits, pieces: &[&[u8]]) -> Result<Seen, FrameError> {
    let mut decoder = EventStreamDecoder::new(bounds);
    let mut seen = Vec::new();
    let mut sink = |frame: StreamFrame<'_>| {
        let kind = EventHeaders::new(frame.name).text(":event-type").unwrap_or_default();
        seen.push((kind.to_string(), frame.data.to_vec()));
    };
    for chunk in pieces {
        decoder.feed(chunk, &mut sink)?;
    }
    decoder.finish(&mut sink)?;
    Ok(seen)
}

fn stream() -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&[(":message-type", "event"), (":event-type", "a")], b"{\"x\":1}", &mut bytes);
    write(&[(":event-type", "b")], b"", &mut bytes);
    write(&[], "é🙂".as_bytes(), &mut bytes);
    bytes
}

fn expected() -> Seen {
    vec![
        ("a".into(), b"{\"x\":1}".to_vec()),
        ("b".into(), vec![]),
        (String::new(), "é🙂".as_bytes().to_vec()),
    ]
}

#[test]
fn checksums_are_those_of_the_standard() {
    let check = |text: &[u8], sum: u32| assert_eq!(crc32(text), sum, "{text:?}");
    check(b"", 0);
    check(b"a", 0xe8b7_be43);
    check(b"abc", 0x3524_41c2);
    check(b"123456789", 0xcbf4_3926);
    check(b"The quick brown fox jumps over the lazy dog", 0x414f_a339);
}

#[test]
fn documented_messages_are_read_and_written_to_the_byte() {
    // The smallest message: no headers, no payload.
    let empty = [0, 0, 0, 0x10, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff];
    let mut written = Vec::new();
    write(&[], b"", &mut written);
    assert_eq!(written, empty);
    assert_eq!(run(FrameLimits::default(), &[&empty]).unwrap(), vec![(String::new(), vec![])]);
    // A payload and no header.
    let payload = [
        0x00, 0x00, 0x00, 0x1d, 0x00, 0x00, 0x00, 0x00, 0xfd, 0x52, 0x8c, 0x5a, 0x7b, 0x27, 0x66, 0x6f, 0x6f,
        0x27, 0x3a, 0x27, 0x62, 0x61, 0x72, 0x27, 0x7d, 0xc3, 0x65, 0x39, 0x36,
    ];
    let mut written = Vec::new();
    write(&[], b"{'foo':'bar'}", &mut written);
    assert_eq!(written, payload);
}

#[test]
fn any_cut_gives_the_same_messages() {
    let stream = stream();
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(run(FrameLimits::default(), &bytes).unwrap(), expected(), "byte by byte");
    for at in 0..=stream.len() {
        let (a, b) = stream.split_at(at);
        assert_eq!(run(FrameLimits::default(), &[a, b]).unwrap(), expected(), "cut at {at}");
    }
}

#[test]
fn a_message_that_is_cut_off_is_not_handed_on() {
    let stream = stream();
    for at in 0..stream.len() {
        assert!(run(FrameLimits::default(), &[&stream[..at]]).unwrap().len() < 3, "ends at {at}");
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let stream = stream();
    for index in 0..stream.len() {
        for bit in 0..8 {
            let mut damaged = stream.clone();
            damaged[index] ^= 1 << bit;
            let found = run(FrameLimits::default(), &[&damaged]);
            assert!(matches!(found, Err(FrameError::Damaged(_))), "bit {bit} of byte {index}");
        }
    }
}

#[test]
fn lengths_are_checked_before_they_are_believed() {
    let prelude = |total: u32, headers: u32| {
        let mut bytes = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
        bytes
    };
    let bounds = FrameLimits { frame: 1 << 20, ..FrameLimits::default() };
    let check = |bytes: Vec<u8>, expect: FrameError| {
        assert_eq!(run(bounds, &[&bytes]), Err(expect));
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(run(bounds, &single), Err(expect));
    };
    check(prelude(15, 0), FrameError::Damaged(FrameDamage::Lengths));
    check(prelude(0, 0), FrameError::Damaged(FrameDamage::Lengths));
    check(prelude(20, 5), FrameError::Damaged(FrameDamage::Lengths));
    check(prelude(1 << 20, 129 << 10), FrameError::Damaged(FrameDamage::Lengths));
    check(prelude((1 << 20) + 1, 0), FrameError::Frame { limit: 1 << 20 });
    check(prelude(u32::MAX, u32::MAX), FrameError::Frame { limit: 1 << 20 });
    check(b"HTTP/1.1 200 OK\r\n".to_vec(), FrameError::Damaged(FrameDamage::Prelude));
}

#[test]
fn every_type_of_header_has_its_length() {
    let mut bytes = Vec::new();
    for (kind, value) in [
        (0_u8, &b""[..]),
        (1, b""),
        (2, b"1"),
        (3, b"12"),
        (4, b"1234"),
        (5, b"12345678"),
        (6, b"\x00\x03abc"),
        (8, b"12345678"),
        (9, b"0123456789abcdef"),
        (7, b"\x00\x02hi"),
    ] {
        bytes.extend_from_slice(&[1, b'n', kind]);
        bytes.extend_from_slice(value);
    }
    assert_eq!(EventHeaders::new(&bytes).count(), 10);
    assert_eq!(EventHeaders::new(&bytes).text("n"), Some("hi"));
    // An unknown type ends the list, because its length is unknown.
    assert_eq!(EventHeaders::new(&[&[1, b'x', 99][..], &bytes].concat()).count(), 0);
    for at in 0..bytes.len() {
        assert!(EventHeaders::new(&bytes[..at]).count() < 10);
    }
}

#[test]
fn headers_that_do_not_fit_are_left_out() {
    let long = "x".repeat(1 << 17);
    let mut bytes = Vec::new();
    write(&[(&long, "v"), ("k", &long), (":event-type", "kept")], b"", &mut bytes);
    assert_eq!(run(FrameLimits::default(), &[&bytes]).unwrap(), vec![("kept".into(), vec![])]);
}

proptest! {
    #[test]
    fn bytes_of_any_kind_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = run(FrameLimits::default(), &[&bytes]);
        let _ = EventHeaders::new(&bytes).count();
    }
}
