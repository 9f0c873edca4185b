use alloc::string::ToString;

use crate::schema::{EcmaPattern, PatternError, SupportGap};

#[test]
fn patterns_mean_what_they_mean_in_javascript() {
    fn check(pattern: &str, good: &[&str], bad: &[&str]) {
        let compiled = EcmaPattern::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in good {
            assert!(compiled.is_match(text), "{pattern} should match {text:?}");
        }
        for text in bad {
            assert!(!compiled.is_match(text), "{pattern} should not match {text:?}");
        }
    }
    check("", &["", "x"], &[]);
    check("b", &["abc"], &["ac"]);
    check("^b$", &["b"], &["ab", "b\n", "\nb"]);
    check(r"^\d+$", &["42"], &["٤٢", "x"]);
    check(r"^\D$", &["x", "é"], &["4"]);
    check(r"^\w$", &["a", "_"], &["é", "-"]);
    check(r"^\W$", &["é", "-"], &["a"]);
    check(r"^\s$", &[" ", "\u{a0}", "\u{feff}", "\u{2029}", "\u{b}"], &["\u{180e}", "x"]);
    check(r"^\S$", &["x"], &[" "]);
    check(r"\bfoo\b", &["a foo b", "éfoo"], &["food"]);
    check(r"^[\w-.]+$", &["a-b.c"], &["a b"]);
    check(r"^[\d\-\/]+$", &["1/2-3"], &["a"]);
    check(r"^[^\s]+$", &["ab"], &["a b"]);
    check(r"^[a&&b]$", &["&", "a", "b"], &["c"]);
    check(r"^[+--]$", &["+", ",", "-"], &["."]);
    check(r"^[[]$", &["["], &["]"]);
    check(r"^[~~]$", &["~"], &["-"]);
    check(r"^[\b]$", &["\u{8}"], &["b"]);
    check(r"^[]$", &[], &["", "a"]);
    check(r"^[^]$", &["a", "\n"], &[""]);
    check(r"^.$", &["a", "é", "😀"], &["\n", "\r", "\u{2028}"]);
    check(r"^\u0041\x42\u{43}$", &["ABC"], &["abc"]);
    check(r"^\ud83d\ude00$", &["😀"], &["x"]);
    check(r"^\cJ\t\v\f\0$", &["\n\t\u{b}\u{c}\0"], &["x"]);
    check(r"^\/\-\.\@\<\>$", &["/-.@<>"], &["x"]);
    check(r"^a{2}$", &["aa"], &["a{2}"]);
    check(r"^a{,2}$", &["a{,2}"], &["aa"]);
    check(r"^{x}$", &["{x}"], &["x"]);
    check(r"^]}$", &["]}"], &[""]);
    check(r"^(?:a|b)+?(?<name>c)$", &["abc"], &["c"]);
    check(r"^[α-ω]+$", &["λγω"], &["abc"]);
}

#[test]
fn patterns_that_cannot_be_enforced_are_told_apart_from_broken_ones() {
    fn unsupported(pattern: &str, gap: SupportGap) {
        assert_eq!(EcmaPattern::compile(pattern), Err(PatternError::Unsupported(gap)), "{pattern}");
    }
    unsupported("(?=a)", SupportGap::LookAround);
    unsupported("(?!a)", SupportGap::LookAround);
    unsupported("(?<=a)b", SupportGap::LookAround);
    unsupported("(?<!a)b", SupportGap::LookAround);
    unsupported(r"(a)\1", SupportGap::BackReference);
    unsupported(r"(?<n>a)\k<n>", SupportGap::BackReference);
    unsupported(r"\p{L}", SupportGap::UnicodeProperty);
    unsupported(r"[\P{L}]", SupportGap::UnicodeProperty);
    unsupported("(?i:a)", SupportGap::PatternFlags);
    unsupported("((a{100}){100}){100}", SupportGap::PatternTooLarge);
    unsupported(&"a".repeat(20_000), SupportGap::PatternTooLarge);

    for broken in ["(", ")", "[a", "*", "a{2,1}", r"\", r"\a", r"\u12", r"\u{110000}", r"\c1", "[b-a]", r"\Z"]
    {
        let error = EcmaPattern::compile(broken).expect_err(broken);
        assert!(matches!(error, PatternError::Malformed(_)), "{broken}: {error:?}");
        assert!(!error.to_string().is_empty() && !error.to_string().contains('\n'), "{broken}: {error}");
    }
}

#[test]
fn deeply_nested_groups_are_refused_and_do_not_crash() {
    let nested = "(".repeat(5_000) + &")".repeat(5_000);
    assert!(EcmaPattern::compile(&nested).is_err());
}

#[test]
fn a_pattern_remembers_its_text() {
    let pattern = EcmaPattern::compile(r"^\d$").expect("a pattern");
    assert_eq!(pattern.as_str(), r"^\d$");
    assert_eq!(pattern, EcmaPattern::compile(r"^\d$").expect("a pattern"));
}
