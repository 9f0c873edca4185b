use super::{bare, fold, is_hidden, is_refused};

#[test]
fn characters_that_a_person_cannot_see_are_refused() {
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
        '\u{34f}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{17b5}',
        '\u{180b}',
        '\u{180f}',
        '\u{2800}',
        '\u{3164}',
        '\u{ffa0}',
        '\u{e0100}',
        '\u{e01ef}',
    ] {
        assert!(is_refused(c), "{c:?}");
    }
    for c in ['a', ' ', 'é', '\u{200d}', '\u{fe0f}', '．', '🐚'] {
        assert!(!is_refused(c), "{c:?}");
    }
}

#[test]
fn what_is_hidden_from_a_person_is_refused_or_not_seen_by_denials() {
    for c in ('\u{80}'..=char::MAX).filter(|c| is_hidden(*c)) {
        let disguised: alloc::string::String = [".e", c.encode_utf8(&mut [0; 4]), "nv"].concat();
        assert!(is_refused(c) || fold(&disguised) == ".env", "{c:?}");
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
