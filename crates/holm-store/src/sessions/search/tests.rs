use super::*;

#[test]
fn queries_are_words_and_phrases() {
    let check = |query: &str, expect: &[&str]| assert_eq!(terms(query).unwrap(), expect, "{query}");
    check("one two", &["one", "two"]);
    check("  \"one two\" three", &["one two", "three"]);
    check("\"open phrase", &["open phrase"]);
    check("\"\"", &[]);
    check("nul\0byte word", &["word"]);
    check("sch\u{f6}n", &["sch\u{f6}n"]);
    assert_eq!(terms("a longer word"), Err(StoreError::TooShort { term: "a".into() }));
}
