use super::*;
use crate::chat::{
    text::{columns, safe},
    theme::ThemeKind,
};

const SAMPLE: &str = "# Title\n\nSome *words* with `code` and **bold**, a [link](https://example.org) and snake_case_name.\n\n\
    - one\n- two that is rather long and has to go on below\n  - nested\n\n1. first\n2. [x] done\n\n\
    > quoted\n> ## head\n\n| Name | What it does |\n|---|---|\n| a | the first |\n| b | the second, which is longer |\n\n\
    ```rust\nfn main() {\n    // why\n}\n```\n\n---\nend";

fn laid(text: &str, width: usize) -> Vec<String> {
    let mut flow = MarkdownText::of(text.to_owned());
    flow.lines(width, &ChatTheme::of(ThemeKind::Dark)).iter().map(ToString::to_string).collect()
}

#[test]
fn every_kind_of_block_is_laid_out() {
    insta::assert_snapshot!(laid(SAMPLE, 44).join("\n"));
}

#[test]
fn an_item_far_to_the_right_with_a_long_number_keeps_room_for_its_text() {
    let lines = laid("          123456789. abc def ghi", 20);
    assert!(lines.iter().all(|line| columns(line) <= 20), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("abc def")), "{lines:?}");
}

#[test]
fn a_long_line_of_code_looks_the_same_however_it_came() {
    let code = format!("```\n{}\nend\n```\n", "x".repeat(3 * LONGEST_OPEN));
    let theme = ChatTheme::of(ThemeKind::Dark);
    let mut flow = MarkdownText::default();
    for piece in code.as_bytes().chunks(1000) {
        flow.push(std::str::from_utf8(piece).expect("letters"));
        flow.lines(80, &theme);
    }
    let grown: Vec<String> = flow.lines(80, &theme).iter().map(ToString::to_string).collect();
    assert_eq!(grown, laid(&code, 80));
}

#[test]
fn text_in_pieces_gives_the_lines_of_the_whole() {
    let theme = ChatTheme::of(ThemeKind::Dark);
    for size in [1, 2, 3, 7, 50] {
        let mut flow = MarkdownText::default();
        let mut rest = SAMPLE;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            flow.push(piece);
            flow.lines(44, &theme);
            rest = after;
        }
        let lines: Vec<String> = flow.lines(44, &theme).iter().map(ToString::to_string).collect();
        assert_eq!(lines, laid(SAMPLE, 44), "in pieces of {size}");
    }
}

#[test]
fn what_is_settled_is_laid_out_once() {
    let theme = ChatTheme::of(ThemeKind::Dark);
    let mut flow = MarkdownText::default();
    for number in 0..200 {
        flow.push(&format!("Paragraph {number} with some words in it.\n\n"));
        flow.lines(40, &theme);
        assert_eq!(flow.open(), Some(0), "nothing of a finished paragraph is open");
    }
}

#[test]
fn a_line_of_a_megabyte_is_cut_into_blocks() {
    let theme = ChatTheme::of(ThemeKind::Dark);
    let mut flow = MarkdownText::of("x".repeat(1 << 20));
    let lines = flow.lines(80, &theme);
    assert!(lines.iter().all(|line| columns(&line.to_string()) <= 80));
    assert!(flow.open().unwrap() <= LONGEST_OPEN);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in [20, 33, 80] {
        for line in laid(SAMPLE, width) {
            assert!(columns(&line) <= width, "{line:?} at {width}");
        }
    }
}

#[test]
fn a_table_that_does_not_fit_is_shown_as_it_was_written() {
    let table = "| a | bcd | efg | hij |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |";
    assert_eq!(laid(table, 19).first().unwrap(), "a │ bcd │ efg │ hij");
    assert_eq!(laid(table, 18), ["| a | bcd | efg |", "hij |", "|---|---|---|---|", "| 1 | 2 | 3 | 4 |"]);
}

#[test]
fn another_width_lays_the_text_out_again() {
    let theme = ChatTheme::of(ThemeKind::Dark);
    let mut flow = MarkdownText::of("one two three four".into());
    assert_eq!(flow.lines(9, &theme).len(), 3);
    assert_eq!(flow.lines(40, &theme).len(), 1);
}

#[test]
fn marks_that_do_not_end_are_plain_text() {
    let check = |text: &str, expect: &str| assert_eq!(laid(text, 60).join("\n"), expect, "{text:?}");
    check("2 * 3 * 4", "2 * 3 * 4");
    check("a ** b", "a ** b");
    check("`open", "`open");
    check("[not a link]", "[not a link]");
    check("\\*plain\\*", "*plain*");
    check("many > signs", "many > signs");
    assert!(
        laid(&">".repeat(500), 60).iter().all(|line| columns(line) <= 60),
        "a deep quote stays within the page"
    );
}

/// What marks blocks and words, wide and heaped letters, and what a terminal would obey.
const PIECES: [&str; 32] = [
    "\n",
    "\n\n",
    "# ",
    "###### ",
    "- ",
    "  * ",
    "12. ",
    "1) [x] ",
    "> ",
    ">>>",
    "```",
    "```rust\n",
    "~~~~",
    "|",
    " | ",
    "|---|:-:|\n",
    "---",
    "*",
    "**",
    "`",
    "_",
    "[a](b)",
    "[",
    "\\",
    "word ",
    "a-longer-word-than-there-is-room",
    "\u{6f22}\u{5b57}",
    "\u{1f642}",
    "e\u{301}\u{301}",
    "\t",
    "\u{1b}[2J",
    "\u{202e}",
];

/// On a page that is narrower than this the marks before a text may leave it no room.
const NARROW: usize = 12;

#[test]
fn any_marks_in_any_order_are_laid_out_at_any_width_and_none_is_obeyed() {
    let theme = ChatTheme::of(ThemeKind::Dark);
    let mut lot = 1_u64;
    let mut draw = |below: u64| {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((lot >> 33) % below).unwrap()
    };
    for _ in 0..400 {
        let width = 1 + draw(90);
        let mut flow = MarkdownText::default();
        for _ in 0..draw(60) {
            flow.push(&safe(PIECES.get(draw(32)).unwrap()));
            // While it arrives, and again from the beginning, as after a change of the window.
            flow.lines(width, &theme);
            if draw(8) == 0 {
                flow.forget();
            }
        }
        let lines: Vec<String> = flow.lines(width, &theme).iter().map(ToString::to_string).collect();
        let obeyed = lines.iter().find(|line| line.contains(['\u{1b}', '\u{202e}', '\n', '\t']));
        assert_eq!(obeyed, None, "{:?}", flow.text());
        let wide = lines.iter().find(|line| columns(line) > width.max(NARROW));
        assert_eq!(wide, None, "{:?} at {width}", flow.text());
    }
}
