use alloc::string::ToString;

use super::{GrantName, MAX_NAME, NamePattern};
use crate::error::GrantNameError;

#[test]
fn a_name_takes_every_character_literally() {
    let star: GrantName = "a*b".parse().unwrap();
    let pattern = NamePattern::exactly(&star).unwrap();
    assert_eq!(pattern.to_string(), "a[*]b");
    assert!(pattern.admits(&star));
    assert!(!pattern.admits(&"axb".parse().unwrap()));
}

#[test]
fn characters_that_no_name_has_are_refused_by_code_point() {
    for (text, code) in [("a b", 0x20), ("A=B", 0x3d), ("a\u{202e}b", 0x202e), ("a@b", 0x40), ("{x}", 0x7b)] {
        assert_eq!(text.parse::<GrantName>(), Err(GrantNameError::BadCharacter { code }), "{text}");
        assert_eq!(text.parse::<NamePattern>(), Err(GrantNameError::BadCharacter { code }), "{text}");
    }
    assert_eq!("".parse::<GrantName>(), Err(GrantNameError::Empty));
    assert_eq!("a".repeat(257).parse::<GrantName>(), Err(GrantNameError::TooLong { max: 256 }));
}

#[test]
fn a_name_too_long_to_print_as_a_pattern_is_refused() {
    let stars: GrantName = "*".repeat(MAX_NAME).parse().unwrap();
    assert_eq!(NamePattern::exactly(&stars), Err(GrantNameError::TooLong { max: 256 }));
}

#[test]
fn names_that_look_alike_are_different_names() {
    let latin: NamePattern = "git".parse().unwrap();
    assert!(!latin.admits(&"gіt".parse().unwrap()), "a Cyrillic letter is another letter");
    assert!(!latin.admits(&"GIT".parse().unwrap()));
}
