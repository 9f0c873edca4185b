use super::*;

fn lines(many: usize) -> Vec<String> {
    (1..=many).map(|line| format!("line {line}")).collect()
}

#[test]
fn what_fits_is_one_page_and_stays_as_it_is() {
    let room = Room { lines: 20, columns: 80 };
    assert_eq!(room.pages(&lines(20)), [lines(20)]);
}

#[test]
fn a_long_question_begins_with_its_beginning_and_loses_no_line() {
    let room = Room { lines: 20, columns: 80 };
    let pages = room.pages(&lines(204));
    assert_eq!((pages.len(), pages.first().map(Vec::as_slice)), (11, lines(204).get(..20)));
    assert_eq!(pages.concat(), lines(204));
}

#[test]
fn a_line_that_is_longer_than_the_terminal_counts_for_as_many_as_it_takes() {
    let room = Room { lines: 6, columns: 10 };
    let pages = room.pages(&["x".repeat(95), "\ny".into()]);
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [6, 6]);
    assert_eq!(pages.concat().concat(), "x".repeat(95) + "y");
}
