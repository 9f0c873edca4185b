//! Compares how Holm decodes streamed replies with what others use, and measures how it encodes requests, in one run.
//!
//!     wire                            all figures, as Markdown and as JSON
//!     wire read READER STREAM         decodes one stream, for a profiler
//!     wire hold READER STREAM         the same without decoding: what a profiler has to take off
//!     wire write FORMAT TURN          encodes the request of one turn
//!     wire assemble FORMAT TURN       the same with nothing new in it
//!
//! See the README beside this crate for how to read the figures.

mod aims;
mod encode;
mod instructions;
mod jobs;
#[path = "../../kit/src/machine.rs"]
mod machine;
mod measure;
mod readers;
mod report;
mod streams;

use std::{env, path::PathBuf, process::ExitCode};

use readers::Reader;
use report::Report;
use streams::Stream;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        [] => compare(),
        [what, who, on] => jobs::perform(what, who, on).map_or_else(usage, |()| ExitCode::SUCCESS),
        _ => usage(),
    }
}

fn compare() -> ExitCode {
    let machine = machine::look();
    eprintln!("timing each reader on each stream (about a quarter of a minute)");
    let mut figures = measure::all();
    let mut encoded = encode::all();
    let output = output_folder();
    eprintln!("counting instructions (about a minute)");
    if let Err(why) = jobs::count(&mut figures, &mut encoded, &output) {
        eprintln!("no instruction counts: {why}");
    }
    let report = Report::new(machine, figures, encoded);
    println!("{}", report.markdown());
    let path = output.join("wire.json");
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

/// Next to the build output, which is where nobody commits anything: `<target>/wire.json`.
fn output_folder() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    exe.parent().and_then(|profile| profile.parent()).map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn usage() -> ExitCode {
    eprintln!("usage: wire [read|hold READER STREAM] [write|assemble FORMAT TURN]");
    eprintln!("readers: {}", Reader::ALL.map(Reader::name).join(", "));
    eprintln!("streams: {}", Stream::ALL.map(Stream::name).join(", "));
    eprintln!("formats: {}", encode::FORMATS.join(", "));
    ExitCode::FAILURE
}
