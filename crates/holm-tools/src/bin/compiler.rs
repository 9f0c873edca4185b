//! Compiles WASM for the tests of this crate: see `holm_sandbox::compiler_main`.

fn main() -> std::process::ExitCode {
    holm_sandbox::compiler_main();
    // Started by a person: there is nothing to do without a parent that asks.
    std::process::ExitCode::FAILURE
}
