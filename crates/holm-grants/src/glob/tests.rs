use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{DoubleStarError, NameGlob};

fn glob(text: &str) -> NameGlob {
    NameGlob::parse(text).unwrap()
}

/// Every word over `alphabet` of at most `longest` letters.
fn words(alphabet: &[char], longest: usize) -> Vec<String> {
    let mut all = Vec::from([String::new()]);
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for c in alphabet {
                let mut word = all[i].clone();
                word.push(*c);
                all.push(word);
            }
        }
        from = to;
    }
    all
}

#[test]
fn a_star_stands_for_any_text_also_none() {
    let check = |pattern: &str, text: &str, expect: bool| {
        assert_eq!(glob(pattern).admits(text.as_bytes()), expect, "{pattern} on {text}");
    };
    check("*", "x", true);
    check("a*", "a", true);
    check("a*a", "a", false);
    check("a*a", "aa", true);
    check("*.rs", "lib.rs", true);
    check("*.rs", "lib.rs.bak", false);
    check("a*b*c", "aXbYc", true);
    check("a*b*c", "acb", false);
    check("*ab*ab*", "abab", true);
    check("*ab*ab*", "aba", false);
    check("*b*b", "b", false);
    check("a*b*b", "ab", false);
    check("é*", "éa", true);
}

/// Matches letter by letter in every possible way; too slow for anything but a reference.
fn matches_slowly(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((b'*', after)), None) => matches_slowly(after, text),
        (Some((b'*', after)), Some((_, tail))) => {
            matches_slowly(after, text) || matches_slowly(pattern, tail)
        }
        (Some((p, after)), Some((t, tail))) => p == t && matches_slowly(after, tail),
        (Some(_), None) => false,
    }
}

#[test]
fn matching_agrees_with_trying_every_way() {
    let texts = words(&['a', 'b', '*'], 5).into_iter().filter(|text| !text.contains("**"));
    let words = words(&['a', 'b'], 6);
    for text in texts {
        let glob = glob(&text);
        for word in &words {
            let expect = matches_slowly(text.as_bytes(), word.as_bytes());
            assert_eq!(glob.admits(word.as_bytes()), expect, "{text} on {word}");
        }
    }
}

#[test]
fn a_literal_star_is_written_in_brackets() {
    let star = glob("a[*]b");
    assert!(star.admits(b"a*b"));
    assert!(!star.admits(b"axb"));
    assert_eq!(star, NameGlob::literal("a*b"));
    assert_eq!(star.to_string(), "a[*]b");
}

#[test]
fn any_literal_text_survives_printing() {
    for text in ["*", "**", "[*]", "[[*]]", "[", "]*[", "[slug]", "a*[*]*b"] {
        let literal = NameGlob::literal(text);
        assert_eq!(glob(&literal.to_string()), literal, "{text}");
    }
}

#[test]
fn two_stars_side_by_side_are_refused() {
    assert_eq!(NameGlob::parse("a**b"), Err(DoubleStarError));
    assert!(NameGlob::parse("*[*]*").is_ok());
}

#[test]
fn containment_agrees_with_enumeration_for_every_small_pair() {
    // The hardest word of a pattern is the pattern with one foreign letter per star, so words as long as the longest
    // pattern over its letters and one foreign letter are a complete oracle.
    let texts: Vec<String> =
        words(&['a', 'b', '*'], 4).into_iter().filter(|t| !t.is_empty() && !t.contains("**")).collect();
    let words: Vec<String> = words(&['a', 'b', 'z'], 4).into_iter().filter(|w| !w.is_empty()).collect();
    let admitted: Vec<(NameGlob, Vec<bool>)> = texts
        .iter()
        .map(|text| {
            let glob = glob(text);
            let row = words.iter().map(|word| glob.admits(word.as_bytes())).collect();
            (glob, row)
        })
        .collect();
    for (a, in_a) in &admitted {
        for (b, in_b) in &admitted {
            let enumerated = in_a.iter().zip(in_b).all(|(a, b)| *a || !*b);
            assert_eq!(a.contains(b), enumerated, "{a} contains {b}");
        }
    }
}
