use super::*;
use crate::chat::theme::ThemeKind;

/// The tokens of a line that have a style of their own, by its name.
fn styled(language: &str, lines: &[&str]) -> Vec<(String, &'static str)> {
    let theme = ChatTheme::of(ThemeKind::Dark);
    let named = [
        (theme.keyword, "keyword"),
        (theme.string, "string"),
        (theme.number, "number"),
        (theme.comment, "comment"),
    ];
    let language = CodeLanguage::named(language).unwrap();
    let (mut within, mut found) = (LexerState::Code, Vec::new());
    for line in lines {
        let (spans, after) = language.line(line, within, &theme);
        assert_eq!(spans.iter().map(|span| span.content.as_ref()).collect::<String>(), *line);
        within = after;
        for span in spans {
            if let Some((_, name)) = named.iter().find(|(style, _)| *style == span.style) {
                found.push((span.content.into_owned(), *name));
            }
        }
    }
    found
}

#[test]
fn words_strings_numbers_and_comments_are_told_apart() {
    let check = |language: &str, lines: &[&str], expect: &[(&str, &str)]| {
        let found = styled(language, lines);
        let found: Vec<(&str, &str)> = found.iter().map(|(text, name)| (text.as_str(), *name)).collect();
        assert_eq!(found, expect, "{lines:?}");
    };
    check("rust", &["let x = 42; // why"], &[("let", "keyword"), ("42", "number"), ("// why", "comment")]);
    check("rust", &["let s = \"a \\\" b\";"], &[("let", "keyword"), ("\"a \\\" b\"", "string")]);
    check("python", &["def f(): # c"], &[("def", "keyword"), ("# c", "comment")]);
    check(
        "py",
        &["\"\"\"one", "two\"\"\" if"],
        &[("\"\"\"one", "string"), ("two\"\"\"", "string"), ("if", "keyword")],
    );
    check("c", &["/* a", "b */ int"], &[("/* a", "comment"), ("b */", "comment"), ("int", "keyword")]);
    check("json", &["{\"a\": true}"], &[("\"a\"", "string"), ("true", "keyword")]);
}

#[test]
fn an_unknown_language_has_no_colours() {
    assert_eq!(CodeLanguage::named("klingon"), None);
    assert!(CodeLanguage::named("Rust").is_some());
}

#[test]
fn any_text_comes_through_whole() {
    for language in ["rust", "python", "js", "sh", "sql"] {
        styled(language, &["", "'", "\"", "/*", "日本 \"語", "\\", "#", "`a`", "'''"]);
    }
}
