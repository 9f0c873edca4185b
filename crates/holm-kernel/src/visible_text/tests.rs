use alloc::string::String;

use proptest::prelude::*;

use super::{is_deceptive, visible, visible_bounded};

fn check(text: &str, expected: &str) {
    assert_eq!(visible(text), expected);
}

#[test]
fn plain_text_stays_as_it_is() {
    check("rm -rf ./build\n\tls", "rm -rf ./build\n\tls");
    check("grüße 日本語 🦀 ~", "grüße 日本語 🦀 ~");
}

#[test]
fn terminal_escapes_are_written_out() {
    check("\u{1b}[2K\u{1b}[1Als", r"\u{1b}[2K\u{1b}[1Als");
    check("\u{1b}]8;;http://x\u{7}", r"\u{1b}]8;;http://x\u{7}");
    check("\u{1b}Pq\u{1b}\\", "\\u{1b}Pq\\u{1b}\\");
    check("\u{9b}31m\u{9d}0;t\u{9c}", r"\u{9b}31m\u{9d}0;t\u{9c}");
}

#[test]
fn a_carriage_return_cannot_hide_what_stands_before_it() {
    check("rm -rf /\rls      ", r"rm -rf /\u{d}ls      ");
    check("a\u{8}b\u{b}\u{c}\u{7f}\0", r"a\u{8}b\u{b}\u{c}\u{7f}\u{0}");
}

#[test]
fn text_cannot_be_turned_round() {
    check("\u{202e}cod.exe\u{202c}", r"\u{202e}cod.exe\u{202c}");
    check("\u{2066}a\u{2069}\u{200f}\u{61c}", r"\u{2066}a\u{2069}\u{200f}\u{61c}");
}

#[test]
fn what_takes_no_room_is_shown() {
    check("a\u{200b}b\u{feff}c\u{ad}d", r"a\u{200b}b\u{feff}c\u{ad}d");
    check("\u{e0041}\u{e0100}\u{fe0f}", r"\u{e0041}\u{e0100}\u{fe0f}");
    check("\u{2028}\u{2029}\u{3164}", r"\u{2028}\u{2029}\u{3164}");
}

#[test]
fn a_space_that_is_not_a_space_is_shown() {
    check("rm\u{a0}-rf\u{3000}/", r"rm\u{a0}-rf\u{3000}/");
}

#[test]
fn a_short_text_is_not_bounded() {
    assert_eq!(visible_bounded("abc", 3), "abc");
    assert_eq!(visible_bounded("äöü", 3), "äöü");
    assert_eq!(visible_bounded("", 0), "");
    assert_eq!(visible_bounded("\u{1b}", 6), r"\u{1b}");
}

#[test]
fn a_long_text_shows_both_ends_and_the_number_between() {
    assert_eq!(visible_bounded("abcdefghij", 4), "ab […6 characters not shown…] ij");
    assert_eq!(visible_bounded("ab", 0), " […2 characters not shown…] ");
    assert_eq!(visible_bounded("abc", 1), "a […2 characters not shown…] ");
}

#[test]
fn what_is_written_out_counts_with_its_full_width() {
    assert_eq!(visible_bounded("\u{1b}\u{1b}\u{1b}", 12), r"\u{1b} […1 characters not shown…] \u{1b}");
}

#[test]
fn a_huge_command_stays_on_one_screen() {
    let mut text = String::from("echo start; ");
    text.extend(core::iter::repeat_n("\u{1b}[A", 400_000));
    text.push_str("; rm -rf /");
    let shown = visible_bounded(&text, 1_000);
    assert!(shown.chars().count() < 1_100);
    assert!(shown.starts_with("echo start; ") && shown.ends_with("; rm -rf /"));
}

/// Plain and hostile characters, mixed.
fn hostile() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(
        "\u{1b}\r\n\t\0\u{7f}\u{9b}\u{85}\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\u{2028}\u{a0}\u{fe0f}é日🦀"
            .chars()
            .collect::<alloc::vec::Vec<char>>(),
    );
    prop::collection::vec(prop_oneof![hostile, any::<char>(), prop::char::range('a', 'z')], 0..200)
        .prop_map(|chars| chars.into_iter().collect())
}

/// The classes, named a second time so that the table in the code is checked against something.
fn is_dangerous(c: char) -> bool {
    let code = u32::from(c);
    (c.is_control() && c != '\n' && c != '\t')
        || [0x200b..=0x200f, 0x2028..=0x202e, 0x2060..=0x2069, 0xe0000..=0xe007f]
            .iter()
            .any(|class| class.contains(&code))
        || [0xad, 0x61c, 0x180e, 0xfeff].contains(&code)
}

proptest! {
    #[test]
    fn nothing_dangerous_is_ever_shown(text in hostile(), limit in 0..300_u64) {
        prop_assert!(!visible(&text).chars().any(is_dangerous));
        prop_assert!(!visible(&text).chars().any(is_deceptive));
        prop_assert!(!visible_bounded(&text, limit).chars().any(is_deceptive));
    }

    #[test]
    fn what_is_shown_is_bounded_and_says_what_is_missing(text in hostile(), limit in 0..300_u64) {
        let shown = visible_bounded(&text, limit);
        let marker = " […200 characters not shown…] ".chars().count() as u64;
        prop_assert!(shown.chars().count() as u64 <= limit + marker);
        let whole = visible(&text);
        prop_assert_eq!(shown == whole, whole.chars().count() as u64 <= limit);
    }
}

#[test]
fn a_line_stays_one_line_and_a_list_shows_its_ends_and_counts_the_rest() {
    assert_eq!(super::line("read:a\nread:b\tc", 100), "read:a\\u{a}read:b\\u{9}c");
    let texts: alloc::vec::Vec<alloc::string::String> = (0..9).map(|n| alloc::format!("{n}")).collect();
    let check = |most: usize, expected: &[&str]| assert_eq!(super::lines(&texts, most, 10), expected);
    check(9, &["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    check(4, &["0", "1", "[…5 more not shown…]", "7", "8"]);
    check(1, &["0", "[…8 more not shown…]"]);
    check(0, &["[…9 more not shown…]"]);
}
