use super::{bare, fold, is_hidden};

#[test]
fn characters_that_a_person_cannot_see_are_hidden() {
    for c in [
        '\0',
        '\n',
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\u{202e}',
        '\u{2066}',
        '\u{200b}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        assert!(is_hidden(c), "{c:?}");
    }
    for c in ['a', ' ', 'é', '\u{200d}', '．', '🐚'] {
        assert!(!is_hidden(c), "{c:?}");
    }
}

#[test]
fn folding_sees_through_case_and_joiners() {
    for (disguise, plain) in [
        (".ENV", ".env"),
        (".G\u{200c}it", ".git"),
        ("\u{212a}eys", "keys"),
        ("ſecret", "secret"),
        ("gıt", "git"),
    ] {
        assert_eq!(fold(disguise), plain, "{disguise}");
    }
    assert_eq!(fold("straße"), fold("STRASSE"));
}

#[test]
fn trailing_dots_spaces_and_streams_do_not_change_the_file() {
    for disguise in [".env.", ".env . .", ".env::$data", ".env:x"] {
        assert_eq!(bare(disguise), ".env", "{disguise}");
    }
}
