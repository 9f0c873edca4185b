use std::{fs, os::unix::fs::symlink, process::Command};

use super::*;

#[test]
fn only_plain_files_are_read_and_nothing_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("plain"), "text").unwrap();
    symlink(at("plain"), at("link")).unwrap();
    symlink("/dev/zero", at("endless")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    fs::write(at("large"), "texts").unwrap();
    for (name, expect) in [
        ("plain", Ok("text")),
        ("link", Ok("text")),
        ("endless", Err("not a regular file")),
        ("pipe", Err("not a regular file")),
        (".", Err("not a regular file")),
        ("large", Err("larger than 4 bytes")),
        ("nothing", Err("o such file")),
    ] {
        match (read_plain_within(&at(name), 4), expect) {
            (Ok(bytes), Ok(text)) => assert_eq!(bytes, text.as_bytes(), "{name}"),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{name}: {error}"),
            (read, _) => panic!("{name}: {read:?}"),
        }
    }
    let large = read_plain_within(&at("large"), 4).unwrap_err();
    assert_eq!(large.kind(), io::ErrorKind::FileTooLarge);
}
