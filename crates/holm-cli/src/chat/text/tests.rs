use super::*;

fn wrapped(text: &str, width: usize, how: LineBreak) -> Vec<String> {
    let lines = wrap(&[Span::raw(text.to_owned())], width, &LineMargin::default(), how);
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn what_a_terminal_obeys_is_written_out() {
    let check = |text: &str, expect: &str| assert_eq!(safe(text), expect, "{text:?}");
    check("plain", "plain");
    check("a\u{1b}[2Jb", "a\\u{1b}[2Jb");
    check("a\u{9b}2Jb", "a\\u{9b}2Jb");
    check("\u{202e}txet", "\\u{202e}txet");
    check("a\r\nb\tc", "a\nb    c");
    check("over\rwritten", "over\\u{d}written");
    check("❤\u{fe0f}", "❤");
    check("ls\u{fe0f}", "ls\\u{fe0f}");
}

#[test]
fn lines_break_between_words_and_wide_characters_count_twice() {
    let check = |text: &str, width: usize, expect: &[&str]| {
        assert_eq!(wrapped(text, width, LineBreak::Words), expect, "{text:?} at {width}");
    };
    check("", 5, &[""]);
    check("one two three", 7, &["one two", "three"]);
    check("onetwothree", 4, &["onet", "woth", "ree"]);
    check("日本語です", 4, &["日本", "語で", "す"]);
    check("日", 1, &["日"]);
    check("ab cd", 2, &["ab", "cd"]);
}

#[test]
fn code_keeps_every_blank() {
    assert_eq!(wrapped("a  b  c", 3, LineBreak::Anywhere), ["a  ", "b  ", "c"]);
}

#[test]
fn no_line_is_wider_than_its_room() {
    let text = "a word and 日本語 and a verylongwordthatdoesnotfit end".repeat(3);
    for width in 2..40 {
        for how in [LineBreak::Words, LineBreak::Anywhere] {
            for line in wrapped(&text, width, how) {
                assert!(columns(&line) <= width, "{line:?} at {width}");
            }
        }
    }
}

#[test]
fn what_counts_as_one_character_and_is_wider_than_the_line_is_broken() {
    for heap in [
        "\u{1100}".repeat(40),
        format!("a{}", "\u{1f3fd}".repeat(40)),
        format!("\u{0915}{}", "\u{093e}".repeat(40)),
    ] {
        assert_eq!(heap.graphemes(true).count(), 1, "{heap:?}");
        let text = safe(&format!("one {heap} two"));
        for width in 2..40 {
            for how in [LineBreak::Words, LineBreak::Anywhere] {
                let lines = wrapped(&text, width, how);
                for line in &lines {
                    assert!(columns(line) <= width, "{line:?} at {width}");
                }
                let kept = |text: &str| text.replace(' ', "");
                assert_eq!(kept(&lines.concat()), kept(&text), "nothing is lost at {width}");
            }
        }
    }
    assert_eq!(wrapped("\u{1100}\u{1100}\u{1100}", 4, LineBreak::Words), ["\u{1100}\u{1100}", "\u{1100}"]);
    assert_eq!(
        wrapped("x\u{1100}\u{1161}", 2, LineBreak::Words),
        ["x", "\u{1100}\u{1161}"],
        "one that fits is whole"
    );
}

#[test]
fn lines_take_the_room_that_they_need_and_no_more() {
    let bold = ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::BOLD);
    let spans = [Span::raw("one t".to_owned()), Span::raw("wo ".to_owned()), Span::styled("three", bold)];
    let lines = wrap(&spans, 7, &LineMargin::of(Span::raw("│ ")), LineBreak::Words);
    assert_eq!(lines.iter().map(ToString::to_string).collect::<Vec<_>>(), ["│ one", "│ two", "│ three"]);
    for line in &lines {
        assert_eq!((line.spans.len(), line.spans.capacity()), (2, 2), "{line}");
        for span in &line.spans {
            if let std::borrow::Cow::Owned(text) = &span.content {
                assert_eq!(text.capacity(), text.len(), "{text}");
            }
        }
    }
}

#[test]
fn clipping_leaves_a_mark() {
    assert_eq!(clipped("short", 10), "short");
    assert_eq!(clipped("much too long", 5), "much…");
    assert_eq!(clipped("日本語", 4), "日…");
    assert_eq!(clipped("any", 0), "");
}

#[test]
fn marks_that_are_heaped_upon_a_letter_are_written_out() {
    assert_eq!(safe("e\u{301}"), "e\u{301}", "as people write");
    let heaped = safe(&format!("e{}x", "\u{301}".repeat(100)));
    assert!(heaped.ends_with("\\u{301}x"), "{heaped}");
    assert_eq!(heaped.matches('\u{301}').count(), MOST_MARKS);
}

#[test]
fn a_text_is_the_same_however_it_is_cut_into_pieces() {
    for text in [
        "one\r\ntwo\rthree\r\r\nfour",
        "❤\u{fe0f} ls\u{fe0f} ❤\u{fe0f}\u{fe0f}",
        "a\u{1b}[2J\tb\u{202e}c",
        format!("e{}x", "\u{301}".repeat(20)).as_str(),
    ] {
        let mut one_by_one = StreamSanitizer::default();
        let pieces: String = text.chars().map(|c| one_by_one.safe(&c.to_string())).collect();
        assert_eq!(pieces, safe(text), "{text:?}");
        for (at, _) in text.char_indices() {
            let (begin, end) = text.split_at(at);
            let mut halves = StreamSanitizer::default();
            let together = [begin, end].map(|half| halves.safe(half)).concat();
            assert_eq!(together, safe(text), "{begin:?} {end:?}");
        }
    }
    assert_eq!(safe("a\r"), "a\\u{d}", "nothing more comes");
}
