use super::*;

#[test]
fn words_that_mix_alphabets_are_named() {
    let check = |text: &str, expect: &[&str]| assert_eq!(warnings(text, Some(text)), expect, "{text:?}");
    check("git status", &[]);
    check("g\u{456}t-x", &["`g\u{456}t` mixes Latin with Cyrillic letters (U+0456)"]);
    check("echo p\u{3b1}y", &["`p\u{3b1}y` mixes Latin with Greek letters (U+03B1)"]);
    check("echo \u{1d5cb}m", &["`\u{1d5cb}m` mixes Latin with mathematical letters (U+1D5CB)"]);
    check("echo 'Gr\u{fc}\u{df}e \u{43f}\u{440}\u{438}\u{432}\u{435}\u{442} \u{4f60}\u{597d}'", &[]);
    let copy = "\u{441}\u{440} a b";
    check(copy, &["the program `\u{441}\u{440}` is not written in Latin letters (U+0441)"]);
}

#[test]
fn stacked_marks_are_named_and_counted_instead_of_shown() {
    let stacked = format!("rm{} x", "\u{338}".repeat(400));
    assert_eq!(warnings(&stacked, None), ["400 marks are stacked on one letter"]);
    assert_eq!(without_stacks(&stacked), "rm [400 marks]  x");
    let plain = "e\u{301} a\u{302}\u{301}";
    assert_eq!((warnings(plain, None), without_stacks(plain).as_str()), (Vec::new(), plain));
}

#[test]
fn a_text_full_of_them_is_told_by_its_number() {
    let many: String = (0..50).map(|at| format!("a{at}\u{456} ")).collect();
    let said = warnings(&many, None);
    assert_eq!((said.len(), said.last().map(String::as_str)), (5, Some("46 more such words")));
}
