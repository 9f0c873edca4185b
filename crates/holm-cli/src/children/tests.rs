use super::*;

#[test]
fn a_helper_is_known_by_its_name() {
    let check = |name: &str, expect: bool| assert_eq!(is_named_like_one(name), expect, "{name}");
    check("child-00112233445566778899aabbccddeeff", true);
    check("child-00112233445566778899AABBCCDDEEFF", false);
    check("child-0011", false);
    check("child-care", false);
    check("00112233445566778899aabbccddeeff", false);
}
