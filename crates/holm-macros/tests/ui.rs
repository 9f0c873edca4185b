//! What the compiler says when a tool is written wrongly. The texts are part of the interface: each file in `tests/ui` is
//! one mistake, beside it stands what a person reads. `TRYBUILD=overwrite` writes them anew.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
