use super::*;

#[test]
fn what_a_program_lacks_is_counted() {
    let check = |all: usize, prepared: usize, expect: Option<&str>| {
        assert_eq!(lacking(all, prepared).as_deref(), expect, "{prepared} of {all}");
    };
    check(0, 0, Some("this program was built without its WASM tools"));
    check(8, 0, Some("this build has no prepared WASM tools"));
    check(8, 5, Some("this build has only 5 of 8 WASM tools prepared"));
    check(8, 8, None);
}
