use crate::schema::uri::{percent_decode, resolve, split};

#[test]
fn references_resolve_as_rfc_3986_says() {
    fn check(base: &str, reference: &str, expected: &str) {
        assert_eq!(resolve(base, reference), expected, "{reference} against {base}");
    }
    let base = "http://a/b/c/d;p?q";
    check(base, "g:h", "g:h");
    check(base, "g", "http://a/b/c/g");
    check(base, "./g", "http://a/b/c/g");
    check(base, "g/", "http://a/b/c/g/");
    check(base, "/g", "http://a/g");
    check(base, "//g", "http://g");
    check(base, "", base);
    check(base, ".", "http://a/b/c/");
    check(base, "..", "http://a/b/");
    check(base, "../g", "http://a/b/g");
    check(base, "../..", "http://a/");
    check(base, "../../../g", "http://a/g");
    check("", "g.json", "g.json");
    check("a/b.json", "c.json", "a/c.json");
    check("http://a", "g", "http://a/g");
    check("urn:example:root", "", "urn:example:root");
    check("http://a/b/", "c", "http://a/b/c");
}

#[test]
fn fragments_are_split_off_and_decoded() {
    assert_eq!(split("a#b"), ("a", "b"));
    assert_eq!(split("a"), ("a", ""));
    assert_eq!(split("#"), ("", ""));
    assert_eq!(percent_decode("a%20b%25%zz%4"), "a b%%zz%4");
    assert_eq!(percent_decode("%c3%a9"), "é");
}
