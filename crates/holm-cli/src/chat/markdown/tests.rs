use super::*;
use crate::chat::{text::columns, theme::Shade};

const SAMPLE: &str = "# Title\n\nSome *words* with `code` and **bold**, a [link](https://example.org) and snake_case_name.\n\n\
    - one\n- two that is rather long and has to go on below\n  - nested\n\n1. first\n2. [x] done\n\n\
    > quoted\n> ## head\n\n| Name | What it does |\n|---|---|\n| a | the first |\n| b | the second, which is longer |\n\n\
    ```rust\nfn main() {\n    // why\n}\n```\n\n---\nend";

fn laid(text: &str, width: usize) -> Vec<String> {
    let mut flow = Flow::of(text.to_owned());
    flow.lines(width, &Theme::of(Shade::Dark)).iter().map(ToString::to_string).collect()
}

#[test]
fn every_kind_of_block_is_laid_out() {
    insta::assert_snapshot!(laid(SAMPLE, 44).join("\n"));
}

#[test]
fn text_in_pieces_gives_the_lines_of_the_whole() {
    let theme = Theme::of(Shade::Dark);
    for size in [1, 2, 3, 7, 50] {
        let mut flow = Flow::default();
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
    let theme = Theme::of(Shade::Dark);
    let mut flow = Flow::default();
    for number in 0..200 {
        flow.push(&format!("Paragraph {number} with some words in it.\n\n"));
        flow.lines(40, &theme);
        let laid = flow.laid.as_ref().unwrap();
        assert_eq!(laid.settled, flow.text.len(), "nothing of a finished paragraph is open");
    }
}

#[test]
fn a_line_of_a_megabyte_is_cut_into_blocks() {
    let theme = Theme::of(Shade::Dark);
    let mut flow = Flow::of("x".repeat(1 << 20));
    let lines = flow.lines(80, &theme);
    assert!(lines.iter().all(|line| columns(&line.to_string()) <= 80));
    let laid = flow.laid.as_ref().unwrap();
    assert!(flow.text.len() - laid.settled <= LONGEST_OPEN);
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
fn another_width_lays_the_text_out_again() {
    let theme = Theme::of(Shade::Dark);
    let mut flow = Flow::of("one two three four".into());
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
