use crate::{MemorySource, PageRange, TOOL, page, work};

#[track_caller]
fn check(text: &str, first: usize, lines: usize, expect: Result<&str, &str>) {
    let mut source = MemorySource(text.as_bytes().to_vec());
    let shown = page(&mut source, PageRange { first, lines }).map_err(|fault| fault.to_string());
    assert_eq!(shown.as_deref().map_err(String::as_str), expect, "{text:?} {first} {lines}");
}

#[test]
fn lines_are_numbered() {
    check("a\nb\n", 1, 10, Ok("     1\ta\n     2\tb\n"));
    check("a\r\nb", 1, 10, Ok("     1\ta\n     2\tb\n"));
    check("\n\n", 1, 10, Ok("     1\t\n     2\t\n"));
    check("", 1, 10, Ok("[the file is empty]\n"));
}

#[test]
fn a_page_says_where_to_go_on() {
    check("a\nb\nc\n", 1, 2, Ok("     1\ta\n     2\tb\n[there is more; go on with offset 3]\n"));
    check("a\nb\nc\n", 3, 2, Ok("     3\tc\n"));
    check("a\nb\nc", 2, 1, Ok("     2\tb\n[there is more; go on with offset 3]\n"));
    check("a\nb\n", 5, 1, Err("the file has 2 lines; offset 5 is after its end"));
}

#[test]
fn long_lines_are_cut_and_so_are_long_pages() {
    let mut source = MemorySource(format!("{}\nnext\n", "x".repeat(5_000)).into_bytes());
    let shown = page(&mut source, PageRange { first: 1, lines: 2 }).unwrap();
    assert!(shown.contains(" [3000 bytes more in this line]\n     2\tnext\n"), "{shown}");
    let mut source = MemorySource("0123456789\n".repeat(100_000).into_bytes());
    let shown = page(&mut source, PageRange { first: 1, lines: 1_000_000 }).unwrap();
    assert!(shown.len() < 300 << 10 && shown.contains("[there is more; go on with offset "));
}

#[test]
fn lines_across_chunks_stay_whole() {
    let text: String = (0..40_000).map(|number| format!("line {number}\n")).collect();
    let mut source = MemorySource(text.into_bytes());
    let shown = page(&mut source, PageRange { first: 39_999, lines: 5 }).unwrap();
    assert_eq!(shown, " 39999\tline 39998\n 40000\tline 39999\n");
}

#[test]
fn other_things_than_text_are_refused() {
    check("a\0b", 1, 1, Err("this is no text file: it holds zero bytes"));
}

#[test]
fn a_call_opens_the_file_and_says_which_failed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let ask = |path: &str| {
        let input = format!(r#"{{"path":"{path}","offset":2}}"#);
        guest_kit::answer(&TOOL, &input, |values| {
            work(values, |path| match std::fs::File::open(path) {
                Ok(file) => Ok(Box::new(file) as Box<dyn crate::ByteSource>),
                Err(error) => Err(error.kind().to_string()),
            })
        })
    };
    assert_eq!(ask(path.to_str().unwrap()), Ok("     2\ttwo\n".to_owned()));
    assert_eq!(ask("/nowhere/a"), Err("could not read /nowhere/a: entity not found".to_owned()));
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such_and_the_rest_as_it_is() {
    let mut source = MemorySource(b"ok\nbad \xff byte\nend".to_vec());
    let shown = page(&mut source, PageRange { first: 1, lines: 9 }).unwrap();
    assert_eq!(shown, "     1\tok\n     2\tbad \u{fffd} byte\n     3\tend\n");
}

/// Says nothing about what is left, as a system that only knows when it is asked again.
struct Silent(MemorySource);

impl crate::ByteSource for Silent {
    fn read(&mut self, offset: u64, length: usize) -> Result<crate::FileChunk, String> {
        Ok(crate::ByteSource::read(&mut self.0, offset, length)?.bytes.into())
    }
}

#[test]
fn a_page_is_the_same_whether_the_end_is_told_or_found() {
    for text in ["", "a", "a\nb\n", "a\n\n"] {
        let mut told = MemorySource(text.as_bytes().to_vec());
        let mut found = Silent(told.clone());
        for wanted in [(1, 1), (1, 2), (2, 9), (1, 0)].map(|(first, lines)| PageRange { first, lines }) {
            assert_eq!(page(&mut told, wanted), page(&mut found, wanted), "{text:?} {wanted:?}");
        }
    }
}
