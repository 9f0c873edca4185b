//! The launcher: a small process that starts and watches jailed children on behalf of a large one.

fn main() {
    #[cfg(target_os = "linux")]
    holm_jail::launcher_main();
}
