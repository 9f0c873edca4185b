use std::io;

use super::*;

/// What watchers see after these pieces.
fn check(pieces: &[(JobStream, &str)], expect: Option<&str>) {
    let live = LiveOutput::default();
    for (stream, piece) in pieces {
        live.hear(*stream, piece.as_bytes());
    }
    assert_eq!(live.news().as_deref(), expect, "{pieces:?}");
    assert_eq!(live.news(), None, "what was told once is told once: {pieces:?}");
}

#[test]
fn whole_lines_are_shown_and_a_line_that_has_not_ended_is_not() {
    use JobStream::{Err, Out};
    check(&[], None);
    check(&[(Out, "half a ke")], None);
    check(&[(Out, "one\ntw")], Some("one"));
    check(&[(Out, "one\ntw"), (Out, "o\n")], Some("one\ntwo"));
    check(&[(Out, "10 %\r20 %\r")], Some("10 %\n20 %"));
    check(&[(Out, "\n\r\n  \n")], None);
    check(&[(Out, "\u{1b}[1mbold\u{1b}[0m\n")], Some("[1mbold[0m"));
    // Two streams never share a line.
    check(&[(Out, "sec"), (Err, "warning\n"), (Out, "ret\n")], Some("warning\nsecret"));
}

#[test]
fn the_latest_lines_are_kept_within_the_bound_and_long_ones_are_left_out() {
    let live = LiveOutput::default();
    for number in 0..1_000 {
        live.hear(JobStream::Out, format!("line {number}\n").as_bytes());
    }
    let shown = live.news().unwrap();
    assert!(shown.len() <= MOST && shown.ends_with("line 999"), "{shown}");
    assert!(shown.starts_with("line "), "no line is cut: {shown}");

    let long = "x".repeat(LONGEST_LINE);
    live.hear(JobStream::Out, format!("{long}{long}").as_bytes());
    live.hear(JobStream::Out, format!("{long}\nafter\n").as_bytes());
    assert!(live.news().unwrap().ends_with("…\nafter"));

    let flood = format!("{}\nend\n", "y\n".repeat(FAR));
    live.hear(JobStream::Out, flood.as_bytes());
    let shown = live.news().unwrap();
    assert!(shown.len() <= MOST && shown.ends_with("end"), "{shown}");
}

#[test]
fn of_a_key_that_is_longer_than_what_is_kept_nothing_is_shown() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let key =
        format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n", format!("{line}\n").repeat(26));
    let live = LiveOutput::default();
    let after = "a line of the next thing\n".repeat(35);
    for piece in [key.as_str(), after.as_str()] {
        live.hear(JobStream::Out, piece.as_bytes());
        let shown = live.news().unwrap();
        assert!(!shown.contains(line), "{shown}");
    }
    let twice = format!("{line}\r\n{line}\n");
    check(&[(JobStream::Out, twice.as_str())], Some("…"));
    // What has no capital is a digest, and says nothing.
    check(
        &[(JobStream::Out, "da39a3ee5e6b4b0d3255bfef95601890afd80709\n")],
        Some("da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    );
}

#[test]
fn whoever_captured_before_hears_everything_still_and_may_end_it() {
    let live = LiveOutput::default();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let spill = move |_: JobStream, piece: &[u8]| {
        kept.lock().unwrap().extend_from_slice(piece);
        if piece == b"stop\n" { Err(io::Error::other("full")) } else { Ok(()) }
    };
    let capture = live.listen(CaptureOptions { keep: 7, spill: Some(Box::new(spill)) });
    assert_eq!(capture.keep, 7);
    let mut spill = capture.spill.unwrap();
    assert!(spill(JobStream::Out, b"one\n").is_ok());
    assert!(spill(JobStream::Err, b"stop\n").is_err());
    assert_eq!(*heard.lock().unwrap(), b"one\nstop\n");
    assert_eq!(live.news().unwrap(), "one\nstop");
}
