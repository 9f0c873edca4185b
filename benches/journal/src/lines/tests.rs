use holm_kernel::journal;

use super::lines;

#[test]
fn the_lines_are_a_sound_journal_of_that_length() {
    for count in [1, 2, 50, 101] {
        let lines = lines(count);
        assert_eq!(lines.len(), count);
        let records = journal::decode_strict(lines.concat().as_bytes()).expect("it is whole");
        assert_eq!(records.len(), count);
        journal::replay(&records).expect("it can be told again");
    }
}

#[test]
fn a_longer_journal_begins_as_a_shorter_one() {
    let (short, long) = (lines(20), lines(60));
    assert_eq!(long.get(..20), Some(short.as_slice()));
}
