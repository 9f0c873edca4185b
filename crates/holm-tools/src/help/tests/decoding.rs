//! Encodings, escapes, frames.

use super::super::decode::decode;
use super::super::lines::{HelpFrame, lines};
use super::super::{HelpTextError, HelpTextErrorKind};
use super::{option, read};

fn text(bytes: &[u8]) -> String {
    decode(bytes).expect("text")
}

#[test]
fn every_encoding_comes_to_the_same_text() {
    let plain = "Usage: p [-x]\n  -x  Käse\n";
    let utf16 = |unit: fn(u16) -> [u8; 2]| plain.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let latin: Vec<u8> = plain.chars().map(|c| u8::try_from(u32::from(c)).expect("latin")).collect();
    let marked = |mark: &[u8], rest: Vec<u8>| [mark.to_vec(), rest].concat();
    let check = |bytes: &[u8]| assert_eq!(text(bytes), plain);
    check(plain.as_bytes());
    check(&marked(b"\xef\xbb\xbf", plain.into()));
    check(&utf16(u16::to_le_bytes));
    check(&utf16(u16::to_be_bytes));
    check(&marked(b"\xff\xfe", utf16(u16::to_le_bytes)));
    check(&marked(b"\xfe\xff", utf16(u16::to_be_bytes)));
    check(&latin);
    check(plain.replace('\n', "\r\n").as_bytes());
    assert_eq!(text(b"\x93quoted\x94 \x80"), "“quoted” €");
}

#[test]
fn what_steers_a_terminal_goes() {
    let check = |bytes: &[u8], expect: &str| assert_eq!(text(bytes), expect, "{bytes:?}");
    check(b"\x1b[1mUsage:\x1b[0m \x1b[38;5;9mp\x1b[m", "Usage: p");
    check(b"U\x08Us\x08sa\x08ag\x08ge\x08e: _\x08p", "Usage: p");
    check(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 on", "link on");
    check(b"\x1b]0;title never ends\nnext", "\nnext");
    check(b"\x1b(Ba\x1bMb\x1b", "ab");
    check("\u{9b}31mred".as_bytes(), "red");
    check("hid\u{200b}den \u{202e}txet\u{a0}x".as_bytes(), "hidden txet x");
    check(b"a\x08\x08\x08b", "b");
    check(b"\nx\x08y", "\ny");
}

#[test]
fn what_is_no_text_is_refused() {
    let check = |bytes: &[u8], why: HelpTextErrorKind| assert_eq!(decode(bytes), Err(HelpTextError { why }));
    check(b"", HelpTextErrorKind::Empty);
    check(b" \n\t\r\n", HelpTextErrorKind::Empty);
    check(b"\x1b[31m\x1b[0m", HelpTextErrorKind::Empty);
    check(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0", HelpTextErrorKind::Binary);
    check(&[1; 100], HelpTextErrorKind::Binary);
    check(
        &vec![b'a'; super::super::MAX_BYTES + 1],
        HelpTextErrorKind::TooLong { bytes: super::super::MAX_BYTES + 1 },
    );
}

#[test]
fn tabs_are_columns_and_frames_are_titles() {
    let found = lines("\tx\ty\n  a");
    assert_eq!((found[0].indent, found[0].text.as_str()), (8, "x       y"));
    assert_eq!(found[1].indent, 2);
    let framed = lines("╭─ Options ──╮\n│ *  --name  TEXT │\n│    --loud  │\n╰────────────╯");
    let shown: Vec<_> =
        framed.iter().map(|line| (line.frame, line.indent, line.star, line.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (HelpFrame::Title, 0, false, "Options"),
            (HelpFrame::Inside, 5, true, "--name  TEXT"),
            (HelpFrame::Inside, 5, false, "--loud"),
            (HelpFrame::None, 0, false, "")
        ]
    );
}

#[test]
fn colours_change_nothing() {
    let plain = read("Usage: p [OPTIONS]\n\nOptions:\n  -o, --output <FILE>  Where\n");
    let coloured = read(
        "\u{1b}[1;4mUsage:\u{1b}[0m \u{1b}[1mp\u{1b}[0m [OPTIONS]\n\n\u{1b}[1mOptions:\u{1b}[0m\n  \u{1b}[1m-o\u{1b}[0m, \u{1b}[1m--output\u{1b}[0m <FILE>  Where\n",
    );
    assert_eq!(plain, coloured);
    assert_eq!(option(&plain.plan.root.options[0]), "--output text");
}
