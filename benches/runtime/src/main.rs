//! Measures Holm's driver and its store: beside other agent loops, beside a bare database, and in a crowd.
//!
//!     runtime                        all figures, as Markdown and as JSON
//!     runtime one SYSTEM TURNS       one session, for a profiler
//!     runtime set-up SYSTEM TURNS    the same without the session: what a profiler has to take off
//!     runtime append WAY LINES       that many appends to `bare` or `store`, for a profiler
//!
//! See the README beside this crate for how to read the figures.

mod aims;
mod append;
mod crowd;
mod group;
mod lines;
mod report;
mod scratch;
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
    let ended = match *arguments.as_slice() {
        [] => compare(),
        [what @ ("one" | "set-up"), system, turns] => {
            kit::single::<System>(what, system, turns).map_or_else(usage, |()| ExitCode::SUCCESS)
        }
        ["append", way, lines] => append::single(way, lines).map_or_else(usage, |()| ExitCode::SUCCESS),
        _ => usage(),
    };
    scratch::clean();
    ended
}

fn compare() -> ExitCode {
    let machine = kit::look();
    // First, because the memory of everything after it would hide what the crowd takes.
    eprintln!("{} runs of {} turns at the same time", crowd::RUNS, crowd::TURNS);
    let crowd = crowd::measure();
    eprintln!("appending to a store and to a bare database");
    let mut appends = append::all();
    let group = group::measure();
    eprintln!("timing each loop at {TURNS:?} turns (about a minute)");
    let mut figures = kit::all::<System>(&TURNS);
    match kit::count::<System>("runtime", &TURNS, &kit::folder()) {
        Ok(counts) => kit::add_instructions(&mut figures, &counts),
        Err(why) => eprintln!("no instruction counts: {why}"),
    }
    if let Err(why) = append::count(&mut appends) {
        eprintln!("no instruction counts of appends: {why}");
    }
    let report = Report::new(machine, figures, appends, group, crowd);
    println!("{}", report.markdown());
    kit::write("runtime", &report)
}

fn usage() -> ExitCode {
    let names: Vec<&str> = System::ALL.iter().map(|system| system.name()).collect();
    eprintln!(
        "usage: runtime [one|set-up SYSTEM TURNS | append bare|store LINES]\nsystems: {}",
        names.join(", ")
    );
    ExitCode::FAILURE
}
