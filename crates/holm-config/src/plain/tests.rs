use std::{fs, os::unix::fs::symlink, process::Command};

use super::{read_plain, read_plain_text, read_plain_within};
use crate::MOST_FILE_BYTES;

#[test]
fn only_plain_files_are_read_and_nothing_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("plain"), "text").unwrap();
    symlink(at("plain"), at("link")).unwrap();
    symlink("/dev/zero", at("endless")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    fs::File::create(at("large")).unwrap().set_len(MOST_FILE_BYTES + 1).unwrap();
    for (name, expect) in [
        ("plain", Ok("text")),
        ("link", Ok("text")),
        ("endless", Err("no plain file")),
        ("pipe", Err("no plain file")),
        (".", Err("no plain file")),
        ("large", Err("larger than")),
        ("nothing", Err("o such file")),
    ] {
        match (read_plain(&at(name)), expect) {
            (Ok(bytes), Ok(text)) => assert_eq!(bytes, text.as_bytes(), "{name}"),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{name}: {error}"),
            (read, _) => panic!("{name}: {read:?}"),
        }
    }
}

#[test]
fn a_file_that_may_be_larger_has_a_limit_too_and_a_text_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program");
    fs::write(&file, [0xff; 8]).unwrap();
    assert_eq!(read_plain_within(&file, 8).unwrap(), [0xff; 8]);
    assert!(read_plain_within(&file, 7).unwrap_err().to_string().contains("larger than 7 bytes"));
    assert!(read_plain_text(&file).unwrap_err().to_string().contains("no text"));
    fs::write(&file, "text").unwrap();
    assert_eq!(read_plain_text(&file).unwrap(), "text");
}
