use holm::grants::Mode;

use super::*;
use crate::chat::{
    item::NoteTone,
    tab::TabId,
    theme::{ChatTheme, ThemeKind},
};

fn tab(things: usize) -> SessionTab {
    let mut tab = SessionTab::new(TabId(1), Mode::Default);
    (0..things).for_each(|number| tab.note(NoteTone::Quiet, &format!("{number}a\n{number}b")));
    tab
}

fn seen(tab: &mut SessionTab, glass: TranscriptViewport<'_>) -> Vec<String> {
    glass.lines(tab).iter().map(|(_, line)| line.to_string()).collect()
}

#[test]
fn the_end_is_looked_at_until_somebody_scrolls() {
    let theme = ChatTheme::of(ThemeKind::None);
    let glass = TranscriptViewport { width: 20, height: 4, theme: &theme, detail: DetailLevel::Few };
    let mut tab = tab(5);
    assert_eq!(seen(&mut tab, glass), ["3b", "", "4a", "4b"]);
    tab.note(NoteTone::Quiet, "more");
    assert_eq!(seen(&mut tab, glass), ["4a", "4b", "", "more"]);
}

#[test]
fn what_is_looked_at_stays_while_more_arrives() {
    let theme = ChatTheme::of(ThemeKind::None);
    let glass = TranscriptViewport { width: 20, height: 4, theme: &theme, detail: DetailLevel::Few };
    let mut tab = tab(5);
    glass.scroll(&mut tab, -4);
    let before = seen(&mut tab, glass);
    assert_eq!(before, ["2a", "2b", "", "3a"]);
    tab.note(NoteTone::Quiet, "more");
    assert_eq!(seen(&mut tab, glass), before);
    glass.scroll(&mut tab, 100);
    assert_eq!(tab.look, ScrollPosition::End);
}

#[test]
fn nothing_lies_above_the_beginning() {
    let theme = ChatTheme::of(ThemeKind::None);
    let glass = TranscriptViewport { width: 20, height: 4, theme: &theme, detail: DetailLevel::Few };
    let mut tab = tab(5);
    glass.scroll(&mut tab, -1_000);
    assert_eq!(seen(&mut tab, glass), ["0a", "0b", "", "1a"]);
    glass.scroll(&mut tab, 1);
    assert_eq!(seen(&mut tab, glass), ["0b", "", "1a", "1b"]);
}

#[test]
fn a_narrower_screen_keeps_the_thing_that_was_looked_at() {
    let theme = ChatTheme::of(ThemeKind::None);
    let wide = TranscriptViewport { width: 80, height: 3, theme: &theme, detail: DetailLevel::Few };
    let mut tab = SessionTab::new(TabId(1), Mode::Default);
    (0..6).for_each(|number| tab.note(NoteTone::Quiet, &format!("{number} {}", "word ".repeat(10))));
    wide.show(&mut tab, 2);
    let narrow = TranscriptViewport { width: 12, ..wide };
    assert!(seen(&mut tab, narrow).first().unwrap().starts_with('2'));
}

#[test]
fn a_frame_of_a_long_session_lays_out_only_what_is_near() {
    let theme = ChatTheme::of(ThemeKind::None);
    let glass = TranscriptViewport { width: 20, height: 10, theme: &theme, detail: DetailLevel::Few };
    let mut tab = tab(10_000);
    seen(&mut tab, glass);
    let laid = tab.items.iter().filter(|item| item.is_laid()).count();
    assert!(laid < 10, "{laid} things were laid out for one frame");
}
