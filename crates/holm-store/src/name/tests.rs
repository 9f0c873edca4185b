use super::*;

#[test]
fn names_are_safe_or_refused() {
    for good in ["a", "A-1_b.c", "0", "..a", &"x".repeat(MAX_RUN_ID)] {
        assert_eq!(check_run_id(good), Ok(()), "{good}");
    }
    for bad in ["", ".", "..", "...", "a/b", "a b", "ü", "a\n", "a\0", &"x".repeat(MAX_RUN_ID + 1)] {
        assert!(matches!(check_run_id(bad), Err(StoreError::BadName { .. })), "{bad:?}");
    }
}

#[test]
fn a_refusal_shows_no_more_than_it_must() {
    let Err(StoreError::BadName { run, .. }) = check_run_id(&format!("\u{1b}{}", "x".repeat(9_000))) else {
        panic!("it is too long");
    };
    assert!(run.chars().count() <= MAX_RUN_ID && !run.contains('\u{1b}'));
}

#[test]
fn labels_are_one_visible_line() {
    assert_eq!(check_label("the tag", "work in progress", MAX_TAG), Ok(()));
    for bad in ["", "  ", "a\nb", &"t".repeat(MAX_TAG + 1)] {
        assert!(check_label("the tag", bad, MAX_TAG).is_err(), "{bad:?}");
    }
}
