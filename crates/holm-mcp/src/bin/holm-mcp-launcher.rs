//! Starts jailed children for the tests of this crate.

fn main() {
    holm_jail::launcher_main();
}
