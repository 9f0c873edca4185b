use std::fs;

use super::*;

fn recording(folder: &Path, pieces: &[&[u8]]) -> OutputRecording {
    let recording = OutputRecording::new(Some(Arc::new(OutputFolder::new(folder.to_owned()))));
    let mut spill = recording.capture().spill.unwrap();
    for piece in pieces {
        spill(holm_jail::JobStream::Out, piece).unwrap();
    }
    recording
}

fn plain(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_short_output_is_shown_whole_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let short = recording(folder.path(), &[b"one\n", b"two\n"]);
    assert_eq!(short.shown(plain), "one\ntwo\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(recording(folder.path(), &[]).shown(plain), "");
}

#[test]
fn of_a_long_output_both_ends_are_shown_and_all_of_it_is_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let all: String = (1..=200_000).map(|n| format!("line {n}\n")).collect();
    let pieces: Vec<&[u8]> = all.as_bytes().chunks(60_000).collect();
    let shown = recording(folder.path(), &pieces).shown(plain);
    assert!(
        shown.starts_with("line 1\nline 2\n") && shown.ends_with("line 199999\nline 200000\n"),
        "{shown}"
    );
    assert!(shown.len() <= MAX_SHOWN_BYTES + 200, "{}", shown.len());
    let note = shown.lines().find(|line| line.starts_with('[')).unwrap();
    assert!(note.ends_with("bytes left out; all of it is in $HOME/out/1.txt: grep or read that]"), "{note}");
    assert_eq!(fs::read_to_string(folder.path().join("1.txt")).unwrap(), all);
    let (head, tail) = shown.split_once(note).unwrap();
    let missing = grouped((all.len() - head.len() - tail.len() + 1) as u64);
    assert!(note.starts_with(&format!("[{missing} bytes")), "{note}: {missing}");
    assert!(head.len() * 2 < tail.len(), "the end tells more");
    assert!(head.ends_with('\n') && tail.starts_with("\nline "), "cut between lines");
}

#[test]
fn one_long_line_is_cut_and_a_secret_is_taken_out_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut line = "x".repeat(SHOWN_HEAD_BYTES - 3);
    line.push_str("SECRET");
    line.push_str(&"y".repeat(100_000));
    let shown = recording(folder.path(), &[line.as_bytes()]).shown(|text| text.replace("SECRET", "*"));
    assert!(!shown.contains("SE") && shown.contains("x*"), "{}", &shown[..SHOWN_HEAD_BYTES + 100]);
}

#[test]
fn a_shell_keeps_so_much_and_says_when_a_file_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(OutputFolder::new(folder.path().to_owned()));
    let piece = vec![b'x'; 1 << 20];
    let shown = |pieces: usize| {
        let recording = OutputRecording::new(Some(Arc::clone(&files)));
        let mut spill = recording.capture().spill.unwrap();
        (0..pieces).for_each(|_| spill(holm_jail::JobStream::Out, &piece).unwrap());
        recording.shown(plain)
    };
    assert!(shown(60).contains("all of it is in $HOME/out/1.txt"));
    assert!(shown(5).contains("the file is full, so only the beginning is in $HOME/out/2.txt"));
    assert!(shown(1).contains("so they are lost"));
    let bytes: u64 =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(bytes, MAX_FILES_BYTES);
}

#[test]
fn numbers_are_grouped() {
    assert_eq!(
        ["0", "999", "1,000", "1,016,643"],
        [0, 999, 1_000, 1_016_643].map(grouped).each_ref().map(String::as_str)
    );
}
