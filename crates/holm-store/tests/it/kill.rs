//! A real process that is killed while it writes. Every append that was confirmed is there, no
//! process waits for its leases, and the run can be resumed.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use holm_runtime::{Durability, JournalStore as _};
use holm_store::Store;

use crate::suite::script::Script;

const PLACE: &str = "HOLM_KILL_TEST_DATABASE";
const RUNS: usize = 4;
const LINES: usize = 400;
const ROUNDS: u64 = 24;

fn script(run: usize) -> Script {
    let mut script = Script::new(&format!("run-{run}"));
    while script.lines.len() < LINES {
        script.prompt(&"x".repeat(script.lines.len() * 7));
    }
    script
}

/// What the killed process does: appends, and says so after each append that was acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the process that `a_killed_writer_loses_nothing` kills"]
async fn the_writer() {
    let store = Store::open(std::env::var(PLACE).expect("run by another test")).await.unwrap();
    let mut tasks = Vec::new();
    for run in 0..RUNS {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let script = script(run);
            let mut journal = store.create(&format!("run-{run}")).await.unwrap();
            for (number, line) in script.lines.iter().enumerate() {
                let durability = if number % 5 == run { Durability::Synced } else { Durability::Written };
                journal.append(line, durability).await.unwrap();
                writeln!(std::io::stdout().lock(), "kept {run} {number}").unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_killed_writer_loses_nothing() {
    let scripts: Vec<Script> = (0..RUNS).map(script).collect();
    let mut cut_short = 0;
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        let acked = kill_after(&path, round * 97 % 1_200);
        let store = Store::open(&path).await.unwrap();
        for (run, script) in scripts.iter().enumerate() {
            let Ok(mut opened) = store.open(&format!("run-{run}")).await else {
                assert_eq!(acked[run], 0, "round {round}: run {run} was begun");
                continue;
            };
            let text = store.read(&format!("run-{run}")).await.unwrap();
            let count = text.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(text, script.lines[..count].concat().as_bytes(), "round {round}: run {run}");
            assert!(count >= acked[run], "round {round}: {count} lines of {} are there", acked[run]);
            cut_short += usize::from(count < LINES);
            opened.journal.append(&script.lines[count..].concat(), Durability::Synced).await.unwrap_or_else(
                |error| {
                    assert_eq!(count, LINES, "{error}");
                },
            );
        }
    }
    assert!(cut_short > RUNS, "the writer must be killed while it writes");
}

/// Starts the writer, kills it after so many lines, and says what it had acknowledged by then.
fn kill_after(path: &Path, lines: u64) -> [usize; RUNS] {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::the_writer", "--ignored", "--nocapture"])
        .env(PLACE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut acked = [0; RUNS];
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
        // The harness may have written the name of the test before the first line.
        let Some((_, rest)) = line.split_once("kept ") else { continue };
        let (run, number) = rest.split_once(' ').unwrap();
        acked[run.parse::<usize>().unwrap()] = number.parse::<usize>().unwrap() + 1;
        seen += 1;
        if seen == lines + 1 {
            std::thread::sleep(Duration::from_micros(lines));
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(seen > 0, "the writer did not write");
    acked
}
