//! Measures calls of sandboxed guests beside processes and beside simpler ways to use the same engine. See the README.

mod figures;
mod floors;
mod guests;
mod ours;
mod pipeline;
mod scaling;

use std::process::ExitCode;

use figures::Figures;

fn main() -> ExitCode {
    // The compiler of guests is this program, started again.
    holm_sandbox::compiler_main();
    if let Some(ended) = scaling::alone() {
        return ended;
    }
    match measure() {
        Ok(figures) => {
            println!("{}", figures.markdown());
            holm_bench_kit::write("sandbox", &figures)
        }
        Err(error) => {
            eprintln!("could not measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<Figures, Box<dyn std::error::Error>> {
    let mut figures = Figures::new(std::env::args().nth(1));
    ours::measure(&mut figures)?;
    scaling::measure(&mut figures)?;
    pipeline::measure(&mut figures)?;
    floors::measure(&mut figures)?;
    figures.judge();
    Ok(figures)
}
