//! Compares Holm's loop with other agent loops, on the same scripted model and echo tool, in one run.
//!
//!     loop                        all figures, as Markdown and as JSON
//!     loop one SYSTEM TURNS       one session, for a profiler
//!     loop set-up SYSTEM TURNS    the same without the session: what a profiler has to take off
//!
//! See the README beside this crate for how to read the figures.

mod aims;
mod copy;
mod heap;
mod instructions;
mod machine;
mod measure;
mod report;
mod script;
mod sponge;
mod systems;

use std::{env, path::PathBuf, process::ExitCode};

use report::Report;
use systems::System;

/// Turns at which every loop is measured.
const TURNS: [u64; 4] = [1, 10, 100, 1_000];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        [] => compare(),
        [what @ ("one" | "set-up"), system, turns] => single(what, system, turns),
        _ => usage(),
    }
}

fn compare() -> ExitCode {
    let machine = machine::look();
    eprintln!("timing each loop at {TURNS:?} turns (about a minute)");
    let mut figures = measure::all(&TURNS);
    let copies = copy::all(&TURNS);
    let output = output_folder();
    match instructions::count(&TURNS, &output) {
        Ok(counts) => measure::add_instructions(&mut figures, &counts),
        Err(why) => eprintln!("no instruction counts: {why}"),
    }
    let report = Report::new(machine, figures, copies);
    println!("{}", report.markdown());
    let path = output.join("loop.json");
    match std::fs::write(&path, report.json()) {
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

/// Next to the build output, which is where nobody commits anything: `<target>/loop.json`.
fn output_folder() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    exe.parent().and_then(|profile| profile.parent()).map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn single(what: &str, system: &str, turns: &str) -> ExitCode {
    let (Some(system), Ok(turns)) = (System::named(system), turns.parse()) else { return usage() };
    let mut session = system.prepare(turns);
    if what == "one" {
        std::hint::black_box(session.run());
    }
    // Taking a session apart is nobody's loop.
    std::mem::forget(session);
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    let names = System::ALL.map(System::name).join(", ");
    eprintln!("usage: loop [one|set-up SYSTEM TURNS]\nsystems: {names}");
    ExitCode::FAILURE
}
