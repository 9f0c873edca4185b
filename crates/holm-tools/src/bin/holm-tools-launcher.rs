//! The launcher of the tests: a test harness has no `main` that could become one.

fn main() {
    holm_jail::launcher_main()
}
