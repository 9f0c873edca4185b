//! Measures Holm's journals: what an append costs, what telling a run again costs, and how many bytes a record takes; beside
//! SQLite by hand, a plain file and the journal of plain text, in one run.
//!
//!     journal                        all figures, as Markdown and as JSON
//!
//! See the README beside this crate for how to read the figures.

mod aims;
mod append;
mod keepers;
mod lines;
mod replay;
mod report;
mod scratch;
mod size;

use std::{env, process::ExitCode};

use holm_bench_kit as kit;
use report::Report;

fn main() -> ExitCode {
    if env::args().count() > 1 {
        eprintln!("usage: journal");
        return ExitCode::FAILURE;
    }
    let ended = measure();
    scratch::clean();
    ended
}

fn measure() -> ExitCode {
    let machine = kit::look();
    let lines = lines::lines(replay::LONG);
    eprintln!("appending (half a minute where the disk is quick, {} s at the most)", append::LONGEST);
    let figures = append::all(&lines);
    eprintln!("telling {:?} records again", replay::SIZES);
    let replays = replay::all(&lines);
    let sizes = size::all(&lines);
    let report = Report::new(machine, figures, replays, sizes);
    println!("{}", report.markdown());
    kit::write("journal", &report)
}
