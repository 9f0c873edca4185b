use crate::{ReplaceCount, TOOL, replace, work};

#[track_caller]
fn check(text: &str, old: &str, new: &str, count: ReplaceCount, expect: Result<&str, &str>) {
    let done = replace(text, old, new, count).map(|done| done.text);
    assert_eq!(done.as_deref().map_err(String::as_str), expect, "{text:?} {old:?}");
}

#[test]
fn one_place_is_replaced() {
    check("a b c", "b", "x", ReplaceCount::One, Ok("a x c"));
    check("a\nb\n", "a\nb", "c", ReplaceCount::One, Ok("c\n"));
    check("a b", " b", "", ReplaceCount::One, Ok("a"));
}

#[test]
fn several_places_must_be_meant() {
    check("a\na\n", "a", "b", ReplaceCount::All, Ok("b\nb\n"));
    let why = "found in 2 places, lines 1, 3; take more of the text around it, or replace all";
    check("a\nx\na\n", "a", "b", ReplaceCount::One, Err(why));
}

#[test]
fn what_is_not_there_is_said_with_what_is_near() {
    check("a", "b", "c", ReplaceCount::One, Err("not found: read the file again and copy the text exactly"));
    let near =
        "not found; line 2 is the same but for its white space: read the file again and copy it exactly";
    check("x\n    if a {\n        b\n", "if a {\n  b", "c", ReplaceCount::One, Err(near));
    check("a", "a", "a", ReplaceCount::One, Err("the new text is the old one"));
    check("a", "", "a", ReplaceCount::One, Err("the text to replace is empty; use write to make a file"));
}

#[test]
fn the_line_ends_of_the_file_are_kept() {
    check("a\r\nb\r\nc\r\n", "a\nb", "x\ny", ReplaceCount::One, Ok("x\r\ny\r\nc\r\n"));
}

#[test]
fn a_call_shows_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt").to_str().unwrap().to_owned();
    std::fs::write(&path, "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
    let mut out = Vec::new();
    let line = [&path, "5", "five"].map(str::to_owned);
    work(&TOOL.call(line).unwrap(), &mut out).unwrap();
    let said = String::from_utf8(out).unwrap().replace(&path, "F");
    assert_eq!(
        said,
        "changed F in 1 place\n     2\t2\n     3\t3\n     4\t4\n     5\tfive\n     6\t6\n     7\t7\n     8\t8\n\n"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
}
