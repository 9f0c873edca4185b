use std::fs;

use proptest::prelude::*;

use super::*;

fn difference(old: &str, new: &str) -> (u64, u64, Vec<String>) {
    let LineDifference { added, removed, lines } = LineDifference::between(old, new);
    (added, removed, lines)
}

fn call(path: &str, content: &str) -> String {
    Json::object([("path", path.into()), ("content", content.into())]).canonical()
}

#[test]
fn a_changed_line_is_shown_with_its_surroundings_and_the_rest_is_counted() {
    let old: String = (0..20).map(|line| format!("{line}\n")).collect();
    let new = old.replace("10\n", "ten\nand more\n");
    let lines =
        ["@@ 7 equal lines @@", "  7", "  8", "  9", "- 10", "+ ten", "+ and more", "  11", "  12", "  13"];
    let lines = lines.into_iter().chain(["@@ 6 equal lines @@"]).map(String::from).collect();
    assert_eq!(difference(&old, &new), (2, 1, lines));
}

#[test]
fn a_missing_line_break_is_a_change() {
    let lines = ["- a", "+ a", "+ \\ no line break at the end"].map(String::from);
    assert_eq!(difference("a\n", "a"), (1, 1, lines.into()));
    assert_eq!(difference("a\n", "a\n"), (0, 0, vec!["@@ 1 equal line @@".into()]));
}

#[test]
fn no_hidden_character_of_the_file_reaches_the_screen() {
    let lines = ["- \\u{1b}[2J", "+ x"].map(String::from);
    assert_eq!(difference("\u{1b}[2J\n", "x\n"), (1, 1, lines.into()));
}

#[test]
fn a_comparison_of_large_files_is_bounded_and_shows_all_that_is_new() {
    let text = |name: &str| (0..6_000).map(|line| format!("{name} {line}\n")).collect::<String>();
    let (added, removed, lines) = difference(&text("old"), &text("new"));
    assert_eq!((added, removed), (6_000, 6_000));
    assert_eq!(lines.iter().filter(|line| line.starts_with("+ ")).count(), 6_000);
    assert_eq!(lines.iter().filter(|line| line.starts_with("- ")).count() as u64, MOST_REMOVED);
    assert_eq!(lines.last().map(String::as_str), Some("@@ 5600 more removed lines are not shown @@"));
}

#[test]
fn a_write_is_new_or_a_difference_or_only_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    fs::write(folder.path().join("b.bin"), [0xff, 0, 1]).unwrap();
    fs::write(folder.path().join(".env"), "KEY=planted").unwrap();
    let of = |path: &str, content: &str| ProposedChange::of(&root, "write", &call(path, content));
    assert_eq!(of("deep/new.txt", "x"), Some(ProposedChange::New));
    let lines = ["  one", "- two", "+ three"].map(String::from).into();
    let changed = LineDifference { added: 1, removed: 1, lines };
    assert_eq!(of("./a.txt", "one\nthree\n"), Some(ProposedChange::Replaced(changed)));
    assert_eq!(of("b.bin", "x"), Some(ProposedChange::Uncompared { size: 3 }));
    assert_eq!(of(".env", "x"), None, "a file of the deny list is not read");
    assert_eq!(ProposedChange::of(&root, "edit", &call("a.txt", "x")), None);
}

#[test]
fn a_file_that_was_not_read_or_has_changed_since_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = WorkspaceRoot::open(folder.path()).unwrap();
    fs::write(folder.path().join("a.txt"), "one").unwrap();
    let path: FilePath = "a.txt".parse().unwrap();
    let why = || unread(&root, "write", &call("a.txt", "x"));
    assert_eq!(why(), Some(not_read(&path)));
    root.seen().saw(&path, b"one");
    assert_eq!(why(), None);
    fs::write(folder.path().join("a.txt"), "two").unwrap();
    assert!(why().is_some_and(|why| why.contains("a.txt")));
    assert_eq!(unread(&root, "write", &call("new.txt", "x")), None);
}

proptest! {
    /// The new lines are exactly those of the new text, so that a person sees all that they approve.
    #[test]
    fn a_difference_leads_from_one_text_to_the_other(
        old in prop::collection::vec("[abc]{0,1}", 0..12),
        new in prop::collection::vec("[abc]{0,1}", 0..12),
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (old_text, new_text) = (text(&old), text(&new));
        let found = LineDifference::between(&old_text, &new_text);
        let kept = |mark: &str| found.lines.iter().filter(|line| line.starts_with(mark)).count();
        prop_assert_eq!(kept("+ ") as u64, found.added);
        prop_assert_eq!(kept("- ") as u64, found.removed);
        prop_assert_eq!(old.len() as u64 + found.added, new.len() as u64 + found.removed);
        if !found.lines.iter().any(|line| line.starts_with("@@")) {
            let side = |mark: char| -> Vec<String> {
                let side = found.lines.iter().filter(|line| line.starts_with([mark, ' ']));
                side.map(|line| line[2..].to_owned()).collect()
            };
            prop_assert_eq!(side('-'), old);
            prop_assert_eq!(side('+'), new);
        }
    }
}
