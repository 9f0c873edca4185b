//! Starts the command and those that it is compared with, again and again, and says how soon they are there.

mod child;
mod contender;
mod keep;
mod program;
mod report;

use std::{path::PathBuf, process::exit, time::Instant};

use contender::Figure;
use program::Program;

/// The longest that one contender is measured in one way, in seconds: slow ones are started less often.
const PATIENCE: u64 = 60;

fn main() {
    let [holm, peers] = [arguments("HOLM_BIN"), arguments("HOLM_STARTUP_PEERS")];
    let (mut figures, mut not_measured) = (Vec::new(), Vec::new());
    for program in Program::all(&holm, &peers) {
        eprintln!("measuring {}", program.name);
        match measured(&program) {
            Ok(figure) => figures.push(figure),
            Err(why) => not_measured.push((program.name, why)),
        }
    }
    print!("{}", report::markdown(&figures, &not_measured));
    keep::keep("startup", &report::json(&figures));
    // Whoever is compared may be missing; without Holm there is nothing to say.
    if figures.iter().all(|figure| figure.name != "holm") {
        exit(1);
    }
}

/// What the script beside this says.
fn arguments(name: &str) -> PathBuf {
    let Some(value) = std::env::var_os(name) else {
        eprintln!("{name} is not set; run scripts/bench startup");
        exit(2);
    };
    value.into()
}

fn measured(program: &Program) -> Result<Figure, String> {
    let (mut versions, mut memory) = (Vec::new(), 0);
    let began = Instant::now();
    // One more, first, so that the file is in memory.
    for round in 0..=contender::VERSION_ROUNDS {
        let ran = program.version()?;
        memory = memory.max(ran.most_memory);
        if round > 0 {
            versions.push(ran.took);
        }
        if began.elapsed().as_secs() > PATIENCE && !versions.is_empty() {
            break;
        }
    }
    let mut requests = Vec::new();
    let began = Instant::now();
    for round in 0..=contender::REQUEST_ROUNDS {
        let took = program.first_request()?;
        if round > 0 {
            requests.push(took);
        }
        if began.elapsed().as_secs() > PATIENCE && !requests.is_empty() {
            break;
        }
    }
    let size = std::fs::metadata(&program.path).map_err(|error| error.to_string())?.len();
    Ok(Figure::new(program.name, versions, requests, memory, size))
}
