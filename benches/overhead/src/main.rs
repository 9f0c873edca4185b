//! Counts the tokens of the first request: what a model reads before the user's first word counts.

mod capture;
#[path = "../../startup/src/keep.rs"]
mod keep;
#[path = "../../startup/src/program.rs"]
mod program;
mod report;
mod request;

use std::{path::PathBuf, process::exit};

use program::Program;
use report::Figure;
use request::FirstRequest;

fn main() {
    let hold = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [word] if word == "hold" => true,
        _ => {
            eprintln!("usage: overhead [hold]");
            exit(2);
        }
    };
    let holm = folder("HOLM_BIN");
    let peers = if hold { PathBuf::new() } else { folder("HOLM_STARTUP_PEERS") };
    let (mut figures, mut not_measured) = (Vec::new(), Vec::new());
    for program in Program::all(&holm, &peers).into_iter().filter(|program| !hold || program.name == "holm") {
        eprintln!("measuring {}", program.name);
        match capture::first_request(&program).and_then(|body| FirstRequest::read(&body)) {
            Ok(request) => figures.push(Figure { name: program.name, request }),
            Err(why) => not_measured.push((program.name, why)),
        }
    }
    if hold {
        // scripts/check-overhead compares this line.
        for figure in &figures {
            println!("{} {}", figure.name, figure.request.tokens());
        }
        not_measured.iter().for_each(|(name, why)| eprintln!("{name} could not be measured: {why}"));
    } else {
        print!("{}", report::markdown(&figures, &not_measured));
        keep::keep("overhead", &report::json(&figures));
    }
    // A peer may be missing; without Holm there is nothing to say.
    if figures.iter().all(|figure| figure.name != "holm") {
        exit(1);
    }
}

fn folder(name: &str) -> PathBuf {
    let Some(value) = std::env::var_os(name) else {
        eprintln!("{name} is not set; run scripts/bench overhead");
        exit(2);
    };
    value.into()
}
