use super::*;

#[test]
fn what_a_program_lacks_is_counted() {
    let check = |all: usize, prepared: usize, expect: Option<&str>| {
        assert_eq!(lacking(all, prepared).as_deref(), expect, "{prepared} of {all}");
    };
    check(0, 0, Some("this program was built without its WASM tools"));
    check(8, 0, Some("8 of the 8 WASM tools inside this program were not prepared when it was built"));
    check(8, 5, Some("3 of the 8 WASM tools inside this program were not prepared when it was built"));
    check(8, 8, None);
}
