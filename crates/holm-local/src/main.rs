//! The worker as a separate program, for programs that should not link llama.cpp, and for tests.

fn main() {
    #[cfg(target_os = "linux")]
    {
        holm_jail::launch_if_asked();
        holm_local::serve_if_asked();
    }
}
