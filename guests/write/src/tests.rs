use guest_kit::GuestError;

use super::{TOOL, work};

/// Runs a call in a fresh folder: what it said, and what the file then holds.
fn write(
    before: Option<&str>,
    options: &[&str],
    name: &str,
    content: &str,
) -> (Result<String, GuestError>, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    if let Some(before) = before {
        std::fs::write(&path, before).unwrap();
    }
    let text = path.to_str().unwrap().to_owned();
    let line: Vec<String> =
        options.iter().map(|&word| word.to_owned()).chain([text.clone(), content.to_owned()]).collect();
    let mut out = Vec::new();
    let said = TOOL.call(line).and_then(|values| work(&values, &mut out));
    let said = said.map(|()| String::from_utf8(out).unwrap().replace(&text, "F"));
    (said, std::fs::read_to_string(&path).ok())
}

#[track_caller]
fn check(before: Option<&str>, options: &[&str], content: &str, said: &str, after: &str) {
    let (answer, file) = write(before, options, "a.txt", content);
    assert_eq!((answer.unwrap().trim_end(), file.as_deref()), (said, Some(after)));
}

#[test]
fn a_file_is_created_replaced_or_added_to() {
    check(None, &[], "hi\n", "created F: 3 bytes, 1 lines", "hi\n");
    check(Some("old"), &[], "new", "replaced F: 3 bytes, 1 lines", "new");
    check(Some("old\n"), &["-a"], "new\n", "added to F: 4 bytes, 1 lines", "old\nnew\n");
    check(None, &["--new"], "", "created F: 0 bytes, 0 lines", "");
}

#[test]
fn missing_folders_are_made() {
    let (said, file) = write(None, &[], "x/y/a.txt", "deep");
    assert!(said.is_ok());
    assert_eq!(file.as_deref(), Some("deep"));
}

#[test]
fn what_exists_is_kept_where_only_something_new_is_wanted() {
    let (said, file) = write(Some("old"), &["--new"], "a.txt", "new");
    assert!(said.unwrap_err().to_string().ends_with("exists already; leave out --new to replace it"));
    assert_eq!(file.as_deref(), Some("old"));
}
