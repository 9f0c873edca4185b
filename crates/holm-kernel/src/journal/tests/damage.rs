//! Every kind of damage has a name, a record and a place.

use alloc::{format, string::String, string::ToString as _, vec, vec::Vec};

use super::{five, journal, lines, start_of};
use crate::journal::{
    JournalError, JournalFault, JournalReader, JournalTail, JournalWriter, RecordPayload, decode,
    decode_strict,
};
use crate::{Input, Prompt, Seq};

/// A name, the damage done to one line, and whether a fault is the one that it should give.
type Damage = (&'static str, fn(&str) -> Vec<u8>, fn(&JournalFault) -> bool);

fn damages() -> Vec<Damage> {
    vec![
        ("truncated", |line| [&line.as_bytes()[..line.len() / 2], b"\n"].concat(), is_no_record),
        ("emptied", |_| b"\n".to_vec(), is_no_record),
        ("zeroed", |line| [vec![0; line.len() - 1], b"\n".to_vec()].concat(), is_no_record),
        (
            "not utf-8",
            |line| [&line.as_bytes()[..40], b"\xff\n"].concat(),
            |f| *f == JournalFault::NotUtf8 { valid: 40 },
        ),
        ("another time", |line| edit(line, r#""at":17"#, r#""at":18"#), |f| *f == JournalFault::ChainBroken),
        (
            "another version number",
            |line| edit(line, r#""v":1"#, r#""v":3"#),
            |f| *f == JournalFault::ChainBroken,
        ),
        (
            "another number",
            |line| edit(line, r#""seq":"#, r#""seq":9"#),
            |f| matches!(f, JournalFault::OutOfOrder { found } if found.value() >= 90),
        ),
        ("other effects", |line| flip_after(line, r#""effects":""#), |f| *f == JournalFault::ChainBroken),
        (
            "another payload hash",
            |line| flip_after(line, r#""payload":""#),
            |f| *f == JournalFault::PayloadChanged,
        ),
        ("another chain", |line| flip_after(line, r#""chain":""#), |f| *f == JournalFault::ChainBroken),
        (
            "another payload",
            |line| edit(line, r#""input":{"#, r#""input":{"a":1,"#),
            |f| *f == JournalFault::PayloadChanged,
        ),
        ("a payload without its name", |line| edit(line, r#""input":"#, r#""imput":"#), is_no_record),
        ("a member twice", |line| edit(line, r#"{"v":1"#, r#"{"v":1,"v":1"#), is_no_record),
        ("no braces", |_| b"[1,2,3]\n".to_vec(), is_no_record),
    ]
}

fn is_no_record(fault: &JournalFault) -> bool {
    matches!(fault, JournalFault::NotARecord { .. })
}

fn edit(line: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(line.contains(from), "{line}");
    line.replacen(from, to, 1).into_bytes()
}

/// Changes the hex digit after `mark`.
fn flip_after(line: &str, mark: &str) -> Vec<u8> {
    let at = line.find(mark).unwrap() + mark.len();
    let mut bytes = line.as_bytes().to_vec();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    bytes
}

fn with_line(text: &str, index: usize, line: Vec<u8>) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = lines(text).into_iter().map(String::into_bytes).collect();
    parts[index] = line;
    parts.concat()
}

#[test]
fn damage_in_the_middle_is_an_error_that_names_the_first_bad_record() {
    let text = five();
    for (name, damage, is_expected) in damages() {
        let bytes = with_line(&text, 1, damage(&lines(&text)[1]));
        let error = decode(&bytes).unwrap_err();
        assert_eq!((error.record, error.at_byte), (Seq::new(1), start_of(&text, 1)), "{name}");
        assert!(is_expected(&error.fault), "{name}: {error}");
        assert_eq!(decode_strict(&bytes), Err(error), "{name}");
    }
}

#[test]
fn the_same_damage_at_the_end_loses_only_the_end() {
    let text = five();
    let sound = decode_strict(text.as_bytes()).unwrap();
    for (name, damage, is_expected) in damages() {
        let bytes = with_line(&text, 4, damage(&lines(&text)[4]));
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.records, sound[..4], "{name}");
        let JournalTail::Torn(error) = decoded.tail else { panic!("{name} went unseen") };
        assert_eq!((error.record, error.at_byte), (Seq::new(4), start_of(&text, 4)), "{name}");
        assert!(is_expected(&error.fault), "{name}: {error}");
        assert_eq!(decode_strict(&bytes), Err(error), "{name}");
    }
}

#[test]
fn a_journal_can_be_cut_where_its_torn_tail_begins() {
    let text = five();
    let torn = &text.as_bytes()[..text.len() - 7];
    let JournalTail::Torn(error) = decode(torn).unwrap().tail else { panic!("the tail is torn") };
    assert_eq!(error.fault, JournalFault::Unfinished);
    let cut = &torn[..usize::try_from(error.at_byte).unwrap()];
    assert_eq!(decode_strict(cut).unwrap().len(), 4);
}

#[test]
fn a_whole_line_without_its_end_was_not_wholly_written() {
    let text = five();
    let decoded = decode(text.trim_end().as_bytes()).unwrap();
    assert_eq!(decoded.records.len(), 4);
    assert!(matches!(decoded.tail, JournalTail::Torn(JournalError { fault: JournalFault::Unfinished, .. })));
}

#[test]
fn a_missing_doubled_moved_or_foreign_record_is_found() {
    let text = five();
    let other = journal(&[
        Input::Resumed { host: "browser".into() },
        Input::TimePassed,
        Input::TimePassed,
        Input::TimePassed,
    ]);
    let [a, b, c, d, e] = <[String; 5]>::try_from(lines(&text)).unwrap();
    let foreign = lines(&other)[2].clone();
    let check = |name: &str, parts: &[&String], record: u64, fault: JournalFault| {
        let bytes: String = parts.iter().map(|part| part.as_str()).collect();
        let error = decode_strict(bytes.as_bytes()).unwrap_err();
        assert_eq!((error.record, error.fault), (Seq::new(record), fault), "{name}");
    };
    let found = |seq| JournalFault::OutOfOrder { found: Seq::new(seq) };
    check("missing", &[&a, &b, &d, &e], 2, found(3));
    check("missing first", &[&b, &c, &d, &e], 0, found(1));
    check("doubled", &[&a, &b, &b, &c, &d, &e], 2, found(1));
    check("doubled last", &[&a, &b, &c, &d, &e, &e], 5, found(4));
    check("moved", &[&a, &c, &b, &d, &e], 1, found(2));
    check("foreign", &[&a, &b, &foreign, &d, &e], 2, JournalFault::ChainBroken);
    check("foreign start", &[&lines(&other)[0], &b, &c, &d, &e], 1, JournalFault::ChainBroken);
}

#[test]
fn a_newer_format_is_never_taken_for_a_torn_tail() {
    let text = five();
    let newer: String = lines(&text)
        .iter()
        .map(|line| line.replacen(r#""v":1"#, r#""v":2"#, 1).replacen(r#""at""#, r#""time""#, 1))
        .collect();
    for bytes in [newer.clone(), lines(&newer)[0].clone(), lines(&text)[0].clone() + &lines(&newer)[1]] {
        let error = decode(bytes.as_bytes()).unwrap_err();
        assert_eq!(error.fault, JournalFault::OtherVersion { found: 2 });
        assert!(error.to_string().contains("use the program that wrote it"));
    }
}

#[test]
fn a_line_that_never_ends_takes_no_memory() {
    let text = five();
    let mut records = Vec::new();
    let mut reader = JournalReader::new().max_line(1_000);
    reader.feed(text.as_bytes(), &mut records).unwrap();
    for _ in 0..100 {
        reader.feed(&[b'['; 1_000], &mut records).unwrap();
    }
    assert_eq!(records.len(), 5);
    let JournalTail::Torn(error) = reader.finish().unwrap() else { panic!("the line went unseen") };
    assert_eq!((error.record, error.at_byte), (Seq::new(5), text.len() as u64));
    assert_eq!(error.fault, JournalFault::TooLong { limit: 1_000 });
}

#[test]
fn an_over_long_line_in_the_middle_is_found_by_its_length() {
    let text = five();
    let long = format!("{}{}\n", lines(&text)[1].trim_end(), " ".repeat(2_000));
    let bytes = with_line(&text, 1, long.into_bytes());
    let mut reader = JournalReader::new().max_line(1_000);
    let error = reader.feed(&bytes, &mut Vec::new()).unwrap_err();
    assert_eq!((error.record, error.fault), (Seq::new(1), JournalFault::TooLong { limit: 1_000 }));
}

#[test]
fn a_bomb_of_brackets_is_refused_without_recursion() {
    let receipt = decode_strict(five().as_bytes()).unwrap()[0].receipt();
    let deep = |depth: usize| {
        let said = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        JournalWriter::new().append(receipt, &RecordPayload::kept(&said)).unwrap()
    };
    let error = decode_strict(deep(1_000_000).as_bytes()).unwrap_err();
    assert_eq!((error.record, error.fault), (Seq::new(0), JournalFault::TooDeep));
    assert!(decode_strict(deep(192).as_bytes()).is_ok());
    let unclosed = format!("{{\"v\":1,\"x\":{}\n", "[".repeat(1_000_000));
    assert!(matches!(decode_strict(unclosed.as_bytes()).unwrap_err().fault, JournalFault::NotARecord { .. }));
}

#[test]
fn members_that_this_version_does_not_know_are_ignored() {
    let text = five();
    let deep = format!("{{\"later\":{}1{},\"v\":1", "[".repeat(100_000), "]".repeat(100_000));
    let bytes = text.replace("{\"v\":1", &deep);
    assert_eq!(decode_strict(bytes.as_bytes()), decode_strict(text.as_bytes()));
}

#[test]
fn content_that_looks_like_a_journal_stays_content() {
    let inner = five();
    let hostile = format!("\"}},\"input\":null}}\n{inner}\u{2028}\0");
    let text = journal(&[Input::Resumed { host: hostile.clone() }, Input::Prompted(Prompt::text(&*hostile))]);
    let records = decode_strict(text.as_bytes()).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].payload().input(), Ok(Input::Resumed { host: hostile }));
}

#[test]
fn an_error_says_what_where_and_what_to_do() {
    let text = five();
    let error = decode(&with_line(&text, 2, b"garbage\n".to_vec())).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!(
            "record 2 at byte {}: the line is not a valid record (",
            start_of(&text, 2)
        ))
    );
    assert!(error.ends_with("; restore the journal from a copy"));
}
