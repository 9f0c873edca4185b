use super::BasePath;

#[test]
fn a_base_path_is_made_of_plain_names() {
    let check = |text: &str, expect: Option<&str>| {
        let read = text.parse::<BasePath>().ok();
        assert_eq!(read.as_ref().map(BasePath::as_str), expect, "{text}");
    };
    check("", Some(""));
    check("/", Some(""));
    check("/holm", Some("/holm"));
    check("/a/b-c_d.e/", Some("/a/b-c_d.e"));
    for bad in ["holm", "/..", "/a//b", "/a/%2e%2e", "/a b", "/.git", "//host", "/a?b", "/{id}"] {
        check(bad, None);
    }
}
