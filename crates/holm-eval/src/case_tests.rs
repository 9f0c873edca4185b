//! Runs cases as the tests of a program without libtest's harness: one test for each case, with the
//! options that `cargo test` and `cargo nextest` pass on. It decides nothing about cases:
//! `attempt.rs` replays and judges them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::{AttemptMode, CaseRunner, EvalCase};

/// The exit code of a test program with a failed test, as libtest has it.
const FAILED: u8 = 101;
/// Options of libtest that have a value in the next word and mean nothing here.
const WITH_VALUE: [&str; 4] = ["--format", "--color", "--logfile", "-Z"];

/// What the user of a test program wants, from its arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct CaseTestOptions {
    filters: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    lists: bool,
    only_ignored: bool,
    threads: Option<usize>,
}

impl CaseTestOptions {
    fn of(words: impl IntoIterator<Item = String>) -> Self {
        let mut options = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let (name, mut value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (word, None),
            };
            let mut value = || value.take().or_else(|| words.next()).unwrap_or_default();
            match name.as_str() {
                "--exact" => options.is_exact = true,
                "--list" => options.lists = true,
                "--ignored" => options.only_ignored = true,
                "--skip" => options.skipped.push(value()),
                "--test-threads" => options.threads = value().parse().ok(),
                other if WITH_VALUE.contains(&other) => drop(value()),
                other if other.starts_with('-') => {}
                filter => options.filters.push(filter.to_owned()),
            }
        }
        options
    }

    fn selects(&self, case: &str) -> bool {
        let fits = |text: &String| if self.is_exact { case == *text } else { case.contains(text.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(fits)) && !self.skipped.iter().any(fits)
    }
}

/// Replays the cases below these folders, each as a test, and is the `main` of a test program with
/// `harness = false`. Cases that only a model can answer are ignored.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use holm_eval::{CaseRunner, run_case_tests};
///
/// fn main() -> ExitCode {
///     let runner = CaseRunner::new("holm", std::env::temp_dir().join("evals"));
///     run_case_tests(&runner, ["evals".as_ref()])
/// }
/// ```
pub fn run_case_tests<'a>(runner: &CaseRunner, folders: impl IntoIterator<Item = &'a Path>) -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word: OsString| word.to_string_lossy().into_owned());
    let options = CaseTestOptions::of(words);
    let run = |out: &mut dyn Write| -> io::Result<bool> {
        match EvalCase::find(folders) {
            Ok(cases) => run_cases(runner, cases, &options, out),
            Err(error) => writeln!(out, "error: {error}").map(|()| false),
        }
    };
    match run(&mut io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(_) => ExitCode::from(FAILED),
    }
}

/// Runs the selected cases, and returns whether all passed.
fn run_cases(
    runner: &CaseRunner,
    cases: Vec<EvalCase>,
    options: &CaseTestOptions,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let all = cases.len();
    let is_selected =
        |case: &EvalCase| options.selects(&case.name) && (case.needs_model || !options.only_ignored);
    let cases: Vec<EvalCase> = cases.into_iter().filter(is_selected).collect();
    if options.lists {
        cases.iter().try_for_each(|case| writeln!(out, "{}: test", case.name))?;
        return Ok(true);
    }
    let began = Instant::now();
    let (ignored, cases): (Vec<EvalCase>, Vec<EvalCase>) =
        cases.into_iter().partition(|case| case.needs_model);
    writeln!(out, "\nrunning {} tests", cases.len() + ignored.len())?;
    ignored
        .iter()
        .try_for_each(|case| writeln!(out, "test {} ... ignored, only a model can answer it", case.name))?;
    let failures = replay_all(runner, &cases, options.threads, out)?;
    for (name, failure) in &failures {
        writeln!(out, "\n---- {name} ----\n{failure}")?;
    }
    writeln!(
        out,
        "\ntest result: {}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        if failures.is_empty() { "ok" } else { "FAILED" },
        cases.len() - failures.len(),
        failures.len(),
        ignored.len(),
        all - cases.len() - ignored.len(),
        began.elapsed().as_secs_f64(),
    )?;
    Ok(failures.is_empty())
}

/// Replays cases on several threads, and returns why some failed, by name.
fn replay_all(
    runner: &CaseRunner,
    cases: &[EvalCase],
    threads: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<Vec<(String, String)>> {
    let threads = threads.or_else(|| thread::available_parallelism().ok().map(NonZero::get)).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let (results, told) = std::sync::mpsc::channel();
    let results = Mutex::new(results);
    let mut failures = Vec::new();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, cases.len().max(1)) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failure = failure(runner, case);
                    let sender = results.lock().unwrap_or_else(PoisonError::into_inner);
                    let _ = sender.send((case.name.clone(), failure));
                }
            });
        }
        for (name, failure) in told.iter().take(cases.len()) {
            let verdict = if failure.is_none() { "ok" } else { "FAILED" };
            writeln!(out, "test {name} ... {verdict}")?;
            failures.extend(failure.map(|failure| (name, failure)));
        }
        io::Result::Ok(())
    })?;
    failures.sort();
    Ok(failures)
}

/// Why a case does not pass by replay.
fn failure(runner: &CaseRunner, case: &EvalCase) -> Option<String> {
    match runner.attempt(case, &AttemptMode::Replay, 1) {
        Ok(result) if result.is_passed() => None,
        Ok(result) => Some(result.failures().join("\n")),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
