//! The worker alone: for programs that do not want llama.cpp in their own file, and for tests.

fn main() {
    #[cfg(target_os = "linux")]
    {
        holm_jail::launch_if_asked();
        holm_local::serve_if_asked();
    }
}
