//! Measures calls of sandboxed guests beside processes and beside simpler ways to use the same engine. See the README.

mod figures;
mod floors;
mod guests;
mod ours;
mod pipeline;

use std::path::PathBuf;
use std::process::ExitCode;

use figures::Figures;

fn main() -> ExitCode {
    // The compiler of guests is this program, started again.
    holm_sandbox::compiler_main();
    match measure() {
        Ok(figures) => report(&figures),
        Err(error) => {
            eprintln!("could not measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<Figures, Box<dyn std::error::Error>> {
    let mut figures = Figures::default();
    ours::measure(&mut figures)?;
    pipeline::measure(&mut figures)?;
    floors::measure(&mut figures)?;
    Ok(figures)
}

fn report(figures: &Figures) -> ExitCode {
    println!("{}", figures.markdown());
    let exe = std::env::current_exe().unwrap_or_default();
    let folder =
        exe.parent().and_then(|profile| profile.parent()).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let path = folder.join("sandbox.json");
    match std::fs::write(&path, figures.json()) {
        Ok(()) => {
            eprintln!("written: {}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("could not write {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
