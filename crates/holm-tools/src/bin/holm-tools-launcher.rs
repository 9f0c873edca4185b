//! The launcher process for the tests. A test harness has no `main` that could become one.

fn main() {
    holm_jail::launcher_main()
}
