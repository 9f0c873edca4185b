use super::*;

// What is contained and admitted is in packages/holm/test/vectors.json, which every host is held to; this is the rest.

#[test]
fn a_list_or_policy_that_cannot_be_read_is_a_fault_and_never_a_no() {
    assert_eq!(contains("[", "[]").unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(meet("[]", "{}").unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(decide("[]]", "read:x").unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(reach("{}", "not a url", "127.0.0.1").unwrap_err().kind, BindingErrorKind::Grant);
}
