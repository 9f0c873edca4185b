use super::*;

/// The text with `|` where the cursor stands.
fn shown(input: &InputBuffer) -> String {
    format!("{}|{}", input.before(), input.after())
}

fn at(marked: &str) -> InputBuffer {
    let (before, after) = marked.split_once('|').unwrap();
    InputBuffer { text: format!("{before}{after}"), cursor: before.len() }
}

#[test]
fn the_cursor_moves_by_what_people_call_a_character() {
    let check = |from: &str, go: CursorMove, expect: &str| {
        let mut input = at(from);
        input.go(go);
        assert_eq!(shown(&input), expect, "{from} {go:?}");
    };
    check("ab|c", CursorMove::Left, "a|bc");
    check("a|", CursorMove::Right, "a|");
    check("日|本", CursorMove::Right, "日本|");
    check("e\u{301}|x", CursorMove::Left, "|e\u{301}x");
    check("one two|", CursorMove::WordLeft, "one |two");
    check("|one two", CursorMove::WordRight, "one| two");
    check("a\nbc|", CursorMove::LineStart, "a\n|bc");
    check("a|b\nc", CursorMove::LineEnd, "ab|\nc");
}

#[test]
fn deleting_removes_what_lies_between() {
    let check = |from: &str, go: CursorMove, expect: &str| {
        let mut input = at(from);
        input.delete(go);
        assert_eq!(shown(&input), expect, "{from} {go:?}");
    };
    check("ab|c", CursorMove::Left, "a|c");
    check("a|bc", CursorMove::Right, "a|c");
    check("one two|", CursorMove::WordLeft, "one |");
    check("one|\ntwo", CursorMove::LineEnd, "one|\ntwo");
    check("one|", CursorMove::LineStart, "|");
}

#[test]
fn lines_are_reached_from_each_other() {
    let mut input = at("日本\nabc|");
    assert_eq!(input.up(), CursorMoveResult::Yes);
    assert_eq!(shown(&input), "日|本\nabc");
    assert_eq!(input.up(), CursorMoveResult::No);
    assert_eq!(input.down(), CursorMoveResult::Yes);
    assert_eq!(shown(&input), "日本\nab|c");
    assert_eq!(input.down(), CursorMoveResult::No);
}

#[test]
fn rows_break_where_they_are_full_and_say_where_the_cursor_is() {
    let check = |from: &str, width: usize, rows: &[&str], row: usize, column: usize| {
        let found = at(from).rows(width);
        assert_eq!(
            (found.rows.as_slice(), found.row, found.column),
            (rows.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(), row, column)
        );
    };
    check("|", 5, &[""], 0, 0);
    check("abc|", 5, &["abc"], 0, 3);
    check("abcde|", 5, &["abcde", ""], 1, 0);
    check("ab|cdefg", 5, &["abcde", "fg"], 0, 2);
    check("a\n|b", 5, &["a", "b"], 1, 0);
    check("日本語|", 5, &["日本", "語"], 1, 2);
}

#[test]
fn what_is_pasted_has_plain_line_ends() {
    let mut input = InputBuffer::default();
    input.insert("a\r\nb\rc");
    assert_eq!(input.text(), "a\nb\nc");
}

#[test]
fn a_piece_before_the_cursor_is_replaced() {
    let mut input = at("see @sr| now");
    input.replace_before(3, "@src/main.rs");
    assert_eq!(shown(&input), "see @src/main.rs| now");
}

#[test]
fn of_a_book_that_was_pasted_only_what_is_near_the_cursor_is_laid_out() {
    let check = |text: String| {
        let mut input = InputBuffer::of(text);
        input.insert("here");
        let found = input.rows(80);
        assert!((20..NEAR / 4).contains(&found.rows.len()), "{} rows", found.rows.len());
        let end = found.rows[found.row.saturating_sub(1)..=found.row].concat();
        assert!(end.ends_with("here"), "{end:?}");
        assert_eq!(columns(&found.rows[found.row]), found.column);
    };
    check("x".repeat(1 << 20));
    check("日本語 ".repeat(100_000));
    check("a line of a book\n".repeat(60_000));
    check(format!("{}\n", "y".repeat(100_000)));
}
