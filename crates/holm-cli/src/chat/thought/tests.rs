//! Tests reasoning texts: long and short, whole and in pieces.

use super::*;
use crate::chat::{incremental_text::LONGEST_OPEN, theme::ThemeKind};

fn shown(thought: &mut ThoughtText, width: usize, detail: DetailLevel) -> Vec<String> {
    thought
        .last_lines(width, &ChatTheme::of(ThemeKind::None), detail)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_end_of_a_thought_is_what_is_shown() {
    let text: Vec<String> = (0..20).map(|number| format!("step {number}")).collect();
    let mut thought = ThoughtText::of(format!("{}\n\n", text.join("\n")));
    assert_eq!(
        shown(&mut thought, 40, DetailLevel::Few),
        text[14..].iter().map(|line| format!("┆ {line}")).collect::<Vec<_>>()
    );
    assert_eq!(shown(&mut thought, 40, DetailLevel::All).len(), 20);
}

#[test]
fn a_thought_in_pieces_stands_as_it_does_whole() {
    let text =
        "First I look.\n\nThen I think for quite some time about 日本語 and what it means.\nAnd so on\n";
    let theme = ChatTheme::of(ThemeKind::None);
    for width in [3, 10, 40] {
        let mut pieces = ThoughtText::default();
        for piece in text.split_inclusive(' ') {
            pieces.push(piece);
            pieces.last_lines(width, &theme, DetailLevel::All);
        }
        let mut whole = ThoughtText::of(text.to_owned());
        assert_eq!(
            shown(&mut pieces, width, DetailLevel::All),
            shown(&mut whole, width, DetailLevel::All),
            "{width}"
        );
    }
}

#[test]
fn another_width_lays_it_out_anew() {
    let mut thought = ThoughtText::of("one two three".to_owned());
    assert_eq!(shown(&mut thought, 40, DetailLevel::Few), ["┆ one two three"]);
    assert_eq!(shown(&mut thought, 9, DetailLevel::Few), ["┆ one two", "┆ three"]);
    thought.forget();
    assert_eq!(shown(&mut thought, 40, DetailLevel::Few), ["┆ one two three"]);
}

#[test]
fn what_is_settled_is_not_laid_out_again_however_long_the_line_is() {
    let theme = ChatTheme::of(ThemeKind::None);
    let mut thought = ThoughtText::default();
    for _ in 0..1_000 {
        thought.push(&"thinking ".repeat(100));
        let kept = thought.lines(80, &theme).len();
        assert!(kept <= 2 * MOST_LINES + 400, "{kept} lines are kept");
        let open = thought.open().unwrap();
        assert!(open <= 2 * LONGEST_OPEN, "{open} bytes are laid out with each piece");
    }
    assert!(shown(&mut thought, 80, DetailLevel::Few).iter().all(|line| line.starts_with("┆ thinking ")));
}

#[test]
fn of_a_thought_that_is_far_too_long_only_the_end_is_laid_out() {
    let mut thought = ThoughtText::of(format!("{}the end", "x".repeat(4 << 20)));
    let lines = shown(&mut thought, 40, DetailLevel::All);
    assert!(lines.len() <= MOST_LINES && lines.last().unwrap().ends_with("the end"));
    assert!(thought.lines(40, &ChatTheme::of(ThemeKind::None)).len() <= 5 * MOST_LINES);
}

#[test]
fn an_empty_thought_takes_no_room() {
    assert!(shown(&mut ThoughtText::default(), 40, DetailLevel::All).is_empty());
    assert!(shown(&mut ThoughtText::of("\n \n".to_owned()), 40, DetailLevel::All).is_empty());
}
