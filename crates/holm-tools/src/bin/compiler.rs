//! Compiles WASM for programs that cannot become their own compiler process: the tests
//! of this crate (see `holm_sandbox::compiler_main`), and the guests that are packed
//! into the `holm` command.
//!
//!     holm-tools-compiler prepare DIST SOURCES    see `holm_tools::shipped_guests::prepare`

use std::path::Path;
use std::process::ExitCode;

use holm_sandbox::{Sandbox, SandboxSettings};
use holm_tools::shipped_guests::prepare;
use holm_tools::wasm::{WasmHost, WasmSettings};

fn main() -> ExitCode {
    holm_sandbox::compiler_main();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["prepare", dist, sources] => match run(Path::new(dist), Path::new(sources)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => complain(&error.to_string()),
        },
        _ => complain("usage: holm-tools-compiler prepare DIST SOURCES"),
    }
}

fn run(dist: &Path, sources: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let host = WasmHost::new(Sandbox::new(SandboxSettings::new()?)?, WasmSettings::default());
    prepare(&host, dist, sources)?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "whoever builds the guests reads it")]
fn complain(what: &str) -> ExitCode {
    eprintln!("error: {what}");
    ExitCode::FAILURE
}
