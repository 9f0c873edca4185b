use std::fs;

use super::{read_plain, read_plain_text};
use crate::MOST_FILE_BYTES;

#[test]
fn what_a_person_writes_has_a_limit_and_a_text_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, beyond, is_read) in [("whole", 0, true), ("large", 1, false)] {
        fs::File::create(at(name)).unwrap().set_len(MOST_FILE_BYTES + beyond).unwrap();
        assert_eq!(read_plain(&at(name)).is_ok(), is_read, "{name}");
    }
    fs::write(at("program"), [0xff; 8]).unwrap();
    assert_eq!(read_plain(&at("program")).unwrap(), [0xff; 8]);
    assert!(read_plain_text(&at("program")).unwrap_err().to_string().contains("not UTF-8 text"));
    fs::write(at("text"), "text").unwrap();
    assert_eq!(read_plain_text(&at("text")).unwrap(), "text");
}
