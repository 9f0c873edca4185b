use super::*;

fn lines(many: usize) -> Vec<String> {
    (1..=many).map(|line| format!("line {line}")).collect()
}

#[test]
fn what_fits_is_one_page_and_stays_as_it_is() {
    let room = PageSize { lines: 20, columns: 80 };
    assert_eq!(room.pages(&lines(20)), [lines(20)]);
}

#[test]
fn a_long_question_begins_with_its_beginning_and_loses_no_line() {
    let room = PageSize { lines: 20, columns: 80 };
    let pages = room.pages(&lines(204));
    assert_eq!((pages.len(), pages.first().map(Vec::as_slice)), (11, lines(204).get(..20)));
    assert_eq!(pages.concat(), lines(204));
}

#[test]
fn a_line_that_is_longer_than_the_terminal_counts_for_as_many_as_it_takes() {
    let room = PageSize { lines: 6, columns: 10 };
    let pages = room.pages(&["x".repeat(95), "\ny".into()]);
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [6, 6]);
    assert_eq!(pages.concat().concat(), "x".repeat(95) + "y");
}

#[test]
fn wide_letters_take_two_columns_and_marks_none() {
    let room = PageSize { lines: 6, columns: 10 };
    // Five to a row.
    assert_eq!(
        room.rows(&"漢".repeat(11)).iter().map(|row| row.chars().count()).collect::<Vec<_>>(),
        [5, 5, 1]
    );
    // A wide letter that does not fit begins the next row.
    assert_eq!(room.rows(&format!("{}漢", "x".repeat(9))), ["x".repeat(9), "漢".into()]);
    // A mark stays on its letter, also on the last of a row.
    assert_eq!(room.rows(&"e\u{301}".repeat(10)), ["e\u{301}".repeat(10)]);
    assert_eq!(room.rows("a\tb\tc"), ["a\tb", "\tc"]);
    assert_eq!(room.rows(""), [""]);
}

#[test]
fn a_long_script_of_wide_letters_is_counted_by_the_rows_that_it_takes() {
    let room = PageSize { lines: 20, columns: 80 };
    // 60 letters: one row by their number, two by their width.
    let script: Vec<String> = (0..15).map(|line| format!("{line:02}{}", "字".repeat(58))).collect();
    let pages = room.pages(&script);
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [20, 10]);
    assert_eq!(pages.concat().concat(), script.concat());
}

#[test]
fn a_terminal_of_one_column_loses_no_letter() {
    let room = PageSize { lines: 6, columns: 1 };
    assert_eq!(room.rows("漢a\tb").concat(), "漢a\tb");
}
