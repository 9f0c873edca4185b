use super::*;

#[test]
fn labels_are_one_visible_line() {
    assert_eq!(check_label("the tag", "work in progress", MAX_TAG), Ok(()));
    for bad in ["", "  ", "a\nb", &"t".repeat(MAX_TAG + 1)] {
        assert!(check_label("the tag", bad, MAX_TAG).is_err(), "{bad:?}");
    }
}

#[test]
fn a_bad_name_is_refused_in_the_same_words() {
    assert_eq!(check_run("good-name"), Ok(()));
    let Err(StoreError::BadName { run, .. }) = check_run("../x\u{1b}") else { panic!("it is no name") };
    assert_eq!(run, "../x");
}
