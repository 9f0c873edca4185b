//! Compares Holm's loop with other agent loops, on the same scripted model and echo tool, in one run.
//!
//!     loop                        all figures, as Markdown and as JSON
//!     loop one SYSTEM TURNS       one session, for a profiler
//!     loop set-up SYSTEM TURNS    the same without the session: what a profiler has to take off
//!
//! See the README beside this crate for how to read the figures.

mod aims;
mod copy;
mod report;
mod systems;

use std::{env, process::ExitCode};

use holm_bench_kit as kit;
use kit::System as _;
use report::Report;
use systems::System;

/// Turns at which every loop is measured.
const TURNS: [u64; 4] = [1, 10, 100, 1_000];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        [] => compare(),
        [what @ ("one" | "set-up"), system, turns] => {
            kit::single::<System>(what, system, turns).map_or_else(usage, |()| ExitCode::SUCCESS)
        }
        _ => usage(),
    }
}

fn compare() -> ExitCode {
    let machine = kit::look();
    eprintln!("timing each loop at {TURNS:?} turns (about a minute)");
    let mut figures = kit::all::<System>(&TURNS);
    let copies = copy::all(&TURNS);
    match kit::count::<System>("loop", &TURNS, &kit::folder()) {
        Ok(counts) => kit::add_instructions(&mut figures, &counts),
        Err(why) => eprintln!("no instruction counts: {why}"),
    }
    let report = Report::new(machine, figures, copies);
    println!("{}", report.markdown());
    kit::write("loop", &report)
}

fn usage() -> ExitCode {
    let names: Vec<&str> = System::ALL.iter().map(|system| system.name()).collect();
    eprintln!("usage: loop [one|set-up SYSTEM TURNS]\nsystems: {}", names.join(", "));
    ExitCode::FAILURE
}
