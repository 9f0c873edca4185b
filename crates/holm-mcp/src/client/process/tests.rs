use super::*;

#[test]
fn the_file_that_is_complained_about_is_meant_and_not_who_complains() {
    let there = tempfile::NamedTempFile::new().unwrap();
    let there = there.path().display().to_string();
    let check = |said: &str, expect: Option<String>| assert_eq!(missed(said), expect, "{said}");
    let grant = Some(format!("read:{there}"));
    check(&format!("cat: {there}: Permission denied"), grant.clone());
    check(&format!("{there}: Permission denied"), grant.clone());
    check(&format!("/bin/sh: {there}: No such file or directory"), grant);
    check("/bin/sh: can't open file '/no/where.py': [Errno 2] No such file or directory", None);
    check("all is well", None);
}
